"""What the application takes when little happens: start, memory, and wake-ups with one quiet adapter."""

import time
from collections.abc import Mapping, Sequence
from statistics import median

from benchmarks.client import adapter_id, session_path, update
from benchmarks.counters import read_memory
from benchmarks.programs import Program, run_app, run_floor
from benchmarks.report import Result, spread

SESSIONS = 9
HEARTBEAT_S = 10.0
MIB = 1 << 20


def bench_start(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    floors, apps = [], []
    for number in range(4 if quick else 21):
        with run_floor(environment) as floor:
            floor_s = floor.start_s
        with run_app(environment) as app:
            app_s = app.start_s
        if number:  # the first pair warms the page cache up
            floors.append(floor_s)
            apps.append(app_s)
    return [
        Result(
            name="start to discovery file",
            value=median(apps) / median(floors),
            unit="x the floor",
            detail=f"{spread(apps, 'ms', 1000)}, floor to its docked icon {spread(floors, 'ms', 1000)}",
            demanded=1.3,
        )
    ]


def bench_idle(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    settle_s, beats = (5.0, 2) if quick else (20.0, 12)
    heartbeat = f"/adapters/{adapter_id(0)}/heartbeat"
    # The woken floor answers as often as the application: it tells what a wake-up costs on this machine now,
    # whose caches and memory may have gone cold meanwhile.
    with run_floor(environment) as floor, run_floor(environment) as woken, run_app(environment) as app:
        _open_sessions(app)
        _wait_with_heartbeats(app, settle_s)
        floor_before, woken_before, app_before = floor.counters(), woken.counters(), app.counters()
        started = time.monotonic()
        for number in range(beats):
            time.sleep(HEARTBEAT_S - 1.0)
            for program, status in ((app, 204), (woken, 200))[:: 1 if number % 2 else -1]:
                program.endpoint.expect(status, "POST", heartbeat)
                time.sleep(0.5)
        window_s = time.monotonic() - started
        floor_used, app_used = floor.counters().since(floor_before), app.counters().since(app_before)
        woken_used = woken.counters().since(woken_before)
    extra = (app_used.voluntary_switches - floor_used.voluntary_switches) / beats
    return [
        Result(
            name="idle: switches above the floor",
            value=extra,
            unit="a request",
            detail=f"{app_used.voluntary_switches} in {window_s:.0f} s with {beats} heartbeats, "
            f"floor {floor_used.voluntary_switches}",
            demanded=3.0,
        ),
        Result(
            name="idle: CPU",
            value=app_used.cpu_ns / 1e7 / window_s,
            unit="% of a core",
            detail=f"floor {floor_used.cpu_ns / 1e7 / window_s:.3f} %, woken as often "
            f"{woken_used.cpu_ns / 1e7 / window_s:.3f} %",
            demanded=0.1,
        ),
    ]


def bench_memory(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    settle_s = 3.0 if quick else 10.0
    floors, apps, proven = [], [], []
    for _ in range(1 if quick else 3):
        with run_floor(environment) as floor, run_app(environment) as app:
            _open_sessions(app)
            _wait_with_heartbeats(app, settle_s)
            floors.append(read_memory(floor.pid))
            apps.append(read_memory(app.pid))
            assert app.endpoint.send(app.endpoint.prepare("GET", "/info", nonce="ab" * 16)).status == 200
            proven.append(read_memory(app.pid))
    return [
        _memory_ratio("RSS", [it.rss_bytes for it in apps], [it.rss_bytes for it in floors], demanded=1.25),
        _memory_ratio("RSS, after a proof", [it.rss_bytes for it in proven], [it.rss_bytes for it in floors]),
        _memory_ratio("USS", [it.own_bytes for it in apps], [it.own_bytes for it in floors]),
    ]


def _memory_ratio(
    name: str, values: Sequence[int], floors: Sequence[int], demanded: float | None = None
) -> Result:
    return Result(
        name=name,
        value=median(values) / median(floors),
        unit="x the floor",
        detail=f"{spread(values, 'MiB', 1 / MIB)}, floor {spread(floors, 'MiB', 1 / MIB)}",
        demanded=demanded,
    )


def _open_sessions(app: Program) -> None:
    app.register(1)
    for number in range(SESSIONS):
        app.endpoint.expect(200, "POST", session_path(0, number), update(number))


def _wait_with_heartbeats(app: Program, wait_s: float) -> None:
    until = time.monotonic() + wait_s
    while (left_s := until - time.monotonic()) > 0:
        time.sleep(min(HEARTBEAT_S, left_s))
        app.endpoint.expect(204, "POST", f"/adapters/{adapter_id(0)}/heartbeat")
