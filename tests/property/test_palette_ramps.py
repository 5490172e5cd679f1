"""What holds for every colour and every hue an adapter may send. The sweep takes 16 levels a channel."""

from collections.abc import Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orbtile.palette.contrast import contrast
from orbtile.palette.generator import Tones, make_ramps
from orbtile.palette.hexcolour import parse_hex
from orbtile.palette.oklch import oklch
from orbtile.palette.ramps import HI, Ramp, hex_anchored_ramp
from orbtile.palette.scheme import PaletteSource, StateColours, make_scheme
from orbtile.palette.states import SETTABLE_STATES, WAITING_STATES, State
from orbtile.palette.templates import GUARDED_STATES, QUIET_STATES, TEMPLATES
from orbtile.palette.text import text_colours

SWEEP = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in product(range(0, 256, 17), repeat=3)]
DARK_SURFACES = ("#141312", "#1c1b19", "#0d0c0b", "#232120")
LIGHT_SURFACES = ("#fbfaf8", "#ffffff", "#f4f2ef", "#f1efec")

ROUNDING = 0.0035  # what 8-bit channels move OKLab lightness and chroma by at most: most in the darkest stops
MAX_QUIET_GAIN = 0.002

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
STATES = st.sampled_from(SETTABLE_STATES)
HUES = st.floats(0, 360, exclude_max=True)
CHROMAS = st.floats(0.5, 1.3)
SHIFTS = st.floats(-0.05, 0.05)


def check_text(colours: StateColours) -> None:
    assert min(contrast(colours.text_dark, surface) for surface in DARK_SURFACES) >= 4.5
    assert min(contrast(colours.text_light, surface) for surface in LIGHT_SURFACES) >= 4.5
    assert contrast(colours.text_key, "#0b0908") >= 4.5
    assert contrast(colours.text_key, colours.ramp.deep) >= 4.5
    assert contrast(colours.chip_text, colours.chip_background) >= 4.5


def check_order(state: State, lightness: Sequence[float]) -> None:
    """From dark to light; an explicit `hi` of idle and offline may be anything."""
    levels = [level for at, level in enumerate(lightness) if not (state in QUIET_STATES and at == HI)]
    assert all(darker < lighter for darker, lighter in pairwise(levels))


def check_anchored(state: State, colour: str) -> None:
    """Every bound that is published for an explicit colour, and the text that goes with it."""
    ramp, template, anchor = hex_anchored_ramp(state, colour), TEMPLATES[state], oklch(colour)
    stops = [oklch(stop) for stop in ramp]
    nudge = min(max(anchor.lightness - template.lightness[HI], -0.08), 0.08)
    ratio = min(anchor.chroma / template.chroma[HI], 2.5)
    for at, stop in enumerate(stops):
        if state in QUIET_STATES:
            assert stop.chroma <= anchor.chroma + MAX_QUIET_GAIN
            if at == HI:
                continue
        level = template.lightness[at] + (nudge if at else 0)
        assert abs(stop.lightness - min(level, 0.985)) <= ROUNDING
        assert stop.chroma <= template.chroma[at] * ratio + ROUNDING
    if state in QUIET_STATES:
        assert ramp.hi == colour
    check_order(state, [stop.lightness for stop in stops])
    check_text(StateColours(ramp, *text_colours(state, ramp)))


@given(STATES, COLOURS)
def test_every_explicit_colour_keeps_the_bounds_and_reads(state: State, colour: str) -> None:
    check_anchored(state, colour)


@pytest.mark.slow
@pytest.mark.parametrize("state", SETTABLE_STATES)
def test_4096_colours_keep_the_bounds_and_read(state: State) -> None:
    assert len(SWEEP) == 4096
    for colour in SWEEP:
        check_anchored(state, colour)


