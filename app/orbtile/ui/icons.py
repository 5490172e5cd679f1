"""The icon set: 16 px grid, 1.5 px strokes, round ends, one colour.

Owns the drawings by name. Must not know where an icon is used.
"""

from functools import cache
from typing import Final, Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from orbtile.ui.path_data import parse_path

IconName = Literal[
    "keypad",
    "sliders",
    "folder",
    "here",
    "globe",
    "branch",
    "right",
    "down",
    "copy",
    "check",
    "cross",
    "link",
    "shield",
    "diff",
    "gear",
    "info",
    "out",
    "agents",
    "reset",
    "alert",
]

_STROKES: Final[dict[IconName, str]] = {
    "sliders": "M2.5 5H7.5M11.5 5H13.5M7.5 5A2 2 0 0 1 11.5 5A2 2 0 0 1 7.5 5M2.5 11H4.5"
    "M8.5 11H13.5M4.5 11A2 2 0 0 1 8.5 11"
    "A2 2 0 0 1 4.5 11",
    "folder": "M2.5 5.5V11.5A1 1 0 0 0 3.5 12.5H12.5A1 1 0 0 0 13.5 11.5V6"
    "A1 1 0 0 0 12.5 5H8L6.5 3.5H3.5A1 1 0 0 0 2.5 4.5Z",
    "here": "M3.5 3H12.5A1 1 0 0 1 13.5 4V9.5A1 1 0 0 1 12.5 10.5H3.5A1 1 0 0 1 2.5 9.5V4"
    "A1 1 0 0 1 3.5 3ZM6 13H10",
    "globe": "M2.5 8A5.5 5.5 0 0 1 13.5 8A5.5 5.5 0 0 1 2.5 8H13.5"
    "M8 2.5A2.4 5.5 0 0 1 8 13.5A2.4 5.5 0 0 1 8 2.5",
    "branch": "M3 4A1.5 1.5 0 0 1 6 4A1.5 1.5 0 0 1 3 4"
    "M10 6A1.5 1.5 0 0 1 13 6A1.5 1.5 0 0 1 10 6M3 12A1.5 1.5 0 0 1 6 12"
    "A1.5 1.5 0 0 1 3 12M4.5 5.5V10.5C4.5 8 11.5 10 11.5 7.5",
    "right": "M6 4L10 8L6 12",
    "down": "M4 6L8 10L12 6",
    "copy": "M7 5.5H12A1.5 1.5 0 0 1 13.5 7V12A1.5 1.5 0 0 1 12 13.5H7"
    "A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5Z"
    "M10.5 5.5V3.5A1 1 0 0 0 9.5 2.5H3.5A1 1 0 0 0 2.5 3.5V9.5A1 1 0 0 0 3.5 10.5H5.5",
    "check": "M3.5 8.5L6.5 11.5L12.5 4.5",
    "cross": "M4 4L12 12M12 4L4 12",
    "link": "M6.5 9.5L9.5 6.5M7 4.5L8 3.5A3.18 3.18 0 0 1 12.5 8L11.5 9"
    "M9 11.5L8 12.5A3.18 3.18 0 0 1 3.5 8L4.5 7",
    "shield": "M8 2L13 4V7.5C13 10.7 11 12.9 8 14C5 12.9 3 10.7 3 7.5V4Z",
    "diff": "M8 3V8M5.5 5.5H10.5M5.5 12H10.5",
    "gear": "M5.8 8A2.2 2.2 0 0 1 10.2 8A2.2 2.2 0 0 1 5.8 8M8 1.8V3.8M8 12.2V14.2M1.8 8H3.8"
    "M12.2 8H14.2M3.6 3.6L5 5M11 11"
    "L12.4 12.4M12.4 3.6L11 5M5 11L3.6 12.4",
    "info": "M2.5 8A5.5 5.5 0 0 1 13.5 8A5.5 5.5 0 0 1 2.5 8M8 7.5V11M8 5.2V5.3",
    "out": "M6 3.5H3.5V12.5H12.5V10M9 2.5H13.5V7M13.2 2.8L7.5 8.5",
    "agents": "M5 8A3 3 0 0 1 11 8A3 3 0 0 1 5 8M13.5 8A5.5 5.5 0 1 1 9.4 2.7",
    "reset": "M3 8A5 5 0 1 0 4.6 4.3M3 2.8V5.5H5.7",
    "alert": "M8 2.8L14 13.2H2ZM8 6.8V9.6M8 11.4V11.5",
}


@cache
def _stroke_path(name: IconName) -> QPainterPath:
    return parse_path(_STROKES[name])


def paint_icon(
    painter: QPainter, name: IconName, rect: QRectF, color: QColor, stroke_px: float = 1.5
) -> None:
    """Draw the icon into ``rect`` (logical px, square). ``stroke_px`` is on the 16 px grid."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / 16, rect.height() / 16)
    if name == "keypad":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for x in (2.5, 6.5, 10.5):
            for y in (2.5, 6.5, 10.5):
                painter.drawRoundedRect(QRectF(x, y, 3, 3), 0.75, 0.75)
    else:
        pen = QPen(
            color, stroke_px, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        )
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(_stroke_path(name))
    painter.restore()


def paint_badge_globe(painter: QPainter, center: QPointF, disc: QColor, ring: QColor) -> None:
    """The globe of a remote session: a 12 px disc in a 2 px ring of the ground's colour."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ring)
    painter.drawEllipse(center, 8, 8)
    painter.setBrush(disc)
    painter.drawEllipse(center, 6, 6)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(ring, 1))
    painter.drawLine(QPointF(center.x() - 6, center.y()), QPointF(center.x() + 6, center.y()))
    painter.drawEllipse(center, 2.5, 6)
    painter.restore()
