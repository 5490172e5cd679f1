"""The rows in order, with the background sessions folded at the end.

Owns which rows exist, where they stand, the fold, the arrow keys and the once-a-second refresh of times.
Must not decide an order (the model's) nor what a tap does. While the pointer is over the rows none of them
moves; else those in sight slide to their new places, where motion is allowed.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QEnterEvent,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from orbtile.host.views import SessionView
from orbtile.ui.accessible_roles import read_in_order
from orbtile.ui.feedback import paint_inner_ring
from orbtile.ui.icons import paint_icon
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import MotionClock, is_seen
from orbtile.ui.orb import moves, paint_orb
from orbtile.ui.row import ORB_LEFT_PX, ORB_PX, ROW_PX, TEXT_LEFT_PX, SessionRow, happened_s
from orbtile.ui.slide import Slide, Way
from orbtile.ui.summary import folded_text
from orbtile.ui.surfaces import paint_hairline
from orbtile.ui.theme import Theme

PADDING_PX: Final = 4
"""Above the first row and below the last one."""

FOLD_PX: Final = 36
_MINI_PX: Final = 18
_MINI_MOST: Final = 6
_MINI_RIGHT_PX: Final = 20
_TICK_MS: Final = 1000


class FoldRow(QAbstractButton):
    """Says what is folded and opens it: a checkable button under a hairline."""

    def __init__(self, theme: Theme, motion: MotionClock, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._motion = motion
        self._views: tuple[SessionView, ...] = ()
        self._shown_frames: list[int] = []
        self.setObjectName("backgroundFold")
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.themeChanged.connect(self._repaint)

    def _repaint(self) -> None:
        self.update()  # as in Panel

    def show_folded(self, text: str, views: Sequence[SessionView]) -> None:
        """``text`` is the line; ``views`` are the folded sessions in order, whose first ones show an orb."""
        shown = tuple(views[:_MINI_MOST])
        if (text, shown) != (self.text(), self._views):
            self._views = shown
            self.setText(text)
            self.setAccessibleName(text)
            self.update()

    def shows_any_of(self, uids: frozenset[str]) -> bool:
        """Whether one of these sessions has its orb here."""
        return any(view.uid in uids for view in self._views)

    def take_step(self) -> bool:
        """The clock's tick: have the orbs that are due painted anew."""
        if not is_seen(self):
            return False
        views = self._mini_views()
        for view, box, shown in zip(views, self._mini_boxes(), self._shown_frames, strict=False):
            if shown != self._motion.frame(view.state, happened_s(view)):
                self.update(box.toAlignedRect())
        return self._moves()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            if not event.isAutoRepeat():
                self.click()
        elif event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right}:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("hover" if self.underMouse() else "surface"))
        paint_hairline(painter, QRectF(0, 0, self.width(), 1), theme.color("line"))
        middle = (self.height() + 1) / 2
        chevron = QRectF(ORB_LEFT_PX + (ORB_PX - 14) / 2, middle - 7, 14, 14)
        mirrored = self.isRightToLeft()
        if mirrored:
            painter.save()
            painter.translate(self.width(), 0)
            painter.scale(-1, 1)
        paint_icon(painter, "down" if self.isChecked() else "right", chevron, theme.color("text2"))
        if mirrored:
            painter.restore()
        self._paint_minis(painter)
        left = self.width() - _MINI_RIGHT_PX - len(self._mini_views()) * (_MINI_PX + 4) + 4
        rect = QRectF(TEXT_LEFT_PX, 1, left - 12 - TEXT_LEFT_PX, self.height() - 1)
        if mirrored:
            rect = QRectF(self.width() - rect.right(), rect.top(), rect.width(), rect.height())
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        painter.setFont(theme.font(12))
        painter.setPen(theme.color("text2"))
        side = Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        text = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, int(rect.width()))
        painter.drawText(rect, flags | Qt.TextFlag.TextSingleLine, text)
        if self.hasFocus():
            paint_inner_ring(painter, theme, QRectF(self.rect()).adjusted(0, 1, 0, 0), 2, 8)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._motion.release(self)

    def _paint_minis(self, painter: QPainter) -> None:
        self._shown_frames = []
        for view, box in zip(self._mini_views(), self._mini_boxes(), strict=True):
            frame = self._motion.frame(view.state, happened_s(view))
            self._shown_frames.append(frame)
            ramp, dark = view.scheme[view.state].ramp, self._theme.is_dark
            paint_orb(painter, box, view.state, ramp, dark=dark, halo=False, frame=frame)
        if self._moves() and is_seen(self):
            self._motion.hold(self)

    def _mini_views(self) -> tuple[SessionView, ...]:
        return () if self.isChecked() else self._views

    def _mini_boxes(self) -> list[QRectF]:
        count, step = len(self._mini_views()), _MINI_PX + 4
        top = (self.height() + 1 - _MINI_PX) / 2
        lefts = [self.width() - _MINI_RIGHT_PX + 4 - (count - i) * step for i in range(count)]
        if self.isRightToLeft():
            lefts = [self.width() - left - _MINI_PX for left in lefts]
        return [QRectF(left, top, _MINI_PX, _MINI_PX) for left in lefts]

    def _moves(self) -> bool:
        now_s = self._motion.now_s
        return any(moves(view.state, now_s - happened_s(view)) for view in self._mini_views())


