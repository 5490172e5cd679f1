"""``Client`` over real sockets: its threads, its end, forks and exits."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orbtile_adapter import (
    AdapterError,
    APIError,
    Client,
    DiscoveryError,
    LeaseLostError,
    PayloadTooLargeError,
    TransportError,
)
from sdkfakes import served as faults
from sdkfakes.memory import DISPLAY_ONLY, REGISTRATION
from sdkfakes.model import ADAPTER, refuse
from sdkfakes.served import Served

pytestmark = pytest.mark.socket
unix = pytest.mark.parametrize("served", ["unix"], indirect=True)
SOURCE = Path(__file__).parents[1] / "src"


def client(served: Served, registration: dict[str, Any] = REGISTRATION, **options: Any) -> Client:
    return Client(ADAPTER, registration, discovery_file=served.file, **options)


def eventually(holds: Callable[[], object], seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "not so within the time"
        time.sleep(0.005)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux shows them"
)


def test_a_session_is_shown_and_goes_with_the_client(served: Served) -> None:
    with client(served) as pad:
        pad.upsert_session("run", title="T", activity="thinking")
        assert served.model.session()["title"] == "T"
    assert served.model.sessions == {}
    assert served.model.registration is None


def test_the_discovery_file_may_be_named_in_the_environment(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORBTILE_API_FILE", str(served.file))
    with Client(ADAPTER, REGISTRATION) as pad:
        assert pad.info["version"] == "9"


@unix
def test_the_daemon_beats_also_while_a_poll_is_held(served: Served) -> None:
    served.hold_s = 10
    with client(served, heartbeat_interval=0.01) as pad:
        poll = threading.Thread(target=pad.poll_events)
        poll.start()
        eventually(lambda: served.model.lines.count("POST /heartbeat") >= 5)
        assert poll.is_alive()
        served.hold.set()
        poll.join()
        assert pad.heartbeat_error is None


@unix
def test_five_seconds_is_the_usual_interval(served: Served) -> None:
    assert client(served)._heartbeat_s == 5


@unix
def test_the_daemon_brings_a_session_back_after_a_restart(served: Served) -> None:
    with client(served, heartbeat_interval=0.01) as pad:
        pad.upsert_session("run", title="T", activity="idle")
        served.stop()
        eventually(lambda: isinstance(pad.heartbeat_error, DiscoveryError))
        served.model.regenerate_token()
        served.start()
        eventually(lambda: served.model.sessions)
        assert served.model.session()["title"] == "T"
        eventually(lambda: pad.heartbeat_error is None)
        assert pad.lease_generation == 2


@unix
def test_while_the_host_is_off_nothing_is_connected_to_and_little_is_done(served: Served) -> None:
    with client(served, heartbeat_interval=0.05) as pad:
        served.stop()
        before = served.connections
        started, cpu = time.monotonic(), time.process_time()
        with pytest.raises(AdapterError):
            pad.upsert_session("run", title="T", activity="idle")
        time.sleep(0.3)
        assert time.process_time() - cpu < (time.monotonic() - started) / 2
        assert served.connections == before
        served.start()


@pytest.mark.parametrize(
    "fault", [faults.drop, faults.half, faults.half_close, faults.garbage, faults.garbage_body]
)
def test_a_broken_answer_is_trouble_on_the_wire(served: Served, fault: faults.Fault) -> None:
    with client(served) as pad:
        served.faults.append(fault)
        with pytest.raises(TransportError):
            pad.upsert_session("run", title="T", activity="idle")
        pad.heartbeat()
        assert served.model.session()["title"] == "T"


def test_a_slow_answer_arrives_whole(served: Served) -> None:
    with client(served) as pad:
        served.faults.append(faults.slow)
        assert pad.upsert_session("run", title="T", activity="idle")["session"]["visible"]


def test_an_answer_that_does_not_come_is_not_waited_for_longer_than_the_timeout(served: Served) -> None:
    with client(served, timeout=0.05) as pad:
        served.faults.append(faults.hang)
        with pytest.raises(TransportError, match="in time"):
            pad.heartbeat()


@unix
def test_a_trickle_does_not_stretch_the_timeout(served: Served) -> None:
    def trickle(connection: socket.socket, reply: bytes) -> None:
        for byte in reply:
            connection.sendall(bytes([byte]))
            time.sleep(0.02)

    with client(served, timeout=0.1) as pad:
        served.faults.append(trickle)
        with pytest.raises(TransportError, match="in time"):
            pad.heartbeat()


def test_a_refusal_that_comes_before_the_body_was_read_is_heard(folder: Path) -> None:
    """An answer is sent at once and the connection closed, with the body still on its way."""
    served = Served(folder)
    served.start()
    pad = client(served)
    pad.connect()
    served.stop()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(served.path))
    listener.listen()
    served.publish()

    def serve() -> None:
        for reply in (
            served.model.answer,
            lambda _: refuse(503, "limit_exceeded", headers="Retry-After: 1\r\n"),
        ):
            connection, _ = listener.accept()
            with connection:
                connection.sendall(reply(connection.recv(1000)))

    thread = threading.Thread(target=serve)
    thread.start()
    pad._core.link.discovery = None
    with pytest.raises(APIError) as caught:
        pad.upsert_session("run", title="x" * 60_000, activity="idle")
    assert caught.value.retry_after == 1
    thread.join()
    listener.close()
    pad.close()


def test_nobody_there_is_trouble_on_the_wire(served: Served) -> None:
    pad = client(served)
    served.stop(is_crash=True)
    with pytest.raises(TransportError) as caught:
        pad.connect()
    assert str(served.file.parent) not in str(caught.value)
    pad.close()
    served.file.unlink()


def test_a_socket_path_that_is_too_long_is_trouble_on_the_wire(folder: Path) -> None:
    served = Served(folder)
    served.path = folder / ("x" * 200)
    served.publish()
    pad = client(served)
    with pytest.raises(TransportError):
        pad.connect()
    pad.close()


@unix
def test_too_large_a_body_makes_no_connection(served: Served) -> None:
    with client(served) as pad:
        before = served.connections
        with pytest.raises(PayloadTooLargeError):
            pad.upsert_session("run", title="x" * 70_000, activity="idle")
        assert served.connections == before


@unix
def test_many_threads_may_use_one_client(served: Served) -> None:
    with client(served, heartbeat_interval=0.005) as pad:

        def work(name: str) -> None:
            for step in range(20):
                pad.upsert_session(name, title=name, activity="idle", statusDetail=str(step))

        workers = [threading.Thread(target=work, args=(f"s{n}",)) for n in range(5)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [served.model.session(f"s{n}")["statusDetail"] for n in range(5)] == ["19"] * 5


# --- the end ---------------------------------------------------------------------------------------------


@needs_proc
def test_nothing_outlives_close(served: Served) -> None:
    served.hold_s = 10
    before = descriptors(), threading.active_count()
    pads = [client(served, DISPLAY_ONLY, heartbeat_interval=0.01) for _ in range(3)]
    for pad in pads:
        pad.connect()
        pad.upsert_session("run", title="T", activity="idle")
    results: list[object] = []

    def follow(events: Iterator[object]) -> None:
        results.extend(events)

    threads = [threading.Thread(target=follow, args=(pad.events(),)) for pad in pads]
    for thread in threads:
        thread.start()
    eventually(lambda: served.model.lines.count("POST /events") >= 3)
    started = time.monotonic()
    for pad in pads:
        pad.close()
    assert time.monotonic() - started < 3
    for thread in threads:
        thread.join(1)
    assert results == []
    served.hold.set()
    eventually(lambda: served.open == 0)
    eventually(lambda: (descriptors(), threading.active_count()) == before)


@unix
def test_a_call_under_way_in_another_thread_ends_with_the_client(served: Served) -> None:
    pad = client(served)
    pad.connect()
    served.faults.append(faults.hang)
    caught: list[BaseException] = []

    def call() -> None:
        try:
            pad.heartbeat()
        except AdapterError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    eventually(lambda: served.model.lines[-1] == "POST /heartbeat")
    pad.close()
    thread.join(1)
    assert isinstance(caught[0], TransportError)
    assert "closed" in str(caught[0])
    assert served.model.lines[-1] == "DELETE /"


@unix
def test_closing_from_a_signal_handler_in_the_middle_of_a_call_ends_both(served: Served) -> None:
    pad = client(served)
    pad.connect()
    served.faults.append(faults.hang)
    previous = signal.signal(signal.SIGALRM, lambda *_: pad.close())
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TransportError):
            pad.heartbeat()
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert served.model.registration is None


@unix
def test_closing_does_not_wait_long_for_a_host_that_says_nothing(served: Served) -> None:
    pad = client(served)
    pad.connect()
    served.faults.append(faults.hang)
    started = time.monotonic()
    pad.close()
    assert time.monotonic() - started < 1.5


@unix
def test_a_connection_that_failed_leaves_nothing_behind(served: Served) -> None:
    served.model.say(lambda _: None, refuse(409, "reserved_id"))
    with pytest.raises(APIError), client(served):
        pytest.fail("not reached")
    assert threading.active_count() <= 1 + len(served.threads)


@needs_proc
@unix
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forks_child_neither_uses_nor_disturbs_its_parents_client(served: Served, folder: Path) -> None:
    served.hold_s = 10
    report = folder / "report"
    with client(served, heartbeat_interval=0.002) as pad:
        poll = threading.Thread(target=lambda: list(pad.events()))
        poll.start()
        eventually(lambda: "POST /events" in served.model.lines)
        pad._io._order.acquire()  # as another thread may hold it at the moment of the fork
        pad._io._state.acquire()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads is what this is about
            child = os.fork()
        if child == 0:
            try:
                texts = []
                for act in (pad.heartbeat, pad.connect, pad.reconcile, pad.events, pad.register):
                    try:
                        act()
                    except AdapterError as error:
                        texts.append(str(error))
                pad.close()
                paths = list(Path("/proc/self/fd").iterdir())
                sockets = [path.name for path in paths if is_connected(int(path.name), served)]
                report.write_text(f"{set(texts)} {len(texts)} {pad.cursor} {sockets}")
            finally:
                os._exit(0)
        pad._io._state.release()
        pad._io._order.release()
        assert os.waitpid(child, 0)[1] == 0
        assert report.read_text() == "{'this client belongs to the parent process'} 5 0 []"
        assert served.model.registration is not None
        pad.upsert_session("run", title="T", activity="idle")
        served.model.event("tap")
        assert poll.is_alive()
    poll.join(2)
    assert not poll.is_alive()


def is_connected(descriptor: int, served: Served) -> bool:
    try:
        with socket.socket(fileno=os.dup(descriptor)) as copy:
            return bool(copy.getpeername() == str(served.path))
    except OSError:
        return False


def python(served: Served, code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "ORBTILE_API_FILE": str(served.file)}
    head = f"""
        import os, sys, threading, time
        from orbtile_adapter import AsyncClient, Client
        pad = Client("{ADAPTER}", {REGISTRATION!r}, heartbeat_interval=0.01)
    """
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(head) + textwrap.dedent(code)],
        env=environment, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


EXITS = {
    "the end": "",
    "sys.exit": "sys.exit(0)",
    "in the middle of a poll": """
        threading.Thread(target=lambda: list(pad.events()), daemon=True).start()
        time.sleep(0.1)
    """,
    "in the middle of beats": "time.sleep(0.1)",
    "with a global": "keep = [pad, pad.events()]",
    "in a child": """
        import warnings
        warnings.simplefilter("ignore")
        if not os.fork():
            sys.exit(0)
        assert os.wait()[1] == 0
        pad.heartbeat()
    """,
}


@unix
@pytest.mark.parametrize("code", EXITS.values(), ids=EXITS)
def test_a_program_that_just_ends_does_so_quickly_quietly_and_says_goodbye(served: Served, code: str) -> None:
    result = python(
        served,
        'pad.connect()\npad.upsert_session("run", title="T", activity="idle")\n' + textwrap.dedent(code),
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert served.model.registration is None
    assert served.model.lines.count("DELETE /") == 1


@unix
def test_a_program_that_ends_while_the_host_hangs_ends_too(served: Served) -> None:
    served.model.say(lambda _: None, lambda _: None)
    served.faults.extend([None, None, *[faults.hang] * 50])
    started = time.monotonic()
    result = python(served, "pad.connect()\ntime.sleep(0.1)")
    assert (result.returncode, result.stderr) == (0, "")
    assert time.monotonic() - started < 10


@unix
def test_an_interrupt_leaves_through_the_context_manager(served: Served) -> None:
    code = """
        import signal
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with pad:
                for event in pad.events():
                    pass
        except KeyboardInterrupt:
            print("bye", threading.active_count())
    """
    result = python(served, code)
    assert (result.returncode, result.stdout, result.stderr) == (0, "bye 1\n", "")
    assert served.model.registration is None


@unix
def test_an_adapter_follows_events_through_a_restart(served: Served) -> None:
    with client(served, heartbeat_interval=0.02) as pad:
        pad.upsert_session("run", title="T", activity="idle")
        served.model.event("tap")
        events = pad.events()
        assert pad.apply(next(events), lambda _: None)
        served.restart()
        with pytest.raises(LeaseLostError):
            next(events)
        pad.reconcile()
        served.model.event("tap")
        assert pad.apply(next(events), lambda _: None)
        assert served.model.session()["title"] == "T"
