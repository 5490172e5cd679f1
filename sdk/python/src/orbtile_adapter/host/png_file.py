"""A PNG file as far as it can be judged without its pixels: chunks, their order, what is deflated in them.

Owns what is wrong with a file, as ``ValueError``. The application looks at pixels and at the contents of a
colour profile as well; whatever is refused here is refused there.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Sequence

from orbtile_adapter.host import limits

_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

_LETTERS = {b"IHDR": "H", b"iCCP": "C", b"PLTE": "P", b"tRNS": "T", b"IDAT": "D", b"IEND": "E"}
_ORDER = re.compile("H-*(?:(?:C-*)?(?:P-*)?(?:T-*)?|T-*C-*)D+-*E")
"""One letter a chunk; ``-`` is one that nobody needs."""

_INTERLACED = (
    (8, 0, 8, 0),
    (8, 4, 8, 0),
    (4, 0, 8, 4),
    (4, 2, 4, 0),
    (2, 0, 4, 2),
    (2, 1, 2, 0),
    (1, 0, 2, 1),
)
"""Of each pass: every how many columns from which on, every how many rows from which on."""

Chunk = tuple[bytes, bytes]


def check(image: bytes) -> None:
    """Raises ``ValueError`` with what is wrong, as the end of a sentence."""
    chunks = _split(image)
    kind, header = chunks[0]
    side, depth, colour, interlaced = _read_header(kind, header)
    _check_order(chunks)
    contents = dict(reversed(chunks))  # the first of each kind
    _check_colours(depth, colour, contents)
    if b"iCCP" in contents:
        _check_profile(contents[b"iCCP"])
    rows = _rows(side, depth * _CHANNELS[colour], interlaced=interlaced)
    _check_rows([data for kind, data in chunks if kind == b"IDAT"], rows)


def _split(image: bytes) -> list[Chunk]:
    if image[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("is not a PNG")
    chunks: list[Chunk] = []
    at = 8
    while not chunks or chunks[-1][0] != b"IEND":
        if len(chunks) == limits.ICON_CHUNKS:
            raise ValueError(f"has more than {limits.ICON_CHUNKS} chunks")
        if len(image) - at < 12:
            raise ValueError("is cut short")
        length, kind = struct.unpack_from(">I4s", image, at)
        data = image[at + 8 : at + 8 + length]
        at += 12 + length
        if at > len(image):
            raise ValueError("is cut short")
        if not re.fullmatch(b"[A-Za-z]{4}", kind):
            raise ValueError("has a chunk without a name")
        if struct.pack(">I", zlib.crc32(kind + data)) != image[at - 4 : at]:
            raise ValueError("has a chunk with a wrong checksum")
        chunks.append((kind, data))
    if at < len(image):
        raise ValueError("goes on behind its end")
    return chunks


def _read_header(kind: bytes, data: bytes) -> tuple[int, int, int, bool]:
    if kind != b"IHDR" or len(data) != 13:
        raise ValueError("has no IHDR")
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", data)
    if depth not in _DEPTHS.get(colour, ()) or compression or filtering or interlace > 1:
        raise ValueError("has no valid IHDR")
    least, most = limits.ICON_SIDE
    if width != height or not least <= width <= most:
        raise ValueError(f"must be square, {least} to {most} pixels")
    return width, depth, colour, interlace == 1


def _check_order(chunks: Sequence[Chunk]) -> None:
    kinds = [kind for kind, _ in chunks]
    if not {b"acTL", b"fcTL", b"fdAT"}.isdisjoint(kinds):
        raise ValueError("is an animation")
    strange = [kind.decode() for kind in kinds if kind not in _LETTERS and kind[:1].isupper()]
    if strange:
        raise ValueError(f"has a critical chunk that no PNG has: {strange[0]}")
    if not _ORDER.fullmatch("".join(_LETTERS.get(kind, "-") for kind in kinds)):
        raise ValueError("has its chunks in a wrong order, one too many or one too few")
    if chunks[-1][1]:
        raise ValueError("has something in its last chunk")


def _check_colours(depth: int, colour: int, contents: dict[bytes, bytes]) -> None:
    palette, transparency = contents.get(b"PLTE"), contents.get(b"tRNS")
    if colour == 3 and palette is None:
        raise ValueError("has no palette")
    if palette is not None:
        most = {0: 0, 4: 0, 3: 2**depth}.get(colour, 256)
        if len(palette) % 3 or not 1 <= len(palette) // 3 <= most:
            raise ValueError(
                f"must have a palette of 1 to {most} colours" if most else "has a palette in grey"
            )
    if transparency is not None:
        fitting = {0: (2, 2), 2: (6, 6), 3: (1, len(palette or b"") // 3)}.get(colour, (1, 0))
        if not fitting[0] <= len(transparency) <= fitting[1]:
            raise ValueError("has a tRNS that does not go with its colours")


def _check_profile(data: bytes) -> None:
    parts = re.fullmatch(b"([^\0]{1,79})\0\0(.*)", data, re.DOTALL)
    if parts is None:
        raise ValueError("has a damaged colour profile")
    _inflate([parts[2]], limits.ICON_PROFILE_BYTES)


def _rows(side: int, bits_per_pixel: int, *, interlaced: bool) -> list[int]:
    """The bytes of each row with its filter's, in the order of the file."""
    passes = _INTERLACED if interlaced else ((1, 0, 1, 0),)
    return [
        1 + (len(range(first_column, side, column_step)) * bits_per_pixel + 7) // 8
        for column_step, first_column, row_step, first_row in passes
        for _ in range(first_row, side, row_step)
    ]


def _check_rows(pieces: Sequence[bytes], rows: Sequence[int]) -> None:
    data = _inflate(pieces, sum(rows))
    if len(data) < sum(rows):
        raise ValueError("has too few rows")
    at = 0
    for size in rows:
        if data[at] > 4:
            raise ValueError("has a row with a filter that no PNG has")
        at += size


def _inflate(pieces: Sequence[bytes], most: int) -> bytes:
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(b"".join(pieces), most + 1)
    except zlib.error:
        raise ValueError("has a damaged stream") from None
    if len(data) > most:
        raise ValueError("inflates to more than it may")
    if not inflater.eof or inflater.unused_data:
        raise ValueError("has a stream that ends too early or too late")
    return data
