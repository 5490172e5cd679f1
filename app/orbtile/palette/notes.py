"""What the generator tells the author of an adapter: which colours are not what was asked for, and why.

Owns the wording. The sentence about the error hue is the protocol's (spec section 3 "Developer warnings");
the others say in the same spirit which state, which number, and what became of it. Must not know how a colour
is made.
"""

from collections.abc import Iterator
from typing import Final

from orbtile.palette.contrast import contrast
from orbtile.palette.generator import Guarded
from orbtile.palette.hues import (
    ATTENTION_ARC_DEG,
    BASE_ARC_DEG,
    CALM_ARC_DEG,
    ERROR_HUE_DEG,
    ERROR_HUE_MARGIN_DEG,
    error_like_hue,
)
from orbtile.palette.oklch import delta_e_ok
from orbtile.palette.ramps import GeneratedRamp, Ramp, generated_ramp
from orbtile.palette.states import State
from orbtile.palette.templates import BUILT_IN_ALARM_HUES_DEG, MAX_SALIENCE, MIN_GAMUT_LOSS, MIN_PROXIMITY
from orbtile.palette.text import DARK_GROUND, TextColours, carrier

_BUILT_IN_ALARMS: Final = {
    name: generated_ramp(State.WAITING_PERMISSION, hue_deg, 1.0, 0.0).ramp.hi
    for name, hue_deg in BUILT_IN_ALARM_HUES_DEG.items()
}


def base_hue_moved(hue_deg: float, resolved_deg: float) -> str:
    """A base hue that was sent inside its reserved arc."""
    low, high = BASE_ARC_DEG
    return f"palette.baseHue {hue_deg:g} is inside the reserved arc {low}..{high}; using {resolved_deg:g}"


def attention_hue_moved(hue_deg: float, resolved_deg: float) -> str:
    """An attention hue that was sent inside its reserved arc."""
    low, high = ATTENTION_ARC_DEG
    return (
        f"palette.attentionHue {hue_deg:g} is inside the reserved arc {low}..{high:g}; using {resolved_deg:g}"
    )


def calm_attention(hue_deg: float) -> str:
    """A derived waiting hue that looks like work."""
    low, high = CALM_ARC_DEG
    return (
        f"attention: waitingPermission hue {hue_deg:.1f}, derived from baseHue, is in the calm arc "
        f"{low:g}..{high:g}; set attentionHue"
    )


def proximity(hi: str) -> Iterator[str]:
    """A waiting colour, given by its `hi`, that is near the alarm of a built-in agent."""
    distance, name = min((delta_e_ok(hi, alarm) * 100, name) for name, alarm in _BUILT_IN_ALARMS.items())
    if distance < MIN_PROXIMITY:
        yield (
            f"proximity: waitingPermission is {distance:.1f} deltaE_OK x100 from {name} "
            f"(under {MIN_PROXIMITY:g})"
        )


def salience(guarded: Guarded | None) -> Iterator[str]:
    """Work that was made less colourful than the alarm."""
    if guarded is not None:
        yield (
            f"salience guard: {', '.join(guarded.states)} chroma {guarded.before:.4f} -> "
            f"{guarded.after:.4f}, at most {MAX_SALIENCE:.2f} of waitingPermission's {guarded.alarm:.4f}"
        )


def gamut(state: State, made: GeneratedRamp) -> Iterator[str]:
    """The stops that sRGB does not have as colourful as they should be."""
    lost = [
        f"{stop} chroma {wanted:.3f} -> {fitted:.3f}"
        for stop, wanted, fitted in zip(Ramp._fields, made.wanted_chroma, made.fitted_chroma, strict=True)
        if wanted - fitted > MIN_GAMUT_LOSS
    ]
    if lost:
        yield f"gamut: {state} {', '.join(lost)}"


def wcag(state: State, ramp: Ramp, text: TextColours) -> Iterator[str]:
    """Text and chip colours that are not the ramp's own."""
    source = carrier(state, ramp)
    if text.dark != source:
        yield (
            f"wcag: {state} text is {contrast(source, DARK_GROUND):.2f}:1 on {DARK_GROUND}, "
            f"lifted to {contrast(text.dark, DARK_GROUND):.2f}:1"
        )
    if (text.chip_background, text.chip_text) != (ramp.base, ramp.heart):
        what = "text lifted" if text.chip_background == ramp.base else "background lowered"
        yield (
            f"wcag: {state} chip is {contrast(ramp.heart, ramp.base):.2f}:1, "
            f"{what} to {contrast(text.chip_text, text.chip_background):.2f}:1"
        )


def error_hue(state: State, colour: str) -> Iterator[str]:
    """The published sentence, for an explicit colour like the error's; its hue with one decimal."""
    hue_deg = error_like_hue(colour)
    if hue_deg is not None:
        yield (
            f"state '{state}' hue {hue_deg:.1f} is within {ERROR_HUE_MARGIN_DEG:g}° of the error hue "
            f"({ERROR_HUE_DEG}°), so it can be hard to tell apart from Error"
        )
