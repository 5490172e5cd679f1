"""Text and chip colours of a ramp, which read on what they are drawn on whatever the ramp is.

Owns the grounds that count and the way a colour is lifted or darkened until it reads: its OKLab lightness
moves in steps, its chroma shrinks where sRGB has less, its hue stays. Stops of the ramp are never changed.
Must not know adapters or how a ramp came to be.
"""

import math
from typing import Final, NamedTuple

from orbtile.palette.contrast import AA_TEXT, FLARE, luminance
from orbtile.palette.oklch import Oklch, fit, oklch
from orbtile.palette.ramps import Ramp
from orbtile.palette.states import State
from orbtile.palette.templates import QUIET_STATES

DARK_GROUND: Final = "#232120"
"""The hovered row of the dark theme, the lightest of its surfaces (design tokens)."""

LIGHT_GROUND: Final = "#f1efec"
"""The hovered row of the light theme, the darkest of its surfaces (design tokens)."""

KEY_GROUND: Final = "#0b0908"
"""The face of a key, in both themes (spec section 3 "State colours": `empty`)."""

WHITE: Final = "#ffffff"

LIGHT_CONTRAST: Final = 4.6
"""What light text is darkened to (design tokens): a little more than it needs, for the shadow of a window."""

LIGHT_CHROMA: Final = 1.15
"""How much more chroma darkened text has than its stop (design tokens): dark colours look greyer."""

STEP: Final = 0.005
"""One step of OKLab lightness (design tokens)."""


class TextColours(NamedTuple):
    """What goes with a ramp, all ``#rrggbb``: see ``scheme.StateColours`` for the ground of each."""

    dark: str
    light: str
    key: str
    chip_background: str
    chip_text: str


ERROR_TEXT: Final = TextColours("#f07a60", "#a61814", "#f07a60", "#4e100d", "#f07a60")
"""Fixed like the error's ramp (design tokens); the chip is the ramp's heart on its base."""

EMPTY_TEXT: Final = TextColours("#938d87", "#6d6761", "#938d87", KEY_GROUND, "#938d87")
"""The quietest neutral of each theme (design tokens)."""


def carrier(state: State, ramp: Ramp) -> str:
    """The stop that text takes its colour from: `hi`, or `hot` where `hi` is meant to be dim."""
    return ramp.hot if state in QUIET_STATES else ramp.hi


def text_colours(state: State, ramp: Ramp) -> TextColours:
    """The text and chip colours of a ramp."""
    source = carrier(state, ramp)
    key_ground = max(KEY_GROUND, ramp.deep, key=luminance)
    return TextColours(
        lifted(source, DARK_GROUND), _darkened(source), lifted(source, key_ground), *_chip(ramp)
    )


def lifted(colour: str, ground: str) -> str:
    """The colour, lightened until it reads on a dark ground (on which white does)."""
    target = _readable_luminance(ground)
    return colour if luminance(colour) >= target else _moved(oklch(colour), +1, target)


def _readable_luminance(ground: str) -> float:
    """What a text lighter than its ground must have."""
    return (luminance(ground) + FLARE) * AA_TEXT - FLARE


def _darkened(colour: str) -> str:
    """The colour with more chroma, darkened until it reads on the light theme."""
    lightness, chroma, hue_deg = oklch(colour)
    target = (luminance(LIGHT_GROUND) + FLARE) / LIGHT_CONTRAST - FLARE
    return _moved(Oklch(lightness, chroma * LIGHT_CHROMA, hue_deg), -1, target)


def _chip(ramp: Ramp) -> tuple[str, str]:
    """Background and text: heart on base, the text lifted; where not even white would read, the background
    goes down instead.
    """
    if luminance(WHITE) >= _readable_luminance(ramp.base):
        return ramp.base, lifted(ramp.heart, ramp.base)
    target = (luminance(ramp.heart) + FLARE) / AA_TEXT - FLARE
    return _moved(oklch(ramp.base), -1, target), ramp.heart


def _moved(start: Oklch, direction: int, target: float) -> str:
    """The first colour, in steps of lightness up (+1) or down (-1) from ``start``, whose luminance is at or
    beyond ``target``, which black or white reaches.
    """
    lightness, chroma, hue_deg = start

    def step(number: int) -> str:
        level = lightness + direction * STEP * number
        return fit(min(max(level, 0.0), 1.0), chroma, hue_deg)[0]

    def is_there(colour: str) -> bool:
        return (luminance(colour) - target) * direction >= 0

    colour = step(0)
    if is_there(colour):
        return colour
    # The cube root of luminance is nearly OKLab lightness: the guess is a step or two off, then single steps.
    missing = abs(math.cbrt(target) - math.cbrt(luminance(colour)))
    number = max(round(missing / STEP), 1)
    colour = step(number)
    if is_there(colour):
        while number > 1 and is_there(before := step(number - 1)):
            number, colour = number - 1, before
        return colour
    while not is_there(colour):
        number += 1
        colour = step(number)
    return colour
