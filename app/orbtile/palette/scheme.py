"""One family of state colours: the ramp and the text colours of every state.

Owns which colours belong to which state. Every adapter shares this table; nothing here depends on a
registration.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from orbtile.palette.ramps import Ramp
from orbtile.palette.states import State


class StateColours(NamedTuple):
    """``text_dark`` and ``text_light`` are ``#rrggbb`` text colours of the two themes: at least 4.5:1 on
    every surface.
    """

    ramp: Ramp
    text_dark: str
    text_light: str


ERROR_RAMP: Final = Ramp("#1e0605", "#4e100d", "#9e2a22", "#c8352b", "#f07a60")
"""Fixed for every adapter (spec section 3 "State colours")."""

EMPTY_RAMP: Final = Ramp("#0b0908", "#0b0908", "#0b0908", "#0b0908", "#0b0908")
"""The empty key's face: one published colour, without light."""

FIXED_SCHEME: Final[Mapping[State, StateColours]] = MappingProxyType(
    {
        State.STARTING: StateColours(
            Ramp("#1b1509", "#55421c", "#b79254", "#d7b98b", "#eee3d4"), "#b79254", "#8c640f"
        ),
        State.IDLE: StateColours(
            Ramp("#13120f", "#39352d", "#7d7364", "#bdb1a0", "#e9dfd2"), "#bdb1a0", "#756956"
        ),
        State.THINKING: StateColours(
            Ramp("#1e1606", "#644808", "#daa341", "#efc37c", "#fbf0e1"), "#daa341", "#8e6200"
        ),
        State.TOOL: StateColours(
            Ramp("#1e1606", "#664a0a", "#dda644", "#f3c781", "#fdf2e2"), "#dda644", "#8d6200"
        ),
        State.STREAMING: StateColours(
            Ramp("#231b0a", "#76591f", "#e4ad4b", "#fad08d", "#fef5e9"), "#e4ad4b", "#8e6300"
        ),
        State.WAITING_PERMISSION: StateColours(
            Ramp("#230e00", "#713400", "#ec6d32", "#ff916a", "#ffe3dc"), "#ec6d32", "#b84700"
        ),
        State.WAITING_QUESTION: StateColours(
            Ramp("#241001", "#7a3800", "#f3743a", "#ffa180", "#ffe8e1"), "#f3743a", "#b94700"
        ),
        State.DONE: StateColours(
            Ramp("#1b160c", "#4e3f23", "#c1a373", "#e4d3b9", "#f2eade"), "#c1a373", "#86662e"
        ),
        State.ERROR: StateColours(ERROR_RAMP, "#f07a60", "#a61814"),
        State.COMPACTING: StateColours(
            Ramp("#1c1508", "#5a4417", "#c1974e", "#debb85", "#f2e6d5"), "#c1974e", "#8d6300"
        ),
        State.OFFLINE: StateColours(
            Ramp("#0f0e0c", "#292622", "#575249", "#857f76", "#b0aaa2"), "#8e887f", "#716a60"
        ),
        State.EMPTY: StateColours(EMPTY_RAMP, "#938d87", "#6d6761"),
    }
)
"""The warm family. Text on the dark theme is the stop that carries the state (``hi``; ``hot`` where ``hi`` is
dim; ``heart`` for an error), lifted to 4.5:1 on the hovered row; on the light theme ``hi`` darkened to 4.6:1
there.
"""
