"""SVG path data to QPainterPath, for drawings kept as short strings.

Owns the reading of ``M L H V C Q A Z`` (capitals absolute, small letters relative). Must not know
colours or sizes.
"""

import math
import re
from typing import Final

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QTransform

_WORDS: Final = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)")
_ARGUMENTS: Final = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Q": 4, "A": 7, "Z": 0}


def parse_path(data: str) -> QPainterPath:
    """Build the path. Raises ValueError for other commands. Arc flags must be words of their own."""
    path = QPainterPath()
    words = _WORDS.findall(data)
    command = ""
    at = 0
    while at < len(words):
        if words[at].isalpha():
            command = words[at]
            at += 1
        count = _ARGUMENTS.get(command.upper(), -1)
        numbers = [float(word) for word in words[at : at + count]] if count >= 0 else []
        if count < 0 or len(numbers) != count:
            raise ValueError(f"path data: {command!r} in {data!r}")
        at += count
        _draw(path, command, numbers)
        if command in "Mm":
            command = "L" if command == "M" else "l"  # further pairs after a move are lines
        elif command in "Zz":
            command = ""
    return path


def _draw(path: QPainterPath, command: str, numbers: list[float]) -> None:
    here = path.currentPosition()
    origin = here if command.islower() else QPointF()
    points = [QPointF(x, y) + origin for x, y in zip(numbers[0::2], numbers[1::2], strict=False)]
    match command.upper():
        case "M":
            path.moveTo(points[0])
        case "L":
            path.lineTo(points[0])
        case "H":
            path.lineTo(numbers[0] + origin.x(), here.y())
        case "V":
            path.lineTo(here.x(), numbers[0] + origin.y())
        case "C":
            path.cubicTo(points[0], points[1], points[2])
        case "Q":
            path.quadTo(points[0], points[1])
        case "A":
            end = QPointF(numbers[5], numbers[6]) + origin
            _arc(path, here, end, (numbers[0], numbers[1]), large=numbers[3] != 0, clockwise=numbers[4] != 0)
        case _:
            path.closeSubpath()


def _arc(
    path: QPainterPath,
    start: QPointF,
    end: QPointF,
    radii: tuple[float, float],
    *,
    large: bool,
    clockwise: bool,
) -> None:
    """An unrotated elliptical arc; on the unit circle it spans a chord, its centre on the bisector."""
    rx, ry = radii
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
