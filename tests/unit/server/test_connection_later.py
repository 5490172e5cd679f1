"""A connection whose answer is still being worked on."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from orbtile.protocol.limits import MAX_CONNECTIONS
from orbtile.server.connection import DRAIN_LIMIT_BYTES
from orbtile.server.response import Response
from tests.conftest import ExpectLog
from tests.fakes.connections import GET, POST, Bench, body, error, status
from tests.fakes.handler import HeldAnswer, echo
from tests.fakes.transport import FakeTransport

REQUEST = POST + b"hello"
DONE = Response(200, b"done")


class Waiting(Bench):
    """Every request waits for ``held``."""

    def __init__(self) -> None:
        super().__init__()
        self.held = HeldAnswer()
        self.handler.answer = self.held

    async def ask(self, request: bytes = REQUEST) -> FakeTransport:
        """A peer whose request is being worked on."""
        peer = self.connect()
        peer.receive(request)
        await turn()
        assert self.held.is_begun
        assert peer.written == b""
        return peer

    async def answered(self) -> None:
        self.held.give(DONE)
        await turn()


Scene = Callable[[Waiting], Awaitable[None]]


async def turn() -> None:
    """Let the loop run what it has, and what comes of that."""
    for _ in range(5):
        await asyncio.sleep(0)


def play(scene: Scene) -> None:
    """Run ``scene``; afterwards nothing is worked on any more."""

    async def run() -> None:
        bench = Waiting()
        await scene(bench)
        await turn()
        assert len(bench.answers) == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_the_answer_is_written_when_it_is_there_and_the_connection_closed() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        assert not peer.is_closing()
        await bench.answered()
        assert body(peer) == b"done"
        assert peer.is_closing()
        assert not peer.has_ended
        assert len(bench.table) == 0
        assert not bench.held.is_given_up

    play(scene)


def test_an_answer_that_is_there_at_once_takes_no_task() -> None:
    bench = Bench()  # there is no running loop
    peer = bench.connect()
    peer.receive(REQUEST)
    assert body(peer) == b"/x hello"


def test_a_request_byte_by_byte_is_worked_on_once() -> None:
    async def scene(bench: Waiting) -> None:
        peer = bench.connect()
        for start, end in pairwise(range(len(REQUEST) + 1)):
            peer.receive(REQUEST[start:end])
            assert len(bench.answers) == (end == len(REQUEST))
        await turn()
        await bench.answered()
        assert body(peer) == b"done"
        assert peer.is_closing()

    play(scene)


def test_head_gets_its_late_answer_without_a_body() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask(b"HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await bench.answered()
        assert peer.written.endswith(b"Content-Length: 4\r\nConnection: close\r\n\r\n")

    play(scene)


# --- peers that leave ---------------------------------------------------------------------------------------


def test_a_peer_that_is_gone_ends_the_work() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        peer.lose()
        await turn()
        assert bench.held.is_given_up
        assert len(bench.table) == 0
        assert peer.written == b""

    play(scene)


def test_a_peer_that_is_gone_before_the_work_began_lets_it_never_begin() -> None:
    async def scene(bench: Waiting) -> None:
        peer = bench.connect()
        peer.receive(REQUEST)
        peer.lose()
        await turn()
        assert not bench.held.is_begun

    play(scene)


def test_a_peer_that_goes_in_the_turn_in_which_the_work_ends_gets_nothing() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        bench.held.give(DONE)
        await asyncio.sleep(0)  # the task is done, whoever waits for it is not told yet
        peer.lose()
        await turn()
        assert peer.written == b""

    play(scene)


def test_a_peer_that_ends_its_side_still_gets_the_answer() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        peer.receive_end()
        await turn()
        assert not peer.is_closing()
        await bench.answered()
        assert body(peer) == b"done"
        assert peer.is_closing()
        assert not peer.has_ended

    play(scene)


def test_a_peer_that_left_unnoticed_is_forgotten_when_the_answer_is_written() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        peer.is_broken = True
        await bench.answered()
        assert len(bench.table) == 0

    play(scene)


# --- bytes behind the request -------------------------------------------------------------------------------


@pytest.mark.parametrize("is_early", [True, False], ids=["with the request", "while it is worked on"])
def test_bytes_behind_the_request_are_ignored_and_drained(is_early: bool) -> None:
    async def scene(bench: Waiting) -> None:
        if is_early:
            peer = await bench.ask(REQUEST + GET)
        else:
            peer = await bench.ask()
            peer.receive(GET)
        await bench.answered()
        assert body(peer) == b"done"
        assert peer.has_ended
        assert not peer.is_closing()
        peer.receive_end()
        assert peer.is_closing()
        assert len(bench.handler.heads) == 1

    play(scene)


def test_a_peer_that_sent_on_and_then_ended_needs_no_drain() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        peer.receive(GET)
        peer.receive_end()
        await bench.answered()
        assert peer.is_closing()
        assert not peer.has_ended

    play(scene)


def test_a_peer_that_sends_without_end_is_dropped_and_its_work_ended() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        for _ in range(DRAIN_LIMIT_BYTES // 65_536):
            peer.receive(b"x" * 65_536)
        assert not peer.is_closing()
        peer.receive(b"x")
        assert peer.was_aborted
        await turn()
        assert bench.held.is_given_up

    play(scene)


# --- deadlines and slots ------------------------------------------------------------------------------------


def test_an_answer_has_four_seconds_however_long_the_body_took(expect_log: ExpectLog) -> None:
    expect_log(
        r"^orbtile\.server\.connection: WARNING: a request was given up: its answer took longer than 4 s$"
    )

    async def scene(bench: Waiting) -> None:
        peer = bench.connect()
        peer.receive(POST)
        bench.time.advance(9.0)
        peer.receive(b"hello")
        await turn()
        bench.time.advance(3.9)
        assert peer.written == b""
        bench.time.advance(0.5)
        assert error(peer) == (503, "limit_exceeded")
        assert b"\r\nRetry-After: 1\r\n" in peer.written
        assert peer.is_closing()
        await turn()
        assert bench.held.is_given_up

    play(scene)


def test_an_answer_after_the_deadline_of_the_body_is_written_whole() -> None:
    async def scene(bench: Waiting) -> None:
        peer = bench.connect(reads=False)
        peer.receive(POST)
        bench.time.advance(9.0)
        peer.receive(b"hello")
        await turn()
        bench.time.advance(3.0)  # 12 s after the head
        await bench.answered()
        assert body(peer) == b"done"
        bench.time.advance(2.9)
        assert len(bench.table) == 1
        bench.time.advance(0.5)
        assert peer.was_aborted
        assert len(bench.table) == 0

    play(scene)


def test_who_waits_for_an_answer_holds_a_slot() -> None:
    async def scene(bench: Waiting) -> None:
        waiting = [await bench.ask() for _ in range(MAX_CONNECTIONS)]
        ninth = bench.connect()
        ninth.receive(GET)
        assert error(ninth) == (503, "limit_exceeded")
        waiting[0].lose()
        await turn()
        bench.handler.answer = echo
        next_ = bench.connect()
        next_.receive(GET)
        assert status(next_) == 200
        await bench.answered()
        assert all(status(peer) == 200 for peer in waiting[1:])

    play(scene)


def test_who_waits_for_an_answer_is_not_dropped_for_silent_peers() -> None:
    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        silent = [bench.connect() for _ in range(200)]
        assert silent[0].was_aborted
        assert not peer.was_aborted
        await bench.answered()
        bench.table.abort_all()

    play(scene)


def test_closing_ends_all_work() -> None:
    async def scene(bench: Waiting) -> None:
        peers = [await bench.ask() for _ in range(3)]
        bench.table.abort_all()
        await bench.answers.aclose()
        assert len(bench.answers) == 0
        assert bench.held.is_given_up
        assert all(peer.was_aborted for peer in peers)

    play(scene)


# --- faults -------------------------------------------------------------------------------------------------


def test_work_that_fails_gives_500_without_detail(
    expect_log: ExpectLog, caplog: pytest.LogCaptureFixture
) -> None:
    expect_log(r"^orbtile\.server\.faults: ERROR: a request failed: ValueError at \S+:\d+ in _work$")

    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        bench.held.fail(ValueError("secret hello"))
        await turn()
        assert error(peer) == (500, "internal")
        assert b"secret" not in peer.written

    play(scene)
    assert "secret" not in caplog.text


def test_what_the_work_waits_for_being_cancelled_is_a_fault_of_ours(expect_log: ExpectLog) -> None:
    expect_log(r"a request failed: CancelledError at ")

    async def scene(bench: Waiting) -> None:
        peer = await bench.ask()
        bench.held.drop()
        await turn()
        assert error(peer) == (500, "internal")

    play(scene)
