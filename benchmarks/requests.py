"""CPU of one POST session update: against the fixed reply of the floor, and with many sessions against few.

Owns the pacing. The application's limits stay on (100 requests/s in all, 20/s an adapter), so requests
come in bursts that fit the buckets, and the floor's bursts run while they fill again: both see one machine.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from benchmarks.client import session_path, update
from benchmarks.programs import Program, run_app, run_floor
from benchmarks.report import Result, spread

ADAPTERS = 8
SESSIONS_PER_ADAPTER = 32
BURST = 88  # of a bucket of 100, and 11 an adapter of 60
SAME_ADAPTER_BURST = 18  # of 20/s
BUCKET_FULL_S = 3.0  # 60 at 20/s
CYCLE_S = 1.0
SETTLE_S = 0.12  # the interface merges changes for 16 ms and paints after that
WARM_UP_BURSTS = 3
PACED_REQUESTS_PER_S = 40


def cost_per_request(program: Program, requests: Sequence[bytes], gap_s: float = 0.0) -> float:
    """CPU microseconds of ``program`` per request, with what the interface does about it afterwards."""
    before = program.counters()
    for request in requests:
        status = program.endpoint.send(request).status
        assert status == 200, status
        if gap_s:
            time.sleep(gap_s)
    time.sleep(SETTLE_S)
    return program.counters().since(before).cpu_ns / 1000 / len(requests)


def compare(
    one: Callable[[int], float], other: Callable[[int], float], bursts: int
) -> tuple[list[float], list[float]]:
    """Alternate the two, one pair a cycle, each first in every other pair; the first few only warm up."""
    ones, others = [], []
    for number in range(WARM_UP_BURSTS + bursts):
        until = time.monotonic() + CYCLE_S
        if number % 2:
            cost_one, cost_other = one(number), other(number)
        else:
            cost_other, cost_one = other(number), one(number)
        if number >= WARM_UP_BURSTS:
            ones.append(cost_one)
            others.append(cost_other)
        time.sleep(max(0.0, until - time.monotonic()))
    return ones, others


def bench_request(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    with run_app(environment) as app, run_floor(environment) as floor:
        app.register(ADAPTERS)

        def requests(program: Program, number: int, count: int) -> list[bytes]:
            return [
                program.endpoint.prepare(
                    "POST", session_path(step % ADAPTERS, 0), update(number * count + step)
                )
                for step in range(count)
            ]

        def burst(program: Program) -> Callable[[int], float]:
            return lambda number: cost_per_request(program, requests(program, number, BURST))

        def paced(program: Program) -> Callable[[int], float]:
            gap_s = 1 / PACED_REQUESTS_PER_S
            return lambda number: cost_per_request(program, requests(program, number, 40), gap_s)

        in_sequence = compare(burst(app), burst(floor), 5 if quick else 40)
        one_by_one = compare(paced(app), paced(floor), 2 if quick else 10)
    return [
        _ratio("request, in sequence", *in_sequence, demanded=1.5),
        _ratio(f"request, {PACED_REQUESTS_PER_S} a second", *one_by_one),
    ]


def bench_sessions(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    bursts = 5 if quick else 40
    # Without a tray the popover is a window that stays open, whatever else is opened.
    no_tray = {**environment, "QT_QPA_PLATFORM": "offscreen"}
    return [
        _ratio("update, 256 sessions vs 1", *_many_against_few(environment, bursts), demanded=1.1),
        _ratio("the same, popover open", *_many_against_few(no_tray, bursts)),
    ]


def _many_against_few(environment: Mapping[str, str], bursts: int) -> tuple[list[float], list[float]]:
    # Both update one session of one adapter. Going round the adapters in one of them only would measure how
    # cold the caches are for the next adapter's data (10 to 20 %), which no number of sessions changes.
    path = session_path(0, 0)
    with run_app(environment) as few, run_app(environment) as many:
        few.register(1)
        few.endpoint.expect(200, "POST", path, update(0))
        many.register(ADAPTERS)
        fill(many)
        time.sleep(BUCKET_FULL_S)

        def burst(program: Program) -> Callable[[int], float]:
            def measure(number: int) -> float:
                steps = range(number * SAME_ADAPTER_BURST, (number + 1) * SAME_ADAPTER_BURST)
                requests = [program.endpoint.prepare("POST", path, update(step)) for step in steps]
                return cost_per_request(program, requests)

            return measure

        return compare(burst(many), burst(few), bursts)


def fill(program: Program) -> None:
    """Give every adapter its 32 sessions, as fast as the limits allow."""
    for session in range(SESSIONS_PER_ADAPTER):
        for adapter in range(ADAPTERS):
            program.endpoint.expect(200, "POST", session_path(adapter, session), update(session))
        time.sleep(ADAPTERS / 95)


def _ratio(
    name: str, values: Sequence[float], floors: Sequence[float], demanded: float | None = None
) -> Result:
    return Result(
        name=name,
        value=median(values) / median(floors),
        unit="x the floor",
        detail=f"{spread(values, 'us')}, floor {spread(floors, 'us')}",
        demanded=demanded,
    )
