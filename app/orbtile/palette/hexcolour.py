"""Six-digit sRGB hex colours (spec section 3 "State colours").

Owns the grammar ``^#[0-9A-Fa-f]{6}$`` and its lowercase normal form. Must not know colour spaces or states.
"""

import re
from typing import Final

_HEX: Final = re.compile(r"#[0-9A-Fa-f]{6}")


def parse_hex(text: str) -> str:
    """The colour as lowercase ``#rrggbb``. Raises ValueError for anything but ``#`` and six hex digits."""
    if _HEX.fullmatch(text) is None:
        raise ValueError("not a #rrggbb colour")
    return text.lower()


def rgb(colour: str) -> tuple[int, int, int]:
    """The three sRGB channels, 0..255, of a ``#rrggbb`` colour. Raises ValueError as ``parse_hex`` does."""
    digits = parse_hex(colour)
    return int(digits[1:3], 16), int(digits[3:5], 16), int(digits[5:7], 16)