@given(STATES, COLOURS)
def test_an_explicit_colour_keeps_its_hue_in_the_hi(state: State, colour: str) -> None:
    anchor, hi = oklch(colour), oklch(hex_anchored_ramp(state, colour).hi)
    if min(anchor.chroma, hi.chroma) > 0.05:
        assert abs((hi.hue_deg - anchor.hue_deg + 180) % 360 - 180) < 2.5


@st.composite
def sources(draw: st.DrawFn) -> PaletteSource:
    states = draw(st.dictionaries(STATES, COLOURS, max_size=10))
    attention = draw(st.none() | HUES)
    return PaletteSource(draw(HUES), draw(CHROMAS), draw(SHIFTS), attention, tuple(states.items()))


@given(sources(), st.booleans())
def test_every_palette_reads_and_goes_from_dark_to_light(source: PaletteSource, anchor: bool) -> None:
    scheme = make_scheme(source, anchor_attention=anchor)
    assert 75.9 <= scheme.resolved_base_hue_deg <= 345.9
    for state, colours in scheme.colours.items():
        assert all(parse_hex(colour) == colour for colour in (*colours.ramp, *colours[1:]))
        check_text(colours)
        if state is not State.EMPTY:
            check_order(state, [oklch(stop).lightness for stop in colours.ramp])
    # One line about each: hues 2, alarm 2, guard 1, gamut or the error hue, text and chip of 10 states.
    assert len(scheme.warnings) <= 35
    assert all(warning.isprintable() and len(warning) < 200 for warning in scheme.warnings)


@given(sources(), st.booleans())
def test_a_palette_gives_the_same_colours_however_often_it_is_asked(
    source: PaletteSource, anchor: bool
) -> None:
    from orbtile.palette.scheme import _make_scheme

    kept, made = (
        make_scheme(source, anchor_attention=anchor),
        _make_scheme.__wrapped__(source, is_anchored=anchor),
    )
    assert (kept.colours, kept.warnings) == (made.colours, made.warnings)
    assert make_scheme(source, anchor_attention=anchor) is kept


@given(HUES, HUES, CHROMAS, SHIFTS)
def test_generated_work_is_never_more_colourful_than_nine_tenths_of_the_alarm(
    work_deg: float, waiting_deg: float, chroma: float, lightness: float
) -> None:
    ramps = make_ramps(Tones(work_deg, chroma, waiting_deg, chroma, lightness), {})
    alarm = ramps.generated[State.WAITING_PERMISSION].hi_chroma
    for state in GUARDED_STATES:
        assert ramps.generated[state].hi_chroma <= 0.9 * alarm + 1e-9


@given(HUES, HUES, CHROMAS, SHIFTS)
def test_a_generated_stop_has_no_more_chroma_than_was_asked_for(
    work_deg: float, waiting_deg: float, chroma: float, lightness: float
) -> None:
    ramps = make_ramps(Tones(work_deg, chroma, waiting_deg, chroma, lightness), {})
    for state, made in ramps.generated.items():
        asked = TEMPLATES[state].chroma
        for wanted, fitted, full in zip(made.wanted_chroma, made.fitted_chroma, asked, strict=True):
            assert fitted <= wanted <= full * chroma + 1e-9
        shift = 0.0 if state in WAITING_STATES else lightness
        for stop, level in zip(made.ramp[1:], TEMPLATES[state].lightness[1:], strict=True):
            assert abs(oklch(stop).lightness - min(level + shift, 0.985)) <= ROUNDING


@given(HUES)
def test_the_deep_stop_depends_on_no_lightness(hue_deg: float) -> None:
    lightnesses = {
        round(oklch(ramp.deep).lightness - TEMPLATES[state].lightness[0], 2)
        for shift in (-0.05, 0.05)
        for state, ramp in make_ramps(Tones(hue_deg, 1, hue_deg, 1, shift), {}).by_state.items()
    }
    assert lightnesses == {0}


def test_a_ramp_is_five_stops() -> None:
    assert Ramp._fields == ("deep", "base", "hi", "hot", "heart")
