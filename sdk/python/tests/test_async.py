"""``AsyncClient`` over real sockets: the same core, a loop never blocked, cancellation without traces."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from orbtile_adapter import (
    AdapterError,
    APIError,
    AsyncClient,
    Client,
    DiscoveryError,
    Event,
    LeaseLostError,
    PayloadTooLargeError,
    ProofError,
    TransportError,
)
from sdkfakes import served as faults
from sdkfakes.memory import REGISTRATION
from sdkfakes.model import ADAPTER, refuse
from sdkfakes.requests import APPROVAL, QUESTION
from sdkfakes.served import Served

pytestmark = pytest.mark.socket
unix = pytest.mark.parametrize("served", ["unix"], indirect=True)


def client(served: Served, **options: Any) -> AsyncClient:
    return AsyncClient(ADAPTER, REGISTRATION, discovery_file=served.file, **options)


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run it, and see that no task, descriptor or complaint of the loop is left."""
    complaints: list[dict[str, Any]] = []

    async def watched() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        await main
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, left

    asyncio.run(watched())
    gc.collect()
    assert complaints == []


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def eventually(holds: Callable[[], object], seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "not so within the time"
        await asyncio.sleep(0.005)


def test_it_has_what_client_has_with_the_same_parameters() -> None:
    for name, sync in inspect.getmembers(Client):
        if name.startswith("_") or name == "end_at_exit":
            continue
        other = inspect.getattr_static(AsyncClient, name)
        if isinstance(sync, property):
            assert isinstance(other, property), name
            continue
        assert inspect.signature(sync).parameters == inspect.signature(other).parameters, name
        if name not in {"events", "end_in_child"}:
            assert inspect.iscoroutinefunction(other), name
    assert inspect.signature(Client).parameters == inspect.signature(AsyncClient).parameters


def test_a_whole_life(served: Served) -> None:
    async def main() -> None:
        model = served.model
        async with client(served) as pad:
            assert pad.info["version"] == "9"
            assert pad.capabilities == {"tap", "approvals", "questions"}
            assert (await pad.verify())["apiMinor"] == 2
            assert (await pad.register())["enabled"]
            await pad.upsert_session("run", title="T", activity="idle")
            await pad.replace_sessions([{"id": "run", "title": "T", "activity": "idle"}])
            await pad.request_approval("run", APPROVAL)
            done: list[Any] = []
            model.event("tap")
            model.decide("deny")
            async for event in pad.events():
                assert await pad.apply(event, done.append)
                if event["type"] == "approval":
                    break
            assert [event["type"] for event in done] == ["tap", "approval"]
            assert pad.cursor == 2
            await pad.ask_question("run", QUESTION)
            assert await pad.answer_locally("run", lambda: done.append("here"), request_id="q1")
            assert model.session()["question"] is None
            model.event("tap")
            (event,) = (await pad.poll_events(0))["events"]
            await pad.acknowledge(event)
            assert pad.cursor == 3
            await pad.heartbeat()
            await pad.remove_session("run")
            assert model.sessions == {}
            assert pad.heartbeat_error is None
        assert model.registration is None
        await pad.close()
        with pytest.raises(AdapterError, match="closed"):
            await pad.heartbeat()
        assert [event async for event in pad.events()] == []

    run(main())


@unix
def test_it_recovers_like_client(served: Served) -> None:
    async def main() -> None:
        async with client(served, heartbeat_interval=0.02) as pad:
            await pad.upsert_session("run", title="T", activity="idle")
            events = pad.events()
            served.restart()
            with pytest.raises(LeaseLostError):
                await events.__anext__()
            await pad.reconcile()
            assert served.model.session()["title"] == "T"
            served.model.event("tap")
            assert (await events.__anext__())["type"] == "tap"
            served.stop()
            await eventually(lambda: isinstance(pad.heartbeat_error, DiscoveryError))
            served.start()
            await eventually(lambda: pad.heartbeat_error is None)

    run(main())


@pytest.mark.parametrize(
    "fault", [faults.drop, faults.half, faults.half_close, faults.garbage, faults.garbage_body]
)
def test_a_broken_answer_is_trouble_on_the_wire(served: Served, fault: faults.Fault) -> None:
    async def main() -> None:
        async with client(served) as pad:
            served.faults.append(fault)
            with pytest.raises(TransportError):
                await pad.upsert_session("run", title="T", activity="idle")
            await pad.heartbeat()
            assert served.model.session()["title"] == "T"

    run(main())


def test_errors_are_the_same(served: Served, folder: Path) -> None:
    async def main() -> None:
        served.model.proof_key = "x"
        with pytest.raises(ProofError):
            await client(served).connect()
        served.model.proof_key = None
        async with client(served, timeout=0.1) as pad:
            served.model.say(refuse(422, "invalid_field", "title"))
            with pytest.raises(APIError):
                await pad.upsert_session("run", title="T", activity="idle")
            with pytest.raises(PayloadTooLargeError):
                await pad.upsert_session("run", title="x" * 70_000, activity="idle")
            served.faults.append(faults.hang)
            with pytest.raises(TransportError, match="in time"):
                await pad.heartbeat()
        with pytest.raises(DiscoveryError):
            await AsyncClient(ADAPTER, REGISTRATION, discovery_file=folder / "none").connect()

    run(main())


def test_nobody_there_is_trouble_on_the_wire(served: Served) -> None:
    async def main() -> None:
        served.stop(is_crash=True)
        with pytest.raises(TransportError):
            await client(served).connect()
        served.file.unlink()

    run(main())


# --- the loop --------------------------------------------------------------------------------------------


async def longest_gap(work: Awaitable[object]) -> float:
    """How long the loop stood still, in seconds, while ``work`` went on."""
    gap, task = 0.0, asyncio.ensure_future(work)
    while not task.done():
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        gap = max(gap, time.perf_counter() - before)
    await task
    return gap


@unix
def test_a_host_that_hangs_does_not_block_the_loop(served: Served) -> None:
    async def main() -> None:
        async with client(served, timeout=0.4) as pad:
            served.faults.append(faults.hang)

            async def call() -> None:
                with pytest.raises(TransportError):
                    await pad.heartbeat()

            assert await longest_gap(call()) < 0.2

    run(main())


@unix
def test_a_callback_that_takes_its_time_blocks_neither_the_loop_nor_updates_nor_beats(served: Served) -> None:
    async def main() -> None:
        async with client(served, heartbeat_interval=0.01) as pad:
            await pad.request_approval("run", APPROVAL, title="T")
            served.model.decide("deny")
            (event,) = (await pad.poll_events(0))["events"]
            threads: list[str] = []
            going, go_on = threading.Event(), threading.Event()

            def commit(_: Event) -> None:
                threads.append(threading.current_thread().name)
                going.set()
                assert go_on.wait(5)

            applied = asyncio.create_task(pad.apply(event, commit))
            await eventually(going.is_set)
            beats = served.model.lines.count("POST /heartbeat")
            await pad.upsert_session("run", statusDetail="s")
            await eventually(lambda: served.model.lines.count("POST /heartbeat") > beats + 1)
            answer = asyncio.create_task(pad.answer_locally("run", lambda: threads.append("no")))
            await asyncio.sleep(0.02)
            assert not answer.done()
            go_on.set()
            assert await applied
            assert not await answer
            assert threads == ["orbtile-adapter-callback"]

    run(main())


@unix
def test_what_a_callback_raises_comes_out_and_leaves_the_event_open(served: Served) -> None:
    async def main() -> None:
        async with client(served) as pad:
            served.model.event("tap")
            (event,) = (await pad.poll_events(0))["events"]
            with pytest.raises(ZeroDivisionError):
                await pad.apply(event, lambda _: 1 / 0)

            def stop(_: Event) -> None:
                raise StopIteration

            with pytest.raises(RuntimeError):
                await pad.apply(event, stop)

            async def later(_: Event) -> None: ...

            with pytest.raises(TypeError, match="asynchronous"):
                await pad.apply(event, later)
            assert pad.cursor == 0
            assert await pad.apply(event, lambda _: None)

    run(main())


# --- cancellation ----------------------------------------------------------------------------------------


CALLS: dict[str, Callable[[AsyncClient], Awaitable[object]]] = {
    "heartbeat": lambda pad: pad.heartbeat(),
    "update": lambda pad: pad.upsert_session("run", title="New", activity="done"),
    "poll": lambda pad: pad.poll_events(),
    "events": lambda pad: pad.events().__anext__(),
}


@unix
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call_that_is_cancelled_ends_at_once_and_the_client_goes_on(
    served: Served, call: Callable[[AsyncClient], Awaitable[object]]
) -> None:
    async def main() -> None:
        async with client(served) as pad:
            await pad.upsert_session("run", title="T", activity="idle")
            served.faults.append(faults.hang)
            count = len(served.model.lines)
            task = asyncio.ensure_future(call(pad))
            await eventually(lambda: len(served.model.lines) > count)
            task.cancel()
            started = time.monotonic()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - started < 0.5
            await eventually(lambda: served.open == 0)
            await pad.heartbeat()
            await pad.poll_events(0)
            await pad.upsert_session("run", statusDetail="s")
            asked = [request.body["title"] for request in served.model.requests if request.body.get("title")]
            assert served.model.session()["title"] == asked[-1]  # what was cut short came with the heartbeat

    run(main())


@unix
def test_calls_cancelled_while_they_wait_for_their_turn_leave_it_to_others(served: Served) -> None:
    async def main() -> None:
        async with client(served) as pad:
            served.faults.append(faults.hang)
            first = asyncio.ensure_future(pad.heartbeat())
            await eventually(lambda: served.model.lines[-1] == "POST /heartbeat")
            second = asyncio.ensure_future(pad.heartbeat())
            third = asyncio.ensure_future(pad.upsert_session("run", title="T", activity="idle"))
            await asyncio.sleep(0.01)
            second.cancel()
            first.cancel()
            await third
            with pytest.raises(asyncio.CancelledError):
                await first
            assert second.cancelled()
            assert served.model.session()["title"] == "T"

    run(main())


@unix
def test_cancelling_while_a_callback_runs_waits_for_its_end(served: Served) -> None:
    async def main() -> None:
        async with client(served) as pad:
            served.model.event("tap")
            (event,) = (await pad.poll_events(0))["events"]
            going, go_on = threading.Event(), threading.Event()

            def commit(_: Event) -> None:
                going.set()
                assert go_on.wait(5)

            task = asyncio.create_task(pad.apply(event, commit))
            await eventually(going.is_set)
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(0.01)
            assert not task.done()
            go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert pad.cursor == 1
            assert not await pad.apply(event, lambda _: None)

    run(main())


@unix
def test_a_wait_for_around_a_call_gives_up_in_time(served: Served) -> None:
    async def main() -> None:
        async with client(served) as pad:
            served.faults.append(faults.hang)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(pad.heartbeat(), 0.05)
            await pad.heartbeat()

    run(main())


@unix
def test_cancelling_while_it_waits_for_an_absent_host_ends_at_once(served: Served) -> None:
    async def main() -> None:
        async with client(served) as pad:
            served.stop()
            task = asyncio.ensure_future(pad.events().__anext__())
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            served.start()

    run(main())


# --- the end ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux shows them")
def test_nothing_outlives_close(served: Served) -> None:
    served.hold_s = 10
    before = descriptors(), threading.active_count()

    async def main() -> None:
        pad = client(served, heartbeat_interval=0.005)
        await pad.connect()

        async def follow() -> int:
            return len([event async for event in pad.events()])

        follower = asyncio.create_task(follow())
        await eventually(lambda: "POST /events" in served.model.lines)
        await asyncio.sleep(0.02)
        await pad.close()
        assert await asyncio.wait_for(follower, 1) == 0
        assert served.model.registration is None

    run(main())
    served.hold.set()
    end = time.monotonic() + 5
    while (descriptors(), threading.active_count()) != before:
        assert time.monotonic() < end
        time.sleep(0.01)


@unix
def test_closing_lets_a_callback_end_and_cuts_calls_short(served: Served) -> None:
    async def main() -> None:
        pad = client(served)
        await pad.connect()
        served.model.event("tap")
        (event,) = (await pad.poll_events(0))["events"]
        going, ended = threading.Event(), threading.Event()

        def commit(_: Event) -> None:
            going.set()
            time.sleep(0.1)
            ended.set()

        applying = asyncio.create_task(pad.apply(event, commit))
        served.faults.append(faults.hang)
        calling = asyncio.create_task(pad.heartbeat())
        await eventually(going.is_set)
        await eventually(lambda: served.model.lines[-1] == "POST /heartbeat")
        await pad.close()
        assert ended.is_set()
        assert await applying
        with pytest.raises(TransportError, match="closed"):
            await calling

    run(main())


@unix
def test_cancelling_the_body_still_says_goodbye(served: Served) -> None:
    async def main() -> None:
        async def body() -> None:
            async with client(served) as pad:
                async for _ in pad.events():
                    pass

        task = asyncio.create_task(body())
        await eventually(lambda: "POST /events" in served.model.lines)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert served.model.registration is None

    run(main())


@unix
def test_a_loop_that_ends_without_close_ends_quietly(served: Served) -> None:
    async def main() -> None:
        await client(served, heartbeat_interval=0.005).connect()
        await asyncio.sleep(0.03)

    asyncio.run(main())
    gc.collect()
    served.model.forget()


@unix
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forks_child_does_not_say_its_parents_goodbye(served: Served) -> None:
    async def main() -> None:
        pad = client(served)
        await pad.connect()
        pad.end_in_child()
        with pytest.raises(AdapterError, match="parent"):
            await pad.heartbeat()
        await pad.close()
        assert served.model.registration is not None
        heart = pad._heart
        assert heart is not None
        heart.cancel()
        await asyncio.wait({heart})

    run(main())
