import time
import tracemalloc
import zlib
from functools import cache

import pytest

from orbtile.protocol.errors import ApiError
from orbtile.protocol.png_chunks import PngHeader, walk_png
from orbtile.protocol.png_data import check_image_data, inflate_profile, passes_of
from tests.fakes.hostile_png import END, HEADER, HOSTILE, ODD, PLAIN, Hostile, Stage, zeros
from tests.fakes.icc_profiles import LINEAR, iccp
from tests.fakes.png_files import CHANNELS, LEGAL, Picture, file_of


def check(png: bytes) -> bytes | None:
    parts = walk_png(png, "icon.png", max_side_px=1024)
    check_image_data(parts, "icon.png")
    return inflate_profile(parts, "icon.png")


@pytest.mark.parametrize("case", [case for case in HOSTILE if case.stage is Stage.DATA], ids=lambda c: c.name)
def test_what_is_deflated_must_be_what_the_header_says(case: Hostile) -> None:
    with pytest.raises(ApiError) as refusal:
        check(case.png)
    error = refusal.value
    assert (error.status, error.code, error.field) == (422, "invalid_field", "icon.png")


@pytest.mark.parametrize("png", [png for _, png in ODD], ids=[name for name, _ in ODD])
def test_an_odd_file_that_is_legal_passes(png: bytes) -> None:
    check(png)


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("side", [16, 17, 19, 23, 31, 256])
@pytest.mark.parametrize(("depth", "colour"), LEGAL)
def test_the_rows_are_counted_for_every_kind_of_picture(
    depth: int, colour: int, side: int, interlaced: bool
) -> None:
    header = PngHeader(side, depth, colour, interlaced)
    size = sum(each.rows * each.row_bytes for each in passes_of(header))
    if side < 256:
        sample = (0,) * CHANNELS[colour]
        assert size == len(Picture(side, depth, colour, lambda _x, _y: sample, interlaced).rows())
    assert size <= 256 * (256 * 8 + 1) + 256


def test_a_profile_is_inflated_and_a_picture_may_have_none() -> None:
    header, *rest = PLAIN.chunks()
    assert check(file_of([header, (b"iCCP", iccp(LINEAR)), *rest])) == LINEAR
    assert check(PLAIN.file()) is None


@cache
def bomb() -> bytes:
    return zeros(200 << 20)


@pytest.mark.parametrize("place", ["in one chunk", "in two hundred chunks", "in the profile"])
def test_a_bomb_of_200_MB_costs_neither_memory_nor_time(place: str) -> None:
    chunks = {
        "in one chunk": [(b"IDAT", bomb())],
        "in two hundred chunks": [(b"IDAT", bomb()[at : at + 1_000]) for at in range(0, 200_000, 1_000)],
        "in the profile": [(b"iCCP", b"p\0\0" + bomb()), PLAIN.chunks()[1]],
    }[place]
    image = file_of([HEADER, *chunks, END])
    began_s = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(ApiError, match="too much"):
            check(image)
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()
    assert time.process_time() - began_s < 0.1


def test_the_largest_picture_takes_about_its_own_size() -> None:
    image = Picture(256, 16, 6, lambda _x, _y: (0, 0, 0, 0))
    size = 256 * (256 * 8 + 1)
    png = file_of([image.header(), (b"IDAT", zlib.compress(bytes(size))), END])
    parts = walk_png(png, "icon.png")
    tracemalloc.start()
    try:
        check_image_data(parts, "icon.png")
        assert tracemalloc.get_traced_memory()[1] < 3 * size
    finally:
        tracemalloc.stop()
