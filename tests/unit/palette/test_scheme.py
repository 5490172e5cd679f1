import pytest

from orbtile.palette.hexcolour import parse_hex, rgb
from orbtile.palette.scheme import FIXED_SCHEME
from orbtile.palette.states import ACTIVITIES, SETTABLE_STATES, WAITING_STATES, WORKING_STATES, State

DARK_SURFACES = ("#141312", "#1c1b19", "#0d0c0b", "#232120")
LIGHT_SURFACES = ("#fbfaf8", "#ffffff", "#f4f2ef", "#f1efec")


def luminance(colour: str) -> float:
    red, green, blue = (c / 3294.6 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_every_state_has_its_colours() -> None:
    assert set(FIXED_SCHEME) == set(State)


@pytest.mark.parametrize("state", State)
def test_every_colour_is_in_its_normal_form(state: State) -> None:
    colours = FIXED_SCHEME[state]
    for colour in (*colours.ramp, colours.text_dark, colours.text_light):
        assert parse_hex(colour) == colour


@pytest.mark.parametrize("state", ACTIVITIES)
def test_a_ramp_goes_from_dark_to_light(state: State) -> None:
    levels = [luminance(stop) for stop in FIXED_SCHEME[state].ramp]
    assert levels == sorted(set(levels))


@pytest.mark.parametrize("state", State)
def test_text_reads_on_every_surface_of_its_theme(state: State) -> None:
    colours = FIXED_SCHEME[state]
    assert min(contrast(colours.text_dark, surface) for surface in DARK_SURFACES) >= 4.5
    assert min(contrast(colours.text_light, surface) for surface in LIGHT_SURFACES) >= 4.5


def test_error_and_empty_are_the_published_constants() -> None:
    assert FIXED_SCHEME[State.ERROR].ramp == ("#1e0605", "#4e100d", "#9e2a22", "#c8352b", "#f07a60")
    assert set(FIXED_SCHEME[State.EMPTY].ramp) == {"#0b0908"}


def test_empty_and_error_cannot_be_set_and_empty_cannot_be_sent() -> None:
    assert set(State) - set(ACTIVITIES) == {State.EMPTY}
    assert set(ACTIVITIES) - set(SETTABLE_STATES) == {State.ERROR}


def test_no_state_both_waits_and_works() -> None:
    assert not WAITING_STATES & WORKING_STATES
