"""Display text as it may be shown: without control characters and without marks that reorder it.

Owns (spec section 3 "Strict values") which characters go, which become spaces and what counts as blank. Must
not know fields or their lengths.

Lines: every control character (C0, DEL, C1) becomes a space, and so do U+2028 and U+2029, which break a line
on screen just as a newline does. Message text keeps newline and tab, and there the two separators become the
newline that they mean. In both, bidi embeddings, overrides, isolates and marks are dropped. Joiners stay:
emoji are made with them.
"""

import re
import unicodedata
from typing import Final


class LoneSurrogateError(ValueError):
    """Half of a UTF-16 pair: not a character, and nothing can encode it."""


_BIDI: Final = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SEPARATORS: Final = r"\u2028\u2029"
_SURROGATES: Final = r"\ud800-\udfff"
# Not compiled yet: most runs never meet such text, and ``re`` keeps what it once compiled.
_ODD_IN_LINE: Final = rf"[\x00-\x1f\x7f-\x9f{_SEPARATORS}{_BIDI}{_SURROGATES}]"
_ODD_IN_BLOCK: Final = rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_SEPARATORS}{_BIDI}{_SURROGATES}]"
_SURROGATE: Final = re.compile(rf"[{_SURROGATES}]")

# Default_Ignorable_Code_Point of DerivedCoreProperties.txt in the Unicode Character Database (version 16.0),
# which ``unicodedata`` does not have. Much of it is reserved: what may come there has no ink either.
_DEFAULT_IGNORABLE: Final = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Symbols and letters that are drawn as nothing: blank Braille, the null notehead, the full and the half blank
# of hieroglyphs; and the place of an embedded object, which a text layout without the object leaves empty.
_EMPTY_DRAWINGS: Final = r"\u2800\ufffc\U0001d159\U00013441\U00013442"
_INKLESS: Final = rf"[{_DEFAULT_IGNORABLE}{_EMPTY_DRAWINGS}]"

_INKLESS_CATEGORIES: Final = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Mc", "Me"))
"""White space, controls, format characters (interlinear annotation, tags, joiners) and combining marks: these
decorate a character with ink, and without one are nothing that a reader could name. Unassigned characters and
those of private use count as ink: a newer Unicode or a font has letters there."""

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
    if text.isprintable() or re.search(_ODD_IN_LINE, text) is None:
        return text
    refuse_surrogates(text)
    return text.translate(_LINE_TABLE)


def clean_block(text: str) -> str:
    """Text of many lines: newline and tab stay. Raises ``LoneSurrogateError``. Idempotent."""
    if text.replace("\n", " ").replace("\t", " ").isprintable() or re.search(_ODD_IN_BLOCK, text) is None:
        return text
    refuse_surrogates(text)
    return text.translate(_BLOCK_TABLE)


def refuse_surrogates(text: str) -> None:
    """Raises ``LoneSurrogateError`` where ``text`` holds half of a surrogate pair."""
    if _SURROGATE.search(text) is not None:
        raise LoneSurrogateError("lone surrogate")


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: no characters, or only such as have no ink of their own."""
    return all(map(_is_inkless, text))


def _is_inkless(char: str) -> bool:
    return unicodedata.category(char) in _INKLESS_CATEGORIES or re.match(_INKLESS, char) is not None


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
