import asyncio
import errno
import socket
from collections.abc import Iterator
from unittest import mock

import pytest

from orbtile.server.acceptor import (
    BATCH,
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    SelectorAcceptor,
    has_readers,
)
from tests.fakes.readiness import FakeReadiness

Outcome = OSError | socket.socket


class Door:
    """An acceptor on a listening socket whose next outcomes the test decides."""

    def __init__(self) -> None:
        self.loop = FakeReadiness()
        self.sock = mock.create_autospec(socket.socket, instance=True)
        self.sock.fileno.return_value = 3
        self.sock.accept.side_effect = self._accept
        self.outcomes: list[Outcome] = []
        self.peers: list[socket.socket] = []
        self.protocols: list[asyncio.Protocol] = []
        self.batches = 0
        self.troubles: list[int | None] = []
        self.broken: list[OSError] = []
        self.peer_error: OSError | None = None
        self.is_welcome = True
        self.acceptor = SelectorAcceptor(
            self.loop,
            self.sock,
            self._make_protocol,
            peer_check=self._check,
            accepted=self._count_batch,
            troubled=lambda error: self.troubles.append(error.errno if error else None),
            broken=self.broken.append,
        )
        asyncio.run(self.acceptor.start())

    def knock(self, *outcomes: Outcome) -> None:
        """The listening socket becomes readable, with these outcomes and then nobody."""
        self.outcomes += outcomes
        self.loop.readable(self.sock)

    def caller(self) -> socket.socket:
        """Our end of a connection; the other is kept open."""
        ours, theirs = socket.socketpair()
        self.peers += [ours, theirs]
        return ours

    def _accept(self) -> tuple[socket.socket, str]:
        outcome = self.outcomes.pop(0) if self.outcomes else BlockingIOError()
        if isinstance(outcome, OSError):
            raise outcome
        return outcome, ""

    def _make_protocol(self) -> asyncio.Protocol:
        self.protocols.append(asyncio.Protocol())
        return self.protocols[-1]

    def _check(self, _sock: socket.socket) -> bool:
        if self.peer_error is not None:
            raise self.peer_error
        return self.is_welcome

    def _count_batch(self) -> None:
        self.batches += 1

    def close(self) -> None:
        for sock in self.peers:
            sock.close()


@pytest.fixture
def door() -> Iterator[Door]:
    door = Door()
    yield door
    door.close()


def test_everybody_who_waits_is_accepted_in_one_go(door: Door) -> None:
    callers = [door.caller() for _ in range(3)]
    door.knock(*callers)
    assert len(door.protocols) == 3
    assert door.batches == 1
    assert not any(sock.getblocking() for sock in callers)


def test_a_crowd_is_accepted_in_batches(door: Door) -> None:
    door.knock(*[OSError(errno.ECONNABORTED, "aborted")] * (BATCH + 5))
    assert len(door.outcomes) == 5
    assert door.batches == 1


def test_a_foreign_peer_is_closed_and_the_next_one_served(door: Door) -> None:
    door.is_welcome = False
    foreign = door.caller()
    door.knock(foreign)
    assert foreign.fileno() == -1
    assert not door.protocols
    door.is_welcome = True
    door.knock(door.caller())
    assert len(door.protocols) == 1


def test_a_peer_that_nobody_can_vouch_for_is_closed(door: Door) -> None:
    door.peer_error = OSError(errno.ENOTCONN, "gone")
    unknown = door.caller()
    door.knock(unknown)
    assert unknown.fileno() == -1
    assert not door.protocols


@pytest.mark.parametrize("code", [errno.ECONNABORTED, errno.EPROTO, errno.EPERM, errno.EHOSTUNREACH])
def test_a_connection_that_failed_before_it_was_accepted_is_skipped(door: Door, code: int) -> None:
    door.knock(OSError(code, "failed"), door.caller())
    assert len(door.protocols) == 1
    assert door.troubles == []


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
def test_without_descriptors_accepting_pauses_and_goes_on(door: Door, code: int) -> None:
    door.knock(OSError(code, "too many"))
    assert door.troubles == [code]
    assert not door.loop.readers
    assert door.sock.accept.call_count == 1
    door.outcomes = [door.caller()]
    door.loop.time.advance(FIRST_PAUSE_S)
    assert door.troubles == [code, None]
    assert len(door.protocols) == 1
    assert door.loop.readers


def test_a_pause_that_did_not_help_is_doubled_up_to_its_limit_and_told_once(door: Door) -> None:
    door.knock(*[OSError(errno.EMFILE, "too many")] * 100)
    door.loop.time.advance(60.0)
    assert door.troubles == [errno.EMFILE]
    pauses = door.loop.time.armed
    assert pauses[:5] == [FIRST_PAUSE_S * 2**step for step in range(5)]
    assert pauses[-1] == LONGEST_PAUSE_S


def test_after_a_recovery_pauses_start_short_again(door: Door) -> None:
    for _ in range(2):
        door.knock(OSError(errno.EMFILE, "too many"))
        door.loop.time.advance(FIRST_PAUSE_S)
    assert door.loop.time.armed == [FIRST_PAUSE_S, FIRST_PAUSE_S]
    assert door.troubles == [errno.EMFILE, None] * 2


@pytest.mark.parametrize("code", [errno.EBADF, errno.EINVAL, errno.ENOTSOCK])
def test_a_broken_listening_socket_is_told(door: Door, code: int) -> None:
    door.knock(OSError(code, "broken"))
    assert [error.errno for error in door.broken] == [code]
    assert door.sock.accept.call_count == 1


def test_after_stop_nothing_is_watched(door: Door) -> None:
    door.acceptor.stop()
    door.acceptor.stop()
    assert not door.loop.readers


def test_stop_during_a_pause_ends_it(door: Door) -> None:
    door.knock(OSError(errno.EMFILE, "too many"))
    door.acceptor.stop()
    door.loop.time.advance(LONGEST_PAUSE_S)
    assert not door.loop.readers
    assert door.sock.accept.call_count == 1


def test_only_selector_loops_have_readers() -> None:
    loop = asyncio.SelectorEventLoop()
    loop.close()
    assert has_readers(loop)
    assert not has_readers(mock.create_autospec(asyncio.AbstractEventLoop, instance=True))
