"""What the simulated user decided about each adapter (section 3, the user decides).

Owns decisions, each bound to what was registered. Must not know leases.
"""

from __future__ import annotations

from collections.abc import Container

from orbtile_adapter.host import limits

AWAITING, DISABLED = "awaiting_user", "disabled_by_user"


class Consents:
    """``policy`` is what happens to an id or a registration that is new: ``wait``, ``allow`` or ``deny``."""

    def __init__(self, policy: str = "wait") -> None:
        self.policy = policy
        self._seen: dict[str, str] = {}
        self._allowed: dict[str, str] = {}
        self._denied: set[str] = set()

    def saw(self, adapter_id: str, fingerprint: str, live: Container[str]) -> bool:
        """It registered; True: with another fingerprint than before."""
        before = self._seen.pop(adapter_id, fingerprint)
        self._seen[adapter_id] = fingerprint
        if self.reason(adapter_id) == AWAITING:
            if self.policy == "allow":
                self.allow(adapter_id)
            elif self.policy == "deny":
                self.deny(adapter_id)
        for oldest in list(self._seen):
            if len(self._seen) > limits.REMEMBERED and oldest not in live:
                del self._seen[oldest]
                self._allowed.pop(oldest, None)
                self._denied.discard(oldest)
        return before != fingerprint

    def allow(self, adapter_id: str) -> None:
        """The user allows what is registered now."""
        self._denied.discard(adapter_id)
        self._allowed[adapter_id] = self._seen[adapter_id]

    def deny(self, adapter_id: str) -> None:
        """The user denies the id; it holds until an allow."""
        self._denied.add(adapter_id)

    def reason(self, adapter_id: str) -> str | None:
        """Why it is not shown; None: it is."""
        if adapter_id in self._denied:
            return DISABLED
        return None if self._allowed.get(adapter_id) == self._seen[adapter_id] else AWAITING
