"""Where the popover goes on every layout of screens."""

import pytest
from PySide6.QtCore import QMargins, QPoint, QRect, QSize

from orbtile.ui.placement import (
    MARGIN_PX,
    ScreenArea,
    largest_size,
    moved_inside,
    place,
    place_window,
    screen_at,
)

SIZE = QSize(420, 600)


def screen(x: int, y: int, width: int, height: int, *, panel: str = "", thick: int = 28) -> ScreenArea:
    geometry = QRect(x, y, width, height)
    cut = {
        "top": (0, thick, 0, 0),
        "bottom": (0, 0, 0, -thick),
        "left": (thick, 0, 0, 0),
        "right": (0, 0, -thick, 0),
        "": (0, 0, 0, 0),
    }[panel]
    return ScreenArea(geometry, geometry.adjusted(*cut))


def at(x: int, y: int) -> QRect:
    return QRect(x, y, 1, 1)


@pytest.mark.parametrize(
    ("panel", "anchor", "expected"),
    [
        ("top", at(800, 14), QPoint(590, 40)),
        ("bottom", at(800, 786), QPoint(590, 800 - 28 - MARGIN_PX - 600)),
        ("left", at(14, 400), QPoint(40, 100)),
        ("right", at(1266, 400), QPoint(1280 - 28 - MARGIN_PX - 420, 100)),
    ],
)
def test_it_stands_off_the_panel_that_holds_the_icon(panel: str, anchor: QRect, expected: QPoint) -> None:
    assert place(SIZE, anchor, screen(0, 0, 1280, 800, panel=panel)) == expected


def test_in_a_corner_it_hangs_from_the_top_not_from_the_side() -> None:
    assert place(SIZE, at(1275, 10), screen(0, 0, 1280, 800)) == QPoint(1280 - 12 - 420, 23)


def test_it_stands_below_the_whole_icon_where_the_tray_tells_its_place() -> None:
    icon = QRect(900, 0, 24, 40)
    assert place(SIZE, icon, screen(0, 0, 1280, 800)).y() == 40 + MARGIN_PX


@pytest.mark.parametrize("origin", [(0, 0), (-1920, -300), (1280, 500), (-2560, 0), (0, -1440)])
@pytest.mark.parametrize("panel", ["", "top", "bottom", "left", "right"])
def test_it_is_inside_the_work_area_for_every_anchor(origin: tuple[int, int], panel: str) -> None:
    area = screen(*origin, 1920, 1080, panel=panel)
    inside = area.available.adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)
    for x in range(area.geometry.left(), area.geometry.right() + 1, 137):
        for y in range(area.geometry.top(), area.geometry.bottom() + 1, 113):
            assert inside.contains(QRect(place(SIZE, at(x, y), area), SIZE)), (x, y)


def test_a_screen_too_small_for_it_keeps_its_top_left_corner_in_view() -> None:
    tiny = screen(-300, -200, 300, 200)
    assert place(SIZE, at(-10, -10), tiny) == QPoint(-300 + MARGIN_PX, -200 + MARGIN_PX)


def test_it_belongs_to_the_screen_of_the_anchor() -> None:
    left, main, above = screen(-1920, 0, 1920, 1080), screen(0, 0, 1280, 800), screen(0, -1440, 2560, 1440)
    screens = [main, left, above]
    assert screen_at(QPoint(-5, 1070), screens) is left
    assert screen_at(QPoint(5, 5), screens) is main
    assert screen_at(QPoint(100, -1), screens) is above


def test_an_anchor_off_every_screen_goes_to_the_nearest_one() -> None:
    left, right = screen(0, 0, 800, 600), screen(2000, 0, 800, 600)
    assert screen_at(QPoint(1100, -50), [right, left]) is left
    assert screen_at(QPoint(9999, 9999), [left, right]) is right


def test_its_height_ends_at_its_limit_or_at_the_work_area() -> None:
    assert largest_size(QSize(420, 900), screen(0, 0, 1280, 800), 640) == QSize(420, 640)
    assert largest_size(QSize(420, 900), screen(0, 0, 1280, 600, panel="top"), 640) == QSize(
        420, 600 - 28 - 24
    )
    assert largest_size(QSize(420, 200), screen(0, 0, 1280, 800), 640) == QSize(420, 200)
    assert largest_size(QSize(420, 200), screen(0, 0, 300, 20), 640) == QSize(276, 1)


@pytest.mark.parametrize("height", [500, 700, 900, 1440])
@pytest.mark.parametrize("panel", ["top", "bottom"])
def test_a_normal_window_may_grow_to_its_most_within_the_work_area_frame_and_all(
    height: int, panel: str
) -> None:
    area, most, frame = screen(0, 0, 1280, height, panel=panel), QSize(420, 640), QMargins(8, 40, 8, 8)
    inside = place_window(most, frame, area)
    assert area.available.contains(inside.marginsAdded(frame))
    assert inside.width() == 420
    assert inside.height() == min(640, height - 28 - 2 * MARGIN_PX - 48)


@pytest.mark.parametrize(
    ("outer", "at"),
    [
        (QRect(100, 300, 420, 680), QPoint(100, 220)),
        (QRect(100, 100, 420, 680), QPoint(100, 100)),
        (QRect(1000, 100, 420, 680), QPoint(860, 100)),
        (QRect(-50, -50, 420, 680), QPoint(0, 28)),
        (QRect(100, 100, 420, 2000), QPoint(100, 28)),
    ],
)
def test_a_normal_window_that_grew_comes_back_inside_and_moves_no_more_than_that(
    outer: QRect, at: QPoint
) -> None:
    assert moved_inside(outer, screen(0, 0, 1280, 900, panel="top")) == at
