"""The application's icon: sharp at each size, and no harm where its drawings are missing."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QIcon, QImage

from orbtile.palette.scheme import HOUSE
from orbtile.palette.states import State
from orbtile.ui.app_icon import app_icon
from tests.conftest import ExpectLog

FOLDER = Path(__file__).parents[3] / "icons"
DRAWINGS = sorted(FOLDER.glob("*.svg"))
TILE_AND_EDGE = {"#12100e", "#3a352e"}


@pytest.fixture
def icon() -> QIcon:
    return app_icon(FOLDER)


def image(icon: QIcon, size_px: int) -> QImage:
    picture = icon.pixmap(size_px, size_px).toImage()
    assert picture.width() == size_px
    return picture


def is_gold(color: QColor) -> bool:
    return color.red() > color.green() > color.blue() + 40


@pytest.mark.parametrize("size_px", [16, 22, 24, 32, 48, 64, 128, 256])
def test_every_size_is_a_dark_tile_with_a_gold_orb_and_clear_corners(icon: QIcon, size_px: int) -> None:
    picture = image(icon, size_px)
    assert picture.pixelColor(0, 0).alpha() < 128
    assert picture.pixelColor(size_px // 2, round(size_px * 0.9)).lightness() < 40
    assert is_gold(picture.pixelColor(round(size_px * 0.47), round(size_px * 0.56)))


@pytest.mark.parametrize("size_px", [16, 32])
def test_a_small_tile_ends_on_whole_pixels(icon: QIcon, size_px: int) -> None:
    picture = image(icon, size_px)
    edge = [picture.pixelColor(size_px // 2, y).alpha() for y in range(size_px)]
    assert set(edge) <= {0, 255}


def test_the_orbit_is_drawn_only_where_it_can_be_seen(icon: QIcon) -> None:
    def top_of_orbit(size_px: int) -> QColor:
        return image(icon, size_px).pixelColor(size_px // 2, round(size_px * 21 / 128))

    assert is_gold(top_of_orbit(128))
    assert is_gold(top_of_orbit(48))
    assert not is_gold(top_of_orbit(32))


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.name)
def test_a_drawing_takes_its_colours_from_the_thinking_ramp(path: Path) -> None:
    colours = set(re.findall(r"#[0-9a-f]{6}\b", path.read_text(encoding="utf-8")))
    assert colours <= {*HOUSE[State.THINKING].ramp, *TILE_AND_EDGE}


def test_there_are_four_drawings() -> None:
    assert [path.stem for path in DRAWINGS] == ["app-128", "app-16", "app-32", "app-512"]


def test_a_missing_drawing_is_logged_and_the_others_serve(tmp_path: Path, expect_log: ExpectLog) -> None:
    for path in DRAWINGS:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "app-16.svg").unlink()
    (tmp_path / "app-128.svg").write_text("no drawing", encoding="utf-8")
    expect_log(r"lacks a drawing: .*app-16\.svg")
    expect_log(r"lacks a drawing: .*app-128\.svg")
    expect_log(r"qt: WARNING")  # says what is wrong with the drawing
    sizes = sorted(size.width() for size in app_icon(tmp_path).availableSizes())
    assert sizes[0] == 32
    assert sizes[1] == 256
