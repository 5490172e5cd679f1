"""The ring on which a hue is chosen: by dragging its knob, with the keyboard, or through a screen reader.

Owns the ring's picture, and how angles and keys become hues. Must not know whose hue it is nor what becomes
of it: the ring shows what its owner said last (``set_hue``), but for a preview while the user is at it. Hues
are OKLCH degrees, 0 on top, clockwise, in a right-to-left language too: it is a dial, not a line.
"""

import math
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from orbtile.palette.hues import BASE_ARC_DEG, resolve_base_hue
from orbtile.palette.oklch import fit
from orbtile.ui.feedback import Feedback
from orbtile.ui.theme import Theme

RING_PX: Final = 144
"""The widget's width: the ring is 134 wide, and its knob stands out of it on both sides."""

_RADIUS_PX: Final = 60
_BAND_PX: Final = 14
_THIN_PX: Final = 3
_KNOB_PX: Final = 9
_STEPS: Final = 48
_STEP_DEG: Final = 360 / _STEPS
_STEP_FILLED_DEG: Final = 6.2
_REACH_PX: Final = 15
"""How far from the ring's middle line a press still means the ring."""

_FIRST_DEG, _LAST_DEG = BASE_ARC_DEG[1], BASE_ARC_DEG[0]
"""The two ends of what can be chosen."""

_BACK: Final = frozenset({Qt.Key.Key_Left, Qt.Key.Key_Down, Qt.Key.Key_Minus})
_ON: Final = frozenset({Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Plus})
_PAGE_DEG: Final = 30


def degrees_text(hue_deg: float) -> str:
    """``150°``, ``75.9°``."""
    return f"{round(hue_deg, 1):g}°"


def stepped(hue_deg: float, by_deg: float) -> float:
    """The hue ``by_deg`` further, on whole degrees; at an edge of the reserved arc first that edge, then the
    other one.
    """
    if by_deg > 0:
        if hue_deg >= _LAST_DEG:
            return _FIRST_DEG
        return min(math.floor(hue_deg + by_deg), _LAST_DEG)
    if hue_deg <= _FIRST_DEG:
        return _LAST_DEG
    return max(math.ceil(hue_deg + by_deg), _FIRST_DEG)


