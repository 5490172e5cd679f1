"""The five stops that one orb is drawn with.

Owns the type. Must not know which state or adapter a ramp belongs to.
"""

from typing import NamedTuple


class Ramp(NamedTuple):
    """Lowercase ``#rrggbb`` stops, from the darkest to the lightest."""

    deep: str
    base: str
    hi: str
    hot: str
    heart: str
