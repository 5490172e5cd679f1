"""From sRGB to OKLCH, with the matrices that Björn Ottosson published with OKLab.

Owns the conversion. Must not know states, adapters or what a hue is used for.
"""

import math
from typing import NamedTuple

from orbtile.palette.hexcolour import rgb


class Oklch(NamedTuple):
    """``lightness`` 0..1 (OKLab L), ``chroma`` from 0 up (0.32 at most in sRGB), ``hue_deg`` 0..<360."""

    lightness: float
    chroma: float
    hue_deg: float


def oklch(colour: str) -> Oklch:
    """The coordinates of a ``#rrggbb`` colour. A grey has a chroma near 0 and a hue without meaning."""
    red, green, blue = (_linear(channel / 255) for channel in rgb(colour))
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return Oklch(lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360)


def _linear(channel: float) -> float:
    """One sRGB channel, 0..1, without its transfer curve."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
