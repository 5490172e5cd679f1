"""The agent's icon: a 28 px tile with its picture, its symbol or its monogram, and the globe badge of a
remote session.

Owns how a tile is drawn, and which of the three an agent shows. Must not know rows, keys or settings.
Pictures are Orbtile's own re-encoded ones only (``IconImages``): nothing is decoded that an adapter sent.
"""

import logging
from functools import lru_cache
from typing import Final, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QWidget

from orbtile.host.icons import IconImages
from orbtile.host.monogram import monogram
from orbtile.host.views import AdapterView, SessionView
from orbtile.ui.icons import paint_badge_globe
from orbtile.ui.symbols import paint_symbol
from orbtile.ui.theme import Theme, Token, contrast_ratio

_log = logging.getLogger(__name__)

ICON_PX = 28
_CORNER_PX: Final = 8
_SYMBOL_PX: Final = 16

_BARE_FROM: Final = 0.6
"""A picture that covers this share of its square has a shape of its own; one that covers less is a mark, and
stands on a tile.
"""

_MARK_CONTRAST: Final = 1.6
"""A mark that stands out less than this from the usual tile stands on the opposite one."""


class AgentFace(NamedTuple):
    """What an agent can show of itself, the first that there is: ``icon``, else ``symbol`` where Orbtile has
    a drawing of that name, else ``monogram``, which is always there.
    """

    monogram: str
    symbol: str | None = None
    icon: IconImages | None = None


def face_of(view: SessionView | AdapterView) -> AgentFace:
    """The face that the agent shows now."""
    if isinstance(view, SessionView):
        return AgentFace(view.monogram, view.symbol, view.icon)
    glyph = view.registration.glyph
    return AgentFace(monogram(view.registration), glyph.symbol if glyph is not None else None, view.icon)


def allowed_face_of(view: AdapterView) -> AgentFace:
    """The face with the icon that the user last allowed. A glyph needs no Allow: it is the one of now."""
    return face_of(view)._replace(icon=view.allowed_icon)


def paint_agent_icon(
    painter: QPainter,
    top_left: QPointF,
    theme: Theme,
    face: AgentFace,
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
    corner = _snapped(painter, top_left)
    tile = QRectF(corner.x(), corner.y(), ICON_PX, ICON_PX)
    if face.icon is None or not _paint_picture(painter, tile, theme, face.icon):
        _paint_glyph(painter, tile, theme, face)
    if remote:
        center = tile.bottomRight() + QPointF(5 - 8, 5 - 8)  # the 16 px badge ends 5 px outside the tile
        painter.setOpacity(1)  # its parts overlap, so a dimmed badge is dimmed by its token
        disc = theme.color("text3" if dimmed else "text1")
        paint_badge_globe(painter, center, disc, ground or theme.color("surface"))
    painter.restore()


def _snapped(painter: QPainter, point: QPointF) -> QPointF:
    """The nearest point on the grid of device pixels, so that what is drawn there is as sharp as anywhere."""
    device = painter.deviceTransform().map(point)
    inverse, _ = painter.deviceTransform().inverted()
    return inverse.map(QPointF(round(device.x()), round(device.y())))


def _paint_tile(painter: QPainter, tile: QRectF, theme: Theme, fill: Token) -> None:
    painter.setPen(QPen(theme.color("line2"), 1))
    painter.setBrush(theme.color(fill))
    painter.drawRoundedRect(tile.adjusted(0.5, 0.5, -0.5, -0.5), _CORNER_PX - 0.5, _CORNER_PX - 0.5)


def _paint_glyph(painter: QPainter, tile: QRectF, theme: Theme, face: AgentFace) -> None:
    _paint_tile(painter, tile, theme, "hover")
    inset = (ICON_PX - _SYMBOL_PX) / 2
    box = tile.adjusted(inset, inset, -inset, -inset)
    if face.symbol is not None and paint_symbol(painter, face.symbol, box, theme.color("text2")):
        return
    painter.setPen(theme.color("text2"))
    painter.setFont(theme.font(12, 600))
    painter.drawText(tile, Qt.AlignmentFlag.AlignCenter, face.monogram)


def _paint_picture(painter: QPainter, tile: QRectF, theme: Theme, icon: IconImages) -> bool:
    """Whether there was a picture to draw."""
    scale = painter.device().devicePixelRatioF()
    picture = _picture(icon.px28 if scale <= 1 else icon.px56)
    if picture is None:
        return False
    if picture.is_mark:
        ink = QColor(picture.mean)
        weak = contrast_ratio(ink, theme.color("hover")) < _MARK_CONTRAST
        _paint_tile(painter, tile, theme, "fill" if weak else "hover")
    brush = QBrush(_fitted(picture, round(ICON_PX * scale)))
    brush.setTransform(QTransform.fromTranslate(tile.x(), tile.y()).scale(1 / scale, 1 / scale))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)
    painter.drawRoundedRect(tile, _CORNER_PX, _CORNER_PX)  # a clip would have hard edges
    return True


class _Picture:
    """A decoded icon: ``mean`` is the colour of what it covers, ``is_mark`` whether that is little."""

    __slots__ = ("image", "is_mark", "mean")

    def __init__(self, image: QImage) -> None:
        self.image = image
        covered, red, green, blue = 0, 0, 0, 0
        for y in range(0, image.height(), 2):
            for x in range(0, image.width(), 2):
                pixel = image.pixel(x, y)  # premultiplied, so that weights need no care
                covered += pixel >> 24
                red += pixel >> 16 & 255
                green += pixel >> 8 & 255
                blue += pixel & 255
        samples = ((image.height() + 1) // 2) * ((image.width() + 1) // 2)
        self.is_mark = covered < _BARE_FROM * 255 * samples
        whole = max(1, covered)
        self.mean = QColor(*(min(255, 255 * channel // whole) for channel in (red, green, blue)))


@lru_cache(maxsize=96)
def _picture(png: bytes) -> _Picture | None:
    """Decoded once: 12 KB for an icon of 56 px. None: no picture, which is logged, once."""
    image = QImage()
    if not image.loadFromData(png, "PNG"):
        _log.warning("an icon that was re-encoded here cannot be decoded")
        return None
    return _Picture(image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))


@lru_cache(maxsize=96)
def _fitted(picture: _Picture, side_px: int) -> QImage:
    """The picture in ``side_px`` device pixels; the same picture is the same key."""
    image = picture.image
    if image.width() == side_px:
        return image
    keep, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    return image.scaled(side_px, side_px, keep, smooth)


class AgentIcon(QWidget):
    """The tile as a widget, for banners and lists. Decoration: the name beside it is what is read out."""

    def __init__(self, theme: Theme, face: AgentFace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._face = face
        self.setObjectName("agentIcon")
        self.setFixedSize(ICON_PX, ICON_PX)
        theme.themeChanged.connect(self._repaint)

    @property
    def face(self) -> AgentFace:
        return self._face

    def set_face(self, face: AgentFace) -> None:
        if face != self._face:
            self._face = face
            self.update()

    def _repaint(self) -> None:
        self.update()  # connected by itself, a method of C++ costs 64 bytes that never come back

    def sizeHint(self) -> QSize:
        return QSize(ICON_PX, ICON_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_agent_icon(painter, QPointF(), self._theme, self._face)
