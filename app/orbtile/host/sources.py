"""Built-in agents as owners of sessions: no lease, bucket, limit or consent banner; their evidence says how
long a session holds.

Owns the type that a built-in agent registers itself with, and who of them is at work. Must not know any
particular agent.
"""

from collections.abc import Mapping
from typing import NamedTuple

from orbtile.host.sessions import Owner, SessionTable, Touched, plan_update, session_uid
from orbtile.protocol.grammar import is_reserved_id
from orbtile.protocol.registration import Registration
from orbtile.protocol.session import SessionUpdate


class SourceInfo(NamedTuple):
    """``source_id`` has no dot (``claude-code``), so no adapter can have it; ``registration`` is how it
    shows.
    """

    source_id: str
    registration: Registration


class Source(Owner):
    """A built-in source at work. Always visible, never silent."""

    __slots__ = ()

    def __init__(self, info: SourceInfo) -> None:
        super().__init__(info.source_id, info.registration, max_sessions=None)
        self.is_visible = True


class Sources:
    """The sources at work; ids that are none raise KeyError."""

    def __init__(self, sessions: SessionTable, touched: Touched) -> None:
        self._sessions = sessions
        self._touched = touched
        self._by_id: dict[str, Source] = {}

    @property
    def by_id(self) -> Mapping[str, Source]:
        """Always the same mapping."""
        return self._by_id

    def add(self, info: SourceInfo) -> None:
        """Let it show sessions. Raises ValueError for an id that an adapter could have, or a second time."""
        if not is_reserved_id(info.source_id) or info.source_id in self._by_id:
            raise ValueError(info.source_id)
        self._by_id[info.source_id] = Source(info)
        self._touched.adapters.add(info.source_id)

    def remove(self, source_id: str) -> None:
        """It was turned off: its sessions go with it."""
        self._sessions.end_all(self._by_id[source_id])
        del self._by_id[source_id]
        self._touched.adapters.add(source_id)

    def update(
        self, source_id: str, session_id: str, update: SessionUpdate, evidence_s: float | None, now_s: float
    ) -> str:
        """Merge ``update`` into a session; returns its uid. ``evidence_s`` is ``Service.source_update``'s."""
        source = self._by_id[source_id]
        plan = plan_update(source, session_id, update)._replace(ttl_s=evidence_s)
        self._sessions.apply(source, plan, now_s)
        return plan.uid

    def end(self, source_id: str, session_id: str, host: str) -> None:
        """End the session, if there is one."""
        session = self._by_id[source_id].sessions.get(session_uid(source_id, host, session_id))
        if session is not None:
            self._sessions.end(session)
