import pytest

from orbtile.protocol.errors import ApiError
from orbtile.protocol.png import encode_png, parse_png
from tests.fakes.bodies import base64_of, png
from tests.fakes.hostile_png import DATA, END, HEADER, HOSTILE, ODD, Hostile, Stage
from tests.fakes.png_files import LEGAL, file_of


def padded(size: int) -> bytes:
    """A valid picture of ``size`` bytes."""
    around = len(file_of([HEADER, (b"teXt", b""), DATA, END]))
    return file_of([HEADER, (b"teXt", bytes(size - around)), DATA, END])


@pytest.mark.parametrize("side_px", [16, 17, 56, 256])
def test_a_square_image_of_16_to_256_pixels_passes(side_px: int) -> None:
    image = png(side_px, side_px)
    assert parse_png(base64_of(image), "icon.png") == image


@pytest.mark.parametrize(("depth", "colour"), LEGAL)
def test_every_legal_combination_of_depth_and_colour_passes(depth: int, colour: int) -> None:
    image = png(depth=depth, colour=colour)
    assert parse_png(base64_of(image), "icon.png") == image


@pytest.mark.parametrize("padding", [0, 1, 2])
def test_base64_is_read_with_every_amount_of_padding(padding: int) -> None:
    image = padded(600 - padding)
    text = base64_of(image)
    assert text.count("=") == padding
    assert parse_png(text, "icon.png") == image
    assert encode_png(image) == text


def test_32_768_bytes_pass_and_one_more_is_too_much() -> None:
    assert len(parse_png(base64_of(padded(32_768)), "icon.png")) == 32_768
    with pytest.raises(ApiError) as refusal:
        parse_png(base64_of(padded(32_769)), "icon.png")
    assert (refusal.value.code, refusal.value.field) == ("limit_exceeded", "icon.png")


@pytest.mark.parametrize("case", [case for case in HOSTILE if case.stage is Stage.WALK], ids=lambda c: c.name)
def test_a_file_out_of_order_is_refused_without_a_decoder(case: Hostile) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_png(base64_of(case.png), "icon.png")
    error = refusal.value
    assert (error.status, error.code, error.field) == (422, "invalid_field", "icon.png")
    assert error.message.startswith("icon.png: ")
    assert error.message.isascii()


@pytest.mark.parametrize("image", [png for _, png in ODD], ids=[name for name, _ in ODD])
def test_an_odd_file_that_is_legal_passes(image: bytes) -> None:
    assert parse_png(base64_of(image), "icon.png") == image
