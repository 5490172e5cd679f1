"""Between sRGB and OKLCH, with the matrices that Björn Ottosson published with OKLab.

Owns the conversions, the test whether sRGB has a colour, the reduction of chroma into sRGB, and the distance
of two colours. Must not know states, adapters or what a hue is used for.

Plain floats go in and out: one palette asks for a hundred colours, and objects would cost more than the
arithmetic.
"""

import math
from typing import Final, NamedTuple

from orbtile.palette.hexcolour import rgb

GAMUT_TOLERANCE: Final = 1e-6
"""How far a linear channel may lie outside 0..1 and still count as sRGB: the two published matrices are each
other's inverse only to about 1e-7. The published ramps come out with anything from 0 to 1e-4."""

_CHROMA_ACCURACY: Final = 1e-6
"""How near a reduced chroma is to the boundary: that moves a channel by some hundredths of an 8-bit level."""

_LIMIT: Final = 1 + GAMUT_TOLERANCE


class Oklch(NamedTuple):
    """``lightness`` 0..1 (OKLab L), ``chroma`` from 0 up (0.32 at most in sRGB), ``hue_deg`` 0..<360."""

    lightness: float
    chroma: float
    hue_deg: float


def _linear(channel: float) -> float:
    """One sRGB channel, 0..1, without its transfer curve (IEC 61966-2-1)."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


LINEAR: Final = tuple(_linear(level / 255) for level in range(256))
"""The linear value of each 8-bit channel."""


def oklab(colour: str) -> tuple[float, float, float]:
    """OKLab L, a and b of a ``#rrggbb`` colour. Raises ValueError for anything else."""
    red, green, blue = rgb(colour)
    red_, green_, blue_ = LINEAR[red], LINEAR[green], LINEAR[blue]
    long = math.cbrt(0.4122214708 * red_ + 0.5363325363 * green_ + 0.0514459929 * blue_)
    medium = math.cbrt(0.2119034982 * red_ + 0.6806995451 * green_ + 0.1073969566 * blue_)
    short = math.cbrt(0.0883024619 * red_ + 0.2817188376 * green_ + 0.6299787005 * blue_)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def oklch(colour: str) -> Oklch:
    """The coordinates of a ``#rrggbb`` colour. A grey has a chroma near 0 and a hue without meaning."""
    lightness, a, b = oklab(colour)
    return Oklch(lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360)


def delta_e_ok(one: str, other: str) -> float:
    """The distance of two ``#rrggbb`` colours in OKLab, 0..1; 0.02 is about what can just be noticed."""
    return math.dist(oklab(one), oklab(other))


def hex_of(lightness: float, chroma: float, hue_deg: float) -> str:
    """The ``#rrggbb`` of coordinates, each channel clipped to 0..255: exact only for what sRGB has."""
    return hex_of_linear(*_linear_srgb(lightness, chroma, hue_deg))


def is_in_srgb(lightness: float, chroma: float, hue_deg: float) -> bool:
    """Whether sRGB has the colour."""
    return _is_inside(*_linear_srgb(lightness, chroma, hue_deg))


def fit(lightness: float, chroma: float, hue_deg: float) -> tuple[str, float]:
    """The colour of the largest chroma up to ``chroma`` that sRGB has at this lightness (0..1) and hue, and
    that chroma.
    """
    red, green, blue = _linear_srgb(lightness, chroma, hue_deg)
    if _is_inside(red, green, blue):
        return hex_of_linear(red, green, blue), chroma
    chroma = _boundary_chroma(lightness, chroma, hue_deg)
    return hex_of(lightness, chroma, hue_deg), chroma


def _linear_srgb(lightness: float, chroma: float, hue_deg: float) -> tuple[float, float, float]:
    hue = math.radians(hue_deg)
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _is_inside(red: float, green: float, blue: float) -> bool:
    return (
        -GAMUT_TOLERANCE <= red <= _LIMIT
        and -GAMUT_TOLERANCE <= green <= _LIMIT
        and -GAMUT_TOLERANCE <= blue <= _LIMIT
    )


def _boundary_chroma(lightness: float, chroma: float, hue_deg: float) -> float:
    """Where the line from the grey of this lightness to a colour outside leaves sRGB, by bisection."""
    inside, outside = 0.0, chroma
    while outside - inside > _CHROMA_ACCURACY:
        middle = (inside + outside) / 2
        if _is_inside(*_linear_srgb(lightness, middle, hue_deg)):
            inside = middle
        else:
            outside = middle
    return inside


def hex_of_linear(red: float, green: float, blue: float) -> str:
    """The ``#rrggbb`` of linear channels, each clipped to 0..1."""
    return f"#{_level(red) << 16 | _level(green) << 8 | _level(blue):06x}"


def _level(linear: float) -> int:
    """The 8-bit level of a linear channel: floor(255 x + 0.5) of the encoded one."""
    if linear <= 0.0031308:
        return int(255 * 12.92 * linear + 0.5) if linear > 0 else 0
    return int(255 * (1.055 * linear ** (1 / 2.4) - 0.055) + 0.5) if linear < 1 else 255
