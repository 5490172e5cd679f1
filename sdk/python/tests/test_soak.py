"""10 000 updates, 1 000 reconnects and 100 restarts of the host on a wire that breaks all the time."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from orbtile_adapter import AdapterError, AsyncClient, Client
from sdkfakes import served as faults
from sdkfakes.memory import DISPLAY_ONLY, REGISTRATION
from sdkfakes.model import ADAPTER
from sdkfakes.served import Served

UPDATES = 10_000
RECONNECTS = 1_000
RESTARTS = 100
SESSIONS = 8
FAULTS = [faults.drop, faults.half, faults.half_close, faults.garbage, faults.garbage_body, faults.slow]

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux shows them"),
]


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class Wire:
    """Breaks every fifth reply or so, and restarts the host in between."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.chance = random.Random(7)
        self.restarts = 0

    def worsen(self) -> None:
        if self.chance.random() < 0.2:
            with self.served.lock:
                self.served.faults.append(self.chance.choice(FAULTS))

    def restart(self) -> None:
        self.served.restart(is_crash=self.chance.random() < 0.5)
        self.restarts += 1

    def calm(self) -> None:
        with self.served.lock:
            self.served.faults.clear()


def fields(step: int) -> dict[str, Any]:
    """What changes, and what is cleared again."""
    return {
        "activity": "tool" if step % 2 else "thinking",
        "toolLabel": f"Step {step}",
        "statusDetail": None if step % 3 else f"At {step}",
        "message": {"id": f"m{step // 50}", "text": "word " * (step % 40)},
    }


def shown(session: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in session.items() if value is not None}


@pytest.mark.parametrize("served", ["unix"], indirect=True)
def test_no_final_state_is_lost_and_nothing_is_left_behind(served: Served) -> None:
    gc.collect()
    before = descriptors(), threading.active_count()
    wire = Wire(served)
    failures = 0
    wanted: dict[str, dict[str, Any]] = {f"s{n}": {"title": f"S{n}"} for n in range(SESSIONS)}
    with Client(ADAPTER, DISPLAY_ONLY, discovery_file=served.file, heartbeat_interval=0.02) as pad:
        for name in wanted:
            pad.upsert_session(name, title=wanted[name]["title"], activity="idle")
        for step in range(UPDATES):
            name = f"s{step % SESSIONS}"
            wire.worsen()
            if step % (UPDATES // RESTARTS) == 50:
                wire.restart()
            wanted[name].update(fields(step))
            try:
                pad.upsert_session(name, **fields(step))
            except AdapterError:
                failures += 1  # and no second try: the client has to see to it
        wire.calm()
        end = time.monotonic() + 10
        while {key[1]: shown(value) for key, value in served.model.sessions.items()} != {
            name: shown(value) for name, value in wanted.items()
        }:
            assert time.monotonic() < end
            time.sleep(0.02)
        pad.heartbeat()
    assert failures > UPDATES / 50
    assert wire.restarts == RESTARTS
    assert served.model.registration is None
    assert_nothing_is_left(served, before)


@pytest.mark.parametrize("served", ["unix"], indirect=True)
def test_a_thousand_clients_come_and_go_without_a_trace(served: Served) -> None:
    gc.collect()
    before = descriptors(), threading.active_count()
    wire = Wire(served)
    connected = 0
    for number in range(RECONNECTS):
        wire.worsen()
        pad = Client(ADAPTER, DISPLAY_ONLY, discovery_file=served.file, heartbeat_interval=0.001)
        try:
            with pad:
                pad.upsert_session("run", title=f"T{number}", activity="idle")
                connected += 1
        except AdapterError:
            pad.close()
    wire.calm()
    assert connected > RECONNECTS / 2
    assert_nothing_is_left(served, before)


@pytest.mark.parametrize("served", ["unix"], indirect=True)
def test_an_asyncio_client_loses_nothing_either(served: Served) -> None:
    gc.collect()
    before = descriptors(), threading.active_count()
    wire = Wire(served)

    async def main() -> None:
        last = -1
        async with AsyncClient(
            ADAPTER, REGISTRATION, discovery_file=served.file, heartbeat_interval=0.02
        ) as pad:
            await pad.upsert_session("run", title="T", activity="idle")
            for step in range(UPDATES // 10):
                wire.worsen()
                if step % (UPDATES // 10 // 20) == 25:
                    await asyncio.to_thread(wire.restart)
                call = asyncio.ensure_future(pad.upsert_session("run", **fields(step)))
                last = step
                if step % 7 == 0:
                    await asyncio.sleep(0)
                    call.cancel()
                await asyncio.wait({call})
                if not call.cancelled():
                    assert call.exception() is None or isinstance(call.exception(), AdapterError)
            wire.calm()
            served.model.forget()  # whoever it was that registered last under a token that was never received
            end = time.monotonic() + 10
            while served.model.sessions.get(("local", "run"), {}).get("toolLabel") != f"Step {last}":
                assert time.monotonic() < end, pad.heartbeat_error
                await asyncio.sleep(0.02)

    asyncio.run(main())
    assert_nothing_is_left(served, before)


def assert_nothing_is_left(served: Served, before: tuple[int, int]) -> None:
    end = time.monotonic() + 5
    while (descriptors(), threading.active_count()) != before:
        assert time.monotonic() < end, (descriptors(), threading.active_count(), before)
        time.sleep(0.02)
    assert served.open == 0
