import pytest

from orbtile.palette.oklch import oklch


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
    assert oklch("#808080").chroma < 1e-6


def test_the_fixed_error_colour_has_the_published_hue() -> None:
    assert oklch("#c8352b").hue_deg == pytest.approx(28, abs=3)
