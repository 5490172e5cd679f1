import asyncio
import gc
import socket
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from orbtile.server import transport as transport_module
from orbtile.server.transport import READS_AT_ONCE, SocketTransport
from tests.fakes.readiness import FakeReadiness

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

LARGE = b"x" * 4_000_000
"""More than any socket's buffers take."""


class Witness(asyncio.Protocol):
    """A protocol that keeps what it is told, and may answer from inside ``data_received``."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.error: Exception | None = None
        self.answers: list[bytes] = []
        self.closes_after_answer = True
        self.stays_open_at_eof = False
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.events.append("made")

    def data_received(self, data: bytes) -> None:
        self.events.append(data.decode())
        if self.answers and self.transport is not None:
            self.transport.write(self.answers.pop(0))
            if self.closes_after_answer:
                self.transport.close()

    def eof_received(self) -> bool:
        self.events.append("eof")
        return self.stays_open_at_eof

    def connection_lost(self, exc: Exception | None) -> None:
        self.error = exc
        self.events.append("lost")


class Pair:
    """Our end with its transport, and the peer's end as a socket."""

    def __init__(self) -> None:
        self.loop = FakeReadiness()
        self.witness = Witness()
        self.peer, self.sock = socket.socketpair()
        self.sock.setblocking(False)
        self.peer.settimeout(5.0)
        self.transport = SocketTransport(self.loop, self.sock, self.witness)

    def start(self, sent: bytes = b"") -> None:
        if sent:
            self.peer.sendall(sent)
        self.transport.start()

    def readable(self) -> None:
        self.loop.readable(self.sock)

    def writable(self) -> None:
        self.loop.writable(self.sock)

    def receive_all(self) -> bytes:
        """What the peer gets, while our side writes on."""
        received = b""
        self.peer.setblocking(False)
        while True:
            try:
                chunk = self.peer.recv(1_000_000)
            except BlockingIOError:
                if not self.loop.writers:
                    return received
                self.writable()
                continue
            if not chunk:
                return received
            received += chunk


@pytest.fixture
def pair() -> Iterator[Pair]:
    pair = Pair()
    yield pair
    pair.transport.abort()
    pair.peer.close()


def test_a_request_that_is_there_is_answered_without_the_loop(pair: Pair) -> None:
    pair.witness.answers = [b"answer"]
    pair.start(b"request")
    assert pair.witness.events == ["made", "request", "lost"]
    assert pair.receive_all() == b"answer"
    assert not pair.loop.readers
    assert not pair.loop.writers
    assert pair.loop.time.is_idle
    assert pair.sock.fileno() == -1


def test_a_finished_connection_needs_no_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        pair = Pair()
        pair.witness.answers = [b"answer"]
        pair.start(b"request")
        forgotten = weakref.ref(pair.transport)
        pair.peer.close()
        del pair
        assert forgotten() is None
    finally:
        gc.enable()


def test_what_comes_later_is_watched_for(pair: Pair) -> None:
    pair.start()
    assert pair.witness.events == ["made"]
    pair.peer.sendall(b"one")
    pair.readable()
    pair.peer.sendall(b"two")
    pair.readable()
    assert pair.witness.events == ["made", "one", "two"]
    assert len(pair.loop.readers) == 1


def test_a_peer_that_sent_something_and_went_is_gone_at_once(pair: Pair) -> None:
    pair.peer.sendall(b"part")
    pair.peer.close()
    pair.transport.start()
    assert pair.witness.events == ["made", "part", "lost"]


def test_a_peer_that_sends_without_end_lets_others_have_their_turn(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport_module, "READ_BYTES", 1)
    pair.start(b"x" * 20)
    assert pair.witness.events == ["made"] + ["x"] * READS_AT_ONCE
    pair.readable()
    pair.readable()
    assert len(pair.witness.events) == 21


def test_a_false_alarm_changes_nothing(pair: Pair) -> None:
    pair.start()
    pair.readable()
    assert pair.witness.events == ["made"]


def test_an_end_closes_unless_the_protocol_stays(pair: Pair) -> None:
    pair.start()
    pair.peer.shutdown(socket.SHUT_WR)
    pair.readable()
    assert pair.witness.events == ["made", "eof", "lost"]
    assert pair.witness.error is None


def test_a_peer_that_reads_no_more_either_is_lost_whatever_the_protocol_would_do(pair: Pair) -> None:
    pair.witness.stays_open_at_eof = True
    pair.start()
    pair.peer.close()
    pair.readable()
    assert pair.witness.events == ["made", "lost"]
    assert pair.witness.error is None


def test_a_peer_that_ended_its_side_and_does_not_read_has_not_left(pair: Pair) -> None:
    pair.witness.stays_open_at_eof = True
    pair.start()
    pair.transport.write(LARGE)
    pair.peer.shutdown(socket.SHUT_WR)
    pair.readable()
    assert pair.witness.events == ["made", "eof"]
    assert pair.receive_all() == LARGE


class FullSocket(socket.socket):
    """Takes nothing, not even nothing."""

    def send(self, data: "ReadableBuffer", flags: int = 0, /) -> int:
        raise BlockingIOError


def test_a_full_socket_proves_nothing(pair: Pair) -> None:
    witness = Witness()
    sock = FullSocket(fileno=pair.sock.detach())
    sock.setblocking(False)
    pair.peer.close()
    SocketTransport(pair.loop, sock, witness).start()
    assert witness.events == ["made", "eof", "lost"]


