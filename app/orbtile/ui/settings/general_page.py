"""Settings › General: theme, reduced motion, and the shade of the panel that the tray icon stands on.

Owns these rows. Must not keep a setting: a press changes the service's, and the rows show what it says then.
"""

import sys
from dataclasses import replace

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from orbtile.host.settings import Settings, TrayInk
from orbtile.host.settings import Theme as ThemeChoice
from orbtile.ui.bridge import Bridge
from orbtile.ui.controls import Choice, Switch
from orbtile.ui.settings.rows import Group, Page, Row, spaced
from orbtile.ui.theme import Theme


class GeneralPage(Page):
    """``platform``: as ``sys.platform``; only on Linux is the panel's shade unknown to the app."""

    def __init__(
        self, bridge: Bridge, theme: Theme, parent: QWidget | None = None, *, platform: str = sys.platform
    ) -> None:
        super().__init__(theme, self.tr("General"), parent)
        self._bridge = bridge
        self.setObjectName("generalPage")
        content = self.widget()
        group = Group(theme, content)
        self.theme_choice = Choice(
            theme,
            self.tr("Theme"),
            (
                (ThemeChoice.SYSTEM, self.tr("System")),
                (ThemeChoice.LIGHT, self.tr("Light")),
                (ThemeChoice.DARK, self.tr("Dark")),
            ),
            group,
        )
        self.theme_choice.setObjectName("themeChoice")
        about_theme = self.tr("System follows the desktop.")
        group.add(Row(theme, self.tr("Theme"), about_theme, self.theme_choice, group))
        self.motion_switch = Switch(theme, self.tr("Reduce motion"), group)
        self.motion_switch.setObjectName("reduceMotionSwitch")
        about_motion = self.tr("Orbs stand still and nothing fades.")
        group.add(Row(theme, self.tr("Reduce motion"), about_motion, self.motion_switch, group))
        self.tray_choice: Choice | None = None
        if platform == "linux":
            self.tray_choice = Choice(
                theme,
                self.tr("Tray panel"),
                (
                    (TrayInk.AUTO, self.tr("Auto")),
                    (TrayInk.LIGHT, self.tr("Light")),
                    (TrayInk.DARK, self.tr("Dark")),
                ),
                group,
            )
            self.tray_choice.setObjectName("trayPanelChoice")
            self.tray_choice.chosen.connect(self._on_tray_chosen)
            about_tray = self.tr(
                "The shade of the panel behind the tray icon. Choose it if the icon is hard to see."
            )
            group.add(Row(theme, self.tr("Tray panel"), about_tray, self.tray_choice, group))
        spaced(self.column, group, 12)
        self.column.addStretch(1)
        self.theme_choice.chosen.connect(self._on_theme_chosen)
        self.motion_switch.switch_requested.connect(self._on_motion_requested)
        bridge.settingsChanged.connect(self.refresh)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        settings = self._bridge.service.settings
        self.theme_choice.set_value(settings.theme)
        self.motion_switch.set_on(settings.reduce_motion)
        if self.tray_choice is not None:
            self.tray_choice.set_value(settings.tray_panel)

    def _on_theme_chosen(self, value: str) -> None:
        self._change(replace(self._bridge.service.settings, theme=ThemeChoice(value)))

    def _on_motion_requested(self, wished: bool) -> None:
        self._change(replace(self._bridge.service.settings, reduce_motion=wished))

    def _on_tray_chosen(self, value: str) -> None:
        self._change(replace(self._bridge.service.settings, tray_panel=TrayInk(value)))

    def _change(self, settings: Settings) -> None:
        self._bridge.changeSettings(settings)
        self.refresh()
