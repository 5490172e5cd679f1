"""Pictures as agents bring them, drawn here and encoded as Orbtile's own are: 28 and 56 px."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QBuffer, QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter, QPen

from orbtile.host.icons import IconImages
from orbtile.protocol.registration import Icon, Registration

Draw = Callable[[QPainter], None]
"""Draws on a square of 28 units."""


def images(draw: Draw, ground: str | None = None) -> IconImages:
    """``ground`` None: transparent."""
    return IconImages(_png(draw, ground, 28), _png(draw, ground, 56))


def plain(colour: str) -> IconImages:
    """A square of one colour."""
    return images(lambda _: None, colour)


def ring(ground: str) -> IconImages:
    """A white ring that is open at its top."""

    def draw(painter: QPainter) -> None:
        painter.setPen(QPen(QColor("#ffffff"), 3.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(QRectF(8, 8, 12, 12), 125 * 16, 290 * 16)

    return images(draw, ground)


def bars(ground: str) -> IconImages:
    """Three white bars."""

    def draw(painter: QPainter) -> None:
        for at, (left, width) in enumerate(((7, 9), (7, 14), (7, 7))):
            painter.fillRect(QRectF(left, 7.5 + 4.7 * at, width, 3.6), QColor("#ffffff"))

    return images(draw, ground)


def disc(ink: str, radius: float = 8) -> IconImages:
    """A disc on nothing: a mark, or with a ``radius`` of 14 a shape of its own."""

    def draw(painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ink))
        painter.drawEllipse(QPointF(14, 14), radius, radius)

    return images(draw)


def with_icon(registration: Registration) -> Registration:
    """The same with an icon of its own."""
    return replace(registration, icon=Icon(png=registration.name.encode()))


def _png(draw: Draw, ground: str | None, side_px: int) -> bytes:
    image = QImage(side_px, side_px, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(ground) if ground is not None else Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(side_px / 28, side_px / 28)
    draw(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())
