"""Icons, orbs and tray looks: each is there, and none looks like another."""

from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from orbtile.palette.ramps import Ramp
from orbtile.ui.icons import IconName, paint_icon
from orbtile.ui.summary import Look
from orbtile.ui.tray_icon import SIZES_PX, Panel, tray_icon, tray_image

RAMP = Ramp("#1e1606", "#644808", "#daa341", "#efc37c", "#fbf0e1")
KINDS = ("shell", "edit", "read", "web", "delegate", "plan", "integration", "other")
PANELS: tuple[Panel, ...] = ("dark", "light")


def canvas(width: int, height: int, scale: float = 1) -> QImage:
    image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    return image


def grey_difference(one: QImage, other: QImage) -> float:
    """Mean distance of alpha-weighted greys, 0..1: what is left of a difference without colour."""
    total = 0.0
    for y in range(one.height()):
        for x in range(one.width()):
            a, b = one.pixelColor(x, y), other.pixelColor(x, y)
            total += abs(a.lightnessF() * a.alphaF() - b.lightnessF() * b.alphaF()) + abs(
                a.alphaF() - b.alphaF()
            )
    return total / (one.width() * one.height())


def is_blank(image: QImage) -> bool:
    return all(
        image.pixelColor(x, y).alpha() == 0 for x in range(image.width()) for y in range(image.height())
    )


# icons


@pytest.mark.parametrize("name", get_args(IconName))
def test_every_icon_draws_in_its_colour_inside_its_box(name: IconName) -> None:
    image = canvas(20, 20)
    painter = QPainter(image)
    paint_icon(painter, name, QRectF(2, 2, 16, 16), QColor("#ff0000"))
    painter.end()
    inked = [(x, y) for x in range(20) for y in range(20) if image.pixelColor(x, y).alpha() > 40]
    assert inked
    assert all(image.pixelColor(x, y).green() == 0 for x, y in inked)
    assert all(2 <= x < 18 and 2 <= y < 18 for x, y in inked)


# tray


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("template", [True, False])
@pytest.mark.parametrize("size", [16, 22, 32])
def test_the_six_looks_differ_in_shape_not_only_in_colour(panel: Panel, template: bool, size: int) -> None:
    images = {look: tray_image(look, size, panel, count=2, template=template) for look in Look}
    for one, other in combinations(Look, 2):
        assert grey_difference(images[one], images[other]) > 0.08, (one, other)


@pytest.mark.parametrize("look", Look)
@pytest.mark.parametrize("size", SIZES_PX)
def test_every_look_fills_its_box_without_leaving_it(look: Look, size: int) -> None:
    image = tray_image(look, size, "dark", count=12)
    assert image.width() == image.height() == size
    columns = [x for x in range(size) if any(image.pixelColor(x, y).alpha() > 60 for y in range(size))]
    assert columns[0] <= size * 0.13
    assert columns[-1] >= size * 0.85


@pytest.mark.parametrize("size", [16, 22, 32])
def test_a_ring_has_sharp_edges_on_the_pixel_grid(size: int) -> None:
    image = tray_image(Look.QUIET, size, "dark")
    alphas = {image.pixelColor(size // 2, y).alpha() for y in range(size // 2)}
    assert alphas <= {0, 255} | set(range(224, 256)) | set(range(32))


@pytest.mark.parametrize("look", [Look.QUIET, Look.WORKING, Look.ERROR])
@pytest.mark.parametrize("size", SIZES_PX)
def test_a_symmetrical_look_stands_in_the_middle_of_its_box(look: Look, size: int) -> None:
    image = tray_image(look, size, "dark")
    for flipped in (image.flipped(Qt.Orientation.Horizontal), image.flipped(Qt.Orientation.Vertical)):
        assert grey_difference(image, flipped) < 0.02


@pytest.mark.parametrize("template", [True, False])
def test_every_look_is_drawn_for_its_size_not_scaled(template: bool) -> None:
    for look in Look:
        small = tray_image(look, 16, "dark", count=2, template=template)
        large = tray_image(look, 32, "dark", count=2, template=template)
        scaled = large.scaled(16, 16, mode=Qt.TransformationMode.SmoothTransformation)
        assert grey_difference(small, scaled) > 0.02, look


def test_a_template_uses_one_ink_and_cuts_its_marks_out() -> None:
    icon = tray_icon(Look.WAITING, 2, "light", template=True)
    assert icon.isMask()
    image = tray_image(Look.WAITING, 32, "light", count=2, template=True)
    inks = {
        image.pixelColor(x, y).name()
        for x in range(32)
        for y in range(32)
        if image.pixelColor(x, y).alpha() == 255
    }
    assert inks == {"#1a1816"}
    assert image.pixelColor(22, 22) != tray_image(Look.WAITING, 32, "light", count=2).pixelColor(22, 22)


def test_the_badge_counts_to_nine() -> None:
    nine, ten, many = (tray_image(Look.WAITING, 32, "dark", count=count) for count in (9, 10, 99))
    assert nine != ten
    assert ten == many


def test_a_tray_icon_carries_every_size_and_is_no_mask_elsewhere() -> None:
    icon = tray_icon(Look.WORKING, 0, "dark", template=False)
    assert not icon.isMask()
    assert sorted(size.width() for size in icon.availableSizes()) == sorted(SIZES_PX)


@pytest.mark.parametrize("theme_name", ["dark", "light"])
def test_a_contact_sheet_of_the_docs_is_quick_to_load(theme_name: str) -> None:
    sheet = Path(__file__).parents[3] / "docs" / "pictures" / f"orbs-{theme_name}.png"
    assert sheet.stat().st_size < 400_000
