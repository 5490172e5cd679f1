import pytest

from orbtile.palette.hexcolour import parse_hex, rgb


@pytest.mark.parametrize(
    ("text", "colour"), [("#EAB308", "#eab308"), ("#000000", "#000000"), ("#fFfFfF", "#ffffff")]
)
def test_a_colour_is_kept_in_lowercase(text: str, colour: str) -> None:
    assert parse_hex(text) == colour


@pytest.mark.parametrize(
    "text",
    ["", "#", "eab308", "#eab30", "#eab3080", "#eab30g", "#eab308\n", " #eab308", "red", "#１２３４５６"],
)
def test_what_is_not_a_hash_and_six_digits_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="rrggbb"):
        parse_hex(text)


def test_the_channels_of_a_colour() -> None:
    assert rgb("#EAB308") == (0xEA, 0xB3, 0x08)
    with pytest.raises(ValueError):
        rgb("teal")
