"""The orb's states: the names that the wire, the host and every surface share.

Owns the raw names (spec: adapter-protocol "Session update", "State colours"). Must not know colours or
drawing.
"""

from enum import StrEnum
from typing import Final


class State(StrEnum):
    """A state of the orb; the value is its raw name on the wire."""

    STARTING = "starting"
    IDLE = "idle"
    THINKING = "thinking"
    TOOL = "tool"
    STREAMING = "streaming"
    WAITING_PERMISSION = "waitingPermission"
    WAITING_QUESTION = "waitingQuestion"
    DONE = "done"
    ERROR = "error"
    COMPACTING = "compacting"
    OFFLINE = "offline"
    EMPTY = "empty"
    """Renderer-internal: never accepted from an adapter."""


ACTIVITIES: Final = tuple(state for state in State if state is not State.EMPTY)
"""What a session update may carry as ``activity``, in the order of ``info.activities``."""

SETTABLE_STATES: Final = tuple(state for state in ACTIVITIES if state is not State.ERROR)
"""What ``palette.states`` may colour: every activity but ``error``, whose colour is fixed."""

WAITING_STATES: Final = frozenset({State.WAITING_PERMISSION, State.WAITING_QUESTION})
WORKING_STATES: Final = frozenset(
    {State.STARTING, State.THINKING, State.TOOL, State.STREAMING, State.COMPACTING}
)
