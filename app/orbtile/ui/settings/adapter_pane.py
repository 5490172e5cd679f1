"""What Settings shows of one adapter: who it is, what it may do, its switch, its colours, what its author
should know, and Forget.

Owns the layout of that pane and the fingerprint that its switch carries. Must not decide: it emits intents.
"""

import time
from typing import Final

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from orbtile.host.views import AdapterView, Consent
from orbtile.palette.scheme import Scheme
from orbtile.palette.vision import confusions
from orbtile.ui.agent_icon import ICON_PX, AgentIcon, face_of
from orbtile.ui.consent_words import Phrase, permissions
from orbtile.ui.controls import LinkButton, Switch
from orbtile.ui.labels import CodeText, ElidedLabel, Label, isolated
from orbtile.ui.motion import MotionClock
from orbtile.ui.phrases import PhraseList
from orbtile.ui.settings.colours import MARGIN_PX, AdapterColours
from orbtile.ui.settings.rows import ConfirmRow
from orbtile.ui.settled_input import MonotonicClock, SettledInput
from orbtile.ui.status_text import local_clock_text
from orbtile.ui.surfaces import Hairline, Panel
from orbtile.ui.theme import Theme

_PADDING_PX: Final = 16
_ICON_TO_TEXT_PX: Final = 16
_SHOW_MOST_PX: Final = 168
_TEXT_LEFT_PX: Final = ICON_PX + _ICON_TO_TEXT_PX


def https_url(text: str | None) -> str:
    """``text`` when it is a whole https address, else nothing: no other scheme is offered."""
    url = QUrl(text or "", QUrl.ParsingMode.StrictMode)
    return url.toString() if url.isValid() and url.scheme() == "https" and url.host() else ""


class _Section(QWidget):
    """A part of the pane below a hairline that runs from side to side. ``own_margin_px``: what its content
    leaves free by itself.
    """

    def __init__(self, theme: Theme, parent: QWidget, *, own_margin_px: int = 0) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(0)
        column.addWidget(Hairline(theme, parent=self))
        self.column = QVBoxLayout()
        side = _PADDING_PX - own_margin_px
        self.column.setContentsMargins(side, 14 - own_margin_px, side, 0)
        self.column.setSpacing(0)
        column.addLayout(self.column)


