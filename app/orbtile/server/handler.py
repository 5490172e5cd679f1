"""What a connection asks of whoever answers requests.

Owns the two types between ``connection`` and ``dispatch``. Must not know either of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from orbtile.protocol.gate import RequestHead
from orbtile.server.response import Response


@dataclass(frozen=True, slots=True)
class BodyWanted:
    """The head is welcome: call ``finish`` with exactly ``length`` bytes (0: at once) for the response."""

    length: int
    finish: Callable[[bytes], Response]


class Handler(Protocol):
    """Synchronous: nothing here may block or run a nested loop."""

    def needs_slot(self, head: RequestHead) -> bool:
        """Whether the request is an adapter's, one of the eight that may be open at a time."""
        ...

    def begin(self, head: RequestHead) -> Response | BodyWanted:
        """Answer a head: a refusal (or an answer that needs no body), or what to do with the body."""
        ...
