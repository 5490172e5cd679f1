import pytest

from orbtile.palette.hues import (
    derived_attention_hue,
    error_like_hue,
    is_calm,
    resolve_attention_hue,
    resolve_base_hue,
)


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


@pytest.mark.parametrize(
    ("base_deg", "waiting_deg"),
    [
        (100, 60), (150, 110), (210.9, 170.9),  # 40 degrees back, up to the turn
        (210.901, 255.901), (270, 315), (320, 5),  # 45 on beyond it, past 0 too
        (75.9, 18.9), (80, 55), (94, 55), (340, 18.9), (345.9, 18.9),  # and out of the arc of attention hues
    ],
)  # fmt: skip
def test_the_waiting_hue_follows_from_the_base_hue(base_deg: float, waiting_deg: float) -> None:
    assert derived_attention_hue(base_deg) == pytest.approx(waiting_deg)


def test_the_derived_hue_is_calm_for_base_hues_of_about_115_to_235() -> None:
    calm = [base for base in range(76, 346) if is_calm(derived_attention_hue(base))]
    assert calm == list(range(117, 235))


def test_the_calm_arc_ends_at_its_edges() -> None:
    assert [is_calm(hue) for hue in (76, 76.1, 180, 279.9, 280, 330, 0)] == [
        False, True, True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("colour", "hue_deg"), [("#ef4444", 25.3), ("#e94a20", 35), ("#ff0000", 29.2), ("#c8352b", 28.6)]
)
def test_a_colour_near_the_error_hue_on_either_side_is_like_an_error(colour: str, hue_deg: float) -> None:
    assert error_like_hue(colour) == pytest.approx(hue_deg, abs=0.5)


def test_a_colour_beyond_15_degrees_is_not() -> None:
    assert error_like_hue("#eab308") is None  # about 86
    assert error_like_hue("#ff0080") is None  # about 1


def test_a_grey_has_no_hue_to_mistake() -> None:
    assert error_like_hue("#807a78") is None
