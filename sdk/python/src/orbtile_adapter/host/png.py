"""An icon's PNG as far as bytes tell: base64, sizes, and a walk over the chunks (section 3, adapter icon).

Owns what is refused and with which code. Decodes no pixel.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from typing import Any

from orbtile_adapter.host import limits
from orbtile_adapter.host.fields import Notes
from orbtile_adapter.host.refusals import invalid, too_many

_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def check(raw: Any, path: str, _notes: Notes) -> bytes:
    """The image's bytes. Raises 422 ``limit_exceeded`` for too much, ``invalid_field`` otherwise."""
    if not isinstance(raw, str):
        raise invalid(path, "must be a string of base64")
    if len(raw) > limits.ICON_BASE64:
        raise too_many(path, f"has more than {limits.ICON_BASE64} characters")
    try:
        image = base64.b64decode(raw.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise invalid(path, "must be standard base64") from None
    if not image or base64.b64encode(image).decode() != raw:
        raise invalid(path, "must be standard base64")
    if len(image) > limits.ICON_BYTES:
        raise too_many(path, f"has more than {limits.ICON_BYTES} bytes")
    try:
        _walk(image)
    except ValueError as problem:
        raise invalid(path, str(problem)) from None
    return image


def _walk(image: bytes) -> None:
    if image[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("is not a PNG")
    at = 8
    kinds: list[bytes] = []
    while at < len(image):
        if kinds[-1:] == [b"IEND"]:
            raise ValueError("goes on behind its end")
        if len(image) - at < 12:
            raise ValueError("ends within a chunk")
        length, kind = struct.unpack_from(">I4s", image, at)
        data = image[at + 8 : at + 8 + length]
        if len(data) < length or len(image) < at + 12 + length:
            raise ValueError("ends within a chunk")
        (crc,) = struct.unpack_from(">I", image, at + 8 + length)
        if crc != zlib.crc32(kind + data):
            raise ValueError("has a chunk with a wrong checksum")
        if not kinds:
            _header(kind, data)
        elif kind in {b"IHDR", b"acTL"}:
            raise ValueError("has a chunk that does not belong there")
        kinds.append(kind)
        at += 12 + length
    if kinds[-1:] != [b"IEND"] or b"IDAT" not in kinds:
        raise ValueError("is cut short")


def _header(kind: bytes, data: bytes) -> None:
    if kind != b"IHDR" or len(data) != 13:
        raise ValueError("has no IHDR")
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", data)
    if depth not in _DEPTHS.get(colour, ()) or compression or filtering or interlace > 1:
        raise ValueError("has no valid IHDR")
    least, most = limits.ICON_SIDE
    if width != height or not least <= width <= most:
        raise ValueError(f"must be square, {least} to {most} pixels")
