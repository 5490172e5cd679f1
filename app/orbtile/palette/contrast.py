"""How well one colour reads on another: the contrast ratio of WCAG 2.

Owns the ratio and the levels that Orbtile keeps. Must not know states or where a colour is drawn.
"""

from typing import Final

from orbtile.palette.hexcolour import rgb
from orbtile.palette.oklch import LINEAR

AA_TEXT: Final = 4.5
"""WCAG 2 success criterion 1.4.3: the least contrast of text."""

FLARE: Final = 0.05
"""What WCAG adds to both luminances for the light that a screen reflects."""


def luminance(colour: str) -> float:
    """The relative luminance of a ``#rrggbb`` colour, 0 (black) to 1 (white)."""
    red, green, blue = rgb(colour)
    return 0.2126 * LINEAR[red] + 0.7152 * LINEAR[green] + 0.0722 * LINEAR[blue]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two ``#rrggbb`` colours, 1 (none) to 21 (black on white), in either order."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + FLARE) / (darker + FLARE)
