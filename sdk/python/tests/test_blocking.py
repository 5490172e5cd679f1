"""The world for threads: what the other side and other threads do to an exchange."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from orbtile_adapter import TransportError
from orbtile_adapter._blocking import BlockingIo, run
from orbtile_adapter._http import Reply
from sdkfakes.model import respond

pytestmark = pytest.mark.socket


def exchange(io: BlockingIo, size: int = 2, timeout_s: float = 5) -> Reply:
    return run(io.exchange("/s", b"x" * size, timeout_s))


def test_an_answer_that_was_there_before_the_request_could_be_sent_is_heard() -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(respond(503, {}, "Retry-After: 1\r\n"))
    theirs.close()
    io = BlockingIo(None, connect=lambda *_: ours)
    assert exchange(io, 1_000_000).retry_after_s == 1
    assert ours.fileno() == -1


def test_stopping_waits_for_an_exchange_that_is_still_connecting_and_refuses_it() -> None:
    """A connection that is being made cannot be cut short, but nobody may be left with it."""
    ours, theirs = socket.socketpair()
    connecting, go_on = threading.Event(), threading.Event()
    caught: list[Exception] = []

    def connect(*_: object) -> socket.socket:
        connecting.set()
        assert go_on.wait(5)
        return ours

    def work() -> None:
        try:
            exchange(io)
        except TransportError as error:
            caught.append(error)

    io = BlockingIo(None, connect=connect)
    worker, stopper = threading.Thread(target=work), threading.Thread(target=io.stop)
    worker.start()
    connecting.wait(5)
    stopper.start()
    stopper.join(0.05)
    assert stopper.is_alive()
    go_on.set()
    stopper.join(5)
    worker.join(5)
    assert "closed" in str(caught[0])
    assert ours.fileno() == -1
    with pytest.raises(TransportError, match="closed"):
        exchange(io)
    assert run(io.pause(60)) is False
    theirs.close()


def test_the_timeout_is_for_the_whole_exchange() -> None:
    ours, theirs = socket.socketpair()

    def connect(*_: object) -> socket.socket:
        time.sleep(0.15)
        ours.settimeout(0.2)
        return ours

    started = time.monotonic()
    with pytest.raises(TransportError, match="in time"):
        exchange(BlockingIo(None, connect=connect), timeout_s=0.2)
    assert time.monotonic() - started < 0.3
    theirs.close()


def test_an_operation_that_would_have_to_wait_elsewhere_is_a_mistake() -> None:
    class Elsewhere:
        def __await__(self) -> object:
            yield

    async def operation() -> None:
        await Elsewhere()  # type: ignore[misc]

    with pytest.raises(RuntimeError, match="suspended"):
        run(operation())
