"""The other end of ``driven_app``: starts it in folders of its own, gives orders, counts what it takes.

Owns the process and its data folder. Must not know what the host does with the orders.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.client import REGISTRATION, Endpoint, adapter_id
from benchmarks.counters import read_memory
from benchmarks.programs import read_endpoint
from orbtile.protocol.registration import Registration, parse_registration
from orbtile.protocol.wire import parse_json
from tests.tools.data_folder import write_data_folder

QUIT_TIMEOUT_S = 15.0

# Qt's remarks about the platform, not about the application
EXPECTED_OUTPUT = re.compile(r"This plugin does not support|systemTrayWindowChanged")


@dataclass(frozen=True, slots=True)
class Driven:
    """A driven application that is up."""

    process: subprocess.Popen[str]
    endpoint: Endpoint
    data: Path
    log: Path

    def order(self, name: str) -> object:
        """Give an order and wait for its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the application ended at {name!r}:\n{self.log.read_text()[-4000:]}"
        answer: object = json.loads(line)
        return answer

    def titles(self, order: str) -> dict[str, str]:
        answer = self.order(order)
        assert isinstance(answer, dict)
        return answer

    @property
    def rss_bytes(self) -> int:
        return read_memory(self.process.pid).rss_bytes

    def complaints(self) -> list[str]:
        """What it wrote to stderr and its log that it should not have: warnings, errors, tracebacks."""
        files = [self.log, *self.data.glob("logs/*")]
        lines = [line for file in files for line in file.read_text().splitlines()]
        return [
            line
            for line in lines
            if re.search(r"WARNING|ERROR|CRITICAL|Traceback|Error:", line)
            and not EXPECTED_OUTPUT.search(line)
        ]


def registration(body: Mapping[str, object] = REGISTRATION) -> Registration:
    """What the benchmarks' and soak's adapters register, or another one's body, parsed."""
    parsed, _ = parse_registration(parse_json(json.dumps(body).encode()))
    return parsed


@contextlib.contextmanager
def driven_folder(
    registered: Registration | None = None,
    allowed: Iterable[str] = tuple(adapter_id(number) for number in range(8)),
) -> Iterator[Path]:
    """A folder with a data folder in it where ``registered`` is allowed under these ids."""
    with tempfile.TemporaryDirectory(prefix="orb") as folder:
        write_data_folder(Path(folder) / "data", registered or registration(), allowed)
        yield Path(folder)


@contextlib.contextmanager
def drive(folder: Path, environment: Mapping[str, str], clock_speed: float = 1.0) -> Iterator[Driven]:
    """Start the application there; at the end of the block it must quit when asked, with exit code 0."""
    driven = start_driven(folder, environment, clock_speed)
    try:
        assert driven.process.stdout is not None
        assert driven.process.stdout.readline() == '"up"\n', driven.log.read_text()[-4000:]
        yield Driven(driven.process, read_endpoint(folder / "api.json"), driven.data, driven.log)
        driven.order("quit")
        assert driven.process.wait(QUIT_TIMEOUT_S) == 0
    finally:
        end_driven(driven)


def start_driven(folder: Path, environment: Mapping[str, str], clock_speed: float = 1.0) -> Driven:
    """Start it and return at once: it may not be up yet."""
    data, log = folder / "data", folder / "output"
    environment = {
        **environment,
        "ORBTILE_DATA_DIR": str(data),
        "ORBTILE_API_FILE": str(folder / "api.json"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "tests.tools.driven_app", "--clock-speed", str(clock_speed)]
    with log.open("a") as errors:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    return Driven(process, Endpoint(data / "run" / "hooks.sock"), data, log)


def end_driven(driven: Driven) -> None:
    """Kill what still runs."""
    driven.process.kill()
    driven.process.wait()
    for pipe in (driven.process.stdin, driven.process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