class HueRing(QSlider):
    """A slider from one edge of the reserved arc around to the other; the arc itself cannot be chosen.

    It is Qt's slider for the sake of screen readers alone, in whole degrees; the exact hue is ``hue_deg``.
    """

    hue_previewed = Signal(float)
    """While the user drags, or a key is down: show it, keep nothing."""
    hue_chosen = Signal(float)
    """The user let go."""
    preview_ended = Signal()
    """The user thought better of it: nothing was chosen."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._true_deg = self._shown_deg = _FIRST_DEG
        self._is_dragged = False
        self._is_touched = False
        self._grip_deg = 0.0  # from the pointer to the middle of the knob
        self._feedback = Feedback(theme, radius_px=RING_PX / 2)
        self._feedback.serve(self)
        self.setAccessibleName(name)
        self.setRange(round(_FIRST_DEG), round(_LAST_DEG))
        self.setPageStep(_PAGE_DEG)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.valueChanged.connect(self._on_value_set)
        theme.themeChanged.connect(self._repaint)

    @property
    def hue_deg(self) -> float:
        """What is shown, a preview included."""
        return self._shown_deg

    @property
    def is_previewing(self) -> bool:
        return self._is_touched or self._is_dragged

    def set_hue(self, hue_deg: float) -> None:
        """What is true now, outside of the reserved arc. Emits nothing, and does not disturb a preview."""
        self._true_deg = hue_deg
        if not self.is_previewing:
            self._show(hue_deg)

    def end_preview(self) -> None:
        """Back to what is true."""
        was_previewing = self.is_previewing
        self._is_dragged = self._is_touched = False
        self._show(self._true_deg)
        if was_previewing:
            self.preview_ended.emit()

    def sizeHint(self) -> QSize:
        return QSize(RING_PX, RING_PX)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # what the user does

    def event(self, event: QEvent) -> bool:
        self._feedback.observe(event)
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        offset = point - self._center()
        is_near = abs(math.hypot(offset.x(), offset.y()) - _RADIUS_PX) <= _REACH_PX
        if event.button() is Qt.MouseButton.LeftButton and is_near:
            self._is_dragged = True
            to_knob = point - self._knob_center()
            if math.hypot(to_knob.x(), to_knob.y()) <= _KNOB_PX + 2:
                self._grip_deg = self._shown_deg - self._angle_of(point)  # it does not jump when taken
            else:
                self._grip_deg = 0.0
                self._preview(self._hue_at(point))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_dragged:
            self._preview(self._hue_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_dragged and event.button() is Qt.MouseButton.LeftButton:
            self._choose()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        by_deg = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        if key in _ON:
            self._preview(stepped(self._shown_deg, by_deg))
        elif key in _BACK:
            self._preview(stepped(self._shown_deg, -by_deg))
        elif key == Qt.Key.Key_PageUp:
            self._preview(stepped(self._shown_deg, _PAGE_DEG))
        elif key == Qt.Key.Key_PageDown:
            self._preview(stepped(self._shown_deg, -_PAGE_DEG))
        elif key == Qt.Key.Key_Home:
            self._preview(_FIRST_DEG)
        elif key == Qt.Key.Key_End:
            self._preview(_LAST_DEG)
        elif key == Qt.Key.Key_Escape and self.is_previewing:
            self.end_preview()
        else:
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat() and not self._is_dragged:
            self._choose()
        event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._choose()  # the key's release goes elsewhere

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.end_preview()

    def _on_value_set(self, value: int) -> None:
        """Assistive technology set it; everybody else goes through ``_show``."""
        self._preview(resolve_base_hue(float(value)))
        self._choose()

    def _preview(self, hue_deg: float) -> None:
        if hue_deg != self._shown_deg:
            self._is_touched = True
            self._show(hue_deg)
            self.hue_previewed.emit(hue_deg)

    def _choose(self) -> None:
        """Let go. What was previewed is wished for; its owner says what is true then."""
        was_touched = self._is_touched
        self._is_dragged = self._is_touched = False
        if was_touched:
            self.hue_chosen.emit(self._shown_deg)

    def _show(self, hue_deg: float) -> None:
        self._shown_deg = hue_deg
        blocked = self.blockSignals(True)  # screen readers are told all the same
        self.setValue(round(hue_deg))
        self.blockSignals(blocked)
        self.update()

    def _repaint(self) -> None:
        self.update()  # connected by itself, a method of C++ costs 64 bytes that never come back

    # where things are

    def _center(self) -> QPointF:
        return QRectF(self.rect()).center()

    def _angle_of(self, point: QPointF) -> float:
        offset = point - self._center()
        return math.degrees(math.atan2(offset.x(), -offset.y()))

    def _hue_at(self, point: QPointF) -> float:
        """The nearest hue that can be chosen, on whole degrees."""
        return resolve_base_hue(float(round(self._angle_of(point) + self._grip_deg) % 360))

    def _knob_center(self) -> QPointF:
        angle = math.radians(self._shown_deg)
        return self._center() + QPointF(math.sin(angle), -math.cos(angle)) * _RADIUS_PX

    # how it looks

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, center = self._theme, self._center()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ring = QRectF(center.x() - _RADIUS_PX, center.y() - _RADIUS_PX, 2 * _RADIUS_PX, 2 * _RADIUS_PX)
        for at, (ink, width_px) in enumerate(_steps(is_dark=theme.is_dark)):
            painter.setPen(QPen(QColor(ink), width_px, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            first_deg = 90 - (at + 0.5) * _STEP_DEG - _STEP_FILLED_DEG / 2  # Qt's angles begin at three
            painter.drawArc(ring, round(first_deg * 16), round(_STEP_FILLED_DEG * 16))
        self._paint_words(painter, center)
        self._paint_knob(painter)

    def _paint_words(self, painter: QPainter, center: QPointF) -> None:
        theme = self._theme
        painter.setPen(theme.color("text1"))
        painter.setFont(theme.font(13, 600, tabular=True))
        value = QRectF(center.x() - 40, center.y() - 20, 80, 20)
        painter.drawText(value, Qt.AlignmentFlag.AlignCenter, degrees_text(self._shown_deg))
        painter.setPen(theme.color("text3"))
        painter.setFont(theme.font(12))
        painter.drawText(value.translated(0, 19), Qt.AlignmentFlag.AlignCenter, self.tr("Hue"))

    def _paint_knob(self, painter: QPainter) -> None:
        knob = self._knob_center()
        edge = QColor("#0b0908")
        edge.setAlpha(0x88)
        painter.setPen(QPen(edge, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(knob, _KNOB_PX + 2, _KNOB_PX + 2)
        painter.setPen(QPen(QColor("#ffffff"), 3))
        painter.setBrush(QColor(_wheel_colour(self._shown_deg, 0.12, is_dark=True)))
        painter.drawEllipse(knob, _KNOB_PX, _KNOB_PX)


def _wheel_colour(hue_deg: float, chroma: float, *, is_dark: bool) -> str:
    """A colour of the wheel: one lightness, so that only the hue differs."""
    colour, _ = fit(0.76 if is_dark else 0.70, chroma, hue_deg)
    return colour


@lru_cache(maxsize=2)
def _steps(*, is_dark: bool) -> tuple[tuple[str, float], ...]:
    """Colour and width of every step, clockwise from the top; those of the reserved arc are thin and pale."""
    steps = []
    for at in range(_STEPS):
        hue_deg = (at + 0.5) * _STEP_DEG
        is_reserved = resolve_base_hue(hue_deg) != hue_deg
        colour = _wheel_colour(hue_deg, 0.035 if is_reserved else 0.12, is_dark=is_dark)
        steps.append((colour, _THIN_PX if is_reserved else _BAND_PX))
    return tuple(steps)
