"""The thread beside the loop's."""

import gc
import threading
from collections.abc import Callable, Iterator

import pytest

from orbtile.system.files_worker import FilesWorker


class Loop:
    """What was handed to the loop's thread, which is the test's."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []
        self.is_closed = False

    def call_soon(self, call: Callable[[], None]) -> None:
        if self.is_closed:
            raise RuntimeError("the loop is closed")
        self.calls.append(call)

    def run(self) -> None:
        while self.calls:
            self.calls.pop(0)()


@pytest.fixture
def collector() -> Iterator[None]:
    before = gc.isenabled()
    gc.enable()
    yield
    gc.enable() if before else gc.disable()


def allocate() -> int:
    return len([[] for _ in range(5_000)])  # several times what starts a collection


@pytest.mark.usefixtures("collector")
def test_no_garbage_is_collected_on_the_files_thread() -> None:
    loop = Loop()
    where: list[str] = []

    def look(phase: str, _info: dict[str, int]) -> None:
        if phase == "start":
            where.append(threading.current_thread().name)

    gc.callbacks.append(look)
    try:
        with FilesWorker(loop.call_soon) as worker:
            for _ in range(20):
                assert worker.submit(allocate).result(5) == 5_000
                loop.run()
    finally:
        gc.callbacks.remove(look)
    assert [name for name in where if name.startswith("orbtile-files")] == []


@pytest.mark.usefixtures("collector")
def test_the_collector_is_given_back_on_the_loops_thread_after_the_last_job() -> None:
    loop = Loop()
    with FilesWorker(loop.call_soon) as worker:
        for job in [worker.submit(allocate), worker.submit(allocate)]:
            job.result(5)
    assert not gc.isenabled()
    loop.calls.pop(0)()
    assert not gc.isenabled()
    loop.run()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    before = gc.isenabled()
    loop = Loop()
    gc.disable()
    try:
        with FilesWorker(loop.call_soon) as worker:
            worker.submit(allocate).result(5)
        loop.run()
        assert not gc.isenabled()
    finally:
        gc.enable() if before else gc.disable()


@pytest.mark.usefixtures("collector")
def test_a_job_that_comes_too_late_is_refused_and_holds_nothing_up() -> None:
    loop = Loop()
    worker = FilesWorker(loop.call_soon)
    worker.shutdown()
    with pytest.raises(RuntimeError):
        worker.submit(allocate)
    assert gc.isenabled()


@pytest.mark.usefixtures("collector")
def test_a_loop_that_is_closed_already_does_not_matter() -> None:
    loop = Loop()
    loop.is_closed = True
    with FilesWorker(loop.call_soon) as worker:
        assert worker.submit(allocate).result(5) == 5_000
