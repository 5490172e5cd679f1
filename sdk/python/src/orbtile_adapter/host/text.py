"""Display text: what is dropped, what becomes a space, and when nothing is left (section 3, strict values).

Owns the characters. Must not know fields or lengths.
"""

from __future__ import annotations

import unicodedata
from typing import Final

BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
LINE_BREAKS: Final = frozenset("\u2028\u2029")

_NO_INK = frozenset(
    "\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u2800\u3164"
)
_NO_INK_EITHER = frozenset("\ufeff\uffa0")


def has_surrogate(text: str) -> bool:
    """Whether half of a UTF-16 pair stands alone: no character, and nothing can encode it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def clean(text: str, *, block: bool = False) -> str:
    """``text`` as it is shown; ``block`` keeps newlines and tabs."""
    kept = []
    for char in text:
        if char in BIDI:
            continue
        if block and (char in "\n\t" or char in LINE_BREAKS):
            kept.append("\t" if char == "\t" else "\n")
        elif char in LINE_BREAKS or unicodedata.category(char) == "Cc":
            kept.append(" ")
        else:
            kept.append(char)
    return "".join(kept)


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing."""
    return all(char.isspace() or char in _NO_INK or char in _NO_INK_EITHER for char in text)


def tail(text: str, count: int) -> str:
    """The last ``count`` UTF-8 bytes, from a whole character on."""
    data = text.encode()
    start = max(0, len(data) - count)
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:].decode()
