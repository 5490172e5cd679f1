import asyncio
import errno
import socket
from collections.abc import Callable, Iterator
from unittest import mock

import pytest

from orbtile.server.acceptor import (
    BATCH,
    BATCH_S,
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    SelectorAcceptor,
    ServerAcceptor,
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
        self.serving_s = 0.0
        self.acceptor = SelectorAcceptor(
            self.loop,
            self.sock,
            self._make_protocol,
            peer_check=self._check,
            monotonic_s=self._now_s,
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

    def _now_s(self) -> float:
        return self.loop.time.now

    def _make_protocol(self) -> asyncio.Protocol:
        self.loop.time.advance(self.serving_s)
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


def test_whoever_takes_long_to_serve_ends_the_batch_and_the_rest_have_their_turn_next(door: Door) -> None:
    door.serving_s = BATCH_S * 0.6
    door.knock(*[door.caller() for _ in range(5)])
    assert (len(door.protocols), door.batches) == (2, 1)
    door.knock()
    assert (len(door.protocols), door.batches) == (4, 2)
    door.knock()
    assert (len(door.protocols), door.batches) == (5, 3)


def test_one_who_takes_very_long_is_alone_in_the_batch(door: Door) -> None:
    door.serving_s = 1.0
    door.knock(*[door.caller() for _ in range(2)])
    assert len(door.protocols) == 1


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


# --- in a task, for loops without readers -------------------------------------------------------------------


class WindowsError(OSError):
    """What Windows' proactor raises: a code of its own, and the errno that Python gives to unknown ones."""

    def __init__(self, winerror: int) -> None:
        super().__init__(errno.EINVAL, "injected")
        self.winerror = winerror


class Hall:
    """An acceptor on a loop whose accepts come out as the test decides; then nobody comes any more.

    Each ``Exception`` among ``refusals`` meets one accepted connection.
    """

    def __init__(self, *outcomes: OSError | socket.socket, refusals: tuple[Exception, ...] = ()) -> None:
        self.outcomes = list(outcomes)
        self.refusals = list(refusals)
        self.sock = mock.create_autospec(socket.socket, instance=True)
        self.served: list[socket.socket] = []
        self.pauses: list[float] = []
        self.told: list[int | str | None] = []
        self.nobody_left = asyncio.Event()
        self.acceptor = ServerAcceptor(
            self,
            self.sock,
            asyncio.Protocol,
            troubled=lambda error: self.told.append(error.errno if error else None),
            broken=self._break,
            sleep=self._sleep,
        )

    async def sock_accept(self, sock: socket.socket, /) -> tuple[socket.socket, object]:
        assert sock is self.sock
        if not self.outcomes:
            self.nobody_left.set()
            await asyncio.Event().wait()
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, OSError):
            raise outcome
        return outcome, ""

    async def connect_accepted_socket(
        self, protocol_factory: Callable[[], asyncio.Protocol], sock: socket.socket, /
    ) -> object:
        assert protocol_factory is asyncio.Protocol
        await asyncio.sleep(0)
        if self.refusals:
            raise self.refusals.pop(0)
        self.served.append(sock)
        return None

    def _break(self, error: OSError) -> None:
        self.told.append(f"broken: {error}")
        self.acceptor.stop()
        self.nobody_left.set()

    async def _sleep(self, delay_s: float) -> None:
        if delay_s:
            self.pauses.append(delay_s)
        await asyncio.sleep(0)

    def receive(self) -> None:
        """Accept until nobody is left; afterwards nothing of the acceptor runs any more."""

        async def run() -> None:
            await self.acceptor.start()
            [task] = asyncio.all_tasks() - {asyncio.current_task()}
            assert task.get_name() == "orbtile-accept"
            await self.nobody_left.wait()
            await asyncio.sleep(0)  # what accepting put on the loop
            self.acceptor.stop()
            await self.acceptor.wait_stopped()
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(run())


def callers(count: int) -> list[mock.NonCallableMagicMock]:
    return [mock.create_autospec(socket.socket, instance=True) for _ in range(count)]


def test_a_task_serves_one_caller_after_the_other() -> None:
    everybody = callers(3)
    hall = Hall(*everybody)
    hall.receive()
    assert hall.served == everybody
    assert (hall.told, hall.pauses) == ([], [])


@pytest.mark.parametrize(
    "error",
    [
        WindowsError(64),  # ERROR_NETNAME_DELETED
        WindowsError(1236),  # ERROR_CONNECTION_ABORTED
        ConnectionResetError(errno.ECONNRESET, "reset"),
        ConnectionAbortedError(errno.ECONNABORTED, "aborted"),
        OSError(errno.ENOTCONN, "gone before anybody could ask for its name"),
    ],
)
def test_a_caller_that_hung_up_early_costs_nobody_else(error: OSError) -> None:
    [caller] = callers(1)
    hall = Hall(error, error, caller)
    hall.receive()
    assert hall.served == [caller]
    assert (hall.told, hall.pauses) == ([], [])


@pytest.mark.parametrize("code", [errno.ECONNRESET, errno.EINVAL, errno.EMFILE])
def test_a_caller_that_is_gone_before_it_is_served_costs_nobody_else(code: int) -> None:
    gone, caller = callers(2)
    hall = Hall(gone, caller, refusals=(OSError(code, "gone"),))
    hall.receive()
    assert hall.served == [caller]
    assert gone.close.call_count == 1
    assert hall.told == []


@pytest.mark.parametrize(
    "error", [OSError(errno.EMFILE, "too many"), OSError(errno.ENOBUFS, "full"), WindowsError(1450)]
)
def test_a_task_without_resources_pauses_longer_and_longer_and_says_so_once(error: OSError) -> None:
    hall = Hall(*[error] * 7)
    hall.receive()
    assert hall.pauses == [0.5, 1.0, 2.0, 4.0, LONGEST_PAUSE_S, LONGEST_PAUSE_S, LONGEST_PAUSE_S]
    assert hall.told[0] == error.errno
    assert hall.told[1:] == [None]  # told by waiting for a caller, of whom none need come


def test_after_a_recovery_a_task_pauses_shortly_again() -> None:
    error = OSError(errno.EMFILE, "too many")
    [caller] = callers(1)
    hall = Hall(error, caller, error)
    hall.receive()
    assert hall.served == [caller]
    assert hall.pauses == [FIRST_PAUSE_S, FIRST_PAUSE_S]
    assert hall.told == [errno.EMFILE, None] * 2


@pytest.mark.parametrize("error", [OSError(errno.EBADF, "broken"), WindowsError(995), OSError("unheard of")])
def test_any_other_failure_ends_the_task_and_is_told(error: OSError) -> None:
    hall = Hall(error, *callers(1))
    hall.receive()
    assert hall.told == [f"broken: {error}"]
    assert hall.served == []


def test_a_fault_of_ours_is_told_too_and_leaves_no_caller_hanging() -> None:
    [caller] = callers(1)
    hall = Hall(caller, refusals=(LookupError("a fault"),))
    hall.receive()
    assert hall.told == ["broken: LookupError"]
    assert caller.close.call_count == 1


def test_a_task_that_was_never_started_is_stopped_at_once() -> None:
    async def run() -> None:
        acceptor = Hall().acceptor
        acceptor.stop()
        await acceptor.wait_stopped()

    asyncio.run(run())
