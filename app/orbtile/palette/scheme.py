"""The colours of one adapter: the ramp and the text colours of every state, made from its palette.

Owns the way from a palette to colours and warnings, and the colours that are the same for everybody. Must not
know the wire, who allowed what, or where a colour is drawn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from orbtile.palette import notes
from orbtile.palette.generator import Ramps, Tones, inherited, make_ramps
from orbtile.palette.hues import (
    derived_attention_hue,
    is_calm,
    resolve_attention_hue,
    resolve_base_hue,
)
from orbtile.palette.ramps import GeneratedRamp, Ramp
from orbtile.palette.states import SETTABLE_STATES, WAITING_STATES, State
from orbtile.palette.templates import TERRACOTTA_HUE_DEG
from orbtile.palette.text import EMPTY_TEXT, ERROR_TEXT, TextColours, text_colours


class StateColours(NamedTuple):
    """The ramp of one state and the text colours that go with it, all ``#rrggbb``.

    ``text_dark`` and ``text_light`` are at least 4.5:1 on every surface of their theme (the hovered row is
    the worst), ``text_key`` on the key face ``#0b0908`` and on the ramp's ``deep``, ``chip_text`` on
    ``chip_background``.
    """

    ramp: Ramp
    text_dark: str
    text_light: str
    text_key: str
    chip_background: str
    chip_text: str


class PaletteSource(NamedTuple):
    """What an adapter's palette is generated from, hashable. Hues in OKLCH degrees 0..<360, ``chroma``
    0.5..1.3, ``lightness`` -0.05..0.05, ``states`` the explicit colours in wire order.
    """

    base_hue_deg: float
    chroma: float = 1.0
    lightness: float = 0.0
    attention_hue_deg: float | None = None
    states: tuple[tuple[State, str], ...] = ()

    def with_user_hue(self, hue_deg: float) -> "PaletteSource":
        """The single-hue palette of the user's hue ring: states and attention hue are dropped."""
        return PaletteSource(hue_deg, self.chroma, self.lightness)


@dataclass(frozen=True, slots=True, eq=False)
class Scheme:
    """The colours of every state, the renderer's EMPTY included. Equal sources give the same object."""

    colours: Mapping[State, StateColours]
    resolved_base_hue_deg: float
    warnings: tuple[str, ...]
    """The developer warnings of the generator, in the order of the reply."""
    explicit: frozenset[State] = frozenset()
    """The states that the adapter coloured itself, or that inherit from one."""

    def __getitem__(self, state: State) -> StateColours:
        return self.colours[state]


ERROR_RAMP: Final = Ramp("#1e0605", "#4e100d", "#9e2a22", "#c8352b", "#f07a60")
"""Fixed for every adapter (spec section 3 "State colours")."""

EMPTY_RAMP: Final = Ramp("#0b0908", "#0b0908", "#0b0908", "#0b0908", "#0b0908")
"""The empty key's face: one published colour, without light."""


def make_scheme(source: PaletteSource, *, anchor_attention: bool = False) -> Scheme:
    """The colours of an adapter, with what its author should know about them.

    ``anchor_attention``: both waiting states are the shared terracotta, whatever the adapter says.
    """
    return _make_scheme(source, is_anchored=anchor_attention)  # one form of call, so one key of the cache


def built_in_scheme(tones: Tones) -> Scheme:
    """The colours of something of Orbtile's own, which may use the hues that are reserved for it."""
    ramps = make_ramps(tones, {}).by_state
    return _scheme(ramps, _texts(ramps), tones.work_hue_deg, ())


@lru_cache(maxsize=128)
def _make_scheme(source: PaletteSource, *, is_anchored: bool) -> Scheme:
    """Uncached: 0.4 to 0.8 times what 1 000 conversions from OKLCH to sRGB cost."""
    explicit = {
        state: colour for state, colour in source.states if not (is_anchored and state in WAITING_STATES)
    }
    # 270 and 270.0 are equal keys of the cache: whoever comes first must not decide the type for all.
    base_deg = float(resolve_base_hue(source.base_hue_deg))
    tones = _tones(source, base_deg, is_anchored=is_anchored)
    coloured = inherited(explicit)
    ramps = make_ramps(tones, coloured)
    texts = _texts(ramps.by_state)
    # What becomes of the shared terracotta is nothing that the adapter's author could change.
    authored = {s: r for s, r in ramps.generated.items() if not (is_anchored and s in WAITING_STATES)}
    warnings = (
        *_hue_notes(source, base_deg),
        *_alarm_notes(authored, tones, is_derived=source.attention_hue_deg is None),
        *notes.salience(ramps.guarded),
        *(note for state, made in authored.items() for note in notes.gamut(state, made)),
        *_text_notes(ramps, texts),
        *(note for state, colour in explicit.items() for note in notes.error_hue(state, colour)),
    )
    return _scheme(ramps.by_state, texts, base_deg, warnings, frozenset(coloured))


def _tones(source: PaletteSource, base_deg: float, *, is_anchored: bool) -> Tones:
    if is_anchored:
        waiting_deg, waiting_chroma = TERRACOTTA_HUE_DEG, 1.0
    elif source.attention_hue_deg is None:
        waiting_deg, waiting_chroma = derived_attention_hue(base_deg), source.chroma
    else:
        waiting_deg, waiting_chroma = resolve_attention_hue(source.attention_hue_deg), source.chroma
    return Tones(base_deg, source.chroma, waiting_deg, waiting_chroma, source.lightness)


def _hue_notes(source: PaletteSource, base_deg: float) -> Iterator[str]:
    if base_deg != source.base_hue_deg:
        yield notes.base_hue_moved(source.base_hue_deg, base_deg)
    sent = source.attention_hue_deg
    if sent is not None and sent != (attention_deg := resolve_attention_hue(sent)):
        yield notes.attention_hue_moved(sent, attention_deg)


def _alarm_notes(authored: Mapping[State, GeneratedRamp], tones: Tones, *, is_derived: bool) -> Iterator[str]:
    alarm = authored.get(State.WAITING_PERMISSION)
    if alarm is not None:
        if is_derived and is_calm(tones.waiting_hue_deg):
            yield notes.calm_attention(tones.waiting_hue_deg)
        yield from notes.proximity(alarm.ramp.hi)


def _text_notes(ramps: Ramps, texts: Mapping[State, TextColours]) -> Iterator[str]:
    for state, text in texts.items():
        # A generated offline is dimmer than text may be for every adapter: nothing to tell its author.
        if not (state is State.OFFLINE and state in ramps.generated):
            yield from notes.wcag(state, ramps.by_state[state], text)


def _texts(ramps: Mapping[State, Ramp]) -> dict[State, TextColours]:
    return {state: text_colours(state, ramps[state]) for state in SETTABLE_STATES}


def _scheme(
    ramps: Mapping[State, Ramp],
    texts: Mapping[State, TextColours],
    base_deg: float,
    warnings: tuple[str, ...],
    explicit: frozenset[State] = frozenset(),
) -> Scheme:
    colours = {state: StateColours(ramps[state], *texts[state]) for state in SETTABLE_STATES}
    return Scheme(MappingProxyType(colours | _FIXED), base_deg, warnings, explicit)


_FIXED: Final = {
    State.ERROR: StateColours(ERROR_RAMP, *ERROR_TEXT),
    State.EMPTY: StateColours(EMPTY_RAMP, *EMPTY_TEXT),
}

HOUSE: Final = built_in_scheme(Tones(79.0, 1.30, TERRACOTTA_HUE_DEG, 1.15))
"""Orbtile's own colours, for what belongs to no adapter (empty states): the warm family of the pictures."""