class SessionList(QWidget):
    """Every row, as high as all of them together. Taps come out as ``tapped``."""

    accessible_role = QAccessible.Role.List
    tapped = Signal(str)
    heightChanged = Signal()
    thawed = Signal()
    """The pointer has left the rows: what waited for that may move."""
    focusMoved = Signal(QWidget)
    """A row got the focus by an arrow key: bring it into view."""

    def __init__(
        self,
        theme: Theme,
        model: SessionModel,
        now_s: Callable[[], float],
        motion: MotionClock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model
        self._now_s = now_s
        self._motion = motion
        self._shows_icons = True
        self._rows: dict[str, SessionRow] = {}
        self._order: list[QWidget] = []
        self._fold = FoldRow(theme, motion, self)
        self._fold.hide()
        self._fold.toggled.connect(self._on_fold_toggled)
        self._pointer_inside = False
        self._is_late = False
        self._slide = Slide(self)
        self._slide.ended.connect(self._on_slid)
        self._height_px = 0
        self.setObjectName("sessionList")
        self.setAccessibleName(self.tr("Sessions"))
        self._second = QTimer(self)
        self._second.setInterval(_TICK_MS)
        self._second.timeout.connect(self.refresh_times)
        model.viewsChanged.connect(self._on_views_changed)
        model.orderChanged.connect(self._on_order_changed)
        theme.themeChanged.connect(self._repaint)

    def _repaint(self) -> None:
        self.update()  # as in Panel

    @property
    def rows(self) -> list[SessionRow]:
        """The rows from top to bottom."""
        return [row for row in self._order if isinstance(row, SessionRow)]

    @property
    def is_frozen(self) -> bool:
        """The pointer is over a row: nothing may move."""
        return self._pointer_inside and bool(self._rows)

    @property
    def is_ticking(self) -> bool:
        return self._second.isActive()

    @property
    def is_sliding(self) -> bool:
        """Rows are on the way to their places."""
        return self._slide.is_running

    def sizeHint(self) -> QSize:
        return QSize(418, self._height_px)

    def set_shows_icons(self, shown: bool) -> None:
        """Whether rows show the agent's icon (the key glyph setting)."""
        self._shows_icons = shown
        for row in self._rows.values():
            row.set_shows_icon(shown)

    def focus_first(self) -> None:
        self._focus_at(0)

    def focus_last(self) -> None:
        self._focus_at(len(self._order) - 1)

    def showEvent(self, event: QShowEvent) -> None:
        self._pointer_inside = False
        self._sync()
        self._second.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._second.stop()
        self._slide.finish()
        self._pointer_inside = False

    def enterEvent(self, event: QEnterEvent) -> None:
        self._pointer_inside = True
        self._slide.finish()  # from here on nothing moves

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer_inside = False
        if self._is_late:
            self._sync(slides=True)
        self.thawed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys, Home and End, passed on by the row that has the focus."""
        focused = self.focusWidget()
        at = self._order.index(focused) if focused in self._order else -1
        match event.key():
            case Qt.Key.Key_Down:
                self._focus_at(at + 1)
            case Qt.Key.Key_Up if at > 0:
                self._focus_at(at - 1)
            case Qt.Key.Key_Home:
                self._focus_at(0)
            case Qt.Key.Key_End:
                self._focus_at(len(self._order) - 1)
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), self._theme.color("surface"))

    def _focus_at(self, at: int) -> None:
        if 0 <= at < len(self._order):
            self._order[at].setFocus(Qt.FocusReason.TabFocusReason)
            self.focusMoved.emit(self._order[at])

    def _on_views_changed(self, uids: frozenset[str]) -> None:
        if not self.isVisible():
            return
        for uid in uids:
            row, view = self._rows.get(uid), self._model.view(uid)
            if row is not None and view is not None:
                row.set_view(view)
        if self._fold.isVisible() and self._fold.shows_any_of(uids):
            keys = self._model.keys()
            self._show_folded([key.uid for key in keys if key.folded])

    def _on_order_changed(self) -> None:
        if not self.isVisible():
            return
        if not self.is_frozen:
            self._sync(slides=True)
            return
        self._is_late = True
        for uid, row in self._rows.items():
            if self._model.view(uid) is None:
                row.set_gone()

    def _on_fold_toggled(self, _opened: bool) -> None:
        self._sync()

    def _sync(self, *, slides: bool = False) -> None:
        """Make the rows those of the model, in its order. ``slides``: it is the order that changed."""
        self._is_late = False
        standing = frozenset(self._order) if slides and not self._motion.is_still else frozenset()
        keys = self._model.keys()
        folded = [key.uid for key in keys if key.folded]
        wanted: list[QWidget] = [self._row(key.uid) for key in keys if not key.folded]
        if folded:
            self._show_folded(folded)
            wanted.append(self._fold)
            if self._fold.isChecked():
                wanted += [self._row(uid) for uid in folded]
        self._fold.setVisible(bool(folded))
        kept = {row.uid for row in wanted if isinstance(row, SessionRow)}
        for uid in [uid for uid in self._rows if uid not in kept]:
            row = self._rows.pop(uid)
            row.hide()
            row.deleteLater()
        self._order = wanted
        read_in_order(self, wanted)
        self._arrange(standing)

    def _on_slid(self) -> None:
        read_in_order(self, self._order)

    def _show_folded(self, uids: Sequence[str]) -> None:
        views = [self._model.view(uid) for uid in uids]
        shown = [view for view in views if view is not None]
        self._fold.show_folded(folded_text(self._model.counts), shown)

    def _row(self, uid: str) -> SessionRow:
        view = self._model.view(uid)
        row = self._rows.get(uid)
        if view is None:
            raise LookupError(uid)
        if row is None:
            row = SessionRow(self._theme, view, self._now_s, self._motion, self)
            row.set_shows_icon(self._shows_icons)
            row.tapped.connect(self.tapped)
            self._rows[uid] = row
            row.show()
        else:
            row.set_view(view)
        return row

    def _arrange(self, standing: AbstractSet[QWidget] = frozenset()) -> None:
        """Give everything its place. What is ``standing`` where people look, or comes there, slides."""
        seen = self.visibleRegion().boundingRect() if standing else QRect()
        ways: list[Way] = []
        y = PADDING_PX if self._order and self._order[0] is not self._fold else 0
        previous: QWidget | None = None
        for item in self._order:
            if item is self._fold and y > 0:
                y += PADDING_PX
            height = FOLD_PX if item is self._fold else ROW_PX
            place = QRect(0, y, self.width(), height)
            if item in standing and item.y() != y and (place | item.geometry()).intersects(seen):
                item.resize(place.size())
                ways.append(Way(item, item.y(), y))
            else:
                item.setGeometry(place)
            if previous is not None:
                QWidget.setTabOrder(previous, item)
            previous = item
            y += height
            if item is self._fold and self._fold.isChecked():
                y += PADDING_PX
        if self._order and self._order[-1] is not self._fold:
            y += PADDING_PX
        self._slide.begin(ways)
        if y != self._height_px:
            self._height_px = y
            self.updateGeometry()
            self.heightChanged.emit()

    def refresh_times(self) -> None:
        """Let rows in view repaint a time whose text is another one now."""
        seen = self.visibleRegion().boundingRect()
        for row in self.rows:
            if row.geometry().intersects(seen):
                row.refresh_time()
