"""Settings › Agents: the Adapter API switch, who asks, the list of adapters with one open, how all of them
look, and the token.

Owns which banners and items stand there and which adapter is open. Must not decide: every press goes through
the bridge, and what is shown afterwards is read from the service again.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from orbtile.host.settings import Settings
from orbtile.host.views import AdapterView, Consent
from orbtile.palette.states import State
from orbtile.ui.bridge import Bridge
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import Switch
from orbtile.ui.empty import OrbPicture
from orbtile.ui.motion import MotionClock
from orbtile.ui.settings.adapter_list import AdapterList, sorting_key
from orbtile.ui.settings.adapter_pane import AdapterPane
from orbtile.ui.settings.rows import ConfirmRow, Group, Page, Row, RowText, spaced
from orbtile.ui.settled_input import MonotonicClock
from orbtile.ui.surfaces import Hairline, Panel
from orbtile.ui.theme import Theme

OpenUrl = Callable[[str], object]

_EMPTY_ORB_PX: Final = 72


class AgentsPage(Page):
    """While it is hidden it follows nothing; shown, it reads the service once and then what changes."""

    def __init__(
        self,
        bridge: Bridge,
        theme: Theme,
        open_url: OpenUrl,
        parent: QWidget | None = None,
        *,
        motion: MotionClock,
        now_s: MonotonicClock = time.monotonic,
    ) -> None:
        super().__init__(theme, self.tr("Agents"), parent)
        self._bridge = bridge
        self._theme = theme
        self._open_url = open_url
        self._motion = motion
        self._now_s = now_s
        self._views: dict[str, AdapterView] = {}
        self._banners: dict[str, ConsentBanner] = {}
        self._pane: AdapterPane | None = None
        self.setObjectName("agentsPage")
        content = self.widget()
        self.api_switch = Switch(theme, self.tr("Adapter API"), content)
        self.api_switch.setObjectName("apiSwitch")
        about_api = self.tr(
            "Programs you run on this computer can show their sessions. Each one needs your Allow."
        )
        self._api_row = Row(theme, self.tr("Adapter API"), about_api, self.api_switch, content)
        self._banner_box = QWidget(content)
        self._banner_column = QVBoxLayout(self._banner_box)
        self._banner_column.setContentsMargins(0, 0, 0, 16)
        self._banner_column.setSpacing(8)
        self._empty = Panel(theme, None, "line", 10, content)
        self._empty_pictures = {
            is_on: OrbPicture(theme, State.STARTING if is_on else State.OFFLINE, _EMPTY_ORB_PX, self._empty)
            for is_on in (True, False)
        }
        self._empty_text = RowText(theme, "", "", self._empty)
        self._frame = Panel(theme, None, "line", 10, content)
        self.adapter_list = AdapterList(theme, self._frame)
        self._pane_column = QVBoxLayout()
        self._group = Group(theme, content)
        self.alarm_switch = self._add_switch(
            "oneAlarmSwitch",
            self.tr("One alarm colour for all agents"),
            self.tr("Every waiting orb is terracotta."),
        )
        self.glyph_switch = self._add_switch(
            "keyGlyphSwitch",
            self.tr("Agent icons"),
            self.tr("Sessions show the icon of their agent, its symbol or its letters."),
        )
        self.icon_switch = self._add_switch(
            "providerIconSwitch",
            self.tr("Icons from agents"),
            self.tr("An agent that brings an icon shows it. Without this, its symbol or its letters."),
        )
        self.token_row = ConfirmRow(theme, self._group, now_s=now_s)
        self._token_part = self._group.add(self.token_row)
        self._lay_out()
        self.api_switch.switch_requested.connect(self._on_api_switch_requested)
        self.adapter_list.selected.connect(self._open_pane)
        self.token_row.confirmed.connect(self._on_regenerate_confirmed)
        self.token_row.opened.connect(self._close_forget_question)
        self.token_row.opened.connect(self.lay_out_now)
        self.token_row.closed.connect(self.lay_out_now)
        bridge.adaptersChanged.connect(self._on_adapters_changed)
        bridge.apiChanged.connect(self._on_api_changed)
        bridge.settingsChanged.connect(self._on_settings_changed)
        self.alarm_switch.switch_requested.connect(self._on_alarm_requested)
        self.glyph_switch.switch_requested.connect(self._on_glyph_requested)
        self.icon_switch.switch_requested.connect(self._on_icon_requested)

    @property
    def banners(self) -> list[ConsentBanner]:
        return list(self._banners.values())

    @property
    def pane(self) -> AdapterPane | None:
        """The open adapter's; None while there is none."""
        return self._pane

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh(sort=True)

    def refresh(self, *, sort: bool = False) -> None:
        """Read everything from the service."""
        self._views = {view.adapter_id: view for view in self._bridge.service.adapters()}
        self._show_settings()
        self._show_api()
        self._show_adapters(sort=sort)

    def _add_switch(self, object_name: str, title: str, description: str) -> Switch:
        switch = Switch(self._theme, title, self._group)
        switch.setObjectName(object_name)
        self._group.add(Row(self._theme, title, description, switch, self._group))
        return switch

    def _lay_out(self) -> None:
        theme = self._theme
        empty = QVBoxLayout(self._empty)
        empty.setContentsMargins(24, 32, 24, 40)
        empty.setSpacing(0)
        for picture in self._empty_pictures.values():
            empty.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
        empty.addSpacing(8)
        empty.addWidget(self._empty_text)
        for label in (self._empty_text.title, self._empty_text.description):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._pane_column.setContentsMargins(0, 0, 0, 0)
        frame = QHBoxLayout(self._frame)
        frame.setContentsMargins(1, 1, 1, 1)
        frame.setSpacing(0)
        frame.addWidget(self.adapter_list)
        frame.addWidget(Hairline(theme, upright=True, parent=self._frame))
        frame.addLayout(self._pane_column, 1)
        self.token_row.set_texts(
            self.tr("Access token"),
            self.tr("A new token disconnects every agent. Running agents come back by themselves."),
            self.tr("Regenerate the access token?"),
            self.tr(
                "Every agent is disconnected and its sessions go. Running agents come back by themselves."
            ),
        )
        self.token_row.set_buttons(self.tr("Regenerate token"), self.tr("Regenerate"))
        self.token_row.button.setObjectName("regenerateButton")
        spaced(self.column, self._api_row, 12)
        spaced(self.column, self._banner_box, 16)
        self.column.addWidget(self._empty)
        self.column.addWidget(self._frame)
        spaced(self.column, self._group, 16)
        self.column.addStretch(1)

    # what the service says

    def _on_adapters_changed(self, adapter_ids: frozenset[str]) -> None:
        if not self.isVisible():
            return
        for adapter_id in adapter_ids:
            view = self._bridge.service.adapter(adapter_id)
            if view is None:
                self._views.pop(adapter_id, None)
            else:
                self._views[adapter_id] = view
        self._show_adapters()

    def _on_api_changed(self) -> None:
        if self.isVisible():
            self._show_api()
            self._show_adapters()

    def _on_settings_changed(self) -> None:
        if self.isVisible():
            self._show_settings()
            self._show_adapters()

    def _show_settings(self) -> None:
        settings = self._bridge.service.settings
        self.alarm_switch.set_on(settings.anchor_attention)
        self.glyph_switch.set_on(settings.key_glyph)
        self.icon_switch.set_on(settings.provider_app_icon)

    def _show_api(self) -> None:
        enabled = self._bridge.service.api_enabled
        self.api_switch.set_on(enabled)
        if not enabled:
            self.token_row.close_question()
        self._token_part.setVisible(enabled)  # without the API there is no token

    def _show_adapters(self, *, sort: bool = False) -> None:
        self._show_banners()
        self.adapter_list.set_views(list(self._views.values()), sort=sort)
        view = self._views.get(self.adapter_list.selected_id)
        if view is not None and self._pane is not None:
            self._fill_pane(self._pane, view)
        elif view is not None:
            self._open_pane(view.adapter_id)
        elif self._pane is not None:
            self._pane_column.removeWidget(self._pane)
            self._pane.hide()
            self._pane.deleteLater()
            self._pane = None
        self._frame.setVisible(bool(self._views))
        self._empty.setVisible(not self._views)
        api_enabled = self._bridge.service.api_enabled
        for is_on, picture in self._empty_pictures.items():
            picture.setVisible(is_on is api_enabled)
        if api_enabled:
            self._empty_text.set_texts(
                self.tr("No agents yet"),
                self.tr("Start an agent's adapter, and it asks here before Orbtile shows anything."),
            )
        else:
            self._empty_text.set_texts(
                self.tr("The Adapter API is off"),
                self.tr("No agent can show here until you turn it on."),
            )
        self.lay_out_now()

    def _show_banners(self) -> None:
        """One for each adapter that asks; who is there stays in place, who is new comes below.

        Also for one that asked and has gone since: a script that registers once would else never be answered.
        """
        asking = {i: view for i, view in self._views.items() if view.consent is Consent.AWAITING}
        if not self._bridge.service.api_enabled:
            asking = {}
        for adapter_id in [gone for gone in self._banners if gone not in asking]:
            banner = self._banners.pop(adapter_id)
            self._banner_column.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        for view in sorted(asking.values(), key=sorting_key):
            if view.adapter_id in self._banners:
                self._banners[view.adapter_id].set_view(view)
            else:
                self._add_banner(view)
        self._banner_box.setVisible(bool(self._banners))

    def _add_banner(self, view: AdapterView) -> None:
        banner = ConsentBanner(self._theme, view, self._banner_box, now_s=self._now_s)
        banner.allow_requested.connect(self._on_allow_requested)
        banner.deny_requested.connect(self._on_deny_requested)
        self._banners[view.adapter_id] = banner
        self._banner_column.addWidget(banner)

    def _open_pane(self, adapter_id: str) -> None:
        view = self._views[adapter_id]
        if self._pane is not None:
            self._fill_pane(self._pane, view)
            self.lay_out_now()
            return
        self._pane = AdapterPane(self._theme, view, self._frame, motion=self._motion, now_s=self._now_s)
        self._fill_pane(self._pane, view)
        self._pane.allow_requested.connect(self._on_allow_requested)
        self._pane.turn_off_requested.connect(self._on_turn_off_requested)
        self._pane.forget_requested.connect(self._on_forget_requested)
        self._pane.homepage_requested.connect(self._open_url)
        self._pane.colours.hue_chosen.connect(self._on_hue_chosen)
        self._pane.colours.hue_reset.connect(self._on_hue_reset)
        self._pane.forget.opened.connect(self.token_row.close_question)
        self._pane.forget.opened.connect(self.lay_out_now)
        self._pane.forget.closed.connect(self.lay_out_now)
        self._pane_column.addWidget(self._pane)
        self._pane.show()  # by itself it would be shown a turn later, and laid out once without it

    def _fill_pane(self, pane: AdapterPane, view: AdapterView) -> None:
        pane.set_view(view, one_alarm=self._bridge.service.settings.anchor_attention)

    # what the user wants; what comes of it is read from the service at once

    def _on_api_switch_requested(self, wished: bool) -> None:
        self._bridge.setApiEnabled(wished)
        self.refresh()

    def _on_allow_requested(self, adapter_id: str, fingerprint: str) -> None:
        self._bridge.allow(adapter_id, fingerprint)
        self.refresh()

    def _on_deny_requested(self, adapter_id: str, fingerprint: str) -> None:
        self._bridge.deny(adapter_id, fingerprint)
        self.refresh()

    def _on_turn_off_requested(self, adapter_id: str) -> None:
        self._bridge.turnOff(adapter_id)
        self.refresh()

    def _on_forget_requested(self, adapter_id: str) -> None:
        if self._views.keys() == {adapter_id}:  # else the focus jumps on to what stands below: a new token
            self.api_switch.setFocus(Qt.FocusReason.OtherFocusReason)
        self._bridge.forget(adapter_id)
        self.refresh()
        self.adapter_list.focus_selected(Qt.FocusReason.OtherFocusReason)

    def _on_hue_chosen(self, adapter_id: str, hue_deg: float) -> None:
        self._bridge.setHue(adapter_id, hue_deg)
        self.refresh()

    def _on_hue_reset(self, adapter_id: str) -> None:
        self._bridge.setHue(adapter_id, None)
        self.refresh()

    def _on_alarm_requested(self, wished: bool) -> None:
        self._change(replace(self._bridge.service.settings, anchor_attention=wished))

    def _on_glyph_requested(self, wished: bool) -> None:
        self._change(replace(self._bridge.service.settings, key_glyph=wished))

    def _on_icon_requested(self, wished: bool) -> None:
        self._change(replace(self._bridge.service.settings, provider_app_icon=wished))

    def _change(self, settings: Settings) -> None:
        self._bridge.changeSettings(settings)
        self.refresh()

    def _on_regenerate_confirmed(self) -> None:
        self._bridge.regenerateToken()
        self.refresh()

    def _close_forget_question(self) -> None:
        if self._pane is not None:
            self._pane.forget.close_question()
