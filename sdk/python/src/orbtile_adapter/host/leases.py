"""Live registrations: their end by silence, owner tokens, buckets (sections 3, 4 and 6).

Owns a lease and the arithmetic of a bucket. Must not know heads, bodies or consent.
"""

from __future__ import annotations

import hmac
import math
from collections.abc import Container
from typing import Any

from orbtile_adapter.host import limits
from orbtile_adapter.host.events import EventQueue
from orbtile_adapter.host.prompts import Ledger
from orbtile_adapter.host.refusals import Refusal, rate_limited
from orbtile_adapter.host.sessions import Session


class Bucket:
    """A token bucket, full at first; times are monotonic seconds."""

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._level = burst
        self._at = now

    def is_full(self, now: float) -> bool:
        """Whether it is as good as a new one."""
        self._fill(now)
        return self._level >= self._burst

    def check(self, now: float) -> None:
        """429 when empty, with whole seconds to wait. Takes nothing."""
        self._fill(now)
        if self._level < 1 - 1e-9:
            raise rate_limited(max(1, math.ceil((1 - self._level) / self._rate)))

    def take(self) -> None:
        """One request."""
        self._level -= 1

    def _fill(self, now: float) -> None:
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now


class AdapterBuckets:
    """One bucket an adapter id, not one a lease: registering anew brings no new burst."""

    def __init__(self) -> None:
        self._kept: dict[str, Bucket] = {}

    def get(self, adapter_id: str) -> Bucket | None:
        """The id's bucket, if it has one."""
        return self._kept.get(adapter_id)

    def keep(self, adapter_id: str, now: float, live: Container[str]) -> None:
        """Give the id a full bucket unless it has one; those of ids that are gone go once they are full."""
        self._kept = {name: one for name, one in self._kept.items() if name in live or not one.is_full(now)}
        self._kept.setdefault(adapter_id, Bucket(limits.ADAPTER_RATE, limits.ADAPTER_BURST, now))


class Lease:
    """A live registration and everything that ends with it."""

    def __init__(self, adapter_id: str, now: float) -> None:
        self.adapter_id = adapter_id
        self.registration: dict[str, Any] = {}
        self.owner_token: str | None = None
        self.seen = now
        self.sessions: dict[tuple[str, str], Session] = {}
        """By host and id."""
        self.ledger = Ledger()
        self.events = EventQueue()
        self.is_polling = False
        self.generation = 0
        """Counts changed registrations: a held poll of an older one ends."""

    def is_over(self, now: float) -> bool:
        return now - self.seen >= limits.LEASE_S

    def is_silent(self, now: float) -> bool:
        return now - self.seen > limits.SILENT_S

    def is_owner(self, token: str | None) -> bool:
        """Whether the caller may speak for this registration."""
        if self.owner_token is None:
            return True
        return token is not None and hmac.compare_digest(token.encode(), self.owner_token.encode())

    def require_owner(self, token: str | None) -> None:
        """403 without the owner token."""
        if not self.is_owner(token):
            raise Refusal(
                403, "adapter_token_required", "send X-Orbtile-Adapter-Token from the registration's reply"
            )
