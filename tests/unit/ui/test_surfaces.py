"""Hairlines are one line everywhere."""

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from orbtile.ui.surfaces import paint_hairline

INK = QColor("#ff0000")


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize(
    ("scale", "thickness"), [(1, 1), (1.25, 1), (1.5, 1), (1.75, 1), (2, 2), (2.5, 2), (3, 3)]
)
def test_a_hairline_is_equally_thin_wherever_it_stands(scale: float, thickness: int, upright: bool) -> None:
    image = QImage(round(64 * scale), round(64 * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    for at in range(1, 60):
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        paint_hairline(painter, QRectF(at, 0, 1, 64) if upright else QRectF(0, at, 64, 1), INK)
        painter.end()
        middle = image.width() // 2
        pixels = [image.pixelColor(*((i, middle) if upright else (middle, i))) for i in range(image.width())]
        inked = [i for i, color in enumerate(pixels) if color != QColor("white")]
        assert len(inked) == thickness, at
        assert all(pixels[i] == INK for i in inked), "it is sharp"
        assert abs(inked[0] - at * scale) <= 0.5
