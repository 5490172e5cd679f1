"""Laws of what may come of a picture from outside, whatever its bytes are."""

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from orbtile.imaging import PillowCodec
from orbtile.protocol.errors import ApiError
from orbtile.protocol.png import parse_png
from orbtile.protocol.png_chunks import walk_png
from orbtile.protocol.png_data import check_image_data
from tests.fakes import icc_profiles as icc
from tests.fakes.bodies import base64_of
from tests.fakes.hostile_png import GREY, INDEXED, PLAIN
from tests.fakes.png_changes import changed_bytes, changed_chunks
from tests.fakes.png_files import CHANNELS, LEGAL, SIGNATURE, Picture, file_of

CODEC = PillowCodec()
PICTURES = st.sampled_from([PLAIN, INDEXED, GREY, PLAIN._replace(interlaced=True, filters=(1, 2, 3, 4))])
CHANCE = st.randoms(use_true_random=False)


def assert_is_rendered_or_refused(png: bytes) -> None:
    began_s = time.process_time()
    try:
        images = CODEC.render(png)
    except ApiError as error:
        assert_is_in_order(error)
    else:
        for image, side_px in zip(images, (28, 56), strict=True):
            parts = walk_png(image, "icon.png")
            check_image_data(parts, "icon.png")
            assert parts.header == (side_px, 8, 6, False)
            assert len(image) <= 16_384
    assert time.process_time() - began_s < 0.5


def assert_is_in_order(error: ApiError) -> None:
    assert (error.status, error.code, error.field) == (422, "invalid_field", "icon.png")
    assert error.message.isascii()


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_rendered_or_refused(data: bytes, looks_like_png: bool) -> None:
    assert_is_rendered_or_refused(SIGNATURE + data if looks_like_png else data)


@given(PICTURES, CHANCE)
def test_a_file_with_some_bytes_changed_is_rendered_or_refused(
    picture: Picture, chance: random.Random
) -> None:
    png = changed_bytes(picture.file(), chance)
    assert_is_rendered_or_refused(png)
    try:
        assert parse_png(base64_of(png), "icon.png") == png
    except ApiError as error:
        assert_is_in_order(error)


@given(PICTURES, CHANCE)
@settings(max_examples=400)
def test_a_file_with_some_chunks_changed_is_rendered_or_refused(
    picture: Picture, chance: random.Random
) -> None:
    assert_is_rendered_or_refused(changed_chunks(picture, chance))


@given(st.sampled_from([icc.LINEAR, icc.grey(icc.gamma(2.0)), icc.rgb(icc.curve(*range(50)))]), CHANCE)
@settings(max_examples=400)
def test_a_damaged_profile_is_applied_or_refused(profile: bytes, chance: random.Random) -> None:
    header, *rest = GREY.chunks()
    contents = icc.iccp(changed_bytes(profile, chance))
    assert_is_rendered_or_refused(file_of([header, (b"iCCP", contents), *rest]))


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """Valid pictures of every kind, of noise."""
    depth, colour = draw(st.sampled_from(LEGAL))
    noise = random.Random(draw(st.integers(0, 2**32)))
    samples = [noise.randrange(1 << depth) for _ in range(997)]
    channels = CHANNELS[colour]
    return Picture(
        draw(st.integers(16, 64)),
        depth,
        colour,
        lambda x, y: [samples[(x * 31 + y * 67 + place * 101) % 997] for place in range(channels)],
        draw(st.booleans()),
        draw(st.lists(st.integers(0, 4), min_size=1, max_size=5)),
        noise.randbytes(3 << depth) if colour == 3 else b"",
        draw(st.none() | st.binary(min_size=6, max_size=6)) if colour == 2 else None,
    )


@given(pictures())
def test_a_valid_picture_is_never_refused_and_always_looks_the_same(picture: Picture) -> None:
    png = picture.file()
    if len(png) <= 32_768:
        assert parse_png(base64_of(png), "icon.png") == png
    assert CODEC.render(png) == CODEC.render(picture._replace(filters=(0,)).file())


@given(pictures())
def test_interlacing_does_not_show(picture: Picture) -> None:
    other = picture._replace(interlaced=not picture.interlaced)
    assert CODEC.render(picture.file()) == CODEC.render(other.file())
