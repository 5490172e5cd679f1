"""The grounds that things stand on: a panel with fill, border and corner, and a hairline.

Owns how these are drawn. Must not know what stands on them.
"""

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from orbtile.ui.theme import Theme, Token


class Panel(QWidget):
    """A rounded ground. ``fill`` or ``border`` None: none of it."""

    def __init__(
        self,
        theme: Theme,
        fill: Token | None,
        border: Token | None = None,
        radius_px: float = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fill: Token | None = fill
        self._border: Token | None = border
        self._radius_px = radius_px
        theme.themeChanged.connect(self._repaint)

    def _repaint(self) -> None:
        self.update()  # connected by itself, a method of C++ costs 64 bytes that never come back

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self._border is not None:
            painter.setPen(QPen(self._theme.color(self._border), 1))
            rect.adjust(0.5, 0.5, -0.5, -0.5)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
        if self._fill is not None:
            painter.setBrush(self._theme.color(self._fill))
        radius = max(0.0, self._radius_px - 0.5)
        painter.drawRoundedRect(rect, radius, radius)


class Hairline(QWidget):
    """A line of 1 px, lying or (``upright``) standing."""

    def __init__(self, theme: Theme, *, upright: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        if upright:
            self.setFixedWidth(1)
            self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        else:
            self.setFixedHeight(1)
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.themeChanged.connect(self._repaint)

    def _repaint(self) -> None:
        self.update()  # as in Panel

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_hairline(QPainter(self), QRectF(self.rect()), self._theme.color("line"))


def paint_hairline(painter: QPainter, line: QRectF, ink: QColor) -> None:
    """Fill ``line``, 1 px thin in one direction, with the same number of device pixels wherever it stands.

    As a plain rectangle it is one or two of them thick at a scale such as 1.25, by where it falls.
    """
    to_device = painter.deviceTransform()
    device = to_device.mapRect(line)
    thickness = max(1, math.floor(painter.device().devicePixelRatioF()))
    left, top = math.floor(device.left() + 0.5), math.floor(device.top() + 0.5)
    if line.width() < line.height():
        device = QRectF(left, device.top(), thickness, device.height())
    else:
        device = QRectF(device.left(), top, device.width(), thickness)
    inverse, _ = to_device.inverted()
    painter.fillRect(inverse.mapRect(device), ink)
