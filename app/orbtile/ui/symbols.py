"""Symbols by the names that adapters send (those of SF Symbols), drawn from an open set of line drawings.

Owns which drawing serves a name, and how its SVG file becomes strokes. Must not know tiles or agents. A file
is read when its symbol is first drawn, with the reader of path data that the other icons have: QtSvg would be
a library more in memory, and takes another stroke width or ink only through a changed copy of the file.
"""

import logging
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from PySide6.QtCore import QDir, QFile, QIODevice, QPointF, QRectF, Qt, QXmlStreamReader
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from orbtile.ui.path_data import parse_path

_log = logging.getLogger(__name__)

STROKE_PX: Final = 1.5
"""On the 16 px grid that all icons share."""

_GRID: Final = 24
"""The drawings' own grid."""

_PREFIX: Final = "symbols"

_VARIANTS: Final = frozenset({"fill", "circle", "square", "rectangle", "dashed", "inverse", "ltr", "rtl"})
"""What a name may end in without meaning another thing. A ``slash`` would mean the opposite."""


def find_symbols_in(folder: Path) -> None:
    """Say once where the drawings are: ``DRAWING.svg`` each."""
    QDir.setSearchPaths(_PREFIX, [str(folder)])


def drawing_of(name: str) -> str | None:
    """The drawing for a symbol's name, or for the nearest name that it is a variant of (``star.fill``,
    ``bell.badge.circle``). None: there is none.
    """
    from orbtile.ui.symbol_names import DRAWINGS

    words = name.split(".")
    if "badge" in words[1:] and name not in DRAWINGS:
        words = words[: words.index("badge", 1)]
    while (drawing := DRAWINGS.get(".".join(words))) is None and len(words) > 1 and words[-1] in _VARIANTS:
        words.pop()
    return drawing


def paint_symbol(painter: QPainter, name: str, box: QRectF, ink: QColor) -> bool:
    """Draw the symbol into ``box`` (square, logical px). Whether there is one of that name."""
    from orbtile.ui.symbol_names import SOLID

    drawing = drawing_of(name)
    path = None if drawing is None else _strokes(drawing)
    if path is None:
        return False
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(box.topLeft())
    painter.scale(box.width() / _GRID, box.height() / _GRID)
    width = STROKE_PX * _GRID / 16
    cap, join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    painter.setPen(QPen(ink, width, Qt.PenStyle.SolidLine, cap, join))
    is_solid = drawing in SOLID and "fill" in name.split(".")
    painter.setBrush(ink if is_solid else Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    painter.restore()
    return True


@lru_cache(maxsize=64)
def _strokes(drawing: str) -> QPainterPath | None:
    """The lines of one file, read once. None: it is missing or broken, which is logged."""
    file = QFile(f"{_PREFIX}:{drawing}.svg")
    if not file.open(QIODevice.OpenModeFlag.ReadOnly):
        _log.warning("a symbol's drawing is missing: %s.svg", drawing)
        return None
    path = QPainterPath()
    try:
        for part in _parts(file):
            path.addPath(part)
    except ValueError as error:
        _log.warning("a symbol's drawing is broken: %s.svg (%s)", drawing, error)
        return None
    return path


def _parts(file: QIODevice) -> Iterator[QPainterPath]:
    """Every shape of an SVG file as lines. Raises ValueError for XML that is none."""
    reader = QXmlStreamReader(file)
    while not reader.atEnd():
        if reader.readNext() is not QXmlStreamReader.TokenType.StartElement:
            continue
        attributes = reader.attributes()
        values = {str(a.name()): str(a.value()) for a in (attributes.at(i) for i in range(attributes.size()))}
        yield _shape(reader.name(), values)
    if reader.hasError():
        raise ValueError(reader.errorString())


def _shape(kind: str, values: dict[str, str]) -> QPainterPath:
    """One element; those that draw nothing (``svg``) are empty."""

    def number(name: str) -> float:
        return float(values.get(name, "0"))

    path = QPainterPath()
    if kind == "path":
        return parse_path(values.get("d", ""))
    if kind == "circle":
        path.addEllipse(QPointF(number("cx"), number("cy")), number("r"), number("r"))
    elif kind == "ellipse":
        path.addEllipse(QPointF(number("cx"), number("cy")), number("rx"), number("ry"))
    elif kind == "rect":
        corner = number("rx") or number("ry")
        box = QRectF(number("x"), number("y"), number("width"), number("height"))
        path.addRoundedRect(box, corner, corner)
    elif kind == "line":
        path.moveTo(number("x1"), number("y1"))
        path.lineTo(number("x2"), number("y2"))
    elif kind in {"polygon", "polyline"}:
        numbers = [float(word) for word in values.get("points", "").replace(",", " ").split()]
        points = [QPointF(x, y) for x, y in zip(numbers[0::2], numbers[1::2], strict=True)]
        path.addPolygon(QPolygonF(points))
        if kind == "polygon":
            path.closeSubpath()
    return path
