"""The agent's icon: a 28 px tile with its monogram, and the globe badge of a remote session.

Owns how a tile is drawn. Must not know rows, keys or where monograms come from.
"""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from orbtile.ui.icons import paint_badge_globe
from orbtile.ui.theme import Theme

ICON_PX = 28


def paint_agent_icon(
    painter: QPainter,
    top_left: QPointF,
    theme: Theme,
    monogram: str,
    *,
    remote: bool = False,
    dimmed: bool = False,
    ground: QColor | None = None,
) -> None:
    """Draw the tile at ``top_left``.

    ``dimmed``: half strength (offline). ``ground``: the colour that the globe's ring melts into.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if dimmed:
        painter.setOpacity(0.5)
    tile = QRectF(top_left.x(), top_left.y(), ICON_PX, ICON_PX)
    painter.setPen(QPen(theme.color("line2"), 1))
    painter.setBrush(theme.color("hover"))
    painter.drawRoundedRect(tile.adjusted(0.5, 0.5, -0.5, -0.5), 7.5, 7.5)
    painter.setPen(theme.color("text2"))
    painter.setFont(theme.font(12, 600))
    painter.drawText(tile, Qt.AlignmentFlag.AlignCenter, monogram)
    if remote:
        corner = tile.bottomRight() + QPointF(5 - 8, 5 - 8)  # the 16 px badge ends 5 px outside the tile
        painter.setOpacity(1)  # its parts overlap, so a dimmed badge is dimmed by its token
        disc = theme.color("text3" if dimmed else "text1")
        paint_badge_globe(painter, corner, disc, ground or theme.color("surface"))
    painter.restore()


class AgentIcon(QWidget):
    """The tile as a widget, for banners and lists. Decoration: the name beside it is what is read out."""

    def __init__(self, theme: Theme, monogram: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._monogram = monogram
        self.setFixedSize(ICON_PX, ICON_PX)
        theme.themeChanged.connect(self._repaint)

    def set_monogram(self, monogram: str) -> None:
        self._monogram = monogram
        self.update()

    def _repaint(self) -> None:
        self.update()  # connected by itself, a method of C++ costs 64 bytes that never come back

    def sizeHint(self) -> QSize:
        return QSize(ICON_PX, ICON_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_agent_icon(painter, QPointF(), self._theme, self._monogram)
