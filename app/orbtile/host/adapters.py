"""Live registrations: leases that end by silence, owner tokens, and who of them may show (spec section 3
"Stay in touch" and "The user decides").

Owns a lease's life together with what is remembered of its adapter, so that the two never disagree: a lease
is visible exactly while its adapter is allowed with the current fingerprint, and its end ends its sessions
and is remembered as "last seen". Must not know the bearer token, nor what a session holds.
"""

import math
from collections.abc import Callable
from functools import partial

from orbtile.host.consent import ConsentBook, RememberedAdapter
from orbtile.host.deadlines import Deadlines, Timer
from orbtile.host.ports import Clock, TokenSource
from orbtile.host.records import ConsentRecord
from orbtile.host.sessions import Owner, SessionTable, Touched
from orbtile.host.views import Consent
from orbtile.protocol.errors import limit_exceeded
from orbtile.protocol.limits import (
    LEASE_S,
    MAX_LIVE_ADAPTERS,
    MAX_SESSIONS_PER_ADAPTER,
    SILENT_AFTER_S,
)
from orbtile.protocol.registration import Registration


class Lease(Owner):
    """A live registration. ``owner_token`` None: any bearer may speak for it (spec section 5)."""

    __slots__ = ("owner_token", "seen_epoch_s", "seen_s", "timer")

    def __init__(self, adapter_id: str, registration: Registration, now_s: float, epoch_s: float) -> None:
        super().__init__(adapter_id, registration, MAX_SESSIONS_PER_ADAPTER)
        self.owner_token: str | None = None
        self.seen_s = now_s
        self.seen_epoch_s = epoch_s
        self.timer: Timer


class Registrations:
    """The leases by id, and the book of who is remembered.

    ``save_soon`` is called when what an adapter did is worth a save.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        tokens: TokenSource,
        deadlines: Deadlines,
        sessions: SessionTable,
        book: ConsentBook,
        touched: Touched,
        save_soon: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._tokens = tokens
        self._deadlines = deadlines
        self._sessions = sessions
        self._book = book
        self._touched = touched
        self._save_soon = save_soon
        self._leases: dict[str, Lease] = {}

    def __len__(self) -> int:
        """How many are live, those that await the user included."""
        return len(self._leases)

    def get(self, adapter_id: str) -> Lease | None:
        return self._leases.get(adapter_id)

    def owns(self, lease: Lease, owner_token: str | None) -> bool:
        """Whether the caller may speak for ``lease``: an interactive adapter's routes are its owner's alone
        (spec section 6), a lease without a token has no owner.
        """
        if lease.owner_token is None:
            return True
        return owner_token is not None and self._tokens.matches(owner_token, lease.owner_token)

    def register(
        self, lease: Lease | None, adapter_id: str, registration: Registration, now_s: float
    ) -> tuple[Lease, RememberedAdapter]:
        """Let the adapter's ``lease``, or a new one, hold ``registration``; consent follows from it.

        The owner token comes with the first capability and stays. Raises 422 ``limit_exceeded``.
        """
        is_changed = lease is None or registration != lease.registration
        if lease is None:
            lease = self._open(adapter_id, registration, now_s)
        if registration.capabilities and lease.owner_token is None:
            lease.owner_token = self._tokens.new_token()
        adapter = self._book.get(adapter_id)
        if adapter is None:
            adapter = self._book.add(adapter_id, registration, lease.seen_epoch_s)
            self._touched.adapters.update(self._book.forget_surplus(self._leases))
        elif adapter.saw(registration):
            self._sessions.clear_requests(
                lease
            )  # they were asked under another registration (spec section 6)
        lease.show_as(registration)
        if is_changed:
            adapter.last_seen_epoch_s = lease.seen_epoch_s
            self._save_soon()
        self._follow_consent(lease, adapter)
        return lease, adapter

    def renew(self, lease: Lease, now_s: float) -> None:
        """A sign of life: the silence starts anew, and what was offline by silence comes back."""
        lease.seen_s = now_s
        lease.seen_epoch_s = self._clock.epoch_s()
        self._deadlines.set(lease.timer, _turns_silent_at(now_s))
        if lease.is_silent:
            lease.is_silent = False
            self._sessions.show_all(lease, now_s)

    def decide(
        self, adapter_id: str, fingerprint: str | None, decision: Callable[[RememberedAdapter], None]
    ) -> bool:
        """Apply the user's ``decision`` on the registration with ``fingerprint``; None: on whichever it is.

        False: what was on screen is not what is registered now, or nobody of this id is remembered.
        """
        adapter = self._book.get(adapter_id)
        if adapter is None or fingerprint not in {None, adapter.fingerprint}:
            return False
        decision(adapter)
        self._touched.adapters.add(adapter_id)
        lease = self._leases.get(adapter_id)
        if lease is not None:
            self._follow_consent(lease, adapter)
        return True

    def forget(self, adapter_id: str) -> bool:
        """End the lease and forget the adapter; False when nobody of this id is remembered."""
        if self._book.get(adapter_id) is None:
            return False
        lease = self._leases.get(adapter_id)
        if lease is not None:
            self._close(lease)
        self._book.forget(adapter_id)
        self._touched.adapters.add(adapter_id)
        return True

    def end(self, lease: Lease) -> None:
        """It unregistered, or was silent for too long."""
        self._close(lease)
        self._save_soon()

    def end_all(self) -> bool:
        """End every lease; whether there was one."""
        leases = list(self._leases.values())
        for lease in leases:
            self._close(lease)
        return bool(leases)

    def records(self) -> list[ConsentRecord]:
        """What is remembered, with the last signs of life of those that live."""
        return self._book.records({lease.adapter_id: lease.seen_epoch_s for lease in self._leases.values()})

    def _open(self, adapter_id: str, registration: Registration, now_s: float) -> Lease:
        if len(self._leases) >= MAX_LIVE_ADAPTERS:
            raise limit_exceeded("adapterId", f"at most {MAX_LIVE_ADAPTERS} adapters are live at a time")
        lease = self._leases[adapter_id] = Lease(adapter_id, registration, now_s, self._clock.epoch_s())
        lease.timer = Timer(partial(self._fire, lease))
        self._deadlines.set(lease.timer, _turns_silent_at(now_s))
        return lease

    def _close(self, lease: Lease) -> None:
        self._deadlines.cancel(lease.timer)
        self._sessions.end_all(lease)
        del self._leases[lease.adapter_id]
        self._book[lease.adapter_id].last_seen_epoch_s = lease.seen_epoch_s
        self._touched.adapters.add(lease.adapter_id)

    def _follow_consent(self, lease: Lease, adapter: RememberedAdapter) -> None:
        lease.is_visible = adapter.consent is Consent.ALLOWED
        self._touched.adapters.add(lease.adapter_id)
        self._touched.sessions.update(lease.sessions)

    def _fire(self, lease: Lease, due_s: float) -> None:
        if lease.is_silent:
            self.end(lease)
        else:
            lease.is_silent = True
            self._deadlines.set(lease.timer, lease.seen_s + LEASE_S)
            self._sessions.show_all(lease, due_s)


def _turns_silent_at(seen_s: float) -> float:
    """The first moment that is "more than 15 s" later."""
    return math.nextafter(seen_s + SILENT_AFTER_S, math.inf)
