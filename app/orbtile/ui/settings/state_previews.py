"""Every state of one adapter as its orb with the state's name below, as rows show it.

Owns how the pictures are arranged and named. Must not know whose colours they are, nor when things move: the
clock says so.
"""

from typing import Final

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QFontMetrics, QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from orbtile.palette.scheme import Scheme
from orbtile.palette.states import State
from orbtile.ui.motion import MotionClock, is_seen
from orbtile.ui.orb import moves, orb_reach, paint_orb
from orbtile.ui.theme import Theme

translate = QCoreApplication.translate

SHOWN: Final = (
    State.WAITING_PERMISSION,
    State.WAITING_QUESTION,
    State.ERROR,
    State.TOOL,
    State.STREAMING,
    State.THINKING,
    State.STARTING,
    State.COMPACTING,
    State.DONE,
    State.IDLE,
    State.OFFLINE,
)
"""In reading order: what needs somebody, what works, what is over."""

_MOST_COLUMNS: Final = 4
_CELL_PX: Final = 60
_ORB_PX: Final = 32
_ORB_TOP_PX: Final = 6
_LABEL_TOP_PX: Final = 41
_LABEL_PX: Final = 16
_GAP_PX: Final = 8


def state_title(state: State) -> str:
    """The state's name as it stands below its picture."""
    return {
        State.WAITING_PERMISSION: translate("StatePreviews", "Permission"),
        State.WAITING_QUESTION: translate("StatePreviews", "Question"),
        State.ERROR: translate("StatePreviews", "Error"),
        State.TOOL: translate("StatePreviews", "Tool"),
        State.STREAMING: translate("StatePreviews", "Streaming"),
        State.THINKING: translate("StatePreviews", "Thinking"),
        State.STARTING: translate("StatePreviews", "Starting"),
        State.COMPACTING: translate("StatePreviews", "Compacting"),
        State.DONE: translate("StatePreviews", "Done"),
        State.IDLE: translate("StatePreviews", "Idle"),
        State.OFFLINE: translate("StatePreviews", "Offline"),
    }[state]


class StatePreview(QWidget):
    """One state."""

    accessible_role = QAccessible.Role.Graphic

    def __init__(
        self, theme: Theme, state: State, scheme: Scheme, motion: MotionClock, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = state
        self._scheme = scheme
        self._motion = motion
        self._shown_frame = 0
        self.setObjectName(f"{state.value}Preview")
        self.setAccessibleName(state_title(state))
        self._describe()
        theme.themeChanged.connect(self._repaint)

    @property
    def scheme(self) -> Scheme:
        return self._scheme

    def set_scheme(self, scheme: Scheme) -> None:
        if scheme is not self._scheme:
            self._scheme = scheme
            self._describe()
            self.update()

    def take_step(self) -> bool:
        """See ``Mover``."""
        if not moves(self._state) or not is_seen(self):
            return False
        if self._motion.frame(self._state) != self._shown_frame:
            self.update(orb_reach(self._orb_box()).toAlignedRect())
        return True

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._motion.release(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, state = self._theme, self._state
        painter = QPainter(self)
        frame = self._shown_frame = self._motion.frame(state)
        ramp = self._scheme[state].ramp
        paint_orb(painter, self._orb_box(), state, ramp, dark=theme.is_dark, frame=frame)
        if moves(state) and is_seen(self):
            self._motion.hold(self)
        font = theme.font(12)
        text = QFontMetrics(font).elidedText(state_title(state), Qt.TextElideMode.ElideRight, self.width())
        painter.setFont(font)
        painter.setPen(theme.color("text2"))
        label = QRectF(0, _LABEL_TOP_PX, self.width(), _LABEL_PX)
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)

    def _orb_box(self) -> QRectF:
        return QRectF((self.width() - _ORB_PX) / 2, _ORB_TOP_PX, _ORB_PX, _ORB_PX)

    def _describe(self) -> None:
        self.setAccessibleDescription(self._scheme[self._state].ramp.hi)

    def _repaint(self) -> None:
        self.update()  # connected by itself, a method of C++ costs 64 bytes that never come back


class StatePreviews(QWidget):
    """All of them, in as many columns as their names leave room for."""

    accessible_role = QAccessible.Role.Grouping

    def __init__(self, theme: Theme, scheme: Scheme, motion: MotionClock, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("statePreviews")
        self.setAccessibleName(self.tr("Colours of every state"))
        self.previews = [StatePreview(theme, state, scheme, motion, self) for state in SHOWN]
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.themeChanged.connect(self._arrange)

    @property
    def scheme(self) -> Scheme:
        """What is shown now."""
        return self.previews[0].scheme

    def set_scheme(self, scheme: Scheme) -> None:
        for preview in self.previews:
            preview.set_scheme(scheme)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        columns = self._columns(width)
        return -(-len(SHOWN) // columns) * _CELL_PX

    def sizeHint(self) -> QSize:
        width = _MOST_COLUMNS * self._least_cell()
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least_cell(), _CELL_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _least_cell(self) -> int:
        metrics = QFontMetrics(self._theme.font(12))
        return max(metrics.horizontalAdvance(state_title(state)) for state in SHOWN) + _GAP_PX

    def _columns(self, width: int) -> int:
        return max(1, min(_MOST_COLUMNS, width // self._least_cell()))

    def _arrange(self) -> None:
        columns = self._columns(self.width())
        cell_px = self.width() / columns
        for at, preview in enumerate(self.previews):
            row, column = divmod(at, columns)
            if self.isRightToLeft():
                column = columns - 1 - column
            left, right = round(column * cell_px), round((column + 1) * cell_px)
            preview.setGeometry(QRect(left, row * _CELL_PX, right - left, _CELL_PX))
