"""An icon's PNG as it comes: base64 and sizes (section 3, adapter icon).

Owns what is refused and with which code. What the file must look like inside is ``png_file``'s.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from orbtile_adapter.host import limits, png_file
from orbtile_adapter.host.fields import Notes
from orbtile_adapter.host.refusals import invalid, too_many


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
        png_file.check(image)
    except ValueError as problem:
        raise invalid(path, str(problem)) from None
    return image
