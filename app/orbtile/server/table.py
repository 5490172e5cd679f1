"""The open connections of one listener: adapter slots in the order of acceptance, and everybody's deadlines.

Owns who may be served and who is dropped when there are too many. One timer serves all connections: it is
armed only while some connection is open, is never moved for a single request, and may be a few per cent late,
never early (a process with no connection does not wake up; under qasync a cancelled timer still wakes it, so
none is cancelled). Must not know bytes.
"""

import asyncio
from collections.abc import Callable
from itertools import takewhile
from typing import Final, Protocol

from orbtile.protocol.limits import MAX_CONNECTIONS

EXPENDABLE_LIMIT: Final = 128
"""Connections without a complete head, or with nothing left to say (ARCHITECTURE "built-in agents'
routes").
"""

# Qt's coarse timers may come 5 % early.
_LATE_FACTOR: Final = 1.06
_LATE_S: Final = 0.05


class Scheduler(Protocol):
    """What the table needs of an event loop."""

    def time(self) -> float: ...
    def call_later(self, delay: float, callback: Callable[[], object], /) -> asyncio.Handle: ...


class Tracked(Protocol):
    """What the table needs of a connection."""

    deadline: float
    """Loop time at which the stage it is in must be over."""
    holds_slot: bool
    """True from acceptance until its request is known not to be an adapter's, or its response is out."""
    is_expendable: bool
    """True while it has no complete head, and again when only the peer's close is awaited."""

    def expire(self) -> None:
        """The deadline has passed."""
        ...

    def abort(self) -> None:
        """Drop the connection now; it removes itself from the table."""
        ...


class ConnectionTable:
    """Ordered by acceptance."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._open: dict[Tracked, None] = {}
        self._timer: asyncio.Handle | None = None
        self._due = 0.0

    def __len__(self) -> int:
        return len(self._open)

    def now(self) -> float:
        """Loop time in seconds."""
        return self._scheduler.time()

    def add(self, connection: Tracked) -> None:
        self._open[connection] = None
        if len(self._open) > EXPENDABLE_LIMIT:
            self._drop_oldest_expendable()

    def remove(self, connection: Tracked) -> None:
        self._open.pop(connection, None)

    def has_slot(self, connection: Tracked) -> bool:
        """Whether fewer than eight slots are held by connections accepted earlier."""
        if len(self._open) <= MAX_CONNECTIONS:
            return True
        earlier = takewhile(lambda other: other is not connection, self._open)
        return sum(other.holds_slot for other in earlier) < MAX_CONNECTIONS

    def watch(self, deadline: float) -> None:
        """See to it that ``expire`` is called for whoever is still open then."""
        if self._timer is not None:
            if self._due <= deadline:
                return
            self._timer.cancel()
        self._due = deadline
        delay_s = max(deadline - self._scheduler.time(), 0.0)
        self._timer = self._scheduler.call_later(delay_s * _LATE_FACTOR + _LATE_S, self._sweep)

    def abort_all(self) -> None:
        """Drop every connection and the timer."""
        for connection in list(self._open):
            connection.abort()
        self._open.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _sweep(self) -> None:
        self._timer = None
        now = self._scheduler.time()
        for connection in [each for each in self._open if each.deadline <= now]:
            connection.expire()
        if self._open:
            self.watch(min(each.deadline for each in self._open))

    def _drop_oldest_expendable(self) -> None:
        expendable = [each for each in self._open if each.is_expendable]
        if len(expendable) > EXPENDABLE_LIMIT:
            expendable[0].abort()
