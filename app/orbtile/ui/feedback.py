"""How a control answers the pointer and the keyboard: the hover fade, and the ring of keyboard focus.

Owns the timing of the fade (80 ms, none with reduced motion) and the rule that only focus which came by
keyboard is ringed. Must not know what a control does or what its fills are.
"""

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMoveEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget
from shiboken6 import isValid

from orbtile.ui.theme import Theme

HOVER_MS: Final = 80
RING_PX: Final = 2
RING_OFFSET_PX: Final = 2
RING_REACH_PX: Final = RING_OFFSET_PX + RING_PX
"""How far an outer ring stands out of its control; containers leave this much room."""

_BY_KEYBOARD: Final = frozenset(
    {
        Qt.FocusReason.TabFocusReason,
        Qt.FocusReason.BacktabFocusReason,
        Qt.FocusReason.ShortcutFocusReason,
    }
)
_WINDOW_CAME_BACK: Final = frozenset(
    {
        Qt.FocusReason.ActiveWindowFocusReason,
        Qt.FocusReason.PopupFocusReason,
        Qt.FocusReason.MenuBarFocusReason,
    }
)
_MODIFIERS: Final = frozenset(
    {Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta}
)


def paint_inner_ring(
    painter: QPainter, theme: Theme, rect: QRectF, inset_px: float, radius_px: float
) -> None:
    """The ring of a row or a segment, whose neighbours leave no room: ``inset_px`` within ``rect``."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("accent"), RING_PX))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    edge = inset_px + RING_PX / 2
    painter.drawRoundedRect(rect.adjusted(edge, edge, -edge, -edge), radius_px, radius_px)
    painter.restore()


def keep_one_tab_stop(items: Iterable[QAbstractButton]) -> None:
    """Tab reaches the chosen one of several; arrow keys go on from there."""
    for item in items:
        policy = Qt.FocusPolicy.StrongFocus if item.isChecked() else Qt.FocusPolicy.ClickFocus
        item.setFocusPolicy(policy)


class RingsOutside(QWidget):
    """Its controls reach its edges and leave no room for their rings, which are drawn in its parent."""

    moved = Signal()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.moved.emit()


class _OuterRing(QWidget):
    """The ring around a control, drawn beside it: the control keeps the size that its layout gave it."""

    def __init__(self, theme: Theme, control: QWidget, radius_px: float) -> None:
        host, between = control, list[RingsOutside]()
        while (parent := host.parentWidget()) is not None:
            host = parent
            if not isinstance(host, RingsOutside):
                break
            between.append(host)
        super().__init__(host)
        self._theme = theme
        self._host = host
        self._control = control
        self._radius_px = radius_px
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.follow()
        theme.themeChanged.connect(self._repaint)
        for widget in between:
            widget.moved.connect(self.follow)

    def follow(self) -> None:
        """The control may have another place, or may have been hidden."""
        if not isValid(self._control):  # gone a moment before its ring
            return
        reach = RING_REACH_PX
        box = QRect(self._control.mapTo(self._host, QPoint()), self._control.size())
        self.setGeometry(box.adjusted(-reach, -reach, reach, reach))
        self.setVisible(self._control.isVisible())
        self.raise_()

    def _repaint(self) -> None:
        self.update()  # see Feedback

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_inner_ring(
            painter, self._theme, QRectF(self.rect()), 0, self._radius_px + RING_OFFSET_PX + RING_PX / 2
        )


class Feedback(QObject):
    """Serves one control, which hands it every event (``observe``, first thing in its ``event``); the
    control's paint asks ``hover`` (0..1) and ``focus_visible``.

    An event filter would do the same, but a widget that is destroyed with the focus still sends FocusOut, and
    a filter in Python cannot take an event of a half-destroyed widget.

    ``radius_px``: the control's own corner, for the ring around it. None: the control rings itself
    (``paint_inner_ring``).
    """

    moved = Signal()
    """The control has another place or size within its parent."""

    def __init__(self, theme: Theme, radius_px: float | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._control: QWidget
        self._radius_px = radius_px
        self._ring: _OuterRing | None = None
        self.focus_visible = False
        self.hover = 0.0
        self._fade = QVariantAnimation(self)
        self._fade.setStartValue(0.0)
        self._fade.setEndValue(1.0)
        self._fade.setDuration(HOVER_MS)
        self._fade.valueChanged.connect(self._on_faded)

    def serve(self, control: QWidget) -> None:
        """Begin. A step of its own: a control sends events as soon as it has a child."""
        self._control = control
        self.setParent(control)
        self._theme.themeChanged.connect(self._repaint)
        control.destroyed.connect(self._drop_ring)

    def observe(self, event: QEvent) -> None:
        kind = event.type()
        if kind is QEvent.Type.Enter:
            self._fade_to(hovered=self._control.isEnabled())
        elif kind in {QEvent.Type.Leave, QEvent.Type.Hide}:
            self._fade_to(hovered=False)
        elif kind is QEvent.Type.EnabledChange:
            self._fade_to(hovered=self._control.isEnabled() and self._control.underMouse())
        elif isinstance(event, QFocusEvent):
            self._on_focus(event)
        elif kind is QEvent.Type.MouseButtonPress:
            self._show_focus(visible=False)
        elif isinstance(event, QKeyEvent) and kind is QEvent.Type.KeyPress and event.key() not in _MODIFIERS:
            self._show_focus(visible=self._control.hasFocus())
        if self._ring is not None and kind in {
            QEvent.Type.Move,
            QEvent.Type.Resize,
            QEvent.Type.Show,
            QEvent.Type.Hide,
        }:
            self._ring.follow()
        if kind in {QEvent.Type.Move, QEvent.Type.Resize}:
            self.moved.emit()

    def _on_focus(self, event: QFocusEvent) -> None:
        if event.reason() in _WINDOW_CAME_BACK:  # show again what was shown, but not while the window sleeps
            self._draw_ring(shown=self.focus_visible and event.gotFocus())
            return
        self._show_focus(visible=event.gotFocus() and event.reason() in _BY_KEYBOARD)

    def _show_focus(self, *, visible: bool) -> None:
        self.focus_visible = visible
        self._draw_ring(shown=visible)

    def _draw_ring(self, *, shown: bool) -> None:
        self._control.update()
        if self._radius_px is None:
            return
        if not shown:
            self._drop_ring()
        elif self._ring is None and self._control.parentWidget() is not None:
            self._ring = _OuterRing(self._theme, self._control, self._radius_px)

    def _drop_ring(self) -> None:
        ring, self._ring = self._ring, None
        if ring is not None and isValid(ring):  # it is its parent's, which may have gone first
            ring.hide()
            ring.deleteLater()

    def _fade_to(self, *, hovered: bool) -> None:
        if self._theme.reduce_motion or not self._control.isVisible():
            self._fade.stop()
            self._on_faded(1.0 if hovered else 0.0)
            return
        if self.hover == (1.0 if hovered else 0.0):
            return
        forward, backward = QVariantAnimation.Direction.Forward, QVariantAnimation.Direction.Backward
        self._fade.setDirection(forward if hovered else backward)
        if self._fade.state() is not QVariantAnimation.State.Running:
            self._fade.start()

    def _repaint(self) -> None:
        self._control.update()  # connected by itself, a method of C++ costs 64 bytes that never come back

    def _on_faded(self, value: float) -> None:
        self.hover = float(value)
        self._control.update()
