"""One session as a row of the popover: orb, title, status line, time in state, agent.

Owns the row's measures, its painting and its accessible name. Must not know its neighbours, the order, or
what a tap does. A row is a button of its own (52 px, as wide as its parent), so that screen readers can
list and press it. While its orb moves, only the orb's part of it is painted.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from orbtile.host.views import SessionView
from orbtile.palette.states import WAITING_STATES, State
from orbtile.ui.agent_icon import ICON_PX, face_of, paint_agent_icon
from orbtile.ui.feedback import paint_inner_ring
from orbtile.ui.icons import paint_icon
from orbtile.ui.motion import MotionClock, is_seen
from orbtile.ui.orb import moves, orb_reach, paint_orb
from orbtile.ui.status_text import StatusLine, accessible_name, elapsed_text, local_clock_text, status_line
from orbtile.ui.theme import Theme

ROW_PX: Final = 52
ORB_PX: Final = 28
ORB_LEFT_PX: Final = 18
TEXT_LEFT_PX: Final = 58

_TITLE = QRectF(0, 8, 0, 20)
_STATUS = QRectF(0, 28, 0, 16)
_ICON_RIGHT_PX: Final = 20
_META_RIGHT_PX: Final = 60
_META_RIGHT_ALONE_PX: Final = 20
"""Where no icon is shown."""
_META_MOST_PX: Final = 96
_GAP_PX: Final = 12
_SIGN_PX: Final = 14
"""The branch of subagents, and the globe of a remote session that shows no icon to carry its badge."""
_GLOBE_GAP_PX: Final = 4
_CARET: Final = QSize(2, 12)
_LOUD_FIRST: Final = frozenset({State.TOOL, State.DONE, State.ERROR})
"""States whose first status words are set apart from the rest."""

_BY_KEYBOARD: Final = frozenset({Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason})


@dataclass(frozen=True, slots=True)
class _Layout:
    """What fits, for one width and one view."""

    title: str
    title_px: float
    first: str
    first_px: float
    rest: str
    rest_px: float
    short_name: str
    short_name_px: float
    is_cut: bool


def happened_s(view: SessionView) -> float:
    """When last something happened that the orb shows once: it was done, or its text grew."""
    return view.since_monotonic_s if view.state is State.DONE else view.changed_monotonic_s


class SessionRow(QAbstractButton):
    """A pressable row. ``now_s`` reads the clock that the view's monotonic times are of."""

    accessible_role = QAccessible.Role.ListItem
    tapped = Signal(str)
    """It was pressed; carries the session's uid."""

    def __init__(
        self,
        theme: Theme,
        view: SessionView,
        now_s: Callable[[], float],
        motion: MotionClock,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._now_s = now_s
        self._motion = motion
        self._view = view
        self._status = StatusLine("", "", "")
        self._layout: _Layout | None = None
        self._shown_time = ""
        self._shown_frame = 0
        self._shows_icon = True
        self._hovered = False
        self._ringed = False
        self.setObjectName("sessionRow")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._take(view)
        self.clicked.connect(lambda: self.tapped.emit(self.uid))
        theme.themeChanged.connect(self._restyle)

    @property
    def uid(self) -> str:
        return self._view.uid

    @property
    def view(self) -> SessionView:
        return self._view

    @property
    def shown_status(self) -> str:
        """The rest of the status line as it was cut to fit, after a paint."""
        return self._layout.rest if self._layout else ""

    def set_view(self, view: SessionView) -> None:
        """Show ``view``; repaints only when something on the row looks different."""
        if view is not self._view and view != self._view:
            self._take(view)

    def set_gone(self) -> None:
        """The session has ended while rows must not move: it stays, stands still and cannot be pressed."""
        self.setEnabled(False)

    def set_shows_icon(self, shown: bool) -> None:
        """Whether the agent's icon has its place at the end of the row."""
        if shown != self._shows_icon:
            self._shows_icon = shown
            self._restyle()

    def take_step(self) -> bool:
        """The clock's tick: have the orb's part painted when another picture of it is due."""
        if not (self.isEnabled() and is_seen(self)):
            return False
        if self._due_frame() != self._shown_frame:
            self.update(self._orb_part().toAlignedRect())
        return self._moves()

    def refresh_time(self) -> None:
        """Repaint the time in state if its text is another one now."""
        if self._time_text() != self._shown_time:
            self.update(self._visual(QRectF(self.width() - 160, 8, 100, 20)).toRect())

    def sizeHint(self) -> QSize:
        return QSize(418, ROW_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            if not event.isAutoRepeat():
                self.click()
        elif event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right}:
            event.ignore()  # the list moves the focus; a button alone would look for one in a group
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = False
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        # a window that comes back shows what it showed
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self._ringed = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)

    def resizeEvent(self, event: QEvent) -> None:
        self._layout = None

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._motion.release(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = self._ground()
        painter.fillRect(event.rect(), ground)
        self._paint_orb(painter)
        if not self._orb_part().contains(QRectF(event.rect())):
            self._paint_rest(painter, ground)
        if self._ringed and self.hasFocus():
            paint_inner_ring(painter, self._theme, QRectF(self.rect()), 4, 12)

    def _paint_orb(self, painter: QPainter) -> None:
        view = self._view
        self._shown_frame = self._due_frame()
        ramp = view.scheme[view.state].ramp
        kind, dark = view.tool_kind, self._theme.is_dark
        paint_orb(painter, self._orb_box(), view.state, ramp, dark=dark, kind=kind, frame=self._shown_frame)
        if self._moves() and is_seen(self):
            self._motion.hold(self)

    def _paint_rest(self, painter: QPainter, ground: QColor) -> None:
        view = self._view
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        offline = view.state is State.OFFLINE
        layout = self._layout = self._layout or self._fit()
        if view.background:
            self._paint_mark(painter)
        self._paint_title(painter, layout, offline=offline)
        self._paint_status(painter, layout)
        self._paint_meta(painter, layout, offline=offline)
        if self._shows_icon:
            left = self.width() - _ICON_RIGHT_PX - ICON_PX
            box = self._visual(QRectF(left, (ROW_PX - ICON_PX) / 2, ICON_PX, ICON_PX))
            paint_agent_icon(
                painter,
                box.topLeft(),
                self._theme,
                face_of(view),
                remote=view.is_remote,
                dimmed=offline,
                ground=ground,
            )

    def _paint_mark(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("control"))
        painter.drawRoundedRect(self._visual(QRectF(8, 14, 2, 24)), 1, 1)

    def _paint_title(self, painter: QPainter, layout: _Layout, *, offline: bool) -> None:
        theme = self._theme
        rect = QRectF(TEXT_LEFT_PX, _TITLE.top(), layout.title_px, _TITLE.height())
        ink = theme.color("text3" if offline else "text1")
        self._text(painter, rect, layout.title, self._title_font(), ink)
        if self._view.subagent_count:
            left = rect.right() + 8
            box = QRectF(left, _TITLE.top() + 3, _SIGN_PX, _SIGN_PX)
            ink = theme.color("text3" if offline else "text2")
            paint_icon(painter, "branch", self._visual(box), ink)
            count = QRectF(left + _SIGN_PX + 3, _TITLE.top(), 40, _TITLE.height())
            font = theme.font(12, 500, tabular=True)
            self._text(painter, count, str(self._view.subagent_count), font, ink)

    def _paint_status(self, painter: QPainter, layout: _Layout) -> None:
        theme, state = self._theme, self._view.state
        first = QRectF(TEXT_LEFT_PX, _STATUS.top(), layout.first_px, _STATUS.height())
        self._text(painter, first, layout.first, theme.font(12, 500), self._first_ink())
        gap = 6 if layout.first and layout.rest else 0
        # the cursor stands at the text's own end: before it, in a row that reads the other way
        runs_back = _runs_to_the_left(layout.rest) is not self.isRightToLeft()
        lead = _CARET.width() + 2 if self._status.is_tail and runs_back else 0
        rest = QRectF(first.right() + gap + lead, _STATUS.top(), layout.rest_px, _STATUS.height())
        ink = theme.color("text3" if state is State.OFFLINE else "text2")
        self._text(painter, rest, layout.rest, theme.font(12), ink)
        if self._status.is_tail:
            x = rest.left() - lead if lead else rest.right() + 2
            caret = QRectF(x, _STATUS.top() + 2, _CARET.width(), _CARET.height())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("text1"))
            painter.drawRoundedRect(self._visual(caret), 1, 1)

    def _paint_meta(self, painter: QPainter, layout: _Layout, *, offline: bool) -> None:
        theme = self._theme
        self._shown_time = self._time_text()
        right = self.width() - self._meta_right_px()
        time = QRectF(right - _META_MOST_PX, _TITLE.top(), _META_MOST_PX, _TITLE.height())
        ink = theme.color("text3" if offline else "text2")
        self._text(painter, time, self._shown_time, theme.font(12, tabular=True), ink, trailing=True)
        name = QRectF(right - _META_MOST_PX, _STATUS.top(), _META_MOST_PX, _STATUS.height())
        self._text(painter, name, layout.short_name, theme.font(12), theme.color("text3"), trailing=True)
        if self._shows_globe():
            left = right - layout.short_name_px - _GLOBE_GAP_PX - _SIGN_PX
            box = QRectF(left, _STATUS.center().y() - _SIGN_PX / 2, _SIGN_PX, _SIGN_PX)
            paint_icon(painter, "globe", self._visual(box), theme.color("text3"))

    def _text(
        self, painter: QPainter, rect: QRectF, text: str, font: QFont, ink: QColor, *, trailing: bool = False
    ) -> None:
        """One line, centred in height on its own metrics. ``rect`` is where it stands in a left-to-right
        row.
        """
        if not text:
            return
        at_right = trailing is not self.isRightToLeft()
        side = Qt.AlignmentFlag.AlignRight if at_right else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        painter.setFont(font)
        painter.setPen(ink)
        visual = self._visual(rect)
        painter.drawText(visual, flags | Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextDontClip, text)

    def _fit(self) -> _Layout:
        theme, view = self._theme, self._view
        small = QFontMetricsF(theme.font(12))
        medium = QFontMetricsF(theme.font(12, 500))
        large = QFontMetricsF(self._title_font())
        short_name = small.elidedText(view.badge, Qt.TextElideMode.ElideRight, _META_MOST_PX)
        time_px = QFontMetricsF(theme.font(12, tabular=True)).horizontalAdvance("88m")
        short_name_px = small.horizontalAdvance(short_name)
        meta_px = max(time_px, short_name_px + (_SIGN_PX + _GLOBE_GAP_PX if self._shows_globe() else 0))
        room = self.width() - self._meta_right_px() - meta_px - _GAP_PX - TEXT_LEFT_PX

        title_room = room
        if view.subagent_count:
            title_room -= 8 + _SIGN_PX + 3 + medium.horizontalAdvance(str(view.subagent_count))
        title = large.elidedText(view.title, Qt.TextElideMode.ElideRight, title_room)

        first = medium.elidedText(self._status.first, Qt.TextElideMode.ElideRight, room)
        first_px = medium.horizontalAdvance(first)
        rest_room = room - first_px - (6 if first else 0)
        mode = Qt.TextElideMode.ElideRight
        if self._status.is_tail:
            mode = Qt.TextElideMode.ElideLeft
            rest_room -= 2 + _CARET.width()
        rest = small.elidedText(self._status.rest, mode, rest_room) if rest_room > 16 else ""
        if self._status.is_tail and rest != self._status.rest:
            rest = _from_a_word(rest)
        is_cut = title != view.title or first != self._status.first or rest != self._status.rest
        layout = _Layout(
            title=title,
            title_px=min(title_room, large.horizontalAdvance(title)),
            first=first,
            first_px=first_px,
            rest=rest,
            rest_px=min(rest_room, small.horizontalAdvance(rest)),
            short_name=short_name,
            short_name_px=short_name_px,
            is_cut=is_cut and not self._status.is_tail,
        )
        self.setToolTip(self._tool_tip() if layout.is_cut else "")
        return layout

    def _tool_tip(self) -> str:
        line = " ".join(part for part in (self._status.first, self._status.rest) if part)
        return f"{self._view.title}\n{line}"

    def _take(self, view: SessionView) -> None:
        self._view = view
        self._status = status_line(view, local_clock_text)
        self._layout = None
        name = accessible_name(view, self._status)
        if name != self.accessibleName():
            self.setAccessibleName(name)
        description = "" if self._status.is_tail else self._status.rest
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
        self.setEnabled(True)
        self.update()

    def _restyle(self) -> None:
        self._layout = None
        self.update()

    def _ground(self) -> QColor:
        if self.isDown():
            return self._theme.color("line")
        return self._theme.color("hover" if self._hovered and self.isEnabled() else "surface")

    def _title_font(self) -> QFont:
        quiet = self._view.state is State.OFFLINE or self._view.background
        return self._theme.font(13, 400 if quiet else 500)

    def _first_ink(self) -> QColor:
        state = self._view.state
        if state in WAITING_STATES:
            colours = self._view.scheme[state]
            return QColor(colours.text_dark if self._theme.is_dark else colours.text_light)
        if state is State.ERROR:
            return self._theme.color("error_text")
        return self._theme.color("text1" if state in _LOUD_FIRST else "text2")

    def _meta_right_px(self) -> int:
        """How far from the row's end time and short name end."""
        return _META_RIGHT_PX if self._shows_icon else _META_RIGHT_ALONE_PX

    def _shows_globe(self) -> bool:
        """Whether a remote session's globe stands by itself, for want of an icon to sit on."""
        return self._view.is_remote and not self._shows_icon

    def _orb_box(self) -> QRectF:
        return self._visual(QRectF(ORB_LEFT_PX, (ROW_PX - ORB_PX) / 2, ORB_PX, ORB_PX))

    def _orb_part(self) -> QRectF:
        """The part of the row that only the orb touches."""
        return orb_reach(self._orb_box())

    def _due_frame(self) -> int:
        return self._motion.frame(self._view.state, happened_s(self._view)) if self.isEnabled() else 0

    def _moves(self) -> bool:
        view = self._view
        return self.isEnabled() and moves(view.state, self._motion.now_s - happened_s(view))

    def _time_text(self) -> str:
        return elapsed_text(self._now_s() - self._view.since_monotonic_s)

    def _visual(self, rect: QRectF) -> QRectF:
        """``rect``, mirrored where the interface reads from right to left."""
        if not self.isRightToLeft():
            return rect
        return QRectF(self.width() - rect.right(), rect.top(), rect.width(), rect.height())


def _from_a_word(tail: str) -> str:
    """An elided tail without the rest of a word at its start, unless that word is all there is room for."""
    ellipsis, cut = tail[:1], tail[1:]
    _, space, words = cut.partition(" ")
    return ellipsis + words if space and len(words) > len(cut) // 2 else tail


def _runs_to_the_left(text: str) -> bool:
    """Whether the first letter with a direction says so."""
    for character in text:
        match unicodedata.bidirectional(character):
            case "R" | "AL":
                return True
            case "L":
                return False
    return False
