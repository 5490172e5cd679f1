import math

from hypothesis import given
from hypothesis import strategies as st

from orbtile.palette.hexcolour import parse_hex, rgb
from orbtile.palette.hues import derived_attention_hue, resolve_attention_hue, resolve_base_hue
from orbtile.palette.oklch import fit, hex_of, is_in_srgb, oklch

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
    derived = derived_attention_hue(resolve_base_hue(hue_deg))
    assert 0 <= derived < 360
    assert not 18.9 < derived < 55


@given(CHANNELS, CHANNELS, CHANNELS)
def test_every_colour_has_coordinates_in_range_and_comes_back_from_them(
    red: int, green: int, blue: int
) -> None:
    colour = f"#{red:02X}{green:02X}{blue:02X}"
    assert rgb(parse_hex(colour)) == (red, green, blue)
    lightness, chroma, hue_deg = oklch(colour)
    assert -1e-9 <= lightness <= 1 + 1e-6
    assert 0 <= chroma < 0.33
    assert 0 <= hue_deg < 360
    assert math.isfinite(hue_deg)
    assert is_in_srgb(lightness, chroma, hue_deg)
    assert hex_of(lightness, chroma, hue_deg) == parse_hex(colour)


@given(st.floats(0, 1), st.floats(0, 0.5), HUES)
def test_a_fitted_colour_is_in_srgb_and_no_more_colourful_than_asked(
    lightness: float, chroma: float, hue_deg: float
) -> None:
    colour, fitted = fit(lightness, chroma, hue_deg)
    assert 0 <= fitted <= chroma
    assert is_in_srgb(lightness, fitted, hue_deg)
    assert parse_hex(colour) == colour
