"""The checks of an adapter's icon that need no decoder: base64, sizes, signature and IHDR (spec section 3
"Adapter icon").

Owns the order and the ``ApiError`` of each. Pixels and the chunks behind the header are the decoder's matter.
"""

import binascii
import struct
from typing import Final

from orbtile.protocol import limits
from orbtile.protocol.errors import invalid_field, limit_exceeded
from orbtile.protocol.fields import JsonValue

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER: Final = struct.Struct(">I4sIIBBBBBI")
"""Length, type, width, height, bit depth, colour type, compression, filter, interlace, CRC."""

_IHDR_BYTES: Final = 13
_IHDR_BODY: Final = slice(len(_SIGNATURE) + 4, len(_SIGNATURE) + 4 + 4 + _IHDR_BYTES)
"""What the CRC covers: the chunk's type and data."""

_BIT_DEPTHS: Final = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}
"""Legal bit depths by colour type (PNG specification, table 11.1)."""


def parse_png(raw: JsonValue, path: str) -> bytes:
    """The bytes of a base64 PNG. Raises 422: ``limit_exceeded`` for too long, else ``invalid_field``."""
    if not isinstance(raw, str):
        raise invalid_field(path, "must be a base64 string")
    if len(raw) > limits.MAX_ICON_BASE64_LENGTH:
        raise limit_exceeded(path, f"must be at most {limits.MAX_ICON_BASE64_LENGTH} base64 characters")
    png = _decode(raw, path)
    if len(png) > limits.MAX_ICON_BYTES:
        raise limit_exceeded(path, f"must be at most {limits.MAX_ICON_BYTES} bytes")
    problem = _header_problem(png)
    if problem is not None:
        raise invalid_field(path, problem)
    return png


def encode_png(png: bytes) -> str:
    """Standard base64, as ``parse_png`` reads it."""
    return binascii.b2a_base64(png, newline=False).decode("ascii")


def _decode(raw: str, path: str) -> bytes:
    try:
        png = binascii.a2b_base64(raw)
    except ValueError:  # also what is not ASCII
        png = b""
    # The decoder skips what it does not know; only text that comes back unchanged was strict base64.
    if not png or encode_png(png) != raw:
        raise invalid_field(path, "must be standard base64 without white space")
    return png


def _header_problem(png: bytes) -> str | None:
    if not png.startswith(_SIGNATURE) or len(png) < len(_SIGNATURE) + _HEADER.size:
        return "is not a PNG"
    length, kind, width, height, depth, colour, compression, filtering, interlace, crc = _HEADER.unpack_from(
        png, len(_SIGNATURE)
    )
    if length != _IHDR_BYTES or kind != b"IHDR" or crc != binascii.crc32(png[_IHDR_BODY]):
        return "has no valid IHDR"
    if depth not in _BIT_DEPTHS.get(colour, ()) or compression or filtering or interlace > 1:
        return "has no valid IHDR"
    if width != height or not limits.MIN_ICON_SIDE_PX <= width <= limits.MAX_ICON_SIDE_PX:
        return f"must be square, {limits.MIN_ICON_SIDE_PX} to {limits.MAX_ICON_SIDE_PX} pixels wide"
    return None