def test_a_tcp_peer_may_have_left_or_not(pair: Pair) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        peer = socket.create_connection(server.getsockname())
        sock, _ = server.accept()
    witness = Witness()
    witness.stays_open_at_eof = True
    peer.close()
    sock.settimeout(5.0)
    assert sock.recv(1, socket.MSG_PEEK) == b""  # the end has arrived
    sock.setblocking(False)
    transport = SocketTransport(pair.loop, sock, witness)
    transport.start()
    assert witness.events == ["made", "eof"]
    transport.abort()


def test_an_ended_stream_is_not_read_again_while_the_protocol_stays(pair: Pair) -> None:
    pair.witness.stays_open_at_eof = True
    pair.start()
    pair.peer.shutdown(socket.SHUT_WR)
    pair.readable()
    assert not pair.loop.readers
    assert not pair.transport.is_closing()
    pair.transport.write(b"still here")
    assert pair.peer.recv(100) == b"still here"


def test_a_reset_is_told_with_its_error(pair: Pair) -> None:
    pair.start()
    pair.transport.write(b"unread")
    pair.peer.close()
    pair.readable()
    assert pair.witness.events == ["made", "lost"]
    assert isinstance(pair.witness.error, ConnectionResetError)


def test_a_write_to_a_peer_that_is_gone_loses_the_connection(pair: Pair) -> None:
    pair.start()
    pair.peer.close()
    pair.transport.write(b"answer")
    assert pair.witness.events == ["made", "lost"]
    assert isinstance(pair.witness.error, BrokenPipeError)
    assert pair.transport.is_closing()
    pair.transport.write(b"more")
    pair.transport.write_eof()
    pair.transport.close()
    pair.transport.abort()
    assert pair.witness.events == ["made", "lost"]


def test_what_the_peer_does_not_take_is_kept_and_follows(pair: Pair) -> None:
    pair.start()
    pair.transport.write(LARGE)
    kept = pair.transport.get_write_buffer_size()
    assert 0 < kept < len(LARGE)
    pair.transport.write(b"end")
    assert pair.transport.get_write_buffer_size() == kept + 3
    assert pair.receive_all() == LARGE + b"end"
    assert pair.transport.get_write_buffer_size() == 0
    assert not pair.loop.writers


def test_nothing_is_kept_for_a_full_peer_twice(pair: Pair) -> None:
    pair.start()
    pair.transport.write(LARGE)
    kept = pair.transport.get_write_buffer_size()
    pair.writable()
    assert pair.transport.get_write_buffer_size() == kept


def test_a_socket_that_is_full_from_the_start_takes_the_answer_later(pair: Pair) -> None:
    pair.start()
    while True:
        try:
            pair.sock.send(b"x" * 65_536)
        except BlockingIOError:
            break
    pair.transport.write(b"answer")
    assert pair.transport.get_write_buffer_size() == len(b"answer")
    assert pair.receive_all().endswith(b"answer")


def test_close_waits_for_what_is_unsent(pair: Pair) -> None:
    pair.start()
    pair.transport.write(LARGE)
    pair.transport.close()
    assert pair.transport.is_closing()
    assert not pair.loop.readers
    assert pair.witness.events == ["made"]
    assert pair.receive_all() == LARGE
    assert pair.witness.events == ["made", "lost"]


def test_abort_drops_what_is_unsent(pair: Pair) -> None:
    pair.start()
    pair.transport.write(LARGE)
    pair.transport.abort()
    assert pair.witness.events == ["made", "lost"]
    assert pair.witness.error is None
    assert not pair.loop.writers
    assert len(pair.receive_all()) < len(LARGE)


def test_a_peer_that_goes_while_something_is_unsent_loses_the_connection(pair: Pair) -> None:
    pair.start()
    pair.transport.write(LARGE)
    pair.peer.close()
    pair.writable()
    assert pair.witness.events == ["made", "lost"]
    assert isinstance(pair.witness.error, BrokenPipeError | ConnectionResetError)
    assert not pair.loop.writers


def test_our_end_is_told_and_reading_goes_on(pair: Pair) -> None:
    assert pair.transport.can_write_eof()
    pair.start()
    pair.transport.write(b"answer")
    pair.transport.write_eof()
    assert pair.receive_all() == b"answer"
    pair.peer.sendall(b"late")
    pair.readable()
    assert pair.witness.events == ["made", "late"]


def test_our_end_waits_for_what_is_unsent(pair: Pair) -> None:
    pair.start()
    pair.transport.write(LARGE)
    pair.transport.write_eof()
    assert pair.receive_all() == LARGE
    assert pair.peer.recv(1) == b""
    assert not pair.transport.is_closing()


def test_ending_after_the_peer_went_is_no_error(pair: Pair) -> None:
    pair.start()
    pair.peer.close()
    pair.transport.write_eof()
    pair.readable()
    assert pair.witness.events == ["made", "lost"]


def test_bytes_that_nobody_reads_do_not_turn_the_end_of_the_stream_into_a_reset(pair: Pair) -> None:
    pair.start()
    pair.peer.sendall(b"pipelined")
    pair.transport.write(b"answer")
    pair.transport.close()
    assert pair.peer.recv(100) == b"answer"
    assert pair.peer.recv(100) == b""


def test_a_peer_that_never_stops_sending_does_not_hold_up_the_close(pair: Pair) -> None:
    pair.start()
    pair.peer.setblocking(False)
    while True:
        try:
            pair.peer.send(LARGE)
        except BlockingIOError:
            break
    pair.transport.close()
    assert pair.witness.events[-1] == "lost"
