"""PNG files of every legal kind, written sample by sample, so that a test knows what their pixels are.

Knows no decoder and shares nothing with the application's writer. Whole chunks can be put in, left out or
damaged: a file is a list of them until ``file_of`` writes it.
"""

import itertools
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from tests.fakes.bodies import chunk

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
LEGAL: Final = tuple(
    (depth, colour)
    for colour, depths in {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}.items()
    for depth in depths
)
"""Bit depths with their colour types: all fifteen."""

CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
WHOLE: Final = ((0, 0, 1, 1),)
ADAM7: Final = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)

Chunk = tuple[bytes, bytes]
Sample = Callable[[int, int], Sequence[int]]
"""The samples at a column and a row, in the depth of the file."""


class Picture(NamedTuple):
    """A square picture; ``filters`` go round its rows."""

    side: int
    depth: int
    colour: int
    sample: Sample
    interlaced: bool = False
    filters: Sequence[int] = (0,)
    palette: bytes = b""
    transparency: bytes | None = None

    def header(self) -> Chunk:
        values = (self.side, self.side, self.depth, self.colour, 0, 0, self.interlaced)
        return b"IHDR", struct.pack(">IIBBBBB", *values)

    def colours(self) -> list[Chunk]:
        found = [(b"PLTE", self.palette)] if self.palette else []
        return found if self.transparency is None else [*found, (b"tRNS", self.transparency)]

    def rows(self) -> bytes:
        """What is deflated."""
        pixel_bytes = max(1, self.depth * CHANNELS[self.colour] // 8)
        written = bytearray()
        for x0, y0, dx, dy in ADAM7 if self.interlaced else WHOLE:
            above = b""
            for y, kind in zip(range(y0, self.side, dy), itertools.cycle(self.filters), strict=False):
                samples = [value for x in range(x0, self.side, dx) for value in self.sample(x, y)]
                row = packed(samples, self.depth)
                written.append(kind)
                written += filtered(kind, row, above or bytes(len(row)), pixel_bytes)
                above = row
        return bytes(written)

    def chunks(self) -> list[Chunk]:
        return [self.header(), *self.colours(), (b"IDAT", zlib.compress(self.rows())), (b"IEND", b"")]

    def file(self) -> bytes:
        return file_of(self.chunks())


def file_of(chunks: Sequence[Chunk]) -> bytes:
    return SIGNATURE + b"".join(chunk(kind, data) for kind, data in chunks)


def chunks_of(png: bytes) -> Iterator[Chunk]:
    """Of a file in good order."""
    at = len(SIGNATURE)
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        yield kind, png[at + 8 : at + 8 + length]
        at += 12 + length


def packed(samples: Sequence[int], depth: int) -> bytes:
    """A row: samples below a byte are put together from the left, those of two bytes come high byte first."""
    if depth == 16:
        return struct.pack(f">{len(samples)}H", *samples)
    per_byte = 8 // depth
    padded = [*samples, *[0] * (-len(samples) % per_byte)]
    return bytes(
        sum(value << (8 - depth * (place + 1)) for place, value in enumerate(padded[at : at + per_byte]))
        for at in range(0, len(padded), per_byte)
    )


def filtered(kind: int, row: bytes, above: bytes, pixel_bytes: int) -> bytes:
    """None, Sub, Up, Average and Paeth; an unknown kind changes nothing."""
    left = bytes(pixel_bytes) + row
    corner = bytes(pixel_bytes) + above
    neighbours = zip(row, left, above, corner, strict=False)
    return bytes((value - _guess(kind, a, b, c)) & 255 for value, a, b, c in neighbours)


def _guess(kind: int, left: int, above: int, corner: int) -> int:
    if kind == 4:
        return min((left, above, corner), key=lambda near: abs(left + above - corner - near))
    return {1: left, 2: above, 3: (left + above) // 2}.get(kind, 0)
