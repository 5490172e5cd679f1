"""What is due when: a heap of timers with lazy deletion.

Postponing a timer, which every request does, leaves the heap alone: the entry keeps its old time, which is
only too early, and is filed again when it comes up. Entries of cancelled timers are swept once they outnumber
the live ones. So a heartbeat costs O(1) amortised and the heap stays within twice the number of timers. Must
not know what a timer is for, nor the time.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush, heapreplace
from typing import Final

_SWEEP_FROM: Final = 16
"""So few dead entries are never worth a sweep."""


class Timer:
    """One thing that may become due. ``fire`` gets the due time and may set the timer again.

    ``due_s`` is the time that was asked for; ``filed_s`` and ``ticket`` are the bookkeeping of
    :class:`Deadlines`: the time and the number of the heap entry that stands for this timer (ticket 0: none).
    """

    __slots__ = ("due_s", "filed_s", "fire", "ticket")

    def __init__(self, fire: Callable[[float], None]) -> None:
        self.fire = fire
        self.due_s = 0.0
        self.filed_s = 0.0
        self.ticket = 0

    @property
    def is_set(self) -> bool:
        return self.ticket != 0


class Deadlines:
    """The timers that are set, by time. All times are monotonic seconds."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._tickets = 0
        self._dead = 0
        self._told_s: float | None = None
        self.moved_up = False
        """Something is due earlier than :meth:`next_s` last said: a loop timer must be armed again."""

    def __len__(self) -> int:
        """How many entries the heap holds, dead ones included."""
        return len(self._heap)

    def set(self, timer: Timer, due_s: float) -> None:
        """(Re)set ``timer`` to ``due_s``; later is O(1), earlier files a new entry."""
        timer.due_s = due_s
        if timer.ticket:
            if due_s >= timer.filed_s:
                return
            self._dead += 1
        self._file(timer)
        self._sweep()

    def cancel(self, timer: Timer) -> None:
        """Forget ``timer``; harmless when it is not set."""
        if timer.ticket:
            timer.ticket = 0
            self._dead += 1
            self._sweep()

    def next_s(self) -> float | None:
        """When :meth:`run` is next worth calling; None when nothing is set."""
        heap = self._heap
        while heap:
            filed_s, ticket, timer = heap[0]
            if timer.ticket != ticket:
                heappop(heap)
                self._dead -= 1
            elif timer.due_s > filed_s:
                timer.filed_s = timer.due_s
                heapreplace(heap, (timer.due_s, ticket, timer))
            else:
                break
        self.moved_up = False
        self._told_s = heap[0][0] if heap else None
        return self._told_s

    def run(self, now_s: float) -> None:
        """Fire what is due at ``now_s`` in order of time, also what firing makes due."""
        heap = self._heap
        while heap and heap[0][0] <= now_s:
            filed_s, ticket, timer = heappop(heap)
            if timer.ticket != ticket:
                self._dead -= 1
            elif timer.due_s > filed_s:
                self._file(timer)
            else:
                timer.ticket = 0
                timer.fire(timer.due_s)

    def _file(self, timer: Timer) -> None:
        self._tickets += 1
        timer.ticket = self._tickets
        timer.filed_s = timer.due_s
        heappush(self._heap, (timer.due_s, self._tickets, timer))
        if self._told_s is None or timer.due_s < self._told_s:
            self.moved_up = True

    def _sweep(self) -> None:
        if self._dead > _SWEEP_FROM and self._dead * 2 > len(self._heap):
            # in place: run() may be walking this very list
            self._heap[:] = [entry for entry in self._heap if entry[2].ticket == entry[1]]
            heapify(self._heap)
            self._dead = 0
