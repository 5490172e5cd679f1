import pytest

from orbtile.palette.contrast import contrast
from orbtile.palette.oklch import oklch
from orbtile.palette.ramps import Ramp, generated_ramp, hex_anchored_ramp
from orbtile.palette.states import SETTABLE_STATES, State
from orbtile.palette.templates import QUIET_STATES
from orbtile.palette.text import (
    DARK_GROUND,
    EMPTY_TEXT,
    ERROR_TEXT,
    KEY_GROUND,
    LIGHT_GROUND,
    TextColours,
    lifted,
    text_colours,
)


def ratios(text: TextColours, deep: str) -> tuple[float, ...]:
    return (
        contrast(text.dark, DARK_GROUND),
        contrast(text.light, LIGHT_GROUND),
        contrast(text.key, KEY_GROUND),
        contrast(text.key, deep),
        contrast(text.chip_text, text.chip_background),
    )


@pytest.mark.parametrize("state", SETTABLE_STATES)
def test_text_that_reads_is_the_stop_that_carries_the_state(state: State) -> None:
    ramp = generated_ramp(state, 150, 1, 0).ramp
    text = text_colours(state, ramp)
    carrying = ramp.hot if state in QUIET_STATES else ramp.hi
    assert text.key == carrying
    assert (text.chip_background, text.chip_text) == (ramp.base, ramp.heart)
    assert (text.dark == carrying) == (state is not State.OFFLINE)


@pytest.mark.parametrize("state", SETTABLE_STATES)
@pytest.mark.parametrize(
    "colour", ["#000000", "#ffffff", "#0000ff", "#ff0000", "#ccff00", "#00ff00", "#808080"]
)
def test_every_text_reads_on_every_ground(state: State, colour: str) -> None:
    ramp = hex_anchored_ramp(state, colour)
    assert min(ratios(text_colours(state, ramp), ramp.deep)) >= 4.5


def test_a_dim_colour_is_lifted_by_the_fewest_steps_and_keeps_its_hue() -> None:
    dim = "#3b3be0"
    colour = lifted(dim, DARK_GROUND)
    assert contrast(dim, DARK_GROUND) < 4.5 <= contrast(colour, DARK_GROUND) < 4.65
    assert oklch(colour).hue_deg == pytest.approx(oklch(dim).hue_deg, abs=1)
    steps = (oklch(colour).lightness - oklch(dim).lightness) / 0.005
    assert steps == pytest.approx(round(steps), abs=0.4)
    assert lifted(colour, DARK_GROUND) == colour


def test_the_lift_finds_the_first_step_from_either_side_of_its_guess() -> None:
    # Near blacks of every hue: cube root of luminance and lightness differ most for blue and yellow.
    for start in ("#00000a", "#0a0a00", "#0a0000", "#000a00", "#200020", "#002828", "#00005a", "#5a5a00"):
        colour = lifted(start, DARK_GROUND)
        assert 4.5 <= contrast(colour, DARK_GROUND) < 4.62, start


@pytest.mark.parametrize(
    ("hi", "light"),
    [("#ec6d32", "#b84700"), ("#b378eb", "#8f47ca"), ("#d469cc", "#b134ab"), ("#ce8700", "#956000")],
)
def test_light_text_is_what_the_tokens_say(hi: str, light: str) -> None:
    ramp = Ramp("#1e1606", "#644808", hi, hi, "#fbf0e1")
    assert text_colours(State.WAITING_PERMISSION, ramp).light == light


def test_text_on_a_key_stays_nearer_to_the_ramp_than_on_a_row() -> None:
    ramp = hex_anchored_ramp(State.WAITING_PERMISSION, "#ef4444")
    text = text_colours(State.WAITING_PERMISSION, ramp)
    assert text.key == ramp.hi
    assert contrast(ramp.hi, DARK_GROUND) < 4.5


def test_text_on_a_key_reads_on_the_deep_stop_too() -> None:
    ramp = hex_anchored_ramp(State.WAITING_PERMISSION, "#0000a0")
    text = text_colours(State.WAITING_PERMISSION, ramp)
    assert contrast(ramp.hi, ramp.deep) < 4.5 <= contrast(text.key, ramp.deep)
    assert text.key != text.dark


def test_chip_text_is_lifted_on_its_background() -> None:
    ramp = hex_anchored_ramp(State.OFFLINE, "#909090")._replace(base="#606060")
    text = text_colours(State.OFFLINE, ramp)
    assert text.chip_background == "#606060"
    assert contrast(ramp.heart, "#606060") < 4.5 <= contrast(text.chip_text, "#606060")


def test_where_not_even_white_would_read_the_chips_background_goes_down() -> None:
    ramp = hex_anchored_ramp(State.STREAMING, "#ccff00")
    text = text_colours(State.STREAMING, ramp)
    assert contrast("#ffffff", ramp.base) < 4.5
    assert text.chip_text == ramp.heart
    assert 4.5 <= contrast(text.chip_text, text.chip_background) < 4.65
    assert oklch(text.chip_background).hue_deg == pytest.approx(oklch(ramp.base).hue_deg, abs=1)


def test_the_fixed_texts_read_too() -> None:
    assert min(ratios(ERROR_TEXT, "#1e0605")) >= 4.5
    assert min(ratios(EMPTY_TEXT, "#0b0908")) >= 4.5
    assert (ERROR_TEXT.dark, ERROR_TEXT.light) == ("#f07a60", "#a61814")
    assert (EMPTY_TEXT.dark, EMPTY_TEXT.light) == ("#938d87", "#6d6761")
