"""The two programs that are compared: the floor, and the application as a user starts it.

Owns starting and ending them in folders of their own. The application runs unchanged (``python -m orbtile``);
its folder holds what an earlier run would have left: the API switched on and the bench's adapters allowed.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.client import REGISTRATION, Endpoint, adapter_id
from benchmarks.counters import Counters, read_counters
from orbtile.protocol.registration import parse_registration
from orbtile.protocol.wire import parse_json
from tests.tools.data_folder import write_data_folder

READY_TIMEOUT_S = 30.0
POLL_S = 0.0005


@dataclass(frozen=True, slots=True)
class Program:
    """A running program. ``start_s`` is the time from its start to its ready file."""

    process: subprocess.Popen[bytes]
    endpoint: Endpoint
    start_s: float

    @property
    def pid(self) -> int:
        return self.process.pid

    def counters(self) -> Counters:
        return read_counters(self.pid)

    def register(self, adapters: int) -> None:
        for number in range(adapters):
            self.endpoint.expect(201, "PUT", f"/adapters/{adapter_id(number)}", REGISTRATION)


@contextlib.contextmanager
def run_floor(environment: Mapping[str, str]) -> Iterator[Program]:
    """The minimal program with its fixed reply."""
    with _folder() as folder:
        ready, socket = folder / "ready", folder / "socket"
        command = [sys.executable, "-m", "benchmarks.floor", str(ready), str(socket)]
        with _running(command, environment, ready, folder / "log") as (process, start_s):
            yield Program(process, Endpoint(socket), start_s)


@contextlib.contextmanager
def run_app(environment: Mapping[str, str], adapters: int = 8) -> Iterator[Program]:
    """The application, with this many adapters allowed beforehand; ready once its discovery file is there."""
    with _folder() as folder:
        data, ready = folder / "data", folder / "api" / "adapter-api.json"
        registration, _ = parse_registration(parse_json(json.dumps(REGISTRATION).encode()))
        write_data_folder(data, registration, [adapter_id(number) for number in range(adapters)])
        environment = {**environment, "ORBTILE_DATA_DIR": str(data), "ORBTILE_API_FILE": str(ready)}
        with _running([sys.executable, "-m", "orbtile"], environment, ready, folder / "log") as (
            process,
            start_s,
        ):
            yield Program(process, read_endpoint(ready), start_s)


def read_endpoint(file: Path) -> Endpoint:
    content = json.loads(file.read_text())
    assert content["basePath"] == "/a/v1"
    return Endpoint(Path(content["socketPath"]), content["token"])


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="orb") as folder:  # short: a socket's path holds 107 bytes
        yield Path(folder)


@contextlib.contextmanager
def _running(
    command: list[str], environment: Mapping[str, str], ready: Path, log: Path
) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    with log.open("wb") as output:
        started = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        path = str(ready)
        while not os.path.exists(path):  # noqa: PTH110 - polled: the cheapest call there is
            if process.poll() is not None or time.perf_counter() - started > READY_TIMEOUT_S:
                raise RuntimeError(f"{' '.join(command)} did not come up:\n{log.read_text()[-4000:]}")
            time.sleep(POLL_S)
        yield process, time.perf_counter() - started
        assert process.poll() is None, f"{' '.join(command)} ended by itself:\n{log.read_text()[-4000:]}"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
