from itertools import pairwise

import pytest

from orbtile.palette.oklch import oklch
from orbtile.palette.ramps import HI, Ramp, generated_ramp, hex_anchored_ramp
from orbtile.palette.states import SETTABLE_STATES, WAITING_STATES, State
from orbtile.palette.templates import QUIET_STATES, TEMPLATES
from tests.fakes.ramps import ramps_of, read, source_of

PUBLISHED = read("published")
ROUNDING = 0.003  # what 8-bit channels move lightness and chroma by at most


def published_anchors() -> list[tuple[State, str]]:
    explicit = dict(source_of(PUBLISHED["palette"]).states)
    heirs = {
        State.TOOL: State.THINKING,
        State.STREAMING: State.THINKING,
        State.WAITING_QUESTION: State.WAITING_PERMISSION,
    }
    return [
        *explicit.items(),
        *((heir, explicit[parent]) for heir, parent in heirs.items()),
    ]


@pytest.mark.parametrize(("state", "colour"), published_anchors())
def test_a_published_ramp_comes_out_byte_for_byte(state: State, colour: str) -> None:
    assert hex_anchored_ramp(state, colour) == ramps_of(PUBLISHED["ramps"])[state]


def test_the_published_ramps_have_35_generated_stops() -> None:
    assert len({stop for pair in published_anchors() for stop in enumerate(hex_anchored_ramp(*pair))}) > 25
    assert sum(len(hex_anchored_ramp(*pair)) for pair in published_anchors()) == 35


@pytest.mark.parametrize("state", SETTABLE_STATES)
def test_a_template_goes_from_dark_to_light(state: State) -> None:
    levels = TEMPLATES[state].lightness
    assert list(levels) == sorted(set(levels))


@pytest.mark.parametrize("state", [state for state in SETTABLE_STATES if state not in QUIET_STATES])
def test_a_colour_within_both_bounds_is_its_own_hi(state: State) -> None:
    hi = generated_ramp(state, 150, 1.2, 0.03).ramp.hi
    assert hex_anchored_ramp(state, hi).hi == hi


@pytest.mark.parametrize("state", sorted(QUIET_STATES))
@pytest.mark.parametrize("colour", ["#000000", "#ffffff", "#ff00ff", "#123456"])
def test_a_quiet_state_shows_exactly_the_colour_it_was_given(state: State, colour: str) -> None:
    ramp = hex_anchored_ramp(state, colour)
    assert ramp.hi == colour
    levels = [oklch(stop).lightness for at, stop in enumerate(ramp) if at != HI]
    assert all(darker < lighter for darker, lighter in pairwise(levels))


@pytest.mark.parametrize("state", [state for state in SETTABLE_STATES if state not in QUIET_STATES])
@pytest.mark.parametrize(("colour", "nudge"), [("#000000", -0.08), ("#ffffff", 0.08)])
def test_the_lit_stops_follow_a_colour_by_no_more_than_the_nudge(
    state: State, colour: str, nudge: float
) -> None:
    template, ramp = TEMPLATES[state], hex_anchored_ramp(state, colour)
    assert oklch(ramp.deep).lightness == pytest.approx(template.lightness[0], abs=ROUNDING)
    for stop, level in zip(ramp[1:], template.lightness[1:], strict=True):
        assert oklch(stop).lightness == pytest.approx(min(level + nudge, 0.985), abs=ROUNDING)


def test_a_grey_gives_a_grey_ramp() -> None:
    assert max(oklch(stop).chroma for stop in hex_anchored_ramp(State.TOOL, "#808080")) < 1e-6


def test_the_chroma_of_a_colour_counts_up_to_two_and_a_half_times_the_templates() -> None:
    ramp = hex_anchored_ramp(State.DONE, "#00ff00")
    assert oklch(ramp.hi).chroma == pytest.approx(2.5 * 0.0561, abs=ROUNDING)


@pytest.mark.parametrize("state", SETTABLE_STATES)
def test_a_generated_hi_has_the_hue_it_was_asked_for(state: State) -> None:
    chroma = 3.0 if state in QUIET_STATES else 1.0  # rounding turns the hue of a near grey
    assert oklch(generated_ramp(state, 150, chroma, 0).ramp.hi).hue_deg == pytest.approx(150, abs=1.5)


@pytest.mark.parametrize("state", SETTABLE_STATES)
def test_the_hue_turns_towards_the_dark_stops_by_the_drift(state: State) -> None:
    made = generated_ramp(state, 150, 3.0 if state in QUIET_STATES else 1.0, 0)
    turned = oklch(made.ramp.base).hue_deg - oklch(made.ramp.hi).hue_deg
    drop = TEMPLATES[state].lightness[HI] - TEMPLATES[state].lightness[1]
    assert turned == pytest.approx((32 if state in WAITING_STATES else 8) * drop, abs=2.5)


def test_lightness_moves_the_lit_stops_and_never_the_deep_one() -> None:
    plain, lighter = (generated_ramp(State.DONE, 150, 1, shift).ramp for shift in (0, 0.05))
    assert lighter.deep != plain.hi
    for stop in Ramp._fields:
        moved = oklch(getattr(lighter, stop)).lightness - oklch(getattr(plain, stop)).lightness
        wanted = {"deep": 0, "heart": 0.985 - 0.941}.get(stop, 0.05)
        assert moved == pytest.approx(wanted, abs=ROUNDING), stop


def test_chroma_multiplies_every_stop_and_what_srgb_lacks_is_told() -> None:
    made = generated_ramp(State.STREAMING, 270, 1.1, 0)
    assert made.wanted_chroma == pytest.approx([1.1 * chroma for chroma in TEMPLATES[State.STREAMING].chroma])
    assert made.fitted_chroma[:3] == made.wanted_chroma[:3]
    assert made.fitted_chroma[3] < made.wanted_chroma[3]
    assert made.hi_chroma == made.fitted_chroma[2]
    assert oklch(made.ramp.hot).chroma == pytest.approx(made.fitted_chroma[3], abs=ROUNDING)
