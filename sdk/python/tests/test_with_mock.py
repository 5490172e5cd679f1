"""Both clients against the mock as a process of its own, whose simulated user taps, decides and answers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orbtile_adapter import AsyncClient, Client, Event
from sdkfakes.memory import REGISTRATION
from sdkfakes.requests import APPROVAL, QUESTION

ADAPTER = "dev.example.mocked"
SOURCE = Path(__file__).parents[1] / "src"

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the mock listens on a Unix socket"),
]


@pytest.fixture
def file(folder: Path) -> Iterator[Path]:
    """The discovery file of a mock with ``--events``."""
    path = folder / "api.json"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "orbtile_adapter.mock", str(path), "--events"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        end = time.monotonic() + 10
        while not path.exists():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        yield path
        process.terminate()


def test_a_tap_a_decision_and_an_answer_arrive(file: Path) -> None:
    done: list[Event] = []
    with Client(ADAPTER, REGISTRATION, discovery_file=file) as pad:
        assert "warnings" not in pad.registration_reply
        pad.upsert_session("run", title="T", activity="thinking")
        for event in pad.events():
            assert pad.apply(event, done.append)
            if event["type"] == "tap":
                pad.request_approval("run", APPROVAL)
            elif event["type"] == "approval":
                pad.upsert_session("run", activity="thinking", approval=None)
                pad.ask_question("run", QUESTION)
            else:
                break
        pad.upsert_session("run", activity="done", question=None)
        assert pad.poll_events(0)["events"] == []
        assert (pad.cursor, pad.lease_generation, pad.heartbeat_error) == (3, 1, None)
    assert [event["type"] for event in done] == ["tap", "approval", "question"]


def test_they_arrive_with_asyncio_too(file: Path) -> None:
    async def main() -> None:
        async with AsyncClient(ADAPTER, REGISTRATION, discovery_file=file) as pad:
            await pad.upsert_session("run", title="T", activity="thinking")
            async for event in pad.events():
                assert await pad.apply(event, done.append)
                if event["type"] == "approval":
                    break
                await pad.request_approval("run", APPROVAL)
            assert pad.cursor == 2

    done: list[Event] = []
    asyncio.run(main())
    assert [event["type"] for event in done] == ["tap", "approval"]
