"""The round corners at the bottom of a window that scrolls.

Owns their radius and how they are cut. Must not know what is painted below them.
"""

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from orbtile.ui.theme import Theme

RADIUS_PX: Final = 12


class RoundedCorners(QWidget):
    """Laid over the bottom of a rounded window: cuts what rows painted into its corners, and closes the
    border there.
    """

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.themeChanged.connect(self._repaint)

    def _repaint(self) -> None:
        self.update()  # as in Panel

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        window = self._window.rect().translated(-self.pos())
        outside = QPainterPath()
        outside.addRect(QRectF(self.rect()))
        inside = QPainterPath()
        inside.addRoundedRect(QRectF(window), RADIUS_PX, RADIUS_PX)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOut)
        painter.fillPath(outside.subtracted(inside), Qt.GlobalColor.black)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.setPen(QPen(self._theme.color("line"), 1))
        radius = RADIUS_PX - 0.5
        painter.drawRoundedRect(QRectF(window).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
