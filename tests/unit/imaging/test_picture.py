"""What the pixels of every kind of PNG become."""

import math
from collections.abc import Callable, Sequence

import pytest

from orbtile.imaging.picture import render_pixels
from orbtile.protocol.errors import ApiError
from orbtile.protocol.png_chunks import walk_png
from tests.fakes import icc_profiles as icc
from tests.fakes.png_files import CHANNELS, LEGAL, Picture, Sample, file_of

Pixel = tuple[int, int, int, int]
EVERY_FILTER = (0, 1, 2, 3, 4)


def rendered(picture: Picture, profile: bytes | None = None) -> tuple[list[Pixel], list[Pixel]]:
    """The pixels of the small and of the large image, row by row."""
    parts = walk_png(picture.file(), "icon.png", max_side_px=1024)
    small, large = render_pixels(parts, profile, (28, 56), "icon.png")
    assert (len(small), len(large)) == (28 * 28 * 4, 56 * 56 * 4)
    return pixels(small), pixels(large)


def pixels(rgba: bytes) -> list[Pixel]:
    return [(rgba[at], rgba[at + 1], rgba[at + 2], rgba[at + 3]) for at in range(0, len(rgba), 4)]


def each(side: int, pixel: Callable[[int, int], Pixel]) -> list[Pixel]:
    return [pixel(x, y) for y in range(side) for x in range(side)]


def pattern(depth: int, colour: int) -> Sample:
    """Samples of many values; alpha is all or nothing."""
    most = (1 << depth) - 1

    def sample(x: int, y: int) -> Sequence[int]:
        values = [(x * 2_557 + y * 911 + place * 4_099) % (most + 1) for place in range(CHANNELS[colour])]
        if colour in {4, 6}:
            values[-1] = most if (x + y) % 3 else 0
        return values

    return sample


def in_8_bits(value: int, depth: int) -> int:
    return value >> 8 if depth == 16 else value * 255 // ((1 << depth) - 1)


def expected(picture: Picture) -> Callable[[int, int], Pixel]:
    """By the PNG specification; what is fully transparent has no colour."""

    def pixel(x: int, y: int) -> Pixel:
        samples = picture.sample(x, y)
        if picture.colour == 3:
            (index,) = samples
            red, green, blue = picture.palette[index * 3 : index * 3 + 3]
            alphas = picture.transparency or b""
            alpha = alphas[index] if index < len(alphas) else 255
        else:
            values = [in_8_bits(value, picture.depth) for value in samples]
            alpha = values.pop() if picture.colour in {4, 6} else 255
            red, green, blue = values * 3 if len(values) == 1 else values
            if picture.transparency is not None:
                key = [
                    picture.transparency[at] << 8 | picture.transparency[at + 1]
                    for at in range(0, 6, 2)[: len(samples)]
                ]
                alpha = 0 if key == list(samples) else 255
        return (red, green, blue, alpha) if alpha else (0, 0, 0, 0)

    return pixel


# --- every kind ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interlaced", [False, True], ids=["rows", "interlaced"])
@pytest.mark.parametrize(("depth", "colour"), LEGAL)
def test_every_kind_of_png_keeps_its_pixels(depth: int, colour: int, interlaced: bool) -> None:
    palette = bytes((index * 37 + shift) % 256 for index in range(1 << depth) for shift in (0, 85, 170))
    picture = Picture(
        56, depth, colour, pattern(depth, colour), interlaced, EVERY_FILTER, palette if colour == 3 else b""
    )
    _, large = rendered(picture)
    assert large == each(56, expected(picture))


@pytest.mark.parametrize("interlaced", [False, True], ids=["rows", "interlaced"])
@pytest.mark.parametrize(("depth", "colour"), [kind for kind in LEGAL if kind[1] in {0, 2}])
def test_one_colour_of_a_picture_without_alpha_can_be_transparent(
    depth: int, colour: int, interlaced: bool
) -> None:
    sample = pattern(depth, colour)
    key = b"".join(value.to_bytes(2, "big") for value in sample(5, 7))
    picture = Picture(56, depth, colour, sample, interlaced, EVERY_FILTER, transparency=key)
    _, large = rendered(picture)
    assert large == each(56, expected(picture))
    assert (0, 0, 0, 0) in large


def test_16_bits_are_compared_with_the_transparent_colour_to_the_last() -> None:
    def grey(x: int, _y: int) -> tuple[int, ...]:
        return (0x1234 if x % 2 else 0x1235,)

    def rgb(x: int, _y: int) -> tuple[int, ...]:
        return (0x1234, 0x5678, 0x9ABC if x % 2 else 0x9ABD)

    for colour, sample in ((0, grey), (2, rgb)):
        key = b"".join(value.to_bytes(2, "big") for value in sample(1, 0))
        _, large = rendered(Picture(56, 16, colour, sample, transparency=key))
        assert [alpha for *_, alpha in large[:4]] == [255, 0, 255, 0]


def test_only_the_bits_that_a_sample_has_count_in_the_transparent_colour() -> None:
    for depth in (1, 2, 4):
        picture = Picture(56, depth, 0, lambda x, _: (x % 2,), transparency=b"\xff" + bytes([1 << depth | 1]))
        _, large = rendered(picture)
        assert [alpha for *_, alpha in large[:4]] == [255, 0, 255, 0]


