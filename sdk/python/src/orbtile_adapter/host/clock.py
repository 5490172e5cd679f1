"""Time as the host sees it: two readings, and a wait that belongs to them.

Owns real time and a clock that a test moves. Monotonic seconds for leases, TTLs and buckets; epoch seconds
for ``expiresAt``.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """What the engine needs of time."""

    def monotonic(self) -> float:
        """Seconds that never go back."""

    def epoch(self) -> float:
        """Unix seconds."""

    def wait(self, changed: threading.Condition, seconds: float) -> None:
        """Wait on ``changed``, whose lock is held, for at most ``seconds`` of this clock."""


class RealClock:
    """The machine's."""

    def monotonic(self) -> float:
        return time.monotonic()

    def epoch(self) -> float:
        return time.time()

    def wait(self, changed: threading.Condition, seconds: float) -> None:
        changed.wait(seconds)


class ManualClock:
    """Stands still until told. Whoever waits meanwhile looks again every few milliseconds of real time."""

    def __init__(self, monotonic: float = 1_000.0, epoch: float = 1_790_000_000.0) -> None:
        self._monotonic = monotonic
        self._epoch = epoch

    def monotonic(self) -> float:
        return self._monotonic

    def epoch(self) -> float:
        return self._epoch

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._monotonic += seconds
        self._epoch += seconds

    def wait(self, changed: threading.Condition, seconds: float) -> None:
        if seconds > 0:
            changed.wait(0.005)
