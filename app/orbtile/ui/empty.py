"""What the popover shows instead of rows: four states that say what to do next.

Owns their wording and layout. Must not decide which one applies.
"""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSpacerItem, QVBoxLayout, QWidget

from orbtile.palette.scheme import HOUSE
from orbtile.palette.states import State
from orbtile.ui.agent_icon import AgentFace, AgentIcon
from orbtile.ui.controls import Button, CopyField, Switch
from orbtile.ui.labels import ElidedLabel, Label
from orbtile.ui.orb import paint_orb
from orbtile.ui.paragraph import Paragraph
from orbtile.ui.surfaces import Panel
from orbtile.ui.theme import Theme

_BOX_PX = 72
_TEXT_MOST_PX = 284


class OrbPicture(QWidget):
    """A large orb in a box of 72 px; its halo may leave the box, so the widget is larger.

    It is a picture in Orbtile's own colours: it stands for no session, so it stands still.
    """

    def __init__(self, theme: Theme, state: State, orb_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = state
        self._orb_px = orb_px
        self.setFixedSize(160, _BOX_PX + 2 * 12)
        theme.themeChanged.connect(self._repaint)

    def _repaint(self) -> None:
        self.update()  # as in Panel

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        left, top = (self.width() - self._orb_px) / 2, (self.height() - self._orb_px) / 2
        box = QRectF(left, top, self._orb_px, self._orb_px)
        paint_orb(painter, box, self._state, HOUSE[self._state].ramp, dark=self._theme.is_dark)


class _EmptyState(QWidget):
    """An orb, a paragraph, and what a subclass puts below."""

    def __init__(self, theme: Theme, picture: OrbPicture, text: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(32, 20 - 12, 32, 24)
        self._column.setSpacing(0)
        center = Qt.AlignmentFlag.AlignHCenter
        self._column.addWidget(picture, 0, center)
        self._paragraph = Paragraph(theme, text, width_px=_TEXT_MOST_PX, centered=True, parent=self)
        self._column.addWidget(self._paragraph, 0, center)

    def _add_note(self, text: str, space_px: int) -> Paragraph:
        note = Paragraph(self._theme, text, 12, centered=True, parent=self)
        self._column.addSpacing(space_px)
        self._column.addWidget(note)
        return note


class ApiOffState(_EmptyState):
    """The Adapter API is off: what it is, and its switch right here."""

    api_requested = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        picture = OrbPicture(theme, State.OFFLINE, _BOX_PX)
        super().__init__(theme, picture, "", parent)
        self.setObjectName("apiOffState")
        self._paragraph.setText(
            self.tr(
                "Agents show their sessions through the Adapter API. Only programs you run on this computer"
                " can use it."
            )
        )
        card = Panel(theme, "raised", "line", 10, self)
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(Label(theme, self.tr("Adapter API"), 13, 500, parent=card))
        names.addWidget(Label(theme, self.tr("Off"), 12, 400, "text2", parent=card))
        self._switch = Switch(theme, self.tr("Adapter API"), card)
        self._switch.setObjectName("adapterApiSwitch")
        self._switch.switch_requested.connect(self.api_requested)
        line = QHBoxLayout(card)
        line.setContentsMargins(12, 10, 12, 10)
        line.addLayout(names, 1)
        line.addWidget(self._switch)
        self._column.addSpacing(16)
        self._column.addWidget(card)


class NoAgentState(_EmptyState):
    """The API is on and no agent is known: how to add one. ``command`` runs the example; None: there is
    none here.
    """

    def __init__(self, theme: Theme, command: str | None, parent: QWidget | None = None) -> None:
        super().__init__(theme, OrbPicture(theme, State.STARTING, _BOX_PX), "", parent)
        self.setObjectName("noAgentState")
        if command is None:
            self._paragraph.setText(
                self.tr(
                    "Start an agent's adapter and it shows up here. The documentation says how to add one."
                )
            )
        else:
            self._paragraph.setText(
                self.tr("Start an agent's adapter and it shows up here. Or try the example:")
            )
            field = CopyField(theme, command, self.tr("command"), self, mode=Qt.TextElideMode.ElideMiddle)
            field.setObjectName("exampleCommand")
            self._column.addSpacing(16)
            self._column.addWidget(field)
        self._add_note(self.tr("Orbtile asks you before it shows anything."), 12)


class DeniedState(_EmptyState):
    """Every agent that is known was denied: where to change that."""

    settings_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, OrbPicture(theme, State.OFFLINE, _BOX_PX), "", parent)
        self.setObjectName("deniedState")
        self._paragraph.setText(self.tr("A denied agent shows nothing. You can allow it in Settings."))
        button = Button(theme, self.tr("Open Settings"), parent=self)
        button.setObjectName("deniedSettingsButton")
        button.clicked.connect(self._on_clicked)
        self._column.addSpacing(16)
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)

    def _on_clicked(self) -> None:
        self.settings_requested.emit()


class _NamedIcon(AgentIcon):
    """An agent's icon that stands for the agent, since no name is beside it."""

    accessible_role = QAccessible.Role.Graphic


class QuietState(_EmptyState):
    """Agents are known, and none of them has a session."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, OrbPicture(theme, State.IDLE, 112), "", parent)
        self.setObjectName("quietState")
        self._paragraph.setText(self.tr("Start a session in any of these agents and it shows up here."))
        self._icons = QHBoxLayout()
        self._icons.setSpacing(8)
        self._column.addSpacing(16)
        self._column.addLayout(self._icons)
        self._last = ElidedLabel(theme, "", 12, 400, "text3", mode=Qt.TextElideMode.ElideMiddle, parent=self)
        self._last.setObjectName("lastFinished")
        self._last.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        self._last.hide()
        self._above_last = QSpacerItem(0, 0)
        self._column.addItem(self._above_last)
        self._column.addWidget(self._last)
        self._shown: tuple[tuple[AgentFace, str], ...] = ()

    def show_last(self, text: str) -> None:
        """``text``: what was done last; empty: nothing is known of it."""
        self._last.setText(text)
        self._last.setVisible(bool(text))
        self._above_last.changeSize(0, 16 if text else 0)
        self._column.invalidate()

    def show_agents(self, agents: Sequence[tuple[AgentFace, str]]) -> None:
        """``agents``: face and name of each, at most eight fit."""
        shown = tuple(agents[:8])
        if shown == self._shown:
            return
        self._shown = shown
        while (item := self._icons.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._icons.addStretch(1)
        for face, name in shown:
            icon = _NamedIcon(self._theme, face, self)
            icon.setToolTip(name)
            icon.setAccessibleName(name)
            self._icons.addWidget(icon)
        self._icons.addStretch(1)
