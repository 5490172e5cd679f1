"""The grounds that things stand on: a panel with fill, border and corner, and a hairline.

Owns how these are drawn. Must not know what stands on them.
"""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
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
        QPainter(self).fillRect(self.rect(), self._theme.color("line"))
