import random

import pytest
from PySide6.QtGui import QImage

from orbtile.imaging.encoding import encode_rgba
from orbtile.protocol.png_chunks import walk_png
from orbtile.protocol.png_data import check_image_data
from tests.fakes.png_files import chunks_of


@pytest.mark.parametrize("side_px", [28, 56])
def test_a_picture_is_header_data_and_end_and_qt_reads_its_pixels(side_px: int) -> None:
    pixels = random.Random(1).randbytes(side_px * side_px * 4)
    png = encode_rgba(pixels, side_px)
    assert [kind for kind, _ in chunks_of(png)] == [b"IHDR", b"IDAT", b"IEND"]
    check_image_data(walk_png(png, "icon.png"), "icon.png")
    image = QImage.fromData(png).convertToFormat(QImage.Format.Format_RGBA8888)
    assert bytes(image.constBits()) == pixels


def test_even_noise_fits_the_budget() -> None:
    assert len(encode_rgba(random.Random(1).randbytes(56 * 56 * 4), 56)) < 13_000
