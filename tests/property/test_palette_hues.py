import math

from hypothesis import given
from hypothesis import strategies as st

from orbtile.palette.hexcolour import parse_hex, rgb
from orbtile.palette.hues import registration_warnings, resolve_attention_hue, resolve_base_hue
from orbtile.palette.oklch import oklch

HUES = st.floats(0, 360, exclude_max=True)
CHANNELS = st.integers(0, 255)


@given(HUES)
def test_resolving_twice_is_resolving_once(hue_deg: float) -> None:
    base, attention = resolve_base_hue(hue_deg), resolve_attention_hue(hue_deg)
    assert resolve_base_hue(base) == base
    assert resolve_attention_hue(attention) == attention


@given(HUES)
def test_no_resolved_hue_is_inside_its_arc(hue_deg: float) -> None:
    assert 75.9 <= resolve_base_hue(hue_deg) <= 345.9
    assert not 18.9 < resolve_attention_hue(hue_deg) < 55


@given(HUES, HUES)
def test_a_hue_is_warned_about_exactly_when_it_moves(base_deg: float, attention_deg: float) -> None:
    moves = (resolve_base_hue(base_deg) != base_deg) + (resolve_attention_hue(attention_deg) != attention_deg)
    assert len(registration_warnings(base_deg, attention_deg, {})) == moves


@given(CHANNELS, CHANNELS, CHANNELS)
def test_every_colour_has_coordinates_in_range(red: int, green: int, blue: int) -> None:
    colour = f"#{red:02X}{green:02X}{blue:02X}"
    assert rgb(parse_hex(colour)) == (red, green, blue)
    lightness, chroma, hue_deg = oklch(colour)
    assert -1e-9 <= lightness <= 1 + 1e-6
    assert 0 <= chroma < 0.33
    assert 0 <= hue_deg < 360
    assert math.isfinite(hue_deg)
