"""The Python SDK against a bare ``http.client`` call: one update's round trip, and what importing it costs.

Owns the pacing. Both send the same update to the same application in turns, each as an adapter of its own,
within the limit of 20 requests a second.
"""

import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final, cast

import orbtile_adapter
from benchmarks.client import REGISTRATION, TIMEOUT_S, adapter_id, session_path, update
from benchmarks.programs import run_app
from benchmarks.report import Result, spread
from orbtile_adapter import AsyncClient, Client, SessionUpdate

PERIOD_S: Final = 1 / 18
WARM_UP_ROUNDS: Final = 10
HARDLY_EVER_S: Final = 3600.0
SOURCE: Final = Path(orbtile_adapter.__file__).parents[1]

Timed = Callable[[int], float]
"""Makes the update of a step and returns the seconds that it took."""


class BareConnection(http.client.HTTPConnection):
    """What everybody writes who talks HTTP to a Unix socket with the standard library."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT_S)
        self.path = path

    def connect(self) -> None:
        if sys.platform != "win32":
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(TIMEOUT_S)
            self.sock.connect(self.path)


def post_bare(path: str, token: str, target: str, fields: Mapping[str, object]) -> object:
    """Send JSON, get JSON: the least that an adapter must do."""
    connection = BareConnection(path)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", f"/a/v1{target}", json.dumps(fields, ensure_ascii=False).encode(), headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    assert response.status == 200, body
    return json.loads(body)


def bench_sdk(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    rounds = 20 if quick else 300
    with run_app(environment) as app, tempfile.TemporaryDirectory(prefix="orb") as folder:
        app.endpoint.expect(201, "PUT", f"/adapters/{adapter_id(1)}", REGISTRATION)
        path, token = str(app.endpoint.socket), app.endpoint.token
        file = Path(folder) / "api.json"
        file.write_text(json.dumps({"api": 1, "socketPath": path, "basePath": "/a/v1", "token": token}))
        file.chmod(0o600)

        def bare(step: int) -> float:
            started = time.perf_counter()
            post_bare(path, token, session_path(1, 0), update(step))
            return time.perf_counter() - started

        blocking, floor = _blocking(file, bare, rounds)
        tasks, task_floor = asyncio.run(_asyncio(file, bare, rounds // 2))
    imported, nothing = _imports(5 if quick else 20)
    return [
        _ratio("SDK, one update", blocking, floor, demanded=1.3),
        _ratio("SDK on asyncio, one update", tasks, task_floor),
        Result(
            name="SDK, import over bare Python",
            value=(min(imported) - min(nothing)) * 1000,
            unit="ms",
            detail=f"fastest of {len(imported)}: {min(imported) * 1000:.1f} and {min(nothing) * 1000:.1f} ms",
            demanded=60,
        ),
    ]


def _blocking(file: Path, bare: Timed, rounds: int) -> tuple[list[float], list[float]]:
    ours, floors = [], []
    with Client(adapter_id(0), REGISTRATION, discovery_file=file, heartbeat_interval=HARDLY_EVER_S) as pad:
        for step in range(WARM_UP_ROUNDS + rounds):
            until = time.monotonic() + PERIOD_S
            fields = cast("SessionUpdate", update(step))
            if step % 2:  # the first after a pause has the worse of it
                floors.append(bare(step))
            started = time.perf_counter()
            pad.upsert_session("session-0", **fields)
            ours.append(time.perf_counter() - started)
            if not step % 2:
                floors.append(bare(step))
            time.sleep(max(0.0, until - time.monotonic()))
    return ours[WARM_UP_ROUNDS:], floors[WARM_UP_ROUNDS:]


async def _asyncio(file: Path, bare: Timed, rounds: int) -> tuple[list[float], list[float]]:
    ours, floors = [], []
    async with AsyncClient(
        adapter_id(0), REGISTRATION, discovery_file=file, heartbeat_interval=HARDLY_EVER_S
    ) as pad:
        for step in range(WARM_UP_ROUNDS + rounds):
            until = time.monotonic() + PERIOD_S
            fields = cast("SessionUpdate", update(step))
            if step % 2:
                floors.append(bare(step))
            started = time.perf_counter()
            await pad.upsert_session("session-0", **fields)
            ours.append(time.perf_counter() - started)
            if not step % 2:
                floors.append(bare(step))
            await asyncio.sleep(max(0.0, until - time.monotonic()))
    return ours[WARM_UP_ROUNDS:], floors[WARM_UP_ROUNDS:]


def _imports(rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of whole runs of Python that import the SDK, and that do nothing; compiled before, in turns."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"PYTHONPATH": str(SOURCE), "PYTHONPYCACHEPREFIX": cache}

        def run(code: str) -> float:
            started = time.perf_counter()
            subprocess.run([sys.executable, "-S", "-c", code], env=environment, check=True)
            return time.perf_counter() - started

        run("import orbtile_adapter")
        pairs = [(run("import orbtile_adapter"), run("pass")) for _ in range(rounds)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _ratio(
    name: str, values: Sequence[float], floors: Sequence[float], demanded: float | None = None
) -> Result:
    return Result(
        name=name,
        value=median(values) / median(floors),
        unit="x http.client",
        detail=f"{spread(values, 'us', 1e6)}, http.client {spread(floors, 'us', 1e6)}",
        demanded=demanded,
    )
