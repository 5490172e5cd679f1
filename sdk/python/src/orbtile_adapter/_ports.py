"""What the core needs from the world, once for threads and once for asyncio.

Owns signatures only. The methods are ``async`` in both worlds; the blocking one simply never suspends, so
that one core serves both (``_blocking.run`` drives it there).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

from orbtile_adapter._discovery import Discovery
from orbtile_adapter._http import Reply

T = TypeVar("T")


class Clock(Protocol):
    """Two readings of time, both in seconds."""

    def monotonic(self) -> float:
        """Never goes back; for how long something took."""
        ...

    def time(self) -> float:
        """Since the epoch; for what the other side calls ``expiresAt``."""
        ...


class Io(Protocol):
    """Everything that waits."""

    async def exchange(
        self, address: str | int, request: bytes, timeout_s: float, *, is_farewell: bool = False
    ) -> Reply:
        """Connect, send, read one reply, close. Raises TransportError, also once this end was stopped,
        unless ``is_farewell``.
        """
        ...

    async def read_discovery(self) -> Discovery:
        """Read the file anew. Raises DiscoveryError."""
        ...

    async def run(self, job: Callable[[], T]) -> T:
        """Run what may take its time in this thread or another. Not cut short by cancellation: the job is a
        transaction.
        """
        ...

    async def pause(self, seconds: float) -> bool:
        """Wait that long, or until this end is stopped: False then."""
        ...

    def in_order(self) -> AbstractAsyncContextManager[None]:
        """One at a time: all requests but held polls go out in here, in the order of asking."""
        ...


class Endable(Protocol):
    """A client, as the process's end sees it."""

    def end_at_exit(self) -> None:
        """The interpreter exits: threads still run, none will in a moment."""
        ...

    def end_in_child(self) -> None:
        """We are in a fork's child: the parent's threads are not here, its locks may be held for ever."""
        ...
