"""The one or two letters that stand for an agent where it has no picture.

Owns the rule, so that rows, banners and lists cannot disagree. Must not know how they are drawn.
"""

from orbtile.protocol.limits import MAX_MONOGRAM_LENGTH
from orbtile.protocol.registration import Registration


def monogram(registration: Registration) -> str:
    """The glyph's monogram, else the initials of the short name (or the name)."""
    if registration.glyph is not None and registration.glyph.monogram:
        return registration.glyph.monogram
    return "".join(word[0] for word in registration.badge.split()[:MAX_MONOGRAM_LENGTH]).upper()