@pytest.mark.parametrize("transparency", [b"\0", b"\xff\0", b"\x80\x40", b"\xff" * 4, b"\0" * 4])
def test_a_palette_may_have_alpha(transparency: bytes) -> None:
    palette = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
    picture = Picture(56, 2, 3, lambda x, _: (x % 4,), palette=palette, transparency=transparency)
    _, large = rendered(picture)
    for got, wanted in zip(large, each(56, expected(picture)), strict=True):
        assert got[3] == wanted[3]
        # Premultiplied and back a faint colour loses its last bits.
        assert all(abs(one - other) <= 2 for one, other in zip(got, wanted, strict=True))


def test_a_suggested_palette_changes_nothing() -> None:
    picture = Picture(56, 8, 2, lambda x, y: (x, y, 9), palette=bytes(30))
    assert rendered(picture) == rendered(picture._replace(palette=b""))


def test_a_pixel_outside_the_palette_is_refused_but_the_padding_of_a_row_is_not() -> None:
    good = Picture(17, 1, 3, lambda _x, _y: (0,), palette=bytes(3))
    rows = bytearray(good.rows())
    rows[3::4] = b"\x7f" * 17  # the seven bits behind the 17th pixel

    class Padded(Picture):
        def rows(self) -> bytes:
            return bytes(rows)

    rendered(Padded(*good))
    with pytest.raises(ApiError) as refusal:
        rendered(good._replace(sample=lambda x, y: (int(x == y == 16),)))
    assert (refusal.value.code, refusal.value.field) == ("invalid_field", "icon.png")


# --- sizes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [16, 17, 27, 28, 29, 55, 56, 57, 84, 100, 112, 255, 256, 300])
def test_one_colour_stays_one_colour_in_every_size(side: int) -> None:
    small, large = rendered(Picture(side, 8, 6, lambda _x, _y: (200, 100, 50, 255)))
    assert {*small, *large} == {(200, 100, 50, 255)}


def test_what_has_the_right_size_is_not_resampled() -> None:
    large = Picture(56, 8, 2, lambda x, y: (x * 4, y * 4, (x ^ y) * 4))
    assert rendered(large)[1] == each(56, expected(large))
    small = Picture(28, 8, 2, lambda x, y: (x * 9, y * 9, (x ^ y) * 8))
    assert rendered(small)[0] == each(28, expected(small))


@pytest.mark.parametrize("times", [2, 4])
def test_whole_multiples_become_sharp_pixels(times: int) -> None:
    def checks(x: int, y: int) -> tuple[int, ...]:
        return (255, 255, 255) if (x // times + y // times) % 2 else (0, 0, 0)

    _, large = rendered(Picture(56 * times, 8, 2, checks))
    assert large == each(56, lambda x, y: (255, 255, 255, 255) if (x + y) % 2 else (0, 0, 0, 255))


def test_the_small_image_is_made_of_the_source_where_the_large_one_is_blown_up() -> None:
    def checks(x: int, y: int) -> tuple[int, ...]:
        return (255, 255, 255) if (x + y) % 2 else (0, 0, 0)

    small, _ = rendered(Picture(28, 8, 2, checks))
    assert small == each(28, lambda x, y: (255, 255, 255, 255) if (x + y) % 2 else (0, 0, 0, 255))


@pytest.mark.parametrize("side", [16, 40, 256])
def test_a_hidden_colour_does_not_bleed_into_what_is_seen(side: int) -> None:
    """A white disc on transparent green."""

    def disc(x: int, y: int) -> tuple[int, ...]:
        middle = (side - 1) / 2
        return (255, 255, 255, 255) if math.hypot(x - middle, y - middle) < side / 3 else (0, 255, 0, 0)

    for image in rendered(Picture(side, 8, 6, disc)):
        assert {pixel[:3] for pixel in image if pixel[3]} == {(255, 255, 255)}
        assert {pixel[:3] for pixel in image if not pixel[3]} == {(0, 0, 0)}
        assert any(0 < pixel[3] < 255 for pixel in image)


# --- colours ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [16, 56, 256])
@pytest.mark.parametrize(
    ("colour", "sample", "profile", "wanted"),
    [
        (6, (128, 128, 128, 255), icc.LINEAR, (188, 188, 188)),
        (2, (255, 0, 0), icc.SWAPPED, (0, 255, 0)),
        (0, (128,), icc.grey(icc.gamma(1.0)), (188, 188, 188)),
        (0, (128,), icc.LINEAR, (188, 188, 188)),
        (4, (128, 255), icc.grey(icc.gamma(1.0)), (188, 188, 188)),
    ],
)
def test_a_profile_is_applied_in_both_sizes(
    colour: int, sample: tuple[int, ...], profile: bytes, wanted: tuple[int, ...], side: int
) -> None:
    for image in rendered(Picture(side, 8, colour, lambda _x, _y: sample), profile):
        (pixel,) = {*image}
        assert all(abs(one - other) <= 2 for one, other in zip(pixel[:3], wanted, strict=True))


def test_a_profile_of_a_palette_is_applied_to_its_colours() -> None:
    picture = Picture(56, 8, 3, lambda _x, _y: (0,), palette=b"\xff\0\0")
    (pixel,) = {*rendered(picture, icc.SWAPPED)[1]}
    assert all(abs(one - other) <= 2 for one, other in zip(pixel, (0, 255, 0, 255), strict=True))


def test_gamma_and_primaries_in_chunks_are_not_looked_at() -> None:
    picture = Picture(56, 8, 0, lambda x, _: (x,))
    header, *rest = picture.chunks()
    odd = walk_png(file_of([header, (b"gAMA", b"\0\x01\x86\xa0"), (b"cHRM", bytes(32)), *rest]), "icon.png")
    plain = walk_png(picture.file(), "icon.png")
    assert render_pixels(odd, None, (28, 56), "icon.png") == render_pixels(plain, None, (28, 56), "icon.png")
