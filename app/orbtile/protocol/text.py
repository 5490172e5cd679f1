"""Display text as it may be shown: without control characters and without marks that reorder it.

Owns (spec section 3 "Strict values") which characters go, which become spaces and what counts as blank. Must
not know fields or their lengths.

Lines: every control character (C0, DEL, C1) becomes a space, and so do U+2028 and U+2029, which break a line
on screen just as a newline does. Message text keeps newline and tab, and there the two separators become the
newline that they mean. In both, bidi embeddings, overrides, isolates and marks are dropped. Joiners stay:
emoji are made with them.
"""

import re
from typing import Final


class LoneSurrogateError(ValueError):
    """Half of a UTF-16 pair: not a character, and nothing can encode it."""


_BIDI: Final = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SEPARATORS: Final = r"\u2028\u2029"
_SURROGATES: Final = r"\ud800-\udfff"
_ODD_IN_LINE: Final = re.compile(rf"[\x00-\x1f\x7f-\x9f{_SEPARATORS}{_BIDI}{_SURROGATES}]")
_ODD_IN_BLOCK: Final = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_SEPARATORS}{_BIDI}{_SURROGATES}]")
_SURROGATE: Final = re.compile(rf"[{_SURROGATES}]")

# White space, and what has no ink of its own: soft hyphen, Hangul fillers, zero-width spaces and joiners,
# blank Braille.
_INK: Final = re.compile(
    r"[^\s\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\u2800\u3164\ufeff\uffa0]"
)

_DROPPED: Final = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_CONTROLS: Final = [*range(0x20), *range(0x7F, 0xA0)]
_LINE_TABLE: Final[dict[int, str | None]] = {
    **dict.fromkeys(_DROPPED),
    **dict.fromkeys([*_CONTROLS, 0x2028, 0x2029], " "),
}
_BLOCK_TABLE: Final[dict[int, str | None]] = {
    **_LINE_TABLE,
    **dict.fromkeys([0x2028, 0x2029], "\n"),
    ord("\n"): "\n",
    ord("\t"): "\t",
}


def clean_line(text: str) -> str:
    """One line of display text. Raises ``LoneSurrogateError``. Idempotent."""
    # What Python calls printable has no control, separator, bidi mark or surrogate in it: nearly every text
    # ends here.
    if text.isprintable() or _ODD_IN_LINE.search(text) is None:
        return text
    refuse_surrogates(text)
    return text.translate(_LINE_TABLE)


def clean_block(text: str) -> str:
    """Text of many lines: newline and tab stay. Raises ``LoneSurrogateError``. Idempotent."""
    if text.replace("\n", " ").replace("\t", " ").isprintable() or _ODD_IN_BLOCK.search(text) is None:
        return text
    refuse_surrogates(text)
    return text.translate(_BLOCK_TABLE)


def refuse_surrogates(text: str) -> None:
    """Raises ``LoneSurrogateError`` where ``text`` holds half of a surrogate pair."""
    if _SURROGATE.search(text) is not None:
        raise LoneSurrogateError("lone surrogate")


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: no characters, only white space, or only characters without ink."""
    return _INK.search(text) is None


def last_bytes(text: str, count: int) -> str:
    """The end of ``text`` in at most ``count`` UTF-8 bytes, beginning with a whole character."""
    data = text.encode()
    # The cut can only leave the tail of one character at the front; the rest is valid, so "ignore" drops
    # nothing else.
    return text if len(data) <= count else data[-count:].decode(errors="ignore")


def printable_name(name: str, max_length: int) -> str:
    """A name from outside as one line of at most ``max_length`` characters that can be encoded."""
    shown = clean_line(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", name[: max_length + 1]))
    return shown if len(name) <= max_length else shown[: max_length - 1] + "…"