class AdapterPane(QWidget):
    """One adapter. ``set_view`` with another adapter or fingerprint makes the switch settle again."""

    allow_requested = Signal(str, str)
    """Adapter id, and the fingerprint of what is shown."""
    turn_off_requested = Signal(str)
    """Adapter id alone: a no grants nothing, and needs no settling."""
    forget_requested = Signal(str)
    homepage_requested = Signal(str)
    """An https address."""

    def __init__(
        self,
        theme: Theme,
        view: AdapterView,
        parent: QWidget | None = None,
        *,
        motion: MotionClock,
        now_s: MonotonicClock = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._view = view
        self._one_alarm = False
        self._judged: Scheme | None = None
        self.setObjectName("adapterPane")
        self._icon = AgentIcon(theme, face_of(view), self)
        self._name = ElidedLabel(theme, "", 13, 600, parent=self)
        self._id = ElidedLabel(theme, "", 12, 400, "text3", parent=self)
        self._show_label = ElidedLabel(theme, "", 12, 400, "text2", parent=self)
        self._show_label.setMaximumWidth(_SHOW_MOST_PX)
        self.switch = Switch(theme, "", self)
        self.switch.setObjectName("showSwitch")
        self._may = PhraseList(theme, self)
        self.homepage = LinkButton(theme, self)
        self.homepage.setObjectName("homepageButton")
        self._colours_section = _Section(theme, self, own_margin_px=MARGIN_PX)
        self.colours = AdapterColours(theme, view, motion, self)
        self._developers = _Section(theme, self)
        self._warnings_well = Panel(theme, "well", "line", 8, self)
        self.warnings = CodeText(theme, self.tr("Warnings for developers"), self)
        self.warnings.setObjectName("developerWarnings")
        self.vision_notes = PhraseList(theme, self)
        self.vision_notes.setObjectName("visionNotes")
        self._forget_section = _Section(theme, self)
        self.forget = ConfirmRow(theme, self, now_s=now_s)
        self._settled = SettledInput(self, now_s)
        self._settled.add_button(self.switch)
        self.switch.switch_requested.connect(self._on_switch_requested)
        self.homepage.clicked.connect(lambda: self.homepage_requested.emit(https_url(self._homepage())))
        self.forget.confirmed.connect(lambda: self.forget_requested.emit(self._view.adapter_id))
        self._lay_out(theme)
        self._fill()

    @property
    def view(self) -> AdapterView:
        return self._view

    def set_view(self, view: AdapterView, *, one_alarm: bool = False) -> None:
        """``one_alarm``: as in ``AdapterColours``."""
        before, self._view, self._one_alarm = self._view, view, one_alarm
        if (view.adapter_id, view.fingerprint) != (before.adapter_id, before.fingerprint):
            self._settled.mark_changed()
        if view.adapter_id != before.adapter_id:
            self.forget.close_question()
        self._fill()

    def _lay_out(self, theme: Theme) -> None:
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(self._name)
        names.addWidget(self._id)
        head = QHBoxLayout()
        head.setContentsMargins(_PADDING_PX, 0, _PADDING_PX, 0)
        head.setSpacing(_ICON_TO_TEXT_PX)
        head.addWidget(self._icon)
        head.addLayout(names, 1)
        head.addWidget(self._show_label)
        head.addWidget(self.switch)
        may = QHBoxLayout()
        may.setContentsMargins(_PADDING_PX, 10, _PADDING_PX, 0)
        may.addSpacing(_TEXT_LEFT_PX)  # spacing is mirrored from right to left, margins are not
        may.addWidget(self._may, 1)
        link = QHBoxLayout()
        link.setContentsMargins(_PADDING_PX, 0, _PADDING_PX, 0)
        link.addSpacing(_TEXT_LEFT_PX)
        link.addWidget(self.homepage)
        link.addStretch(1)
        self._colours_section.column.addWidget(self.colours)
        title = Label(theme, self.tr("For developers"), 12, 500, parent=self)
        inner = QVBoxLayout(self._warnings_well)
        inner.setContentsMargins(10, 8, 10, 8)
        inner.addWidget(self.warnings)
        self._developers.column.setSpacing(6)
        self._developers.column.addWidget(title)
        self._developers.column.addWidget(self._warnings_well)
        self._developers.column.addWidget(self.vision_notes)
        self._forget_section.column.addWidget(self.forget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, _PADDING_PX, 0, _PADDING_PX)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(may)
        column.addLayout(link)
        column.addWidget(self._colours_section)
        column.addWidget(self._developers)
        column.addWidget(self._forget_section)
        column.addStretch(1)

    def _fill(self) -> None:
        view, registration = self._view, self._view.registration
        name = registration.name
        self._icon.set_face(face_of(view))
        self._name.setText(name)
        self._id.setText(self._identity())
        self._show_label.setText(self.tr("Show {name}").format(name=isolated(name)))
        self.switch.setAccessibleName(self.tr("Show {name}").format(name=name))
        self.switch.set_on(view.consent is Consent.ALLOWED)
        may = permissions(registration)
        self._may.set_phrases(may if view.connected else (*may, Phrase("info", self._last_seen())))
        homepage = https_url(self._homepage())
        self.homepage.setText(homepage)
        self.homepage.setAccessibleName(self.tr("Open {url}").format(url=homepage))
        self.homepage.setVisible(bool(homepage))
        self.colours.set_view(view, one_alarm=self._one_alarm)
        self._fill_developers()
        self._forget_section.setVisible(not view.built_in)
        self.forget.set_texts(
            self.tr("Forget {name}").format(name=isolated(name)),
            self.tr("Its hue and your decision about it are removed. It may ask again."),
            self.tr("Forget {name}?").format(name=isolated(name)),
            self.tr("Its sessions go away, its hue and your decision are removed. It may ask again."),
        )
        self.forget.set_buttons(self.tr("Forget"), self.tr("Forget"))
        self.forget.button.setObjectName("forgetButton")
        self.forget.button.setAccessibleName(self.tr("Forget {name}").format(name=name))

    def _fill_developers(self) -> None:
        warnings, scheme = self._view.warnings, self._view.scheme
        self.warnings.set_code("\n".join(warnings))
        self._warnings_well.setVisible(bool(warnings))
        if scheme is not self._judged:
            self._judged = scheme
            notes = [Phrase("info", confusion.sentence) for confusion in confusions(scheme)]
            self.vision_notes.set_phrases(notes)
            self.vision_notes.setVisible(bool(notes))
        self._developers.setVisible(bool(warnings) or bool(self.vision_notes.phrases))

    def _homepage(self) -> str | None:
        return self._view.registration.homepage

    def _identity(self) -> str:
        version = self._view.registration.version
        if not version:
            return self._view.adapter_id
        return self.tr("{id}, version {version}").format(id=self._view.adapter_id, version=isolated(version))

    def _last_seen(self) -> str:
        moment = local_clock_text(self._view.last_seen_epoch_s)
        return self.tr("Not connected. Last seen {moment}").format(moment=moment)

    def _on_switch_requested(self, wished: bool) -> None:
        settled = self._settled.accept()
        if not wished:
            self.turn_off_requested.emit(self._view.adapter_id)
        elif settled:
            self.allow_requested.emit(self._view.adapter_id, self._view.fingerprint)
