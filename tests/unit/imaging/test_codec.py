import gc
import struct
import subprocess
import sys
import threading
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image, PngImagePlugin

from orbtile.imaging import PillowCodec
from orbtile.imaging.codec import MAX_SOURCE_BYTES
from orbtile.protocol.errors import ApiError
from orbtile.protocol.png_chunks import walk_png
from orbtile.protocol.png_data import check_image_data
from tests.fakes.bodies import png
from tests.fakes.hostile_png import DATA, END, HEADER, HOSTILE, ODD, PLAIN, Hostile, zeros
from tests.fakes.png_files import Picture, chunks_of, file_of


def refusal_of(codec: PillowCodec, image: bytes) -> ApiError:
    with pytest.raises(ApiError) as refusal:
        codec.render(image)
    assert (refusal.value.status, refusal.value.field) == (422, "icon.png")
    return refusal.value


def test_there_are_more_than_60_hostile_files_each_with_a_name_of_its_own() -> None:
    assert len({case.name for case in HOSTILE}) == len(HOSTILE) > 170
    assert len({name for name, _ in ODD}) == len(ODD) > 30


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.name)
def test_a_hostile_file_is_refused_whoever_calls(case: Hostile) -> None:
    assert refusal_of(PillowCodec(), case.png).code == "invalid_field"


def test_hostile_files_take_no_memory_worth_mentioning() -> None:
    codec = PillowCodec()
    codec.render(PLAIN.file())
    tracemalloc.start()
    try:
        for case in HOSTILE:
            refusal_of(codec, case.png)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("image", [png for _, png in ODD], ids=[name for name, _ in ODD])
def test_an_odd_file_that_is_legal_looks_like_the_plain_one(image: bytes) -> None:
    codec = PillowCodec()
    assert codec.render(image) == codec.render(PLAIN.file())


def test_the_images_hold_a_header_pixels_and_nothing_else() -> None:
    secret = (b"tEXt", b"Comment\0secret")
    images = PillowCodec().render(file_of([HEADER, secret, (b"eXIf", b"secret"), DATA, secret, END]))
    for image, side_px in zip(images, (28, 56), strict=True):
        parts = walk_png(image, "icon.png")
        check_image_data(parts, "icon.png")
        assert parts.header == (side_px, 8, 6, False)
        assert [kind for kind, _ in chunks_of(image)] == [b"IHDR", b"IDAT", b"IEND"]
        assert b"secret" not in image


def test_colours_under_full_transparency_do_not_come_through() -> None:
    images = PillowCodec().render(Picture(56, 8, 6, lambda x, y: (x, y, 77, 0)).file())
    for image in images:
        rows = zlib.decompress(dict(chunks_of(image))[b"IDAT"])
        assert not any(rows)


def test_equal_bytes_give_equal_images() -> None:
    image = Picture(100, 8, 6, lambda x, y: (x, y, x ^ y, 255 - y)).file()
    assert PillowCodec().render(image) == PillowCodec().render(image)


# --- budgets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("too_large", [28, 56])
def test_an_image_over_its_budget_is_refused(too_large: int) -> None:
    def encode(_pixels: bytes, side_px: int) -> bytes:
        return bytes(16_384 + (side_px == too_large))

    refusal = refusal_of(PillowCodec(encode), PLAIN.file())
    assert refusal.code == "limit_exceeded"
    assert "16384" in refusal.message


def test_an_image_that_fills_its_budget_passes() -> None:
    images = PillowCodec(lambda _pixels, side_px: bytes([side_px]) * 16_384).render(PLAIN.file())
    assert images == (b"\x1c" * 16_384, b"\x38" * 16_384)


def test_the_icon_of_an_application_may_be_larger_than_an_adapters() -> None:
    assert len(PillowCodec().render(png(1024, 1024))) == 2
    assert refusal_of(PillowCodec(), png(1025, 1025)).code == "invalid_field"
    whole = file_of([HEADER, (b"prVt", bytes(MAX_SOURCE_BYTES)), DATA, END])
    assert refusal_of(PillowCodec(), whole).code == "limit_exceeded"


def test_a_bomb_of_400_MB_is_refused_at_once() -> None:
    tracemalloc.start()
    try:
        bomb = file_of([HEADER, (b"IDAT", zeros(400 << 20)), END])
        tracemalloc.reset_peak()
        assert refusal_of(PillowCodec(), bomb).code == "invalid_field"
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()


# --- failures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        OSError("image file is truncated"),
        SyntaxError("broken PNG file"),
        ValueError("bad"),
        TypeError("bad"),
        KeyError("bad"),
        IndexError("bad"),
        EOFError(),
        AssertionError(),
        NotImplementedError(),
        SystemError("tile cannot extend outside image"),
        OverflowError(),
        MemoryError(),
        RecursionError(),
        struct.error("unpack"),
        zlib.error("Error -3"),
        Image.DecompressionBombError("too large"),
        Image.DecompressionBombWarning("large"),
        UserWarning("odd"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_the_decoder_raises_becomes_a_refusal(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    codec = PillowCodec()
    with monkeypatch.context() as patch:
        patch.setattr(PngImagePlugin.PngImageFile, "load", fail)
        refusal = refusal_of(codec, PLAIN.file())
    assert refusal.message == "icon.png: cannot be decoded"
    assert codec.render(PLAIN.file())  # and the next one passes


def test_no_picture_outlives_its_rendering_while_garbage_is_not_collected() -> None:
    codec = PillowCodec()
    codec.render(PLAIN.file())
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(each, Image.Image) for each in gc.get_objects())
        kept = [refusal_of(codec, case.png) for case in HOSTILE]
        for _, image in ODD:
            codec.render(image)
        assert len(kept) == len(HOSTILE)
        assert sum(isinstance(each, Image.Image) for each in gc.get_objects()) == before
    finally:
        gc.enable()


def test_one_picture_is_rendered_at_a_time() -> None:
    inside = threading.Semaphore(1)

    def encode(_pixels: bytes, _side_px: int) -> bytes:
        assert inside.acquire(blocking=False), "two at a time"
        threading.Event().wait(0.001)
        inside.release()
        return b"png"

    codec = PillowCodec(encode)
    with ThreadPoolExecutor(4) as pool:
        assert {*pool.map(codec.render, [PLAIN.file()] * 12)} == {(b"png", b"png")}


# --- what is loaded -----------------------------------------------------------------------------------------

LOADS_ONE_FORMAT = """
import sys
from orbtile.imaging import PillowCodec
codec = PillowCodec()
assert not any(name.partition(".")[0] == "PIL" for name in sys.modules), "before the first icon"
codec.render(sys.stdin.buffer.read())
print(sorted(name for name in sys.modules if name.endswith("Plugin")))
"""


def test_pillow_comes_with_the_first_icon_and_knows_one_format() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADS_ONE_FORMAT], input=PLAIN.file(), capture_output=True, check=True
    )
    assert done.stdout.strip() == b"['PIL.PngImagePlugin']"
