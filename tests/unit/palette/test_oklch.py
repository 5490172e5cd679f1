import math

import pytest

from orbtile.palette.oklch import delta_e_ok, fit, hex_of, hex_of_linear, is_in_srgb, oklab, oklch

GREY, VIVID = "#808080", "#ff00ff"


@pytest.mark.parametrize(
    ("colour", "lightness", "chroma", "hue_deg"),
    [
        # Published values of OKLCH for the sRGB primaries (CSS Color 4 sample data).
        ("#ff0000", 0.628, 0.2577, 29.23),
        ("#00ff00", 0.8664, 0.2948, 142.5),
        ("#0000ff", 0.452, 0.3132, 264.05),
        ("#ffff00", 0.968, 0.211, 109.77),
    ],
)
def test_the_primaries_have_their_published_coordinates(
    colour: str, lightness: float, chroma: float, hue_deg: float
) -> None:
    measured = oklch(colour)
    assert measured.lightness == pytest.approx(lightness, abs=1e-3)
    assert measured.chroma == pytest.approx(chroma, abs=1e-3)
    assert measured.hue_deg == pytest.approx(hue_deg, abs=0.05)


def test_black_and_white_are_the_ends_and_have_no_chroma() -> None:
    assert oklch("#000000").lightness == 0
    assert oklch("#ffffff").lightness == pytest.approx(1, abs=1e-6)
    assert oklch(GREY).chroma < 1e-6


def test_the_fixed_error_colour_has_the_published_hue() -> None:
    assert oklch("#c8352b").hue_deg == pytest.approx(28, abs=3)


@pytest.mark.parametrize("colour", ["#000000", "#ffffff", GREY, VIVID, "#eab308", "#0b0908", "#010203"])
def test_a_colour_comes_back_from_its_coordinates(colour: str) -> None:
    assert hex_of(*oklch(colour)) == colour
    assert is_in_srgb(*oklch(colour))


def test_what_srgb_does_not_have_is_clipped_by_the_bare_conversion() -> None:
    assert not is_in_srgb(0.5, 0.4, 30)
    assert hex_of(1.2, 0, 0) == "#ffffff"
    assert hex_of(-0.1, 0, 0) == "#000000"


def test_linear_channels_are_rounded_half_up_and_clipped() -> None:
    half = (0.5 / 255) / 12.92  # encodes to level 0.5
    assert hex_of_linear(half * 0.999, half * 1.001, 0) == "#000100"
    assert hex_of_linear(-1, 1, 2) == "#00ffff"
    assert hex_of_linear(0.2158605, 0.0031308, 0.5) == "#800abc"


def test_a_colour_inside_srgb_keeps_its_chroma() -> None:
    lightness, chroma, hue_deg = oklch("#5dbe74")
    assert fit(lightness, chroma, hue_deg) == ("#5dbe74", chroma)


@pytest.mark.parametrize("hue_deg", range(0, 360, 15))
@pytest.mark.parametrize("lightness", [0.2, 0.5, 0.8, 0.985])
def test_a_colour_outside_loses_chroma_and_nothing_else(lightness: float, hue_deg: float) -> None:
    colour, chroma = fit(lightness, 0.4, hue_deg)
    assert is_in_srgb(lightness, chroma, hue_deg)
    assert not is_in_srgb(lightness, chroma + 2e-5, hue_deg)
    assert colour == hex_of(lightness, chroma, hue_deg)
    a, b = chroma * math.cos(math.radians(hue_deg)), chroma * math.sin(math.radians(hue_deg))
    assert math.dist(oklab(colour), (lightness, a, b)) < 0.006  # half an 8-bit level a channel


def test_the_ends_of_lightness_have_no_chroma_to_give() -> None:
    assert fit(0.0, 0.1, 200)[0] == "#000000"
    assert fit(1.0, 0.1, 200)[0] == "#ffffff"


def test_the_distance_of_two_colours() -> None:
    assert delta_e_ok(VIVID, VIVID) == 0
    assert delta_e_ok("#000000", "#ffffff") == pytest.approx(1, abs=1e-6)
    assert delta_e_ok(GREY, VIVID) == delta_e_ok(VIVID, GREY)
    assert 0 < delta_e_ok(GREY, "#818181") < 0.01
