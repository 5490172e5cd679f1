"""The banner that asks for the user's Allow: who asks, what it may do or what changed (in words, and how it
looked and looks), Deny and Allow.

Owns what is painted together with the fingerprint that a decision on it carries. Must not decide: it emits,
and the host may refuse because the registration changed meanwhile; then ``set_view`` brings the new one.
"""

import time
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from orbtile.host.views import AdapterView
from orbtile.ui.agent_icon import ICON_PX, AgentIcon, allowed_face_of, face_of
from orbtile.ui.consent_words import group_name, heading, requests
from orbtile.ui.controls import Button
from orbtile.ui.labels import ElidedLabel, Label
from orbtile.ui.look_comparison import LookComparison
from orbtile.ui.phrases import PhraseList
from orbtile.ui.settled_input import MonotonicClock, SettledInput
from orbtile.ui.surfaces import Panel
from orbtile.ui.theme import Theme

_PADDING_PX: Final = 12
_TEXT_LEFT_PX: Final = ICON_PX + 12


class ConsentBanner(Panel):
    """One adapter's question. ``compact``: the buttons stand below the list (popover), else at the heading.

    ``now_s``: monotonic seconds, for the rule of ``SettledInput``.
    """

    accessible_role = QAccessible.Role.Grouping

    allow_requested = Signal(str, str)
    """Adapter id, and the fingerprint of the registration that was painted."""
    deny_requested = Signal(str, str)
    """As ``allow_requested``."""

    def __init__(
        self,
        theme: Theme,
        view: AdapterView,
        parent: QWidget | None = None,
        *,
        compact: bool = False,
        now_s: MonotonicClock = time.monotonic,
    ) -> None:
        super().__init__(theme, "raised", "line2", 10, parent)
        self._view = view
        self.setObjectName("consentBanner")
        self._icon = AgentIcon(theme, face_of(view), self)
        self._heading = Label(theme, "", 13, 600, wraps=True, parent=self)
        self._id = ElidedLabel(theme, "", 12, 400, "text3", mode=Qt.TextElideMode.ElideMiddle, parent=self)
        self._list = PhraseList(theme, self)
        self.looks = LookComparison(theme, view, self)
        self._deny = Button(theme, self.tr("Deny"), parent=self)
        self._deny.setObjectName("denyButton")
        self._allow = Button(theme, self.tr("Allow"), "primary", parent=self)
        self._allow.setObjectName("allowButton")
        self._settled = SettledInput(self, now_s)
        self._settled.add_button(self._deny)
        self._settled.add_button(self._allow)
        self._deny.clicked.connect(self._on_deny_clicked)
        self._allow.clicked.connect(self._on_allow_clicked)
        self._lay_out(compact=compact)
        self._show_registration()

    @property
    def view(self) -> AdapterView:
        return self._view

    def set_view(self, view: AdapterView) -> None:
        """Show this registration. What reads differently, or has another fingerprint, must settle again."""
        before, self._view = self._view, view
        if _shown(view) != _shown(before):
            self._settled.mark_changed()
        self._show_registration()

    def _lay_out(self, *, compact: bool) -> None:
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(self._heading)
        names.addWidget(self._id)
        top = QHBoxLayout()
        top.setSpacing(12)
        icon = QVBoxLayout()
        icon.setContentsMargins(
            0, 4, 0, 0
        )  # centred on heading and id, and at the first line of a long heading
        icon.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(icon)
        top.addLayout(names, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self._deny)
        buttons.addWidget(self._allow)
        said = QVBoxLayout()
        said.setSpacing(8)
        said.addWidget(self._list)
        said.addWidget(self.looks)
        list_row = QHBoxLayout()
        list_row.addSpacing(_TEXT_LEFT_PX)
        list_row.addLayout(said, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(_PADDING_PX, _PADDING_PX, _PADDING_PX, _PADDING_PX)
        column.setSpacing(0)
        column.addLayout(top)
        column.addSpacing(8)
        column.addLayout(list_row)
        if compact:
            column.addSpacing(12)
            column.addLayout(buttons)
        else:
            top.addLayout(buttons)

    def _show_registration(self) -> None:
        name = self._view.registration.name
        self.setAccessibleName(group_name(name))
        self._icon.set_face(face_of(self._view))
        self._heading.setText(heading(self._view))
        away = self.tr("{id}, not connected").format(id=self._view.adapter_id)
        self._id.setText(self._view.adapter_id if self._view.connected else away)
        self._list.set_phrases(requests(self._view))
        self.looks.set_view(self._view)
        self._deny.setAccessibleName(self.tr("Deny {name}").format(name=name))
        self._allow.setAccessibleName(self.tr("Allow {name}").format(name=name))

    def _on_allow_clicked(self) -> None:
        if self._settled.accept():
            self.allow_requested.emit(self._view.adapter_id, self._view.fingerprint)

    def _on_deny_clicked(self) -> None:
        if self._settled.accept():
            self.deny_requested.emit(self._view.adapter_id, self._view.fingerprint)


def _shown(view: AdapterView) -> tuple[object, ...]:
    """All that a decision on ``view`` is taken on: what it carries, what is read and what is seen."""
    looks = (face_of(view), allowed_face_of(view), view.scheme, view.allowed_scheme)
    return view.fingerprint, requests(view), looks
