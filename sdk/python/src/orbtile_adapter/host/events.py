"""One registration's events: their sequence, the cursor's rules, and what a held poll waits for (section 6).

Owns the queue. Must not know prompts, nor how a poll waits.
"""

from __future__ import annotations

from typing import Any

from orbtile_adapter.host import limits
from orbtile_adapter.host.refusals import conflict


class EventQueue:
    """At most 128 unacknowledged events; more are refused, none is evicted."""

    def __init__(self) -> None:
        self.acknowledged = 0
        self.delivered = 0
        self._last = 0
        self._events: list[dict[str, Any]] = []

    def put(self, event: dict[str, Any]) -> bool:
        """Queue an event with the next sequence; False: the queue is full."""
        if len(self._events) >= limits.EVENTS:
            return False
        self._last += 1
        self._events.append({"sequence": self._last, **event})
        return True

    def check(self, after: int, ack: int) -> None:
        """409 ``invalid_cursor`` unless ``acknowledged <= ack <= after <= delivered``."""
        if ack < self.acknowledged:
            raise conflict("invalid_cursor", "ack: acknowledgements never go back", "ack")
        if ack > after:
            raise conflict("invalid_cursor", "ack: is beyond after", "ack")
        if after > self.delivered:
            raise conflict("invalid_cursor", "after: is beyond what was delivered", "after")

    def acknowledge(self, ack: int) -> None:
        """Forget what was acknowledged."""
        self.acknowledged = ack
        self._events = [event for event in self._events if event["sequence"] > ack]

    def behind(self, after: int) -> list[dict[str, Any]]:
        """What a poll would deliver."""
        return [event for event in self._events if event["sequence"] > after]

    def reply(self, after: int) -> dict[str, Any]:
        """The body of a poll's answer; what is in it counts as delivered."""
        events = self.behind(after)
        if events:
            self.delivered = max(self.delivered, events[-1]["sequence"])
        return {"events": events, "lastSequence": self._last, "acknowledged": self.acknowledged}

    def drop_decisions(self) -> None:
        """The user disabled the adapter: queued decisions go, and leave a gap."""
        self._events = [event for event in self._events if event["type"] == "tap"]

    def clear(self) -> None:
        """The registration changed: everything goes; the sequence stays."""
        self._events.clear()

    def skip(self) -> None:
        """Use up a sequence for nothing, as a removed event does."""
        self._last += 1
