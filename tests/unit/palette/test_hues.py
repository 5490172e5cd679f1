import pytest

from orbtile.palette.hues import registration_warnings, resolve_attention_hue, resolve_base_hue
from orbtile.palette.states import State


@pytest.mark.parametrize(
    ("hue_deg", "resolved_deg"),
    [
        (345.9, 345.9), (345.90001, 345.9), (359.999, 345.9), (0, 345.9), (10, 345.9), (30.8999, 345.9),
        (30.9, 75.9), (31, 75.9), (75.8999, 75.9), (75.9, 75.9), (75.91, 75.91), (210, 210), (345.8, 345.8),
    ],
)  # fmt: skip
def test_a_base_hue_leaves_the_reserved_arc_by_the_nearer_edge(hue_deg: float, resolved_deg: float) -> None:
    assert resolve_base_hue(hue_deg) == resolved_deg


@pytest.mark.parametrize(
    ("hue_deg", "resolved_deg"),
    [
        (18.9, 18.9), (18.91, 18.9), (36, 18.9), (36.95, 55), (37, 55), (54.99, 55), (55, 55), (55.1, 55.1),
        (0, 0),
        (359, 359), (18, 18),
    ],
)  # fmt: skip
def test_an_attention_hue_leaves_the_reserved_arc_by_the_nearer_edge(
    hue_deg: float, resolved_deg: float
) -> None:
    assert resolve_attention_hue(hue_deg) == resolved_deg


def test_nothing_is_said_about_hues_that_stay() -> None:
    assert registration_warnings(270, None, {}) == []
    assert registration_warnings(75.9, 55, {State.THINKING: "#1e90ff"}) == []


def test_each_move_is_said_with_both_hues() -> None:
    assert registration_warnings(10, 20.5, {}) == [
        "palette.baseHue 10 is inside the reserved arc 345.9..75.9; using 345.9",
        "palette.attentionHue 20.5 is inside the reserved arc 18.9..55; using 18.9",
    ]


def test_a_state_near_the_error_hue_gets_the_published_warning() -> None:
    published = (
        "state 'waitingPermission' hue 25.3 is within 15° of the error hue (30.9°), "
        "so it can be hard to tell apart from Error"
    )
    states = {State.WAITING_PERMISSION: "#ef4444", State.DONE: "#22c55e"}
    assert registration_warnings(270, None, states) == [published]


def test_the_error_hue_is_near_on_both_sides_of_zero_and_not_beyond_15_degrees() -> None:
    assert len(registration_warnings(270, None, {State.DONE: "#e94a20"})) == 1  # about 36
    assert registration_warnings(270, None, {State.DONE: "#eab308"}) == []  # about 86
    assert registration_warnings(270, None, {State.DONE: "#ff0080"}) == []  # about 1


def test_a_grey_has_no_hue_to_mistake() -> None:
    assert registration_warnings(270, None, {State.IDLE: "#807a78"}) == []
