"""What both clients let their users see.

Owns names and explanations; the facts are the core's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orbtile_adapter._core import Core
    from orbtile_adapter._errors import AdapterError
    from orbtile_adapter._messages import Info, RegistrationReply


class ClientState:
    """The readable side of a client. Reading never waits."""

    _core: Core

    @property
    def info(self) -> Info:
        """What Orbtile said about itself; empty before the first contact."""
        return self._core.link.info

    @property
    def capabilities(self) -> frozenset[str]:
        """The registration's capabilities, empty while the host is not known to have events."""
        return self._core.link.capabilities

    @property
    def registration_reply(self) -> RegistrationReply:
        """The latest answer to a registration; empty before the first."""
        return self._core.link.registration_reply

    @property
    def heartbeat_error(self) -> AdapterError | None:
        """Why the latest heartbeat failed, None when it did not."""
        return self._core.heartbeat_error

    @property
    def cursor(self) -> int:
        """All events up to this number were carried out or discarded."""
        return self._core.ledger.cursor

    @property
    def lease_generation(self) -> int:
        """Changes whenever Orbtile had forgotten the adapter and it was registered anew."""
        return self._core.ledger.lease

    @property
    def reconciliation_required(self) -> bool:
        """Orbtile had forgotten the adapter: earlier prompts are void until ``reconcile`` is called."""
        return self._core.ledger.must_reconcile
