"""Icons, orbs and tray looks: each is there, and none looks like another."""

from itertools import combinations
from typing import get_args

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.palette.ramps import Ramp
from orbtile.palette.scheme import FIXED_SCHEME
from orbtile.palette.states import ACTIVITIES, State
from orbtile.ui.agent_icon import AgentIcon, paint_agent_icon
from orbtile.ui.icons import IconName, paint_icon
from orbtile.ui.orb import KIND_MARK_FROM_PX, orb_image, paint_orb
from orbtile.ui.path_data import parse_path
from orbtile.ui.summary import Look
from orbtile.ui.theme import Theme
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


# path data


def test_path_data_understands_absolute_and_relative_commands() -> None:
    absolute = parse_path("M2 2L6 2H8V6C8 7 7 8 6 8Q4 8 2 6Z")
    relative = parse_path("m2 2l4 0h2v4c0 1 -1 2 -2 2q-2 0 -4 -2z")
    assert absolute.boundingRect() == relative.boundingRect()
    assert absolute.elementCount() == relative.elementCount()


def test_pairs_after_a_move_are_lines() -> None:
    assert parse_path("M0 0 4 0 4 4") == parse_path("M0 0L4 0L4 4")


@pytest.mark.parametrize(
    ("data", "box"),
    [
        ("M0 5A5 5 0 0 1 10 5", QRectF(0, 0, 10, 5)),
        ("M0 5A5 5 0 0 0 10 5", QRectF(0, 5, 10, 5)),
        ("M5 0A5 5 0 1 1 0 5", QRectF(0, 0, 10, 10)),
        ("M0 2A1 1 0 0 1 4 2", QRectF(0, 0, 4, 2)),
        ("M3 3A1 1 0 0 1 3 3", QRectF(3, 3, 0, 0)),
    ],
)
def test_arcs_turn_the_way_that_their_flags_say(data: str, box: QRectF) -> None:
    found = parse_path(data).boundingRect()
    for side in ("left", "top", "right", "bottom"):
        assert getattr(found, side)() == pytest.approx(getattr(box, side)(), abs=0.02)


@pytest.mark.parametrize("data", ["M1", "S1 2 3 4", "1 2", "M0 0ZL"])
def test_broken_path_data_is_refused(data: str) -> None:
    with pytest.raises(ValueError, match="path data"):
        parse_path(data)


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


# agent icon


def test_the_globe_of_a_remote_session_leaves_the_tile_at_its_corner() -> None:
    theme = Theme(ThemeChoice.DARK)

    def drawn(*, remote: bool, dimmed: bool = False) -> QImage:
        image = canvas(40, 40)
        painter = QPainter(image)
        paint_agent_icon(painter, QPointF(2, 2), theme, "Cx", remote=remote, dimmed=dimmed)
        painter.end()
        return image

    assert drawn(remote=False).pixelColor(30, 30).alpha() == 0
    assert drawn(remote=True).pixelColor(30, 30).alpha() == 255
    assert drawn(remote=True, dimmed=True).pixelColor(30, 30).name() == theme.color("text3").name()


def test_an_agent_icon_changes_its_letters(theme: Theme) -> None:
    icon = AgentIcon(theme, "A")
    before = icon.grab().toImage()
    icon.set_monogram("W")
    assert icon.grab().toImage() != before
    assert (icon.sizeHint().width(), icon.sizeHint().height()) == (28, 28)


# orbs


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("size", [16, 28])
def test_every_state_has_a_shape_of_its_own_even_in_grey(dark: bool, size: int) -> None:
    images = {state: orb_image(RAMP, state, None, size, 1.0, dark, False) for state in ACTIVITIES}
    for one, other in combinations(ACTIVITIES, 2):
        assert grey_difference(images[one], images[other]) > 0.025, (one, other)


def test_an_empty_orb_is_nothing() -> None:
    image = canvas(40, 40)
    painter = QPainter(image)
    paint_orb(painter, QRectF(6, 6, 28, 28), State.EMPTY, RAMP, dark=True)
    painter.end()
    assert is_blank(image)


def test_a_halo_leaves_the_box_and_can_be_left_out() -> None:
    def drawn(*, halo: bool) -> QImage:
        image = canvas(76, 76)
        painter = QPainter(image)
        paint_orb(painter, QRectF(10, 10, 56, 56), State.THINKING, RAMP, dark=True, halo=halo)
        painter.end()
        return image

    assert drawn(halo=True).pixelColor(7, 38).alpha() > 0
    assert drawn(halo=False).pixelColor(7, 38).alpha() == 0


def test_tool_marks_are_drawn_from_32_px_up_and_differ() -> None:
    def drawn(size: int, kind: str | None) -> QImage:
        image = canvas(80, 80)
        painter = QPainter(image)
        paint_orb(painter, QRectF(10, 10, size, size), State.TOOL, RAMP, dark=True, kind=kind)
        painter.end()
        return image

    below, from_here = KIND_MARK_FROM_PX - 4, KIND_MARK_FROM_PX
    assert drawn(below, "shell") == drawn(below, None)
    assert drawn(from_here, None) == drawn(from_here, "other")
    marked = [drawn(56, kind) for kind in KINDS]
    assert all(one != other for one, other in combinations(marked, 2))
    assert drawn(56, "not a kind") == drawn(56, "other")


def test_a_mark_belongs_to_the_tool_state_alone() -> None:
    image = canvas(80, 80)
    painter = QPainter(image)
    paint_orb(painter, QRectF(10, 10, 56, 56), State.IDLE, RAMP, dark=True, kind="shell")
    painter.end()
    other = canvas(80, 80)
    painter = QPainter(other)
    paint_orb(painter, QRectF(10, 10, 56, 56), State.IDLE, RAMP, dark=True)
    painter.end()
    assert image == other


def test_an_orb_is_drawn_once_for_a_key() -> None:
    first = orb_image(RAMP, State.DONE, None, 28, 2.0, True, True)
    assert orb_image(RAMP, State.DONE, None, 28, 2.0, True, True) is first
    assert first.devicePixelRatio() == 2.0


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_an_orb_snaps_to_whole_device_pixels(scale: float) -> None:
    def drawn(left: float) -> QImage:
        image = canvas(60, 60, scale)
        painter = QPainter(image)
        paint_orb(painter, QRectF(left, 16, 28, 28), State.ERROR, RAMP, dark=True, halo=False)
        painter.end()
        return image

    assert drawn(16 + 0.2 / scale) == drawn(16)


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


def test_the_fixed_colours_have_an_orb_for_every_activity() -> None:
    for state in ACTIVITIES:
        assert not is_blank(orb_image(FIXED_SCHEME[state].ramp, state, None, 28, 1.0, True, True))
