"""The tray icon: six looks, each told apart by shape, drawn anew for every size on its own pixel grid.

Owns the drawings, their inks and which sizes an icon carries. Must not know sessions nor which look applies.
"""

import math
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QIcon,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
)

from orbtile.ui.summary import Look

Panel = Literal["dark", "light"]
"""The shade of the panel that the icon stands on."""

SIZES_PX: Final = (16, 18, 20, 22, 24, 28, 32, 36, 40, 44, 48, 64)
"""Device pixels: what trays ask for at 1x to 2x."""

_INK: Final[dict[Panel, str]] = {"dark": "#f1eeeb", "light": "#1a1816"}
_BADGE: Final[dict[Panel, str]] = {"dark": "#ea7b4c", "light": "#b8471b"}
_DIGIT: Final[dict[Panel, str]] = {"dark": "#0b0908", "light": "#ffffff"}
_ERROR: Final[dict[Panel, str]] = {"dark": "#f0604f", "light": "#c8352b"}
_MOST: Final = 9
"""Above it the badge says "9+"."""


class _Grid(NamedTuple):
    """Measures in whole or half pixels, so that edges land on the grid."""

    ring_r: float
    ring: float
    core_r: float
    badge: float
    digit: float
    cut: float
    mark: float


_GRIDS: Final = {
    16: _Grid(6.0, 2.0, 3.0, 11, 9.5, 1.0, 2.2),
    22: _Grid(8.0, 2.0, 4.0, 14, 12, 1.5, 2.6),
    32: _Grid(12.5, 3.0, 6.0, 20, 17, 2.0, 3.6),
}


def _grid(size_px: int) -> _Grid:
    if size_px in _GRIDS:
        return _GRIDS[size_px]
    ring = max(2, round(size_px * 0.09))
    outer: float = round(size_px * 0.43)
    if size_px % 2:
        outer += 0.5  # an odd box has its centre in the middle of a pixel
    return _Grid(
        ring_r=outer - ring / 2,
        ring=ring,
        core_r=round(size_px * 0.19),
        badge=round(size_px * 0.64),
        digit=size_px * 0.54,
        cut=max(1.0, round(size_px * 0.13) / 2),
        mark=size_px * 0.115,
    )


def tray_icon(look: Look, count: int, panel: Panel, *, template: bool) -> QIcon:
    """The icon with every size. ``count``: for the badge of ``WAITING``. ``template``: one ink, the system
    colours it.
    """
    icon = QIcon()
    for size_px in SIZES_PX:
        icon.addPixmap(QPixmap.fromImage(tray_image(look, size_px, panel, count=count, template=template)))
    icon.setIsMask(template)
    return icon


@lru_cache(maxsize=64)
def tray_image(look: Look, size_px: int, panel: Panel, *, count: int = 0, template: bool = False) -> QImage:
    """One look at one size in device pixels."""
    image = QImage(size_px, size_px, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _Drawing(painter, size_px, panel, template=template).draw(look, count)
    painter.end()
    return image


class _Drawing:
    """One tray icon being drawn."""

    def __init__(self, painter: QPainter, size_px: int, panel: Panel, *, template: bool) -> None:
        self._painter = painter
        self._size = size_px
        self._grid = _grid(size_px)
        self._center = QPointF(size_px / 2, size_px / 2)
        self._outer = self._grid.ring_r + self._grid.ring / 2
        self._template = template
        self._ink = QColor(_INK[panel])
        self._badge_ink = self._ink if template else QColor(_BADGE[panel])
        self._digit_ink = QColor(_DIGIT[panel])
        self._error_ink = self._ink if template else QColor(_ERROR[panel])

    def draw(self, look: Look, count: int) -> None:
        match look:
            case Look.OFF:
                self._off()
            case Look.WAITING:
                self._waiting(count)
            case Look.ERROR:
                self._error()
            case Look.DONE:
                self._done()
            case Look.WORKING:
                self._ring()
                self._disc(self._center, self._grid.core_r, self._ink)
            case Look.QUIET:
                self._ring()

    def _stroke(self, color: QColor, width: float) -> None:
        cap, join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(color, width, Qt.PenStyle.SolidLine, cap, join))

    def _cutting(self) -> QPainter:
        """What is drawn next takes away; ``_adding`` ends it."""
        self._painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOut)
        return self._painter

    def _adding(self) -> QPainter:
        self._painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        return self._painter

    def _ring(self) -> None:
        self._stroke(self._ink, self._grid.ring)
        self._painter.drawEllipse(self._center, self._grid.ring_r, self._grid.ring_r)

    def _disc(self, center: QPointF, radius: float, color: QColor) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(color)
        self._painter.drawEllipse(center, radius, radius)

    def _off(self) -> None:
        self._ring()
        reach = self._outer * 0.8
        near, far = self._size / 2 - reach, self._size / 2 + reach
        slash = QLineF(near, far, far, near)
        self._stroke(self._ink, self._grid.ring + 2 * self._grid.cut + 1)
        self._cutting().drawLine(slash)
        self._stroke(self._ink, self._grid.ring)
        self._adding().drawLine(slash)

    def _waiting(self, count: int) -> None:
        grid = self._grid
        self._ring()
        middle = self._size - grid.badge / 2
        center = QPointF(middle, middle)
        self._cutting()
        self._disc(center, grid.badge / 2 + grid.cut, self._ink)
        self._adding()
        self._disc(center, grid.badge / 2, self._badge_ink)
        if self._template:
            self._cutting()
        self._painter.setBrush(self._digit_ink)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.drawPath(self._digits(count, center))
        self._adding()

    def _digits(self, count: int, center: QPointF) -> QPainterPath:
        """The count as a shape, centred by its outline: a font's own line box is not."""
        text = "9+" if count > _MOST else str(count)
        font = QFont(QGuiApplication.font())
        font.setPixelSize(max(1, round(self._grid.digit * (0.82 if count > _MOST else 1))))
        font.setWeight(QFont.Weight.Bold)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        path = QPainterPath()
        path.addText(0, 0, font, text)
        return path.translated(center - path.boundingRect().center())

    def _error(self) -> None:
        corners = [math.radians(22.5 + 45 * i) for i in range(8)]
        radius = self._outer * 1.06
        octagon = QPolygonF(
            [self._center + QPointF(radius * math.cos(a), radius * math.sin(a)) for a in corners]
        )
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(self._error_ink)
        self._painter.drawPolygon(octagon)
        reach = self._outer * 0.36
        near, far = self._size / 2 - reach, self._size / 2 + reach
        self._stroke(self._ink, self._grid.mark)
        self._cutting().drawLines([QLineF(near, near, far, far), QLineF(far, near, near, far)])
        self._adding()

    def _done(self) -> None:
        self._disc(self._center, self._outer, self._ink)
        unit, x, y = self._outer / 7, self._center.x(), self._center.y()
        tick = QPolygonF(
            [
                QPointF(x - 3.2 * unit, y + 0.2 * unit),
                QPointF(x - 0.9 * unit, y + 2.5 * unit),
                QPointF(x + 3.2 * unit, y - 2.2 * unit),
            ]
        )
        self._stroke(self._ink, self._grid.mark)
        self._cutting().drawPolyline(tick)
        self._adding()
