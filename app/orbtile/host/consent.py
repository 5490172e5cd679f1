"""What the user decided about each adapter id, bound to the registration that was on screen (spec section 3
"The user decides").

Owns the remembered adapters: decision, what it was taken on, what changed since. Must not know leases,
sessions or files.

The rules: a new id awaits the user. Allow holds for the fingerprint it was given for; a registration with
another one awaits the user again, and reverting to the allowed one needs no new Allow. Deny holds for the id,
whatever it registers next, until the user allows it.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Final

from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.views import Consent
from orbtile.protocol.limits import MAX_REMEMBERED_ADAPTERS
from orbtile.protocol.registration import Registration, changed_fields, fingerprint
from orbtile.protocol.replies import DisabledReason

_REASONS: Final[Mapping[Consent, DisabledReason | None]] = {
    Consent.ALLOWED: None,
    Consent.AWAITING: DisabledReason.AWAITING_USER,
    Consent.DENIED: DisabledReason.DISABLED_BY_USER,
}


class RememberedAdapter:
    """An adapter id that once registered; ``warnings`` are those of its last registration in this run."""

    __slots__ = (
        "adapter_id",
        "allowed",
        "allowed_fingerprint",
        "changed_fields",
        "decision",
        "fingerprint",
        "last_seen_epoch_s",
        "registration",
        "user_hue_deg",
        "warnings",
    )

    def __init__(self, record: ConsentRecord) -> None:
        self.adapter_id = record.adapter_id
        self.decision = record.decision
        self.registration = record.seen
        self.fingerprint = fingerprint(record.seen)
        self.allowed = record.allowed
        self.allowed_fingerprint = None if record.allowed is None else fingerprint(record.allowed)
        self.changed_fields: tuple[str, ...] = ()
        self.last_seen_epoch_s = record.last_seen_epoch_s
        self.user_hue_deg = record.user_hue_deg
        """Not a part of what the adapter registers: it changes neither the fingerprint nor the consent."""
        self.warnings: tuple[str, ...] = ()
        self._compare()

    @property
    def consent(self) -> Consent:
        if self.decision is Decision.DENIED:
            return Consent.DENIED
        if self.decision is Decision.ALLOWED and self.fingerprint == self.allowed_fingerprint:
            return Consent.ALLOWED
        return Consent.AWAITING

    @property
    def disabled_reason(self) -> DisabledReason | None:
        """What a registration's reply gives as ``reason``; None while allowed."""
        return _REASONS[self.consent]

    def saw(self, registration: Registration) -> bool:
        """It registered with ``registration``; True when the fingerprint is another one than before."""
        if registration == self.registration:
            return False
        before = self.fingerprint
        self.registration = registration
        self.fingerprint = fingerprint(registration)
        self._compare()
        return self.fingerprint != before

    def allow(self) -> None:
        self.decision = Decision.ALLOWED
        self.allowed = self.registration
        self.allowed_fingerprint = self.fingerprint
        self._compare()

    def deny(self) -> None:
        self.decision = Decision.DENIED

    def choose_hue(self, hue_deg: float | None) -> None:
        """The user wants it in this hue, whatever it registers; None: in its own colours again."""
        self.user_hue_deg = hue_deg

    def record(self, last_seen_epoch_s: float) -> ConsentRecord:
        return ConsentRecord(
            adapter_id=self.adapter_id,
            decision=self.decision,
            seen=self.registration,
            allowed=self.allowed,
            last_seen_epoch_s=last_seen_epoch_s,
            user_hue_deg=self.user_hue_deg,
        )

    def _compare(self) -> None:
        is_same = self.allowed is None or self.fingerprint == self.allowed_fingerprint
        self.changed_fields = (
            () if self.allowed is None or is_same else changed_fields(self.allowed, self.registration)
        )


class ConsentBook:
    """The remembered adapters, at most 32. Of more, the ids that the user never decided about are forgotten
    first, and among equals the least recently seen: asking for a while must not undo what the user said.
    """

    def __init__(self, records: Iterable[ConsentRecord]) -> None:
        kept = sorted(records, key=_worth_keeping)[-MAX_REMEMBERED_ADAPTERS:]
        self._by_id = {record.adapter_id: RememberedAdapter(record) for record in kept}

    def __getitem__(self, adapter_id: str) -> RememberedAdapter:
        return self._by_id[adapter_id]

    def get(self, adapter_id: str) -> RememberedAdapter | None:
        return self._by_id.get(adapter_id)

    def ids(self) -> list[str]:
        return list(self._by_id)

    def records(self, seen_epoch_s: Mapping[str, float]) -> list[ConsentRecord]:
        """All records; ``seen_epoch_s`` has the last signs of life of those that live."""
        return [
            one.record(seen_epoch_s.get(one.adapter_id, one.last_seen_epoch_s))
            for one in self._by_id.values()
        ]

    def add(self, adapter_id: str, registration: Registration, epoch_s: float) -> RememberedAdapter:
        """Remember an id that is new."""
        adapter = self._by_id[adapter_id] = RememberedAdapter(
            ConsentRecord(
                adapter_id=adapter_id,
                decision=Decision.UNDECIDED,
                seen=registration,
                allowed=None,
                last_seen_epoch_s=epoch_s,
            )
        )
        return adapter

    def forget(self, adapter_id: str) -> None:
        del self._by_id[adapter_id]

    def forget_surplus(self, live: Container[str]) -> list[str]:
        """Forget of those that are not ``live`` until the bound holds; returns their ids."""
        surplus = len(self._by_id) - MAX_REMEMBERED_ADAPTERS
        if surplus <= 0:
            return []
        idle = [adapter for adapter in self._by_id.values() if adapter.adapter_id not in live]
        forgotten = [one.adapter_id for one in sorted(idle, key=_worth_keeping)[:surplus]]
        for adapter_id in forgotten:
            self.forget(adapter_id)
        return forgotten


def _worth_keeping(one: RememberedAdapter | ConsentRecord) -> tuple[bool, float]:
    """The least first."""
    return one.decision is not Decision.UNDECIDED, one.last_seen_epoch_s
