"""What ``events()`` does between two events: poll, wait, and live through Orbtile's absence.

Owns the iterator's patience. Must not carry out or acknowledge anything: the cursor is the ledger's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from orbtile_adapter._errors import AdapterError, APIError, DiscoveryError, TransportError

if TYPE_CHECKING:
    from orbtile_adapter._core import Core
    from orbtile_adapter._messages import Event
    from orbtile_adapter._ports import Clock, Io

WAIT_S: Final = 2
"""The longest that Orbtile holds a poll (protocol section 6)."""
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 15.0
SHORTEST_ROUND_S: Final = 0.25
"""An empty answer that came faster than this was not held; polling on at once would be a busy loop."""


class EventStream:
    """One run over the events. Several at a time are refused by the first poll of the second."""

    def __init__(self, core: Core, io: Io, clock: Clock) -> None:
        self._core = core
        self._io = io
        self._clock = clock
        self._waiting: list[Event] = []
        self._highest = 0
        self._lease = 0
        self._failures = 0

    async def next(self) -> Event | None:
        """The next event that is still open, None once the client is closed.

        Raises LeaseLostError, and every refusal that waiting does not mend.
        """
        while not self._core.is_closed:
            while self._waiting:
                event = self._waiting.pop(0)
                if self._core.ledger.is_open(event):
                    return event
            started = self._clock.monotonic()
            try:
                reply = await self._core.poll_events(WAIT_S)
            except AdapterError as error:
                self._waiting = []
                if not self._passes(error):
                    raise
                await self._io.pause(self._next_pause_s(getattr(error, "retry_after", None)))
                continue
            events = [event for event in reply["events"] if self._core.ledger.is_open(event)]
            if not events:
                self._failures = 0
                await self._pause_until(started + SHORTEST_ROUND_S)
            elif self._is_any_new(events):
                self._failures = 0
            else:  # nobody carried them out or acknowledged them: offer them again, but not in a busy loop
                await self._io.pause(min(self._next_pause_s(None), float(WAIT_S)))
            self._waiting = events
        return None

    def _is_any_new(self, events: list[Event]) -> bool:
        if self._lease != self._core.ledger.lease:
            self._lease, self._highest = self._core.ledger.lease, 0
        highest = max(event["sequence"] for event in events)
        is_new = highest > self._highest
        self._highest = max(highest, self._highest)
        return is_new

    def _passes(self, error: AdapterError) -> bool:
        """Whether this may pass by itself: Orbtile is off, busy, or starting anew. Or there is nothing more
        to wait for.
        """
        if self._core.is_closed:
            return True
        if isinstance(error, APIError):
            is_ours = error.code == "adapter_token_required" and self._core.is_registration_in_doubt
            return error.is_overload or is_ours or error.code == "adapter_not_registered"
        return isinstance(error, TransportError) or (isinstance(error, DiscoveryError) and error.missing)

    def _next_pause_s(self, asked_s: float | None) -> float:
        if asked_s is not None:
            return max(asked_s, SHORTEST_ROUND_S)
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**self._failures)
        self._failures = min(self._failures + 1, 10)
        return pause_s * (0.8 + 0.4 * os.urandom(1)[0] / 255)  # many adapters must not all come back at once

    async def _pause_until(self, moment: float) -> None:
        if (rest_s := moment - self._clock.monotonic()) > 0:
            await self._io.pause(rest_s)
