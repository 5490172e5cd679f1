"""An events poll: type and parser (spec section 6 "Poll, apply, acknowledge").

Owns the fields' ranges. Whether the cursor fits what was delivered is the host's question (409
``invalid_cursor``).
"""

from typing import Final, NamedTuple

from orbtile.protocol import limits
from orbtile.protocol.fields import Fields, JsonValue, Warnings, integer


class EventsPoll(NamedTuple):
    """``after``: last applied sequence; ``ack``: acknowledged up to here; ``wait_s``: 0..2 whole seconds."""

    after: int = 0
    ack: int = 0
    wait_s: int = 0


_CURSOR: Final = integer(0, limits.MAX_CURSOR)
_WAIT: Final = integer(0, limits.MAX_WAIT_S)


def parse_events_poll(value: JsonValue) -> EventsPoll:
    """A valid ``EventsPoll``; unknown fields are ignored, since its reply has no place for warnings.

    Raises 422 with the field's name (``body`` for what is not an object).
    """
    fields = Fields(value, "", Warnings())
    return EventsPoll(
        after=fields.optional("after", _CURSOR, 0),
        ack=fields.optional("ack", _CURSOR, 0),
        wait_s=fields.optional("waitSeconds", _WAIT, 0),
    )
