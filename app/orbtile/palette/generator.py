"""From hues and explicit colours to the ramps of all states that have no fixed ones.

Owns inheritance between states (spec section 3 "State colours") and the salience guard. Must not know where
the hues come from, text colours or the words of a warning.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from orbtile.palette.ramps import HI, GeneratedRamp, Ramp, generated_ramp, hex_anchored_ramp
from orbtile.palette.states import SETTABLE_STATES, WAITING_STATES, State
from orbtile.palette.templates import GUARDED_STATES, MAX_SALIENCE, TEMPLATES

HEIRS: Final[Mapping[State, State]] = {
    State.TOOL: State.THINKING,
    State.STREAMING: State.THINKING,
    State.WAITING_QUESTION: State.WAITING_PERMISSION,
}
"""Which state's explicit colour another one takes when it has none (published)."""


class Tones(NamedTuple):
    """What ramps are generated from: hues in OKLCH degrees, multipliers of the templates' chroma.

    ``lightness`` is added to the lit stops of the states that do not wait: the alarm is as light as it is.
    """

    work_hue_deg: float
    work_chroma: float
    waiting_hue_deg: float
    waiting_chroma: float
    lightness: float = 0.0


class Guarded(NamedTuple):
    """What the salience guard did: the chroma of ``states``' `hi` before and after, and the alarm's."""

    states: tuple[State, ...]
    before: float
    after: float
    alarm: float


class Ramps(NamedTuple):
    """The ramp of every settable state; ``generated`` holds those that came from ``Tones``."""

    by_state: Mapping[State, Ramp]
    generated: Mapping[State, GeneratedRamp]
    guarded: Guarded | None


def inherited(explicit: Mapping[State, str]) -> dict[State, str]:
    """The explicit colours with those of the heirs, an heir's own first."""
    heirs = {heir: explicit[parent] for heir, parent in HEIRS.items() if parent in explicit}
    return heirs | dict(explicit)


def make_ramps(tones: Tones, explicit: Mapping[State, str]) -> Ramps:
    """``explicit`` is used as it is, without inheritance."""
    generated: dict[State, GeneratedRamp] = {}
    by_state: dict[State, Ramp] = {}
    for state in SETTABLE_STATES:
        if state in explicit:
            by_state[state] = hex_anchored_ramp(state, explicit[state])
        else:
            generated[state] = _generated(state, tones, tones.work_chroma)
    guarded = _guard(tones, generated)
    by_state |= {state: made.ramp for state, made in generated.items()}
    return Ramps(by_state, generated, guarded)


def _generated(state: State, tones: Tones, work_chroma: float) -> GeneratedRamp:
    if state in WAITING_STATES:
        return generated_ramp(state, tones.waiting_hue_deg, tones.waiting_chroma, 0.0)
    return generated_ramp(state, tones.work_hue_deg, work_chroma, tones.lightness)


def _guard(tones: Tones, generated: dict[State, GeneratedRamp]) -> Guarded | None:
    """Make work less colourful where it would draw the eye more than the alarm does.

    Only between generated colours: an adapter that chooses its alarm or its work itself is not corrected.
    """
    states = tuple(state for state in GUARDED_STATES if state in generated)
    alarm = generated.get(State.WAITING_PERMISSION)
    if not states or alarm is None:
        return None
    limit = MAX_SALIENCE * alarm.hi_chroma
    before = max(generated[state].hi_chroma for state in states)
    if before <= limit:
        return None
    work_chroma = limit / max(TEMPLATES[state].chroma[HI] for state in states)
    for state in states:
        generated[state] = _generated(state, tones, work_chroma)
    after = max(generated[state].hi_chroma for state in states)
    return Guarded(states, before, after, alarm.hi_chroma)
