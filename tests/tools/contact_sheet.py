"""The contact sheet of the orbs: every state of four adapters, at 2x and at 1x, the marks and the motion.

``python -m tests.tools.contact_sheet OUT`` writes one PNG for each theme; ``dev.py shots`` keeps them in the
docs. What is drawn at 1x is enlarged, pixel by pixel, to twice its size on the sheet's 2x.
"""

import argparse
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from orbtile.palette.scheme import PaletteSource, Scheme, make_scheme
from orbtile.palette.states import ACTIVITIES, State
from orbtile.ui.orb import FRAMES, TOOL_FRAMES, orb_image, paint_orb
from orbtile.ui.settings.state_previews import SHOWN
from orbtile.ui.status_text import state_word
from orbtile.ui.theme import DARK, LIGHT, Token

SCALE: Final = 2
LEFT_PX: Final = 132
STEP_PX: Final = 84
WIDTH_PX: Final = LEFT_PX + len(ACTIVITIES) * STEP_PX + 12
MOVING: Final = SHOWN[:2] + SHOWN[3:8]
KINDS: Final = ("shell", "edit", "read", "web", "delegate", "plan", "integration", "other")


class Sample(NamedTuple):
    """An adapter of the sheet."""

    name: str
    note: str
    source: PaletteSource


SAMPLES: Final = (
    Sample("Amber", "baseHue 80", PaletteSource(80)),
    Sample("Violet", "290, attention 330", PaletteSource(290, attention_hue_deg=330)),
    Sample("Pale sea", "190, chroma 0.5", PaletteSource(190, chroma=0.5, lightness=0.05)),
    Sample(
        "Explicit",
        "a hex for each state",
        PaletteSource(
            255,
            states=(
                (State.STARTING, "#38bdf8"),
                (State.IDLE, "#6b7280"),
                (State.THINKING, "#818cf8"),
                (State.TOOL, "#22d3ee"),
                (State.STREAMING, "#a3e635"),
                (State.WAITING_PERMISSION, "#f472b6"),
                (State.WAITING_QUESTION, "#fb923c"),
                (State.DONE, "#22c55e"),
                (State.COMPACTING, "#94a3b8"),
                (State.OFFLINE, "#57534e"),
            ),
        ),
    ),
)


