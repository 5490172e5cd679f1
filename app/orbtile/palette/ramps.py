"""The five stops that one orb is drawn with, from a colour or from a hue.

Owns the type and the two ways to make one (spec section 3 "State colours"): the hex-anchored ramp of an
explicit colour and the ramp generated from a hue. Must not know adapters, inheritance or text.
"""

import math
from typing import Final, NamedTuple

from orbtile.palette.oklch import fit, oklch
from orbtile.palette.states import State
from orbtile.palette.templates import LIGHTNESS_CAP, MAX_CHROMA_RATIO, MAX_NUDGE, QUIET_STATES, TEMPLATES


class Ramp(NamedTuple):
    """Lowercase ``#rrggbb`` stops, from the darkest to the lightest."""

    deep: str
    base: str
    hi: str
    hot: str
    heart: str


HI: Final = Ramp._fields.index("hi")
"""Where the stop that carries the colour stands among the five."""


class GeneratedRamp(NamedTuple):
    """A ramp made from a hue, with the chroma that each stop should have and the one that sRGB has."""

    ramp: Ramp
    wanted_chroma: tuple[float, ...]
    fitted_chroma: tuple[float, ...]

    @property
    def hi_chroma(self) -> float:
        """The chroma that the `hi` has."""
        return self.fitted_chroma[HI]


def generated_ramp(state: State, hue_deg: float, chroma: float, lightness: float) -> GeneratedRamp:
    """The ramp of a state at a hue: ``chroma`` times the template's, the lit stops ``lightness`` higher."""
    template = TEMPLATES[state]
    hue_at_black = hue_deg + template.drift_deg * (template.lightness[HI] + lightness)
    colours, wanted, fitted = [], [], []
    for level, template_chroma in zip(_lit(template.lightness, lightness), template.chroma, strict=True):
        stop_chroma = template_chroma * chroma
        colour, reached = fit(level, stop_chroma, hue_at_black - template.drift_deg * level)
        colours.append(colour)
        wanted.append(stop_chroma)
        fitted.append(reached)
    return GeneratedRamp(Ramp(*colours), tuple(wanted), tuple(fitted))


def hex_anchored_ramp(state: State, colour: str) -> Ramp:
    """The ramp of a state around an explicit ``#rrggbb`` colour: its hue, its chroma up to 2.5 times the
    template's, and its lightness as far as 0.08 from the template's.
    """
    template = TEMPLATES[state]
    is_quiet = state in QUIET_STATES
    anchor = oklch(colour)
    nudge = min(max(anchor.lightness - template.lightness[HI], -MAX_NUDGE), MAX_NUDGE)
    ratio = min(MAX_CHROMA_RATIO, anchor.chroma / template.chroma[HI])
    levels = _lit(template.lightness, nudge)
    # The hue turns away from the colour as given, which a quiet state's `hi` is whatever its lightness.
    hue_at_black = anchor.hue_deg + template.drift_deg * (anchor.lightness if is_quiet else levels[HI])
    ceiling = anchor.chroma if is_quiet else math.inf
    stops = [
        fit(level, min(chroma * ratio, ceiling), hue_at_black - template.drift_deg * level)[0]
        for level, chroma in zip(levels, template.chroma, strict=True)
    ]
    if is_quiet:
        stops[HI] = colour
    return Ramp(*stops)


def _lit(lightness: tuple[float, ...], nudge: float) -> list[float]:
    """The lightness of every stop: the lit ones nudged and capped, the deep one as it is."""
    return [lightness[0], *(min(level + nudge, LIGHTNESS_CAP) for level in lightness[1:])]
