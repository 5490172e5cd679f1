"""Changes a PNG by chance, on every level at which it can go wrong.

A flipped byte hardly ever gets past a CRC, so chunks are changed before they are written, and rows and
profiles before they are deflated. Chance is handed in.
"""

import random
import struct
import zlib
from collections.abc import Callable

from tests.fakes import icc_profiles as icc
from tests.fakes.png_files import Chunk, Picture, file_of

KINDS = (b"IHDR", b"PLTE", b"tRNS", b"iCCP", b"IDAT", b"IEND", b"tEXt", b"acTL", b"gAMA", b"XXXX", b"xx1x")


def changed_bytes(data: bytes, chance: random.Random) -> bytes:
    """A few bytes are replaced, taken out or put in."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(changed))
        way = chance.randrange(3)
        if way == 0:
            changed[at : at + 1] = chance.randbytes(1)
        elif way == 1:
            del changed[at : at + chance.choice((1, 1, 4, 40))]
        else:
            changed[at:at] = chance.randbytes(chance.choice((1, 1, 4, 40)))
    return bytes(changed)


def changed_chunks(picture: Picture, chance: random.Random) -> bytes:
    """A file with right CRCs of chunks that are not; in one of ten cases nothing is wrong."""
    chunks = picture.chunks()
    for _ in range(chance.choice((0, 1, 1, 1, 1, 1, 1, 2, 2, 3))):
        chance.choice(_CHANGES)(chunks, chance)
    return file_of(chunks)


def _any(chunks: list[Chunk], chance: random.Random) -> int:
    return chance.randrange(len(chunks))


def _damage(chunks: list[Chunk], chance: random.Random) -> None:
    at = _any(chunks, chance)
    chunks[at] = (chunks[at][0], changed_bytes(chunks[at][1], chance))


def _insert(chunks: list[Chunk], chance: random.Random) -> None:
    contents = (b"", chance.randbytes(6), icc.iccp(icc.LINEAR), zlib.compress(b"x"))
    chunks.insert(_any(chunks, chance), (chance.choice(KINDS), chance.choice(contents)))


def _remove(chunks: list[Chunk], chance: random.Random) -> None:
    if len(chunks) > 1:
        del chunks[_any(chunks, chance)]


def _repeat(chunks: list[Chunk], chance: random.Random) -> None:
    chunks.insert(_any(chunks, chance), chance.choice(chunks))


def _swap(chunks: list[Chunk], chance: random.Random) -> None:
    one, other = _any(chunks, chance), _any(chunks, chance)
    chunks[one], chunks[other] = chunks[other], chunks[one]


def _split(chunks: list[Chunk], chance: random.Random) -> None:
    at = _any(chunks, chance)
    kind, data = chunks[at]
    cut = chance.randint(0, len(data))
    chunks[at : at + 1] = [(kind, data[:cut]), (kind, data[cut:])]


def _rename(chunks: list[Chunk], chance: random.Random) -> None:
    at = _any(chunks, chance)
    chunks[at] = (chance.choice(KINDS), chunks[at][1])


def _say_otherwise(chunks: list[Chunk], chance: random.Random) -> None:
    """A header of a valid form that may lie."""
    side = chance.choice((15, 16, 16, 16, 17, 256, 257, 2**31))
    values = (side, side, chance.choice((1, 2, 4, 8, 8, 16)), chance.choice((0, 2, 3, 4, 6)), 0, 0)
    chunks[0] = (b"IHDR", struct.pack(">IIBBBBB", *values, chance.choice((0, 1))))


def _damage_rows(chunks: list[Chunk], chance: random.Random) -> None:
    at = _any(chunks, chance)
    try:
        rows = zlib.decompress(chunks[at][1])
    except zlib.error:
        return
    chunks[at] = (chunks[at][0], zlib.compress(changed_bytes(rows, chance)))


def _damage_profile(chunks: list[Chunk], chance: random.Random) -> None:
    profile = chance.choice(
        (icc.LINEAR, icc.SWAPPED, icc.grey(icc.gamma(1.8)), icc.rgb(icc.curve(*range(99))))
    )
    chunks.insert(1, (b"iCCP", icc.iccp(changed_bytes(profile, chance))))


_CHANGES: tuple[Callable[[list[Chunk], random.Random], None], ...] = (
    _damage,
    _insert,
    _remove,
    _repeat,
    _swap,
    _split,
    _rename,
    _say_otherwise,
    _damage_rows,
    _damage_rows,
    _damage_profile,
)
