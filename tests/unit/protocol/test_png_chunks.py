import time
import tracemalloc

import pytest

from orbtile.protocol.errors import ApiError
from orbtile.protocol.png_chunks import PngHeader, walk_png
from tests.fakes.bodies import png
from tests.fakes.hostile_png import DATA, END, HEADER, INDEXED, PLAIN, STREAM
from tests.fakes.icc_profiles import LINEAR, iccp
from tests.fakes.png_files import Picture, file_of


def test_the_parts_that_make_a_picture_are_handed_on() -> None:
    header, palette, transparency, data, end = INDEXED.chunks()
    profile = (b"iCCP", iccp(LINEAR))
    pieces = [(b"IDAT", data[1][:9]), (b"IDAT", b""), (b"IDAT", data[1][9:])]
    parts = walk_png(file_of([header, profile, palette, transparency, *pieces, end]), "icon.png")
    assert parts.header == PngHeader(16, 8, 3, interlaced=False)
    found = [bytes(part or b"") for part in (parts.palette, parts.transparency, parts.profile, *parts.data)]
    assert found == [palette[1], transparency[1], profile[1], data[1][:9], b"", data[1][9:]]


def test_a_plain_picture_has_no_palette_and_no_profile() -> None:
    parts = walk_png(PLAIN._replace(interlaced=True).file(), "icon.png")
    assert parts.header == PngHeader(16, 8, 6, interlaced=True)
    assert (parts.palette, parts.transparency, parts.profile) == (None, None, None)


def test_tRNS_of_a_picture_in_colour_may_come_before_a_profile() -> None:
    picture = Picture(16, 8, 2, lambda x, y: (x, y, 0), transparency=bytes(6))
    header, transparency, *rest = picture.chunks()
    walk_png(file_of([header, transparency, (b"iCCP", iccp(LINEAR)), *rest]), "icon.png")


@pytest.mark.parametrize(
    ("side_px", "most_px", "passes"), [(16, 16, True), (17, 16, False), (1024, 1024, True)]
)
def test_the_caller_sets_the_largest_side(side_px: int, most_px: int, passes: bool) -> None:
    image = png(side_px, side_px)
    if passes:
        assert walk_png(image, "icon.png", max_side_px=most_px).header.side_px == side_px
    else:
        with pytest.raises(ApiError, match="square, 16 to 16 pixels"):
            walk_png(image, "icon.png", max_side_px=most_px)


def test_the_refusal_names_the_path_that_was_given() -> None:
    with pytest.raises(ApiError) as refusal:
        walk_png(b"", "icon.other")
    assert refusal.value.field == "icon.other"


def test_nothing_is_copied() -> None:
    image = file_of([HEADER, (b"tEXt", bytes(4_000_000)), (b"IDAT", bytes(4_000_000)), END])
    tracemalloc.start()
    try:
        parts = walk_png(image, "icon.png")
        assert tracemalloc.get_traced_memory()[1] < 20_000
    finally:
        tracemalloc.stop()
    assert len(parts.data[0]) == 4_000_000


def test_a_file_of_nothing_but_empty_chunks_is_given_up_early() -> None:
    image = file_of([HEADER, *[(b"teXt", b"")] * 100_000, DATA, END])
    began_s = time.process_time()
    with pytest.raises(ApiError, match="more than 1024 chunks"):
        walk_png(image, "icon.png")
    assert time.process_time() - began_s < 0.1


def test_every_prefix_of_a_file_is_refused() -> None:
    whole = file_of([HEADER, (b"tEXt", b"Comment\0x"), (b"IDAT", STREAM), END])
    for size in range(len(whole)):
        with pytest.raises(ApiError) as refusal:
            walk_png(whole[:size], "icon.png")
        assert refusal.value.code == "invalid_field"


def test_every_single_bit_counts() -> None:
    whole = PLAIN.file()
    for place in range(len(whole)):
        for bit in range(8):
            image = bytearray(whole)
            image[place] ^= 1 << bit
            with pytest.raises(ApiError):
                walk_png(bytes(image), "icon.png")
