"""One connection, one request, one response: bytes in, a head and a body to the handler, bytes out, closed.

Owns framing, the four deadlines, the wait for an answer that comes later, and leaving politely: a peer that
is still sending when it is refused gets the whole answer first (half-close, then a bounded drain), because
closing with unread bytes would reset the connection and could destroy the answer. Must not know routes, the
host, or which kind of transport carries the bytes.
"""

import asyncio
import logging
from enum import Enum, auto
from typing import Final, cast

from orbtile.protocol.errors import ApiError, bad_request, busy, not_in_time
from orbtile.protocol.gate import RequestHead, announced_length
from orbtile.protocol.limits import (
    ANSWER_DEADLINE_S,
    BODY_DEADLINE_S,
    HEAD_DEADLINE_S,
    MAX_HEAD_BYTES,
    WRITE_DEADLINE_S,
)
from orbtile.server.answers import PendingAnswers
from orbtile.server.faults import guarded
from orbtile.server.handler import BodyWanted, Handler, Later
from orbtile.server.head import MalformedHeadError, find_head_end, parse_head
from orbtile.server.response import Response, error_response
from orbtile.server.table import ConnectionTable

DRAIN_LIMIT_BYTES: Final = 4 * 1024 * 1024
"""Read and thrown away after a refusal, so that a peer that writes first and reads later still finds the
answer.
"""

_log = logging.getLogger(__name__)


class _Stage(Enum):
    HEAD = auto()
    BODY = auto()
    ANSWERING = auto()
    """The request is complete, its answer is being worked on; what still comes is thrown away."""
    DRAIN = auto()
    """The response is written and our side is shut; what still comes is thrown away until the peer ends."""
    OVER = auto()
    """The response is written (perhaps not flushed), or the connection is lost."""


