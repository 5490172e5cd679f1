"""What a connection asks of whoever answers requests.

Owns the types between ``connection`` and ``dispatch``. Must not know either of them.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from orbtile.protocol.gate import RequestHead
from orbtile.server.response import Response


class Later(NamedTuple):
    """The answer needs something that is not there yet (an icon to be drawn, an event to happen).

    ``work()`` is awaited for it in a task of its own. That is cancelled when the peer leaves, when the wait
    gets too long and when the listener closes; what it began, it must then end or take back.
    """

    work: Callable[[], Coroutine[object, object, Response]]


@dataclass(frozen=True, slots=True)
class BodyWanted:
    """The head is welcome: call ``finish`` with exactly ``length`` bytes (0: at once) for the response.

    ``finish`` itself answers at once wherever it can; a ``Later`` costs a task.
    """

    length: int
    finish: Callable[[bytes], Response | Later]


class Handler(Protocol):
    """Synchronous: nothing here may block or run a nested loop."""

    def needs_slot(self, head: RequestHead) -> bool:
        """Whether the request is an adapter's, one of the eight that may be open at a time."""
        ...

    def begin(self, head: RequestHead) -> Response | BodyWanted:
        """Answer a head: a refusal (or an answer that needs no body), or what to do with the body."""
        ...
