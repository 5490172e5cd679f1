"""A column that scrolls under a thin bar laid over its right edge: the rows keep their full width.

Owns the bar's look and dragging, and the line at the top while something is scrolled out there. Must not know
what scrolls.
"""

from typing import Final

from PySide6.QtCore import QEvent, QRect, QRectF, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QScrollBar, QWidget

from orbtile.ui.feedback import RING_REACH_PX
from orbtile.ui.surfaces import Hairline
from orbtile.ui.theme import Theme

_BAR_PX: Final = 12
_THUMB_PX: Final = 6
_THUMB_RIGHT_PX: Final = 3
_THUMB_LEAST_PX: Final = 32
_END_GAP_PX: Final = 6


class _OverlayBar(QWidget):
    """Mirrors a scroll bar that is not shown; the thumb can be dragged."""

    def __init__(self, theme: Theme, bar: QScrollBar, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bar = bar
        self._grip_y: float | None = None
        bar.valueChanged.connect(self._repaint)
        bar.rangeChanged.connect(self._on_range_changed)
        theme.themeChanged.connect(self._repaint)
        self._on_range_changed()

    def _repaint(self) -> None:
        self.update()  # as in Panel

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        thumb = self._thumb()
        y = event.position().y()
        self._grip_y = y - thumb.top() if thumb.top() <= y <= thumb.bottom() else thumb.height() / 2
        self._drag_to(y)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip_y is not None:
            self._drag_to(event.position().y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip_y = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("control"))
        painter.setOpacity(1.0 if self._grip_y is not None or self.underMouse() else 0.7)
        painter.drawRoundedRect(self._thumb(), _THUMB_PX / 2, _THUMB_PX / 2)

    def _on_range_changed(self) -> None:
        self.setVisible(self._bar.maximum() > self._bar.minimum())
        self.update()

    def _thumb(self) -> QRectF:
        bar, room = self._bar, self.height() - 2 * _END_GAP_PX
        span = bar.maximum() - bar.minimum()
        height = min(room, max(_THUMB_LEAST_PX, room * bar.pageStep() / max(1, span + bar.pageStep())))
        top = _END_GAP_PX + (room - height) * (bar.value() - bar.minimum()) / max(1, span)
        left = _THUMB_RIGHT_PX if self.isRightToLeft() else self.width() - _THUMB_RIGHT_PX - _THUMB_PX
        return QRectF(left, top, _THUMB_PX, height)

    def _drag_to(self, y: float) -> None:
        bar, thumb = self._bar, self._thumb()
        room = self.height() - 2 * _END_GAP_PX - thumb.height()
        share = (y - (self._grip_y or 0) - _END_GAP_PX) / max(1.0, room)
        bar.setValue(round(bar.minimum() + share * (bar.maximum() - bar.minimum())))


class OverlayScroll(QScrollArea):
    """Scrolls ``content`` up and down, never sideways."""

    def __init__(self, theme: Theme, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.overlay = _OverlayBar(theme, self.verticalScrollBar(), self)
        self._edge = Hairline(theme, parent=self)
        self._edge.setObjectName("scrolledEdge")
        self._edge.hide()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def show_focused(self, widget: QWidget) -> None:
        """Scroll ``widget`` into view, its focus ring included."""
        self.ensureWidgetVisible(widget, RING_REACH_PX, RING_REACH_PX)

    def focusNextPrevChild(self, next_one: bool) -> bool:
        moved = super().focusNextPrevChild(next_one)
        focused = self.focusWidget()
        if moved and self.isAncestorOf(focused):
            self.show_focused(focused)
        return moved

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        left = 0 if self.isRightToLeft() else self.width() - _BAR_PX
        self.overlay.setGeometry(QRect(left, 0, _BAR_PX, self.height()))
        self.overlay.raise_()
        self._edge.setGeometry(0, 0, self.width(), 1)

    def _on_scrolled(self, top_px: int) -> None:
        self._edge.setVisible(top_px > 0)  # something goes on under what stands above
