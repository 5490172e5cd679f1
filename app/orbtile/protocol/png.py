"""An adapter's icon as it comes: base64, sizes, and the walk over its chunks (spec section 3 "Adapter icon").

Owns the order and the ``ApiError`` of each. The rules for chunks are ``png_chunks``' matter, what is deflated
in them is ``png_data``'s, and pixels are the decoder's.
"""

import binascii

from orbtile.protocol import limits
from orbtile.protocol.errors import invalid_field, limit_exceeded
from orbtile.protocol.fields import JsonValue
from orbtile.protocol.png_chunks import walk_png


def parse_png(raw: JsonValue, path: str) -> bytes:
    """The bytes of a base64 PNG. Raises 422: ``limit_exceeded`` for too long, else ``invalid_field``."""
    if not isinstance(raw, str):
        raise invalid_field(path, "must be a base64 string")
    if len(raw) > limits.MAX_ICON_BASE64_LENGTH:
        raise limit_exceeded(path, f"must be at most {limits.MAX_ICON_BASE64_LENGTH} base64 characters")
    png = _decode(raw, path)
    if len(png) > limits.MAX_ICON_BYTES:
        raise limit_exceeded(path, f"must be at most {limits.MAX_ICON_BYTES} bytes")
    walk_png(png, path)
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
