"""ICC profiles, sound and otherwise, written tag by tag."""

import struct
import zlib
from collections.abc import Sequence
from typing import Final

Tag = tuple[bytes, bytes]

D50: Final = struct.pack(">3i", 63_190, 65_536, 54_061)
"""The connection space's white, in 16.16 fixed point."""


def profile_of(
    tags: Sequence[Tag],
    *,
    space: bytes = b"RGB ",
    connection: bytes = b"XYZ ",
    kind: bytes = b"mntr",
    magic: bytes = b"acsp",
    count: int | None = None,
) -> bytes:
    """``count`` is what the table says of itself."""
    at = 132 + 12 * len(tags)
    table, body = b"", b""
    for name, data in tags:
        table += struct.pack(">4sII", name, at + len(body), len(data))
        body += data.ljust(-(-len(data) // 4) * 4, b"\0")
    head = struct.pack(">I4sI4s4s4s", at + len(body), b"none", 0x0420_0000, kind, space, connection)
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + magic + bytes(28) + D50
    head = head.ljust(128, b"\0")
    return head + struct.pack(">I", len(tags) if count is None else count) + table + body


def xyz(*values: float) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(value * 65_536) for value in values))


def gamma(exponent: float) -> bytes:
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(exponent * 256))


def curve(*samples: int) -> bytes:
    return b"curv\0\0\0\0" + struct.pack(f">I{len(samples)}H", len(samples), *samples)


SRGB_PRIMARIES: Final = (
    (b"rXYZ", xyz(0.4360, 0.2225, 0.0139)),
    (b"gXYZ", xyz(0.3851, 0.7169, 0.0971)),
    (b"bXYZ", xyz(0.1431, 0.0606, 0.7139)),
)
"""Adapted to D50."""


def rgb(tone: bytes, *more: Tag, primaries: Sequence[Tag] = SRGB_PRIMARIES) -> bytes:
    """A screen with one curve for all three."""
    return profile_of([*primaries, *((name, tone) for name in (b"rTRC", b"gTRC", b"bTRC")), *more])


def grey(tone: bytes) -> bytes:
    return profile_of([(b"kTRC", tone)], space=b"GRAY")


_RED, _GREEN, _BLUE = (data for _, data in SRGB_PRIMARIES)
SWAPPED: Final = rgb(gamma(2.2), primaries=[(b"rXYZ", _GREEN), (b"gXYZ", _RED), (b"bXYZ", _BLUE)])
"""Red is what others call green: a conversion that happens is seen."""

LINEAR: Final = rgb(gamma(1.0))


def chain(stages: int) -> bytes:
    """A profile that asks for ``stages`` calculations, all described by the same bytes."""
    stage = b"matf\0\0\0\0" + struct.pack(">HH12f", 3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
    places = struct.pack(">II", 16 + 8 * stages, len(stage)) * stages
    return b"mpet\0\0\0\0" + struct.pack(">HHI", 3, 3, stages) + places + stage


def iccp(profile: bytes, *, name: bytes = b"p", method: int = 0) -> bytes:
    """The contents of the chunk."""
    return name + b"\0" + bytes([method]) + zlib.compress(profile)
