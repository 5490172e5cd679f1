"""What changed, said once: the record that the service publishes after its state is consistent.

Owns only names (ids and kinds). Must not carry state: whoever listens asks the service for the ids it shows.
"""

from collections.abc import Callable
from typing import NamedTuple, Self


class Changes(NamedTuple):
    """Ids and kinds of what was added, changed or removed in one step of the service."""

    sessions: frozenset[str] = frozenset()
    """Session uids whose view changed, appeared or went."""
    adapters: frozenset[str] = frozenset()
    """Adapter ids whose view changed, appeared or went."""
    api: bool = False
    """The API was switched, or its token changed."""
    settings: bool = False
    notices: bool = False

    def __bool__(self) -> bool:
        return bool(self.sessions or self.adapters or self.api or self.settings or self.notices)

    def merged(self, other: Self) -> "Changes":
        return Changes(
            sessions=self.sessions | other.sessions,
            adapters=self.adapters | other.adapters,
            api=self.api or other.api,
            settings=self.settings or other.settings,
            notices=self.notices or other.notices,
        )


Listener = Callable[[Changes], None]
Unsubscribe = Callable[[], None]
