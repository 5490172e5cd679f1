"""The part of an ICC profile that is used: primaries and tone curves (ICC.1:2022, clauses 7, 8.3 and 10).

Owns what is taken over. A profile may also hold tables and chains of calculations, and 250 deflated bytes
are enough for a chain on which Little CMS works for half a minute. So it is shown a profile with nothing but
the three primaries of a screen or a camera and their curves, or the one curve of a grey. Must not know
pictures, nor what a colour is.
"""

import struct
from typing import Final

from orbtile.protocol.errors import ApiError, invalid_field

_HEADER_BYTES: Final = 128
_SPACE: Final = slice(16, 20)
_CONNECTION_SPACE: Final = slice(20, 24)
_MAGIC: Final = slice(36, 40)
_ID: Final = slice(84, 100)
"""A digest of the whole profile, or zeros."""

_ENTRY: Final = struct.Struct(">4sII")
"""Signature, offset and length of a tag."""

_MAX_TAGS: Final = 128

_RGB_TAGS: Final = (b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC")
_GREY_TAGS: Final = (b"kTRC",)
_CURVES: Final = (b"curv", b"para")


def is_grey(profile: bytes) -> bool:
    """Whether it says so of itself; any bytes may be asked about."""
    return profile[_SPACE] == b"GRAY"


def bare_profile(profile: bytes, path: str) -> bytes:
    """A profile of the same header with primaries and curves alone.

    Raises 422 ``invalid_field`` on ``path`` for what is no profile, one of other colours than RGB and grey,
    and one without them.
    """
    if len(profile) < _HEADER_BYTES + 4 or profile[_MAGIC] != b"acsp":
        raise _unusable(path)
    wanted: tuple[bytes, ...]
    if is_grey(profile):
        wanted = _GREY_TAGS
    elif profile[_SPACE] == b"RGB " and profile[_CONNECTION_SPACE] == b"XYZ ":
        wanted = _RGB_TAGS
    else:
        raise _unusable(path)
    found = _tags(profile, path)
    tags = [(name, found.get(name, b"")) for name in wanted]
    for name, data in tags:
        if data[:4] not in (_CURVES if name.endswith(b"TRC") else (b"XYZ ",)):
            raise _unusable(path)
    return _profile_of(profile[:_HEADER_BYTES], tags)


def _tags(profile: bytes, path: str) -> dict[bytes, bytes]:
    """The data of each tag that the table lists."""
    (count,) = struct.unpack_from(">I", profile, _HEADER_BYTES)
    table = profile[_HEADER_BYTES + 4 :][: count * _ENTRY.size]
    if count > _MAX_TAGS or len(table) != count * _ENTRY.size:
        raise _unusable(path)
    return {name: profile[offset : offset + size] for name, offset, size in _ENTRY.iter_unpack(table)}


def _profile_of(header: bytes, tags: list[tuple[bytes, bytes]]) -> bytes:
    at = _HEADER_BYTES + 4 + len(tags) * _ENTRY.size
    table, body = struct.pack(">I", len(tags)), b""
    for name, data in tags:
        table += _ENTRY.pack(name, at + len(body), len(data))
        body += data + bytes(-len(data) % 4)  # tags begin at multiples of four bytes
    size = struct.pack(">I", at + len(body))
    unsigned = header[4 : _ID.start] + bytes(16) + header[_ID.stop :]
    return size + unsigned + table + body


def _unusable(path: str) -> ApiError:
    return invalid_field(path, "has a colour profile of another kind than primaries and curves")
