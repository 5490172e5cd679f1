"""The orb: one shape per state, in the colours of its ramp. Shape first, colour second.

Owns the drawing recipe (a box of 100 units, centre 50,50) and the cache of drawn images. Must not know
sessions, rows or time; motion is not drawn here.
"""

import math
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF, QRadialGradient

from orbtile.palette.ramps import Ramp
from orbtile.palette.states import State
from orbtile.ui.path_data import parse_path

OVERHANG: Final = 0.12
"""How far a halo leaves the box on every side, as a share of the orb's size."""

KIND_MARK_FROM_PX: Final = 32
"""Tool marks are drawn from this size up; below, the plain ball."""

_HALO: Final[dict[State, float]] = {
    State.WAITING_PERMISSION: 0.46,
    State.WAITING_QUESTION: 0.42,
    State.ERROR: 0.26,
    State.TOOL: 0.26,
    State.STREAMING: 0.30,
    State.THINKING: 0.32,
    State.STARTING: 0.16,
    State.COMPACTING: 0.18,
}
_ALARM: Final = (State.WAITING_PERMISSION, State.WAITING_QUESTION)

_BUBBLE: Final = "M50 9A38 38 0 1 1 35 82L18 91A2.5 2.5 0 0 1 14.4 88.1L18 69A38 38 0 0 1 50 9Z"
_QUESTION_MARK: Final = "M38.5 38.5A11.6 11.6 0 1 1 55.9 48.8C51.9 51.1 50.2 53 50.2 56.8"
_TICK: Final = "M35 51.5L45.5 62L66 40"
_KIND_MARKS: Final[dict[str, str]] = {
    "shell": "M41 42L49 50L41 58M53 59H61",
    "edit": "M41 59L43 52L56 39L61 44L48 57Z",
    "read": "M40 43H60M40 50H60M40 57H52",
    "web": "M37 50H63M44 50A6 13 0 0 1 56 50A6 13 0 0 1 44 50",
    "delegate": "M50 62V53M50 53L40 43M50 53L60 43",
    "plan": "M40 45L43 48L48 42M54 46H61M40 56L43 59L48 53M54 57H61",
    "integration": "M46 42V48M54 42V48M42 48H58V51A8 8 0 0 1 42 51ZM50 59V64",
    "other": "M45 50A5 5 0 0 1 55 50A5 5 0 0 1 45 50",
}


def paint_orb(
    painter: QPainter,
    box: QRectF,
    state: State,
    ramp: Ramp,
    *,
    dark: bool,
    kind: str | None = None,
    halo: bool = True,
) -> None:
    """Draw the orb into ``box`` (square, logical px), snapped to whole device pixels. A halo may leave the
    box.
    """
    if state is State.EMPTY:
        return
    size_px = round(box.width())
    scale = painter.device().devicePixelRatioF()
    mark = (kind or "other") if state is State.TOOL and size_px >= KIND_MARK_FROM_PX else None
    image = orb_image(ramp, state, mark, size_px, scale, dark, halo)
    overhang = math.ceil(size_px * OVERHANG * scale)
    corner = painter.deviceTransform().map(box.topLeft())
    snapped = QPointF(round(corner.x()) - overhang, round(corner.y()) - overhang)
    inverse, _ = painter.deviceTransform().inverted()
    painter.drawImage(inverse.map(snapped), image)


