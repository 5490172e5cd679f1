"""Rules about hues: the arcs that hues are moved out of, the waiting hue that follows from a base hue, and
which hues are said to be calm or to look like an error.

Owns the arcs' edges (spec section 3 "Registration", the schema's `Palette`). Must not know ramps, the wire or
the words of a warning. All hues are OKLCH degrees.
"""

from typing import Final

from orbtile.palette.oklch import oklch

ERROR_HUE_DEG: Final = 30.9
"""The hue of the fixed error colour (published)."""

ERROR_HUE_MARGIN_DEG: Final = 15.0
"""An explicit state this close to the error hue, or closer, is warned about (published)."""

BASE_ARC_DEG: Final = (345.9, 75.9)
"""The arc, through 0, that a base hue is moved out of (published): 45 degrees to each side of the error
hue."""

ATTENTION_ARC_DEG: Final = (18.9, 55.0)
"""The arc that an attention hue is moved out of (published): 12 degrees beyond the error hue and the
terracotta."""

CALM_ARC_DEG: Final = (76.0, 280.0)
"""What lies outside the alarm arc 280 -> 0 -> 76 (published): a waiting orb there looks like work."""

DERIVED_TURN_DEG: Final = 210.9
"""The base hue opposite the error hue, above which the derived waiting hue lies the other way (published)."""

DERIVED_BACK_DEG: Final = 40.0
"""How far below the base hue the derived waiting hue lies, up to the turn. Own: with 40 and 45 it is calm for
base hues 116 to 235, where the schema says about 115 to 235."""

DERIVED_ON_DEG: Final = 45.0
"""How far above the base hue it lies beyond the turn. Own, as above."""

GREY_CHROMA: Final = 0.02
"""Below this chroma a colour reads as grey, so its hue cannot be mistaken for another (own)."""


def resolve_base_hue(hue_deg: float) -> float:
    """The base hue in use: inside the reserved arc it moves to the nearer edge, from its middle upwards."""
    low, high = BASE_ARC_DEG
    if hue_deg > low or hue_deg < ERROR_HUE_DEG:
        return low
    return max(hue_deg, high)


def resolve_attention_hue(hue_deg: float) -> float:
    """The attention hue in use: inside its arc it moves to the nearer edge, from its middle upwards."""
    low, high = ATTENTION_ARC_DEG
    if not low < hue_deg < high:
        return hue_deg
    return low if hue_deg - low < high - hue_deg else high


def derived_attention_hue(base_hue_deg: float) -> float:
    """The waiting hue of an adapter that sends none, from its resolved base hue; it leaves the same arc."""
    turn = -DERIVED_BACK_DEG if base_hue_deg <= DERIVED_TURN_DEG else DERIVED_ON_DEG
    return resolve_attention_hue((base_hue_deg + turn) % 360)


def is_calm(hue_deg: float) -> bool:
    """Whether a waiting hue lies outside the alarm arc."""
    low, high = CALM_ARC_DEG
    return low < hue_deg < high


def error_like_hue(colour: str) -> float | None:
    """The hue of a ``#rrggbb`` colour that is hard to tell from the error's; None for any other colour."""
    _, chroma, hue_deg = oklch(colour)
    distance = abs((hue_deg - ERROR_HUE_DEG + 180) % 360 - 180)
    return hue_deg if chroma >= GREY_CHROMA and distance <= ERROR_HUE_MARGIN_DEG else None
