"""Rules about hues: the reserved arcs that hues are moved out of, and the notes that say so.

Owns the arcs' edges (spec section 3 "Registration") and the wording of their warnings. Must not know ramps or
the wire. All hues are OKLCH degrees.
"""

from collections.abc import Mapping
from typing import Final

from orbtile.palette.oklch import oklch
from orbtile.palette.states import State

ERROR_HUE_DEG: Final = 30.9
"""The hue of the fixed error colour."""

ERROR_HUE_MARGIN_DEG: Final = 15.0
"""An explicit state this close to the error hue, or closer, is warned about."""

BASE_ARC_DEG: Final = (345.9, 75.9)
"""The arc, through 0, that a base hue is moved out of: 45 degrees to each side of the error hue."""

ATTENTION_ARC_DEG: Final = (18.9, 55.0)
"""The arc that an attention hue is moved out of: 12 degrees beyond the error hue and the terracotta."""

GREY_CHROMA: Final = 0.02
"""Below this chroma a colour reads as grey, so its hue cannot be mistaken for another."""


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


def registration_warnings(
    base_hue_deg: float, attention_hue_deg: float | None, states: Mapping[State, str]
) -> list[str]:
    """What a reply says about hues: the two moves, then the states that look like an error."""
    warnings: list[str] = []
    resolved = resolve_base_hue(base_hue_deg)
    if resolved != base_hue_deg:
        warnings.append(
            f"palette.baseHue {base_hue_deg:g} is inside the reserved arc "
            f"{BASE_ARC_DEG[0]}..{BASE_ARC_DEG[1]}; using {resolved:g}"
        )
    if attention_hue_deg is not None:
        resolved = resolve_attention_hue(attention_hue_deg)
        if resolved != attention_hue_deg:
            warnings.append(
                f"palette.attentionHue {attention_hue_deg:g} is inside the reserved arc "
                f"{ATTENTION_ARC_DEG[0]}..{ATTENTION_ARC_DEG[1]:g}; using {resolved:g}"
            )
    warnings += [
        _error_hue_warning(state, colour) for state, colour in states.items() if _looks_like_error(colour)
    ]
    return warnings


def _looks_like_error(colour: str) -> bool:
    _, chroma, hue_deg = oklch(colour)
    distance = abs((hue_deg - ERROR_HUE_DEG + 180) % 360 - 180)
    return chroma >= GREY_CHROMA and distance <= ERROR_HUE_MARGIN_DEG


def _error_hue_warning(state: State, colour: str) -> str:
    """The published wording (spec section 3 "Developer warnings"); the hue is given with one decimal."""
    return (
        f"state '{state}' hue {oklch(colour).hue_deg:.1f} is within 15° of the error hue (30.9°), "
        "so it can be hard to tell apart from Error"
    )