@lru_cache(maxsize=192)
def orb_image(
    ramp: Ramp, state: State, kind: str | None, size_px: int, scale: float, dark: bool, halo: bool
) -> QImage:
    """The orb with ``OVERHANG`` on every side, drawn once per key. ``scale``: device pixels in a logical
    one.
    """
    box = round(size_px * scale)
    overhang = math.ceil(size_px * OVERHANG * scale)
    image = QImage(box + 2 * overhang, box + 2 * overhang, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(overhang, overhang)
    painter.scale(box / 100, box / 100)
    _Drawing(painter, ramp, dark=dark).draw(state, kind, halo=halo)
    painter.end()
    image.setDevicePixelRatio(scale)
    return image


class _Drawing:
    """One orb being drawn in the 100 unit box."""

    def __init__(self, painter: QPainter, ramp: Ramp, *, dark: bool) -> None:
        self._painter = painter
        self._ramp = ramp
        self._dark = dark
        self._line = QColor(ramp.hi if dark else ramp.base)  # thin strokes: rings, orbits, bars
        self._spark = QColor(ramp.hot if dark else ramp.base)  # small separate parts: satellite, lit arc

    def draw(self, state: State, kind: str | None, *, halo: bool) -> None:
        strength = _HALO.get(state, 0.0) * (1 if self._dark else 0.55)
        if halo and strength:
            self._halo(strength)
        if state is State.TOOL:
            self._tool(kind)
            return
        {
            State.WAITING_PERMISSION: self._permission,
            State.WAITING_QUESTION: self._question,
            State.ERROR: self._error,
            State.STREAMING: self._streaming,
            State.THINKING: self._thinking,
            State.STARTING: self._starting,
            State.COMPACTING: self._compacting,
            State.DONE: self._done,
            State.IDLE: self._idle,
            State.OFFLINE: self._offline,
        }[state]()

    # brushes and pens

    def _lit(self, center_x: float, radius: float, *stops: tuple[float, str]) -> QRadialGradient:
        """A body lit from the upper left."""
        off = min(radius, 36)
        gradient = QRadialGradient(
            QPointF(center_x, 50), radius, QPointF(center_x - 0.32 * off, 50 - 0.42 * off)
        )
        for offset, color in stops:
            gradient.setColorAt(offset, QColor(color))
        return gradient

    def _ball_brush(self, center_x: float, radius: float) -> QRadialGradient:
        ramp = self._ramp
        return self._lit(center_x, radius, (0, ramp.heart), (0.22, ramp.hot), (0.58, ramp.hi), (1, ramp.base))

    def _rimmed(self, dark_radius: float, light_radius: float, *stops: tuple[float, str]) -> QRadialGradient:
        """An alarm's or done's body: on light it darkens towards a rim, so that the shape holds on white."""
        if self._dark:
            return self._lit(50, dark_radius, *stops)
        return self._lit(50, light_radius, *stops, (1, self._ramp.base))

    def _fill(self, brush: QBrush | QRadialGradient | QColor) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(brush)

    def _stroke(
        self,
        color: QColor,
        width: float,
        cap: Qt.PenCapStyle = Qt.PenCapStyle.RoundCap,
        opacity: float = 1,
    ) -> None:
        ink = QColor(color)
        ink.setAlphaF(opacity)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(ink, width, Qt.PenStyle.SolidLine, cap, Qt.PenJoinStyle.RoundJoin))

    # parts

    def _halo(self, strength: float) -> None:
        glow = QRadialGradient(QPointF(50, 50), 62)
        inner, outer = QColor(self._ramp.hi), QColor(self._ramp.hi)
        inner.setAlphaF(strength)
        outer.setAlphaF(0)
        glow.setColorAt(0, inner)
        glow.setColorAt(0.3, inner)
        glow.setColorAt(1, outer)
        self._fill(glow)
        self._painter.drawEllipse(QPointF(50, 50), 62, 62)

    def _ball(self, center_x: float, radius: float) -> None:
        self._fill(self._ball_brush(center_x, radius + 1))
        self._painter.drawEllipse(QPointF(center_x, 50), radius, radius)

    def _bar(self, rect: QRectF, color: QColor) -> None:
        self._fill(color)
        corner = min(rect.width(), rect.height()) / 2
        self._painter.drawRoundedRect(rect, corner, corner)

    def _arc(self, radius: float, start_deg: float, sweep_deg: float) -> None:
        """An arc with the current pen; degrees clockwise from three o'clock."""
        box = QRectF(50 - radius, 50 - radius, 2 * radius, 2 * radius)
        path = QPainterPath()
        path.arcMoveTo(box, -start_deg)
        path.arcTo(box, -start_deg, -sweep_deg)
        self._painter.drawPath(path)

    # states

    def _permission(self) -> None:
        ramp = self._ramp
        painter = self._painter
        # the light stands still while the square turns
        diamond = QPainterPath()
        diamond.addRoundedRect(QRectF(-30.5, -30.5, 61, 61), 15, 15)
        painter.save()
        painter.translate(50, 50)
        painter.rotate(45)
        turned = painter.transform()
        painter.restore()
        painter.save()
        local, _ = (turned * painter.transform().inverted()[0]).inverted()
        brush = QBrush(self._rimmed(40, 50, (0, ramp.heart), (0.28, ramp.hot), (0.72, ramp.hi)))
        brush.setTransform(local)
        painter.setTransform(turned)
        self._fill(brush)
        painter.drawPath(diamond)
        painter.restore()
        deep = QColor(ramp.deep)
        self._bar(QRectF(45, 27, 10, 28), deep)
        painter.drawEllipse(QPointF(50, 67), 6, 6)

    def _question(self) -> None:
        ramp = self._ramp
        self._fill(self._rimmed(40, 60, (0, ramp.heart), (0.28, ramp.hot), (0.72, ramp.hi)))
        self._painter.drawPath(parse_path(_BUBBLE))
        deep = QColor(ramp.deep)
        self._stroke(deep, 9)
        self._painter.drawPath(parse_path(_QUESTION_MARK))
        self._fill(deep)
        self._painter.drawEllipse(QPointF(50, 69), 5.8, 5.8)

    def _error(self) -> None:
        ramp = self._ramp
        body = self._lit(50, 40, (0, ramp.heart), (0.5, ramp.hot), (1, ramp.hot if self._dark else ramp.hi))
        corners = [math.radians(22.5 + 45 * i) for i in range(8)]
        octagon = QPolygonF([QPointF(50 + 38 * math.cos(a), 50 + 38 * math.sin(a)) for a in corners])
        self._painter.setPen(
            QPen(QBrush(body), 6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        )
        self._painter.setBrush(body)
        self._painter.drawPolygon(octagon)
        self._stroke(QColor(ramp.deep), 9.5)
        self._painter.drawLine(QLineF(38.5, 38.5, 61.5, 61.5))
        self._painter.drawLine(QLineF(61.5, 38.5, 38.5, 61.5))

    def _tool(self, kind: str | None) -> None:
        self._ball(50, 27 if kind else 24)
        for i in range(6):
            lit = i == 0
            color = self._spark if lit else self._line
            self._stroke(color, 9, Qt.PenCapStyle.FlatCap, 1 if lit else 0.45)
            self._arc(40, -90 - 19 + 60 * i, 38)
        if kind:
            self._stroke(QColor(self._ramp.deep), 4)
            self._painter.drawPath(parse_path(_KIND_MARKS.get(kind, _KIND_MARKS["other"])))

    def _streaming(self) -> None:
        self._ball(38, 26)
        self._bar(QRectF(73, 20, 11, 60), self._spark)

    def _compacting(self) -> None:
        self._fill(self._ball_brush(50, 31))
        self._painter.drawEllipse(QPointF(50, 50), 31, 15)
        self._bar(QRectF(22, 14, 56, 9), self._line)
        self._bar(QRectF(22, 77, 56, 9), self._line)

    def _idle(self) -> None:
        ramp = self._ramp
        self._fill(self._lit(50, 21, (0, ramp.hot), (0.62, ramp.hi), (1, ramp.base)))
        self._painter.drawEllipse(QPointF(50, 50), 21, 21)

    def _thinking(self) -> None:
        self._ball(50, 24)
        satellite_deg = -48
        for i, opacity in enumerate((0.75, 0.45, 0.22)):
            self._stroke(self._line, 5, Qt.PenCapStyle.FlatCap, opacity)
            self._arc(39, satellite_deg - 34 * (i + 1), 34)
        angle = math.radians(satellite_deg)
        self._fill(self._spark)
        self._painter.drawEllipse(QPointF(50 + 39 * math.cos(angle), 50 + 39 * math.sin(angle)), 8.5, 8.5)

    def _starting(self) -> None:
        self._ball(50, 17)
        self._stroke(self._line, 7, opacity=0.28)
        self._painter.drawEllipse(QPointF(50, 50), 37, 37)
        self._stroke(self._spark, 7)
        self._arc(37, -90, 100)

    def _done(self) -> None:
        ramp = self._ramp
        self._fill(self._rimmed(36, 44, (0, ramp.hot), (0.66, ramp.hi)))
        self._painter.drawEllipse(QPointF(50, 50), 35, 35)
        self._stroke(QColor(ramp.deep), 9.5)
        self._painter.drawPath(parse_path(_TICK))

    def _offline(self) -> None:
        painter = self._painter
        ink = QColor(self._ramp.hi if self._dark else self._ramp.hot)
        self._stroke(ink, 7)
        painter.drawEllipse(QPointF(50, 50), 28, 28)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOut)
        self._stroke(QColor(Qt.GlobalColor.black), 19, Qt.PenCapStyle.FlatCap)
        painter.drawLine(QLineF(22, 78, 78, 22))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        self._stroke(ink, 7)
        painter.drawLine(QLineF(26, 74, 74, 26))
