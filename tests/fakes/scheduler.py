"""A loop's time that stands still until a test moves it. Mirrors ``server.table.Scheduler``."""

import asyncio
import heapq
import itertools
from collections.abc import Callable


class FakeScheduler:
    """``advance`` runs what falls due on the way, in order."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now
        self._order = itertools.count()
        self._timers: list[tuple[float, int, asyncio.Handle]] = []
        self._loop = asyncio.new_event_loop()  # a Handle wants one
        self._loop.close()
        self.armed: list[float] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], object], /) -> asyncio.Handle:
        self.armed.append(delay)
        handle = asyncio.Handle(callback, (), self._loop)
        heapq.heappush(self._timers, (self.now + delay, next(self._order), handle))
        return handle

    def advance(self, seconds: float) -> None:
        end = self.now + seconds
        while self._timers and self._timers[0][0] <= end:
            due, _, handle = heapq.heappop(self._timers)
            self.now = due
            if not handle.cancelled():
                handle._run()
        self.now = end

    @property
    def is_idle(self) -> bool:
        """Whether nothing will ever wake the loop up."""
        return all(handle.cancelled() for _, _, handle in self._timers)
