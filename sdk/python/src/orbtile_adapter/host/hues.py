"""The two arcs that hues are moved out of, and the states that look like an error (section 3, registration).

Owns hues in OKLCH degrees. Draws nothing.
"""

from __future__ import annotations

import math

ERROR_HUE = 30.9
BASE_ARC = (345.9, 75.9)
ATTENTION_ARC = (18.9, 55.0)


def resolve_base(hue: float) -> float:
    """The nearer edge of the reserved arc, which runs through zero, or the hue itself."""
    start, end = BASE_ARC
    if start < hue < 360:
        return start
    if hue < end:
        return start if (hue - start) % 360 < (end - hue) % 360 else end
    return hue


def resolve_attention(hue: float) -> float:
    """The same for the attention hue and its arc."""
    start, end = ATTENTION_ARC
    if start < hue < end:
        return start if hue - start < end - hue else end
    return hue


def warnings(palette: dict[str, object]) -> list[str]:
    """What a registration's reply says about these hues."""
    lines = []
    for name, resolve in (("baseHue", resolve_base), ("attentionHue", resolve_attention)):
        hue = palette.get(name)
        if isinstance(hue, (int, float)) and resolve(hue) != hue:
            lines.append(f"palette.{name} {hue:g} lies in the reserved arc; using {resolve(hue):g}")
    states = palette.get("states")
    for state, colour in states.items() if isinstance(states, dict) else ():
        chroma, hue = _chroma_and_hue(colour)
        if chroma >= 0.02 and abs((hue - ERROR_HUE + 180) % 360 - 180) <= 15:
            lines.append(
                f"state '{state}' hue {hue:.1f} is within 15° of the error hue (30.9°), "
                "so it can be hard to tell apart from Error"
            )
    return lines


def _chroma_and_hue(colour: str) -> tuple[float, float]:
    """OKLCH by way of linear sRGB and LMS (Björn Ottosson's published matrices)."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    long, middle, short = (
        value ** (1 / 3)
        for value in (
            0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue,
            0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue,
            0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue,
        )
    )
    a = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
    return math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
