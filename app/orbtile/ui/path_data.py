"""SVG path data to QPainterPath, for drawings kept as short strings.

Owns the reading of ``M L H V C S Q T A Z`` (capitals absolute, small letters relative). Must not know colours
or sizes. An ellipse's arc must be upright: a turned one is refused.
"""

import math
import re
from typing import Final

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QTransform

_COMMAND: Final = re.compile(r"[\s,]*([A-Za-z])")
_NUMBER: Final = re.compile(r"[\s,]*([+-]?(?:\d+\.?\d*|\.\d+))")
_FLAG: Final = re.compile(r"[\s,]*([01])")  # one digit: what follows may stand right behind it
_REST: Final = re.compile(r"[\s,]*\Z")

_ARGUMENTS: Final[dict[str, tuple[re.Pattern[str], ...]]] = {
    "M": (_NUMBER,) * 2,
    "L": (_NUMBER,) * 2,
    "H": (_NUMBER,),
    "V": (_NUMBER,),
    "C": (_NUMBER,) * 6,
    "S": (_NUMBER,) * 4,
    "Q": (_NUMBER,) * 4,
    "T": (_NUMBER,) * 2,
    "A": (*(_NUMBER,) * 3, _FLAG, _FLAG, *(_NUMBER,) * 2),
    "Z": (),
}


def parse_path(data: str) -> QPainterPath:
    """Build the path. Raises ValueError for what is no path data, or has other commands."""
    pen = _Pen()
    command = ""
    at = 0
    while not _REST.match(data, at):
        letter = _COMMAND.match(data, at)
        if letter:
            command, at = letter[1], letter.end()
        if command.upper() not in _ARGUMENTS:
            raise ValueError(f"path data: {command!r} in {data!r}")
        numbers: list[float] = []
        for kind in _ARGUMENTS[command.upper()]:
            found = kind.match(data, at)
            if not found:
                raise ValueError(f"path data: {command!r} lacks a number in {data!r}")
            numbers.append(float(found[1]))
            at = found.end()
        pen.draw(command, numbers)
        if command in "Mm":
            command = "L" if command == "M" else "l"  # further pairs after a move are lines
        elif command in "Zz":
            command = ""
    return pen.path


class _Pen:
    """Draws one command after the other; a smooth curve goes on from the one before."""

    def __init__(self) -> None:
        self.path = QPainterPath()
        self._before = ""
        self._control = QPointF()  # the last control point of the curve before

    def draw(self, command: str, numbers: list[float]) -> None:
        path, here = self.path, self.path.currentPosition()
        origin = here if command.islower() else QPointF()
        points = [QPointF(x, y) + origin for x, y in zip(numbers[0::2], numbers[1::2], strict=False)]
        kind = command.upper()
        match kind:
            case "M":
                path.moveTo(points[0])
            case "L":
                path.lineTo(points[0])
            case "H":
                path.lineTo(numbers[0] + origin.x(), here.y())
            case "V":
                path.lineTo(here.x(), numbers[0] + origin.y())
            case "C":
                self._cubic(*points)
            case "S":
                self._cubic(self._mirrored(here, "CS"), *points)
            case "Q":
                self._quad(*points)
            case "T":
                self._quad(self._mirrored(here, "QT"), *points)
            case "A":
                _arc(path, here, QPointF(numbers[5], numbers[6]) + origin, numbers)
            case _:
                path.closeSubpath()
        self._before = kind

    def _cubic(self, one: QPointF, other: QPointF, end: QPointF) -> None:
        self.path.cubicTo(one, other, end)
        self._control = other

    def _quad(self, control: QPointF, end: QPointF) -> None:
        self.path.quadTo(control, end)
        self._control = control

    def _mirrored(self, here: QPointF, curves: str) -> QPointF:
        """The control point that goes on smoothly; ``here`` when there is no such curve before."""
        return here * 2 - self._control if self._before and self._before in curves else here


def _arc(path: QPainterPath, start: QPointF, end: QPointF, numbers: list[float]) -> None:
    """An upright elliptical arc; on the unit circle it spans a chord, its centre on the bisector."""
    rx, ry, turn_deg, large, clockwise = numbers[:5]
    if turn_deg % 180 and rx != ry:
        raise ValueError(f"path data: an ellipse turned by {turn_deg:g}°")
    to_unit = QTransform.fromScale(1 / rx, 1 / ry)
    a, b = to_unit.map(start), to_unit.map(end)
    half = math.hypot(b.x() - a.x(), b.y() - a.y()) / 2
    if half == 0:
        return
    grow = max(1.0, half)  # radii too small for the chord are scaled up to reach, as SVG says
    rise = math.sqrt(max(0.0, grow * grow - half * half)) * (-1 if large == clockwise else 1)
    cx = (a.x() + b.x()) / 2 - rise * (b.y() - a.y()) / (2 * half)
    cy = (a.y() + b.y()) / 2 + rise * (b.x() - a.x()) / (2 * half)
    first = math.degrees(math.atan2(a.y() - cy, a.x() - cx))
    sweep = math.degrees(math.atan2(b.y() - cy, b.x() - cx)) - first
    if clockwise and sweep < 0:
        sweep += 360
    elif not clockwise and sweep > 0:
        sweep -= 360
    box = QRectF((cx - grow) * rx, (cy - grow) * ry, 2 * grow * rx, 2 * grow * ry)
    path.arcTo(box, -first, -sweep)  # Qt counts angles the other way round