class Sheet:
    """One theme's sheet being drawn, from the top down."""

    def __init__(self, *, dark: bool) -> None:
        self._dark = dark
        self._colors = DARK if dark else LIGHT
        self._picture = QImage(WIDTH_PX * SCALE, 2000 * SCALE, QImage.Format.Format_RGB32)
        self._picture.setDevicePixelRatio(SCALE)
        self._picture.fill(QColor(self._colors["surface"]))
        self._painter = QPainter(self._picture)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._y = 20.0

    def states(self) -> None:
        for sample in SAMPLES:
            scheme = make_scheme(sample.source)
            self._label(sample.name, 56, "text1")
            self._label(sample.note, 56 + 32)
            for i, state in enumerate(SHOWN):
                self._orb(i, 56, state, scheme)
                self._word(i, state, scheme)
            self._y += 56 + 34
            self._label("28 px", 28)
            for i, state in enumerate(SHOWN):
                self._orb(i, 28, state, scheme)
            self._y += 28 + 18
            self._label("28 px at 1x", 56)
            for i, state in enumerate(SHOWN):
                self._enlarged(i, 28, state, scheme)
            self._y += 56 + 26

    def small(self) -> None:
        scheme = make_scheme(SAMPLES[0].source)
        for size in (20, 16):
            self._label(f"{size} px at 1x", 2 * size)
            for i, state in enumerate(SHOWN):
                self._enlarged(i, size, state, scheme)
            self._y += 2 * size + 18
        self._label("Without colour", 28)
        for i, state in enumerate(SHOWN):
            self._grey(i, 28, state, scheme)
        self._y += 28 + 26

    def kinds(self) -> None:
        for size in (32, 56):
            self._label(f"Tools, {size} px", size)
            for i, kind in enumerate(KINDS):
                scheme = make_scheme(SAMPLES[i % len(SAMPLES)].source)
                box = self._box(i, size)
                frame = 3 * (i % 6) if size == 56 else 0
                ramp = scheme[State.TOOL].ramp
                paint_orb(self._painter, box, State.TOOL, ramp, dark=self._dark, kind=kind, frame=frame)
                if size == 56:
                    self._text(box.center().x() - 40, box.bottom() + 10, 80, kind, centered=True)
            self._y += size + 22
        self._y += 20

    def motion(self) -> None:
        for n, state in enumerate(MOVING):
            ramp = make_scheme(SAMPLES[n % len(SAMPLES)].source)[state].ramp
            self._label(state_word(state), 34, "text1")
            frames = TOOL_FRAMES if state is State.TOOL else FRAMES
            for i in range(11):
                frame = i * frames // 11
                paint_orb(
                    self._painter, self._box(i, 34), state, ramp, dark=self._dark, kind="read", frame=frame
                )
            self._y += 34 + 14

    def save(self, path: Path) -> None:
        self._painter.end()
        sheet = self._picture.copy(0, 0, self._picture.width(), round((self._y + 8) * SCALE))
        sheet.setDevicePixelRatio(1)
        save_small(sheet, path)

    def _box(self, column: int, size: float) -> QRectF:
        center = LEFT_PX + (column + 0.5) * STEP_PX
        return QRectF(center - size / 2, self._y, size, size)

    def _orb(self, column: int, size: int, state: State, scheme: Scheme) -> None:
        paint_orb(self._painter, self._box(column, size), state, scheme[state].ramp, dark=self._dark)

    def _at_1x(self, size: int, state: State, scheme: Scheme) -> QImage:
        ground = QImage(size * 2, size * 2, QImage.Format.Format_RGB32)
        ground.fill(QColor(self._colors["surface"]))
        painter = QPainter(ground)
        paint_orb(painter, QRectF(size / 2, size / 2, size, size), state, scheme[state].ramp, dark=self._dark)
        painter.end()
        return ground

    def _enlarged(self, column: int, size: int, state: State, scheme: Scheme) -> None:
        image = self._at_1x(size, state, scheme)
        big = image.scaled(image.width() * 4, image.height() * 4)  # four device pixels for one
        big.setDevicePixelRatio(SCALE)
        box = self._box(column, 2 * size)
        self._painter.save()
        self._painter.setClipRect(box.adjusted(-8, -8, 8, 8))
        self._painter.drawImage(box.topLeft() - QRectF(0, 0, size, size).bottomRight(), big)
        self._painter.restore()

    def _grey(self, column: int, size: int, state: State, scheme: Scheme) -> None:
        image = orb_image(scheme[state].ramp, state, None, size, SCALE, dark=self._dark)
        ground = QImage(image.size(), QImage.Format.Format_RGB32)
        ground.fill(QColor(self._colors["surface"]))
        ground.setDevicePixelRatio(SCALE)
        painter = QPainter(ground)
        painter.drawImage(0, 0, image)
        painter.end()
        grey = ground.convertToFormat(QImage.Format.Format_Grayscale8)
        center = self._box(column, size).center()
        spread = grey.width() / SCALE / 2
        self._painter.drawImage(
            QRectF(center.x() - spread, center.y() - spread, 2 * spread, 2 * spread), grey
        )

    def _word(self, column: int, state: State, scheme: Scheme) -> None:
        colours = scheme[state]
        ink = colours.text_dark if self._dark else colours.text_light
        box = self._box(column, 56)
        self._text(box.center().x() - 42, box.bottom() + 10, 84, state_word(state), ink=ink, centered=True)

    def _label(self, text: str, line_px: float, ink: Token = "text2") -> None:
        self._text(16, self._y + line_px / 2 - 8, LEFT_PX - 20, text, ink=self._colors[ink])

    def _text(
        self, x: float, y: float, width: float, text: str, *, ink: str = "", centered: bool = False
    ) -> None:
        font = QFont(QApplication.font())
        font.setPixelSize(12)
        self._painter.setFont(font)
        self._painter.setPen(QColor(ink or self._colors["text2"]))
        side = Qt.AlignmentFlag.AlignHCenter if centered else Qt.AlignmentFlag.AlignLeft
        self._painter.drawText(QRectF(x, y, width, 16), side | Qt.AlignmentFlag.AlignVCenter, text)


def save_small(picture: QImage, path: Path) -> None:
    """Write ``picture`` with the 256 colours that fit it best, a third of the size.

    A colour counts by the root of its area: the halos' many pixels would else take the orbs' colours. The
    ground, which is the most of it, is kept as it is.
    """
    rgb = picture.convertToFormat(QImage.Format.Format_RGB888)
    size = (rgb.width(), rgb.height())
    whole = Image.frombytes("RGB", size, bytes(rgb.constBits()), "raw", "RGB", rgb.bytesPerLine())
    areas = sorted(whole.getcolors(size[0] * size[1]) or (), reverse=True)
    weighed = b"".join(bytes(rgb) * math.isqrt(area) for area, rgb in areas if isinstance(rgb, tuple))
    line = Image.frombytes("RGB", (len(weighed) // 3, 1), weighed)
    few = line.quantize(256, Image.Quantize.MEDIANCUT, kmeans=8, dither=Image.Dither.NONE)
    indexed = whole.quantize(palette=few, dither=Image.Dither.NONE)
    colours = bytearray(indexed.getpalette() or ())
    at = indexed.tobytes()[0] * 3  # the ground's: the sheet begins with it
    colours[at : at + 3] = weighed[:3]
    indexed.putpalette(bytes(colours))
    indexed.save(path, optimize=True)


def draw_all(folder: Path) -> list[Path]:
    """Draw both sheets into ``folder``; there is a QApplication."""
    paths = []
    for dark in (True, False):
        sheet = Sheet(dark=dark)
        sheet.states()
        sheet.small()
        sheet.kinds()
        sheet.motion()
        paths.append(folder / f"orbs-{'dark' if dark else 'light'}.png")
        sheet.save(paths[-1])
    return paths


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--font", default="Inter")
    options = parser.parse_args(arguments)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QApplication([])
    app.setFont(QFont(options.font))
    options.out.mkdir(parents=True, exist_ok=True)
    for path in draw_all(options.out):
        print(path)


if __name__ == "__main__":
    main()
