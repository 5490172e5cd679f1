"""The structure of a PNG: a walk over all of its chunks before any decoder sees one byte (spec section 3
"Adapter icon"; PNG specification, third edition, clauses 5 and 11).

Owns what is refused: a broken signature or header, lengths that lie, a wrong CRC, chunks in a wrong order or
one too many, animations, unknown critical chunks, and anything behind IEND. Hands the parts that make the
picture on as views, without a copy. Must not know base64, nor what is deflated inside (``png_data``).
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from orbtile.protocol import limits
from orbtile.protocol.errors import ApiError, invalid_field

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"

GREY: Final = 0
RGB: Final = 2
PALETTE: Final = 3
GREY_ALPHA: Final = 4
RGB_ALPHA: Final = 6
"""Colour types (PNG specification, table 11.1)."""

_BIT_DEPTHS: Final = {
    GREY: {1, 2, 4, 8, 16},
    RGB: {8, 16},
    PALETTE: {1, 2, 4, 8},
    GREY_ALPHA: {8, 16},
    RGB_ALPHA: {8, 16},
}
_IHDR: Final = struct.Struct(">IIBBBBB")
"""Width, height, bit depth, colour type, compression, filter, interlace."""

_HEAD: Final = struct.Struct(">I4s")
_CRC: Final = struct.Struct(">I")
_ANIMATION: Final = frozenset({b"acTL", b"fcTL", b"fdAT"})


class PngHeader(NamedTuple):
    """IHDR of a square picture: ``colour`` is the colour type, ``depth`` bits a sample."""

    side_px: int
    depth: int
    colour: int
    interlaced: bool


class PngParts(NamedTuple):
    """What makes the picture, as views of the file: the contents of PLTE, tRNS and iCCP (None: there is none)
    and of every IDAT.
    """

    header: PngHeader
    palette: memoryview | None
    transparency: memoryview | None
    profile: memoryview | None
    data: tuple[memoryview, ...]


def walk_png(png: bytes, path: str, *, max_side_px: int = limits.MAX_ICON_SIDE_PX) -> PngParts:
    """Look at every chunk once. Raises 422 ``invalid_field`` on ``path`` for whatever is out of order.

    The side is ``MIN_ICON_SIDE_PX`` to ``max_side_px`` pixels, both included.
    """
    if not png.startswith(SIGNATURE):
        raise invalid_field(path, "is not a PNG")
    chunks = _chunks(memoryview(png), path)
    walk = _Walk(_read_header(*next(chunks), path, max_side_px), path)
    for kind, data in chunks:
        walk.take(kind, data)
    return walk.parts()


def _chunks(png: memoryview, path: str) -> Iterator[tuple[bytes, memoryview]]:
    """Type and data of each chunk, up to an IEND that ends the file."""
    at = len(SIGNATURE)
    for _ in range(limits.MAX_ICON_CHUNKS):
        if len(png) - at < _HEAD.size + _CRC.size:
            raise invalid_field(path, "ends within a chunk" if at < len(png) else "has no IEND")
        length, kind = _HEAD.unpack_from(png, at)
        body, end = at + _HEAD.size, at + _HEAD.size + length
        if end + _CRC.size > len(png):
            raise invalid_field(path, "ends within a chunk")
        if not kind.isalpha():  # ASCII letters, for bytes
            raise invalid_field(path, "has a chunk without a type")
        # The CRC covers the type and the data.
        if zlib.crc32(png[at + 4 : end]) != _CRC.unpack_from(png, end)[0]:
            raise invalid_field(path, f"has a wrong CRC in {kind.decode()}")
        yield kind, png[body:end]
        at = end + _CRC.size
        if kind == b"IEND":
            if at != len(png):
                raise invalid_field(path, "goes on behind IEND")
            return
    raise invalid_field(path, f"has more than {limits.MAX_ICON_CHUNKS} chunks")


def _read_header(kind: bytes, data: memoryview, path: str, max_side_px: int) -> PngHeader:
    if kind != b"IHDR" or len(data) != _IHDR.size:
        raise invalid_field(path, "has no valid IHDR")
    width, height, depth, colour, compression, filtering, interlace = _IHDR.unpack(data)
    if depth not in _BIT_DEPTHS.get(colour, ()) or compression or filtering or interlace > 1:
        raise invalid_field(path, "has no valid IHDR")
    if width != height or not limits.MIN_ICON_SIDE_PX <= width <= max_side_px:
        raise invalid_field(path, f"must be square, {limits.MIN_ICON_SIDE_PX} to {max_side_px} pixels wide")
    return PngHeader(width, depth, colour, bool(interlace))


class _Walk:
    """What was met behind the header so far."""

    def __init__(self, header: PngHeader, path: str) -> None:
        self._header = header
        self._path = path
        self._palette: memoryview | None = None
        self._transparency: memoryview | None = None
        self._profile: memoryview | None = None
        self._data: list[memoryview] = []
        self._last = b"IHDR"

    def parts(self) -> PngParts:
        return PngParts(self._header, self._palette, self._transparency, self._profile, tuple(self._data))

    def take(self, kind: bytes, data: memoryview) -> None:
        if kind == b"IDAT":
            self._take_data(data)
        elif kind == b"PLTE":
            self._palette = self._checked_palette(data)
        elif kind == b"tRNS":
            self._transparency = self._checked_transparency(data)
        elif kind == b"iCCP":
            self._profile = self._checked_profile(data)
        elif kind == b"IEND":
            if data or not self._data:
                raise self._refusal("has data in IEND" if data else "has no image data")
        elif kind in _ANIMATION:
            raise self._refusal("is animated")
        elif kind[:1].isupper():
            raise self._refusal(f"has {kind.decode()}, a critical chunk, where there must be none")
        self._last = kind

    def _refusal(self, reason: str) -> ApiError:
        return invalid_field(self._path, reason)

    def _take_data(self, data: memoryview) -> None:
        if self._data and self._last != b"IDAT":
            raise self._refusal("has other chunks between its image data")
        if self._header.colour == PALETTE and self._palette is None:
            raise self._refusal("has no palette")
        self._data.append(data)

    def _checked_palette(self, data: memoryview) -> memoryview:
        colour, depth = self._header.colour, self._header.depth
        if self._palette is not None or self._transparency is not None or self._data:
            raise self._refusal("has a palette in a wrong place")
        if colour in {GREY, GREY_ALPHA}:
            raise self._refusal("is grey and has a palette")
        most = 1 << depth if colour == PALETTE else 256
        entries, rest = divmod(len(data), 3)
        if rest or not 1 <= entries <= most:
            raise self._refusal(f"must have 1 to {most} colours in its palette")
        return data

    def _checked_transparency(self, data: memoryview) -> memoryview:
        colour = self._header.colour
        if self._transparency is not None or self._data:
            raise self._refusal("has tRNS in a wrong place")
        if colour == PALETTE:
            fits = self._palette is not None and 1 <= len(data) <= len(self._palette) // 3
        else:
            fits = len(data) == {GREY: 2, RGB: 6}.get(colour)
        if not fits:
            raise self._refusal("has tRNS that does not fit its colours")
        return data

    def _checked_profile(self, data: memoryview) -> memoryview:
        if self._profile is not None or self._palette is not None or self._data:
            raise self._refusal("has a colour profile in a wrong place")
        return data
