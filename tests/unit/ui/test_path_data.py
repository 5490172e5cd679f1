import pytest
from PySide6.QtCore import QPointF, QRectF

from orbtile.ui.path_data import parse_path


def test_absolute_and_relative_commands_are_understood() -> None:
    absolute = parse_path("M2 2L6 2H8V6C8 7 7 8 6 8Q4 8 2 6Z")
    relative = parse_path("m2 2l4 0h2v4c0 1 -1 2 -2 2q-2 0 -4 -2z")
    assert absolute.boundingRect() == relative.boundingRect()
    assert absolute.elementCount() == relative.elementCount()


def test_pairs_after_a_move_are_lines() -> None:
    assert parse_path("M0 0 4 0 4 4") == parse_path("M0 0L4 0L4 4")


def test_numbers_need_no_more_between_them_than_it_takes_to_tell_them_apart() -> None:
    assert parse_path("M.5.5L-1-2,+3 4") == parse_path("M 0.5 0.5 L -1 -2 L 3 4")


def test_the_flags_of_an_arc_are_one_digit_each() -> None:
    assert parse_path("M0 5A5 5 0 015 0a5 5 0 013.5.5") == parse_path("M0 5A5 5 0 0 1 5 0a5 5 0 0 1 3.5 .5")


def test_after_a_closed_part_relative_commands_go_on_from_its_beginning() -> None:
    assert parse_path("M2 2h4v4zm1 1h2").currentPosition() == QPointF(5, 3)


def test_a_smooth_curve_goes_on_where_the_one_before_was_going() -> None:
    assert parse_path("M0 0C0 2 1 4 3 4S6 6 6 8") == parse_path("M0 0C0 2 1 4 3 4C5 4 6 6 6 8")
    assert parse_path("M0 0q1 2 3 2t3 2") == parse_path("M0 0Q1 2 3 2Q5 2 6 4")


def test_a_smooth_curve_after_something_else_begins_straight() -> None:
    assert parse_path("M0 0L1 1S3 1 4 4") == parse_path("M0 0L1 1C1 1 3 1 4 4")
    assert parse_path("M0 0C0 2 1 4 3 4T6 6") == parse_path("M0 0C0 2 1 4 3 4Q3 4 6 6")


@pytest.mark.parametrize(
    ("data", "box"),
    [
        ("M0 5A5 5 0 0 1 10 5", QRectF(0, 0, 10, 5)),
        ("M0 5A5 5 0 0 0 10 5", QRectF(0, 5, 10, 5)),
        ("M5 0A5 5 0 1 1 0 5", QRectF(0, 0, 10, 10)),
        ("M0 2A1 1 0 0 1 4 2", QRectF(0, 0, 4, 2)),
        ("M3 3A1 1 0 0 1 3 3", QRectF(3, 3, 0, 0)),
        ("M0 5A5 5 45 0 1 10 5", QRectF(0, 0, 10, 5)),
    ],
)
def test_arcs_turn_the_way_that_their_flags_say(data: str, box: QRectF) -> None:
    found = parse_path(data).boundingRect()
    for side in ("left", "top", "right", "bottom"):
        assert getattr(found, side)() == pytest.approx(getattr(box, side)(), abs=0.02)


@pytest.mark.parametrize(
    "data",
    ["M1", "K1 2 3 4", "1 2", "M0 0ZL", "M0 0Z1", "M0 0A5 5 0 2 1 1 1", "M0 0A5 3 45 0 1 4 4", "M0 0;"],
)
def test_broken_path_data_is_refused(data: str) -> None:
    with pytest.raises(ValueError, match="path data"):
        parse_path(data)
