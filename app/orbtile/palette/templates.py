"""The constants of the ramp generator: five lightnesses and chromas a state, and the bounds of every rule.

Owns numbers, each with its source. Must not know how they are put together.

Sources. *Published*: the text or the schema of the protocol gives the number. *Fitted*: the number reproduces
the nine published ramps ("State colours"); for a `hi` the ramps fix only the differences to the other stops.
*Own*: nothing published says it; chosen so that the published bounds hold.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from orbtile.palette.states import State

Stops = tuple[float, float, float, float, float]
"""One number for each of deep, base, hi, hot and heart."""


class Template(NamedTuple):
    """OKLab lightnesses (0..1) and chromas of the stops of one state at chroma 1 and lightness 0.

    ``drift_deg``: how many degrees the hue turns for one unit of lightness below the `hi`.
    """

    lightness: Stops
    chroma: Stops
    drift_deg: float


DRIFT_DEG: Final = 8.0
"""Fitted (7.0..9.4) on thinking, tool, streaming, done and idle; own for starting, compacting and offline."""

WAITING_DRIFT_DEG: Final = 32.0
"""Fitted (31.0..32.8) on both waiting states."""

TEMPLATES: Final[Mapping[State, Template]] = MappingProxyType(
    {
        # Own: muted work.
        State.STARTING: Template(
            (0.2000, 0.3900, 0.6800, 0.8000, 0.9200), (0.0180, 0.0460, 0.0700, 0.0540, 0.0180), DRIFT_DEG
        ),
        # Fitted from here to done.
        State.IDLE: Template(
            (0.1820, 0.3300, 0.5600, 0.7664, 0.9087), (0.0040, 0.0110, 0.0200, 0.0210, 0.0160), DRIFT_DEG
        ),
        State.THINKING: Template(
            (0.2070, 0.4220, 0.7500, 0.8404, 0.9600), (0.0240, 0.0640, 0.1000, 0.0790, 0.0180), DRIFT_DEG
        ),
        State.TOOL: Template(
            (0.2070, 0.4270, 0.7600, 0.8522, 0.9650), (0.0240, 0.0640, 0.1000, 0.0780, 0.0180), DRIFT_DEG
        ),
        State.STREAMING: Template(
            (0.2266, 0.4820, 0.7800, 0.8782, 0.9750), (0.0245, 0.0640, 0.1000, 0.0740, 0.0150), DRIFT_DEG
        ),
        State.WAITING_PERMISSION: Template(
            (0.1910, 0.4000, 0.6800, 0.7664, 0.9364),
            (0.0450, 0.0980, 0.1500, 0.1260, 0.0480),
            WAITING_DRIFT_DEG,
        ),
        State.WAITING_QUESTION: Template(
            (0.1986, 0.4220, 0.7000, 0.7960, 0.9470),
            (0.0386, 0.0980, 0.1500, 0.1220, 0.0480),
            WAITING_DRIFT_DEG,
        ),
        State.DONE: Template(
            (0.2040, 0.3767, 0.7300, 0.8730, 0.9410), (0.0152, 0.0361, 0.0561, 0.0300, 0.0140), DRIFT_DEG
        ),
        # Own: muted work, and the dimmest of all.
        State.COMPACTING: Template(
            (0.2000, 0.4000, 0.7000, 0.8100, 0.9300), (0.0200, 0.0520, 0.0800, 0.0620, 0.0200), DRIFT_DEG
        ),
        State.OFFLINE: Template(
            (0.1650, 0.2700, 0.4400, 0.6000, 0.7400), (0.0030, 0.0070, 0.0120, 0.0120, 0.0100), DRIFT_DEG
        ),
    }
)
"""Every state whose colours are generated."""

MAX_NUDGE: Final = 0.08
"""Published: how far the lit stops of an explicit colour follow its lightness."""

MAX_CHROMA_RATIO: Final = 2.5
"""Published: how many times the template's chroma an explicit colour may have."""

LIGHTNESS_CAP: Final = 0.985
"""Fitted (0.9849..0.9856) on the hearts of the three work states, which are the same colour."""

QUIET_STATES: Final = frozenset({State.IDLE, State.OFFLINE})
"""Published: an explicit colour is their exact `hi`, and no stop has more chroma than it."""

GUARDED_STATES: Final = (State.THINKING, State.TOOL, State.STREAMING)
"""The states that the salience guard keeps quieter than an alarm. Published name, own formula."""

MAX_SALIENCE: Final = 0.90
"""Own: the chroma of a guarded `hi` is at most this part of the `hi` of waitingPermission."""

TERRACOTTA_HUE_DEG: Final = 43.0
"""Published ("about 43"): the shared alarm colour, which is Claude's."""

BUILT_IN_ALARM_HUES_DEG: Final = MappingProxyType(
    {"Claude terracotta": TERRACOTTA_HUE_DEG, "Codex violet": 306.0, "ZCode rose": 355.0}
)
"""Published: the waiting colours to keep away from."""

MIN_PROXIMITY: Final = 10.0
"""Published: a waiting `hi` nearer than this to a built-in one is noted (delta E OK x 100)."""

MIN_GAMUT_LOSS: Final = 0.01
"""Own: a stop that loses no more chroma than this to sRGB is not worth a note."""
