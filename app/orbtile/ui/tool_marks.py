"""The mark of a tool kind inside the orb's ball: what the tool does, as a sign of a few strokes that moves.

Owns the eight drawings and how each of them moves. Must not know the orb around it, its colours or time.
"""

import math
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainter

from orbtile.ui.path_data import parse_path

_PENCIL: Final = "M41 59L43 52L56 39L61 44L48 57Z"
_PLUG: Final = "M46 42V48M54 42V48M42 48H58V51A8 8 0 0 1 42 51ZM50 59V64"
_LINES: Final = ((43, 20), (50, 20), (57, 12))
"""Height and length of each line of a page."""
_FAINT: Final = 0.4
_GLOBE_AT_REST_RAD: Final = math.acos(6 / 13)
"""The meridian's turn in the still picture: as wide as 6 of the 13 units of the equator."""


def paint_mark(painter: QPainter, kind: str, phase: float) -> None:
    """Draw the mark of ``kind`` (an unknown one is "other") with the painter's pen, in the orb's 100 units.

    ``phase``: 0..<1 through the motion; 0 is the whole mark, as it is drawn when nothing moves.
    """
    _MARKS.get(kind, _other)(painter, phase)


def _shell(painter: QPainter, phase: float) -> None:
    painter.drawPath(parse_path("M41 42L49 50L41 58"))
    if phase < 0.5:  # the cursor blinks
        painter.drawLine(QLineF(53, 59, 61, 59))


def _edit(painter: QPainter, phase: float) -> None:
    wave = math.sin(math.tau * phase)
    painter.drawPath(parse_path(_PENCIL).translated(2.5 * wave, -1.5 * abs(wave)))
    if phase:  # it writes a line
        painter.drawLine(QLineF(40, 64, 40 + 20 * phase, 64))


def _read(painter: QPainter, phase: float) -> None:
    """The page, then one line of it after the other."""
    lit = None if phase < 1 / 6 else int((phase - 1 / 6) / (5 / 18))
    full = painter.opacity()
    for i, (y, length) in enumerate(_LINES):
        painter.setOpacity(full if lit in {None, i} else full * _FAINT)
        painter.drawLine(QLineF(40, y, 40 + length, y))
    painter.setOpacity(full)


def _web(painter: QPainter, phase: float) -> None:
    painter.drawLine(QLineF(37, 50, 63, 50))
    width = abs(math.cos(math.pi * phase + _GLOBE_AT_REST_RAD))  # the meridian turns
    painter.drawEllipse(QPointF(50, 50), max(0.1, 13 * width), 13)


def _delegate(painter: QPainter, phase: float) -> None:
    reach = 10 * min(1.0, 1.4 * (phase or 1.0))  # two branches grow
    painter.drawLine(QLineF(50, 62, 50, 53))
    painter.drawLine(QLineF(50, 53, 50 - reach, 53 - reach))
    painter.drawLine(QLineF(50, 53, 50 + reach, 53 - reach))


def _plan(painter: QPainter, phase: float) -> None:
    for y, ticked_from in ((45, 0.3), (56, 0.65)):
        if phase == 0 or phase > ticked_from:
            painter.drawPath(parse_path(f"M40 {y}l3 3l5 -6"))
        else:
            painter.drawLine(QLineF(43, y, 45, y))
        painter.drawLine(QLineF(54, y + 1, 61, y + 1))


def _integration(painter: QPainter, phase: float) -> None:
    painter.drawPath(parse_path(_PLUG).translated(0, -2.5 * math.sin(math.tau * phase)))  # the plug goes in


def _other(painter: QPainter, phase: float) -> None:
    radius = 5 + 2.5 * math.sin(math.tau * phase)  # a dot breathes
    painter.drawEllipse(QPointF(50, 50), radius, radius)


_MARKS: Final[dict[str, Callable[[QPainter, float], None]]] = {
    "shell": _shell,
    "edit": _edit,
    "read": _read,
    "web": _web,
    "delegate": _delegate,
    "plan": _plan,
    "integration": _integration,
    "other": _other,
}
