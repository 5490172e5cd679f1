import pytest

from orbtile.protocol.errors import ApiError
from orbtile.protocol.png import encode_png, parse_png
from tests.fakes.bodies import base64_of, png


@pytest.mark.parametrize("side_px", [16, 17, 56, 256])
def test_a_square_image_of_16_to_256_pixels_passes(side_px: int) -> None:
    image = png(side_px, side_px)
    assert parse_png(base64_of(image), "icon.png") == image


@pytest.mark.parametrize(
    ("depth", "colour"),
    [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (8, 2), (16, 2), (1, 3), (2, 3), (4, 3), (8, 3), (8, 4), (16,
    4), (8, 6), (16, 6)],
)  # fmt: skip
def test_every_legal_combination_of_depth_and_colour_passes(depth: int, colour: int) -> None:
    image = png(depth=depth, colour=colour)
    assert parse_png(base64_of(image), "icon.png") == image


@pytest.mark.parametrize("padding", [0, 1, 2])
def test_base64_is_read_with_every_amount_of_padding(padding: int) -> None:
    image = png()
    image += bytes(-(len(image) + padding) % 3)
    text = base64_of(image)
    assert text.count("=") == padding
    assert parse_png(text, "icon.png") == image
    assert encode_png(image) == text


def test_32_768_bytes_pass_and_one_more_is_too_much() -> None:
    assert len(parse_png(base64_of(png().ljust(32_768, b"\0")), "icon.png")) == 32_768
    with pytest.raises(ApiError) as refusal:
        parse_png(base64_of(png().ljust(32_769, b"\0")), "icon.png")
    assert (refusal.value.code, refusal.value.field) == ("limit_exceeded", "icon.png")