class Connection(asyncio.Protocol):
    """Works with asyncio's transports (connection_lost comes later) and with ours (it comes from inside
    close).
    """

    __slots__ = (
        "_answers",
        "_answers_head_method",
        "_drained_bytes",
        "_handler",
        "_peer_is_done",
        "_received",
        "_stage",
        "_table",
        "_transport",
        "_wanted",
        "_work",
        "deadline",
        "holds_slot",
        "is_expendable",
    )

    _transport: asyncio.Transport

    def __init__(self, handler: Handler, table: ConnectionTable, answers: PendingAnswers) -> None:
        self._handler = handler
        self._table = table
        self._answers = answers
        self._stage = _Stage.HEAD
        self._received: bytes | bytearray = b""
        self._wanted: BodyWanted | None = None
        self._work: asyncio.Task[Response] | None = None
        self._peer_is_done = False
        self._drained_bytes = 0
        self._answers_head_method = False
        self.deadline = table.now() + HEAD_DEADLINE_S
        self.holds_slot = True
        self.is_expendable = True

    # --- what the transport calls ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._table.add(self)

    def data_received(self, data: bytes) -> None:
        if self._stage is _Stage.HEAD:
            self._take_head(data)
        elif self._stage is _Stage.BODY:
            self._take_body(data)
        elif self._stage is not _Stage.OVER:
            self._throw_away(len(data))

    def eof_received(self) -> bool:
        """The peer will send no more; it may still read. True keeps our side open."""
        if self._stage is _Stage.HEAD and not self._received:
            self._close()
        elif self._stage is _Stage.HEAD:
            self._refuse(bad_request("the request ended inside its head"), peer_is_done=True)
        elif self._stage is _Stage.BODY:
            self._refuse(bad_request("the request ended before its Content-Length"), peer_is_done=True)
        elif self._stage is _Stage.ANSWERING:
            self._peer_is_done = True
            return True
        elif self._stage is _Stage.DRAIN:
            self._close()
        return False

    def connection_lost(self, _error: Exception | None) -> None:
        self._forget()

    # --- what the table calls -------------------------------------------------------------------------------

    def expire(self) -> None:
        """The stage's deadline has passed."""
        if self._stage is _Stage.HEAD and self._received:
            self._refuse(bad_request("the head did not arrive in time"), peer_is_done=False)
        elif self._stage is _Stage.BODY:
            self._refuse(bad_request("the body did not arrive in time"), peer_is_done=False)
        elif self._stage is _Stage.ANSWERING:
            _log.warning("a request was given up: its answer took longer than %g s", ANSWER_DEADLINE_S)
            self._refuse(not_in_time(), peer_is_done=self._peer_is_done)
        else:
            self.abort()

    def abort(self) -> None:
        """Drop the connection, whatever is still to be written."""
        self._forget()
        self._transport.abort()

    # --- request --------------------------------------------------------------------------------------------

    def _take_head(self, data: bytes) -> None:
        scanned = len(self._received)
        received = self._gather(data)
        end = find_head_end(received, scanned)
        if end > MAX_HEAD_BYTES or (end < 0 and len(received) > MAX_HEAD_BYTES):
            self._refuse(bad_request(f"the head is over {MAX_HEAD_BYTES} bytes"), peer_is_done=False)
            return
        if end < 0:
            return
        try:
            head = parse_head(bytes(received[:end]))
        except MalformedHeadError as error:
            self._refuse(bad_request(str(error)), peer_is_done=False)
            return
        self.is_expendable = False
        self._answers_head_method = head.method == "HEAD"
        self._answer_head(head, bytes(received[end:]))

    def _answer_head(self, head: RequestHead, rest: bytes) -> None:
        if not self._handler.needs_slot(head):
            self.holds_slot = False
        elif not self._table.has_slot(self):
            self.holds_slot = False
            self._reply(error_response(busy()), peer_is_done=_is_complete(head, rest))
            return
        outcome = guarded(self._handler.begin, head)
        if isinstance(outcome, Response):
            self._reply(outcome, peer_is_done=_is_complete(head, rest))
            return
        self._wanted = outcome
        if len(rest) < outcome.length:
            self._stage = _Stage.BODY
            self._received = rest
            self._await_until(BODY_DEADLINE_S)
        else:
            self._answer_body(outcome, rest)

    def _take_body(self, data: bytes) -> None:
        received = self._gather(data)
        if self._wanted is not None and len(received) >= self._wanted.length:
            self._answer_body(self._wanted, bytes(received))

    def _answer_body(self, wanted: BodyWanted, received: bytes) -> None:
        outcome = guarded(wanted.finish, received[: wanted.length])
        peer_is_done = len(received) == wanted.length
        if isinstance(outcome, Response):
            self._reply(outcome, peer_is_done=peer_is_done)
        else:
            self._await_answer(outcome, peer_is_done=peer_is_done)

    def _await_answer(self, later: Later, *, peer_is_done: bool) -> None:
        self._received = b""
        self._wanted = None
        self._stage = _Stage.ANSWERING
        self._peer_is_done = peer_is_done
        self._work = self._answers.start(later, self._take_answer)
        self._await_until(ANSWER_DEADLINE_S)

    def _take_answer(self, response: Response) -> None:
        # The work may have ended in the very turn in which the peer left or the deadline passed.
        if self._stage is _Stage.ANSWERING:
            self._reply(response, peer_is_done=self._peer_is_done)

    def _throw_away(self, count: int) -> None:
        """The peer has sent bytes that nobody will read."""
        self._peer_is_done = False
        self._drained_bytes += count
        if self._drained_bytes > DRAIN_LIMIT_BYTES:
            self.abort()

    def _gather(self, data: bytes) -> bytes | bytearray:
        """The usual request comes in one piece and is not copied; further pieces go to a growing buffer."""
        if not self._received:
            self._received = data
        else:
            if isinstance(self._received, bytes):
                self._received = bytearray(self._received)
            self._received += data
        return self._received

    # --- response -------------------------------------------------------------------------------------------

    def _refuse(self, error: ApiError, *, peer_is_done: bool) -> None:
        self._reply(error_response(error), peer_is_done=peer_is_done)

    def _reply(self, response: Response, *, peer_is_done: bool) -> None:
        """Write the response and leave: at once when nothing more can come, else by half-close and drain."""
        self._drop_request()
        self._stage = _Stage.OVER if peer_is_done else _Stage.DRAIN
        transport = self._transport
        transport.write(response.encode(with_body=not self._answers_head_method))
        if transport.is_closing():  # the peer is gone
            self._forget()
        elif peer_is_done:
            transport.close()
            if transport.get_write_buffer_size():
                self._await_until(WRITE_DEADLINE_S)
            else:
                self._forget()
        else:
            transport.write_eof()
            if not transport.get_write_buffer_size():
                self.holds_slot = False
                self.is_expendable = True
            self._await_until(WRITE_DEADLINE_S)

    def _await_until(self, delay_s: float) -> None:
        self.deadline = self._table.now() + delay_s
        self._table.watch(self.deadline)

    def _close(self) -> None:
        self._forget()
        self._transport.close()

    def _forget(self) -> None:
        self._stage = _Stage.OVER
        self._drop_request()
        self._table.remove(self)

    def _drop_request(self) -> None:
        self._received = b""
        self._wanted = None
        if self._work is not None:  # no effect on work that has ended
            self._work.cancel()
            self._work = None


def _is_complete(head: RequestHead, rest: bytes) -> bool:
    """Whether ``rest`` is exactly the announced body: nothing of the peer's can be left unread."""
    lengths = [value for name, value in head.headers if name == "content-length"] or ["0"]
    is_chunked = any(name == "transfer-encoding" for name, _ in head.headers)
    return len(lengths) == 1 and not is_chunked and len(rest) == announced_length(lengths[0])
