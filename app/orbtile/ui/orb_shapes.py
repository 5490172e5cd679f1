"""The recipe of the orb: one shape per state, in a box of 100 units whose centre is 50,50.

Owns shapes, light and how each of them moves. Must not know sizes, pixels, time or what is kept.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar, Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QRadialGradient,
    QTransform,
)

from orbtile.palette.ramps import Ramp
from orbtile.palette.states import WAITING_STATES, State
from orbtile.ui.path_data import parse_path
from orbtile.ui.tool_marks import paint_mark

HALO_REACH: Final = 62
"""The halo's radius: it leaves the box by 12 units."""

TOOL_ARCS: Final = 6

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
_ON_LIGHT: Final = 0.55
"""What is left of a halo on the light theme."""

_BUBBLE: Final = "M50 9A38 38 0 1 1 35 82L18 91A2.5 2.5 0 0 1 14.4 88.1L18 69A38 38 0 0 1 50 9Z"
_QUESTION_MARK: Final = "M38.5 38.5A11.6 11.6 0 1 1 55.9 48.8C51.9 51.1 50.2 53 50.2 56.8"
_TICK: Final = ((35.0, 51.5), (45.5, 62.0), (66.0, 40.0))


class OrbShapes:
    """Draws one orb with ``painter``, whose unit is a hundredth of the orb.

    ``phase``: 0..<1 through the state's cycle; for ``DONE`` how much of the tick there is. ``typing``: text
    is coming in, so the orb that streams beats and its cursor does not blink.
    """

    def __init__(
        self, painter: QPainter, ramp: Ramp, *, dark: bool, phase: float, typing: bool = False
    ) -> None:
        self._painter = painter
        self._ramp = ramp
        self._dark = dark
        self._phase = phase
        self._wave = math.sin(math.tau * phase)
        self._typing = typing
        self._line = QColor(ramp.hi if dark else ramp.base)  # thin strokes: rings, orbits, bars
        self._spark = QColor(ramp.hot if dark else ramp.base)  # small separate parts: satellite, lit arc

    def draw(self, state: State, kind: str | None, *, halo: bool) -> None:
        """``state``: any but EMPTY. ``kind``: the tool's, whose mark is drawn on the ball of ``TOOL``; None:
        no mark.
        """
        waiting = state in WAITING_STATES
        strength = _HALO.get(state, 0.0) * (1 if self._dark else _ON_LIGHT)
        if waiting:
            strength *= 1 + 0.35 * self._wave
        if halo and strength:
            self._halo(strength)
        if waiting:
            self._grow(1 + 0.05 * self._wave)
        if state is State.TOOL:
            self._tool(kind)
        else:
            self._body_of[state](self)

    # brushes and pens

    def _grow(self, factor: float) -> None:
        self._painter.translate(50, 50)
        self._painter.scale(factor, factor)
        self._painter.translate(-50, -50)

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

    def _alarm_brush(self, light_radius: float) -> QRadialGradient:
        ramp = self._ramp
        return self._rimmed(40, light_radius, (0, ramp.heart), (0.28, ramp.hot), (0.72, ramp.hi))

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
        glow = QRadialGradient(QPointF(50, 50), HALO_REACH)
        inner, outer = QColor(self._ramp.hi), QColor(self._ramp.hi)
        inner.setAlphaF(strength)
        outer.setAlphaF(0)
        glow.setColorAt(0, inner)
        glow.setColorAt(0.3, inner)
        glow.setColorAt(1, outer)
        self._fill(glow)
        self._painter.drawEllipse(QPointF(50, 50), HALO_REACH, HALO_REACH)

    def _ball(self, center_x: float, radius: float, *, lit_as: float | None = None) -> None:
        """``lit_as``: the radius that the light is made for, where the ball's own one moves."""
        self._fill(self._ball_brush(center_x, (lit_as or radius) + 1))
        self._painter.drawEllipse(QPointF(center_x, 50), radius, radius)

    def _bar(self, rect: QRectF, color: QColor) -> None:
        self._fill(color)
        corner = min(rect.width(), rect.height()) / 2
        self._painter.drawRoundedRect(rect, corner, corner)

    def _on_the_grid(self, rect: QRectF) -> QRectF:
        """``rect`` in whole device pixels, about where it is: a straight bar is sharp at 1x, too."""
        to_device = self._painter.deviceTransform()
        there = to_device.mapRect(rect)
        width, height = max(1, round(there.width())), max(1, round(there.height()))
        left, top = round(there.center().x() - width / 2), round(there.center().y() - height / 2)
        return to_device.inverted()[0].mapRect(QRectF(left, top, width, height))

    def _arc(self, radius: float, start_deg: float, sweep_deg: float) -> None:
        """An arc with the current pen; degrees clockwise from three o'clock."""
        box = QRectF(50 - radius, 50 - radius, 2 * radius, 2 * radius)
        path = QPainterPath()
        path.arcMoveTo(box, -start_deg)
        path.arcTo(box, -start_deg, -sweep_deg)
        self._painter.drawPath(path)

    # states

    def _permission(self) -> None:
        square = QPainterPath()
        square.addRoundedRect(QRectF(-30.5, -30.5, 61, 61), 15, 15)
        self._fill(self._alarm_brush(50))  # the square is turned, the light is not
        self._painter.drawPath(QTransform().translate(50, 50).rotate(45).map(square))
        deep = QColor(self._ramp.deep)
        self._bar(QRectF(45, 27, 10, 28), deep)
        self._painter.drawEllipse(QPointF(50, 67), 6, 6)

    def _question(self) -> None:
        self._fill(self._alarm_brush(60))
        self._painter.drawPath(parse_path(_BUBBLE))
        deep = QColor(self._ramp.deep)
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
        lit = int(TOOL_ARCS * self._phase)
        for i in range(TOOL_ARCS):
            color = self._spark if i == lit else self._line
            self._stroke(color, 9, Qt.PenCapStyle.FlatCap, 1 if i == lit else 0.45)
            self._arc(40, -90 - 19 + 60 * i, 38)
        if kind:
            self._stroke(QColor(self._ramp.deep), 4)
            paint_mark(self._painter, kind, self._phase)

    def _streaming(self) -> None:
        self._ball(38, 26 + (1.5 * self._wave if self._typing else 0), lit_as=26)
        cursor = QColor(self._spark)
        cursor.setAlphaF(1 if self._typing or self._phase < 0.6 else 0.25)
        self._bar(self._on_the_grid(QRectF(73, 20, 11, 60)), cursor)

    def _thinking(self) -> None:
        self._ball(50, 24)
        satellite_deg = 360 * self._phase - 48
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
        self._arc(37, 360 * self._phase - 90, 100)

    def _compacting(self) -> None:
        squeeze = math.sin(math.pi * self._phase)
        self._fill(self._ball_brush(50, 31))
        self._painter.drawEllipse(QPointF(50, 50), 31 + 4 * squeeze, 15 - 5 * squeeze)
        for top in (14 + 8 * squeeze, 77 - 8 * squeeze):
            self._bar(self._on_the_grid(QRectF(22, top, 56, 9)), self._line)

    def _done(self) -> None:
        ramp = self._ramp
        self._fill(self._rimmed(36, 44, (0, ramp.hot), (0.66, ramp.hi)))
        self._painter.drawEllipse(QPointF(50, 50), 35, 35)
        self._stroke(QColor(ramp.deep), 9.5)
        self._painter.drawPolyline(_part_of(QPolygonF([QPointF(x, y) for x, y in _TICK]), self._phase))

    def _idle(self) -> None:
        ramp = self._ramp
        self._fill(self._lit(50, 21, (0, ramp.hot), (0.62, ramp.hi), (1, ramp.base)))
        self._painter.drawEllipse(QPointF(50, 50), 21, 21)

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

    _body_of: ClassVar[dict[State, Callable[["OrbShapes"], None]]] = {
        State.WAITING_PERMISSION: _permission,
        State.WAITING_QUESTION: _question,
        State.ERROR: _error,
        State.STREAMING: _streaming,
        State.THINKING: _thinking,
        State.STARTING: _starting,
        State.COMPACTING: _compacting,
        State.DONE: _done,
        State.IDLE: _idle,
        State.OFFLINE: _offline,
    }


def _part_of(line: QPolygonF, share: float) -> QPolygonF:
    """The first ``share`` (0..1) of a line's length."""
    points = line.toList()
    legs = [QLineF(a, b) for a, b in pairwise(points)]
    left = share * sum(leg.length() for leg in legs)
    part = points[:1]
    for leg in legs:
        if left <= 0:
            break
        part.append(leg.pointAt(min(1.0, left / leg.length())))
        left -= leg.length()
    return QPolygonF(part)
