"""Built-in agents as owners of sessions: no lease, bucket, limit or consent banner; their evidence says how
long a session holds.

Owns the type that a built-in agent registers itself with. Must not know any particular agent.
"""

from typing import NamedTuple

from orbtile.host.sessions import Owner
from orbtile.protocol.registration import Registration


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
