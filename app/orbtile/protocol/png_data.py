"""What is deflated in a PNG: its rows and its colour profile (PNG specification, clauses 7, 10 and 11.3.2.3).

Owns how much may come out: of the image data exactly what IHDR implies, of the profile a fixed number of
bytes. Nothing is ever inflated further than that, whatever the stream promises. Must not know pixels.
"""

import zlib
from collections.abc import Iterable
from typing import Final, NamedTuple

from orbtile.protocol import limits
from orbtile.protocol.errors import invalid_field
from orbtile.protocol.png_chunks import GREY, GREY_ALPHA, PALETTE, RGB, RGB_ALPHA, PngHeader, PngParts

_SAMPLES: Final = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
_LAST_FILTER: Final = 4  # Paeth

_ADAM7: Final = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)
"""First column, first row, column step and row step of each pass (clause 8.2)."""

_MAX_NAME_BYTES: Final = 79


class Pass(NamedTuple):
    """Rows of equal length; ``row_bytes`` counts the filter byte in front."""

    rows: int
    row_bytes: int


def check_image_data(parts: PngParts, path: str) -> None:
    """Inflate the rows and forget them: half a megabyte at most for a side of 256 pixels.

    Raises 422 ``invalid_field`` on ``path`` unless the stream is whole and holds exactly the rows that IHDR
    implies, each with a known filter.
    """
    passes = passes_of(parts.header)
    size = sum(rows * row_bytes for rows, row_bytes in passes)
    data = _inflate(parts.data, size, path, "image data")
    if len(data) != size:
        raise invalid_field(path, "has too little image data")
    at = 0
    for rows, row_bytes in passes:
        end = at + rows * row_bytes
        if max(data[at:end:row_bytes]) > _LAST_FILTER:
            raise invalid_field(path, "has a row with an unknown filter")
        at = end


def passes_of(header: PngHeader) -> tuple[Pass, ...]:
    """The passes in the order of the stream; one where the picture is not interlaced."""
    bits_per_pixel = header.depth * _SAMPLES[header.colour]

    def one(rows: int, pixels: int) -> Pass:
        return Pass(rows, 1 + (pixels * bits_per_pixel + 7) // 8)

    side = header.side_px
    if not header.interlaced:
        return (one(side, side),)
    # From 16 pixels on no pass is empty.
    return tuple(
        one(-((row - side) // row_step), -((column - side) // column_step))
        for column, row, column_step, row_step in _ADAM7
    )


def inflate_profile(parts: PngParts, path: str) -> bytes | None:
    """The ICC profile, or None. Raises 422 ``invalid_field`` on ``path`` when it does not inflate, or to more
    than ``MAX_ICON_PROFILE_BYTES``.
    """
    if parts.profile is None:
        return None
    # A name of 1 to 79 bytes, a zero, the compression method (0), and the stream.
    head = bytes(parts.profile[: _MAX_NAME_BYTES + 2])
    name_end = head.find(0)
    if name_end < 1 or head[name_end + 1 : name_end + 2] != b"\0":
        raise invalid_field(path, "has a damaged colour profile")
    stream = parts.profile[name_end + 2 :]
    return bytes(_inflate((stream,), limits.MAX_ICON_PROFILE_BYTES, path, "profile data"))


def _inflate(pieces: Iterable[memoryview], most: int, path: str, what: str) -> bytearray:
    """One zlib stream of at most ``most`` bytes, which ends where the pieces end."""
    inflater = zlib.decompressobj()
    data = bytearray()
    try:
        for piece in pieces:
            if inflater.eof and piece:
                raise invalid_field(path, f"has something behind its {what}")
            # One byte more than allowed tells that there is more; a limit of 0 would be none.
            data += inflater.decompress(piece, most + 1 - len(data))
            if len(data) > most:
                raise invalid_field(path, f"has too much {what}")
    except zlib.error:
        raise invalid_field(path, f"has damaged {what}") from None
    if not inflater.eof:
        raise invalid_field(path, f"has {what} that ends too early")
    if inflater.unused_data:
        raise invalid_field(path, f"has something behind its {what}")
    return data
