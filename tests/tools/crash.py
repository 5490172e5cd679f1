"""``kill -9`` at random moments while settings and decisions are being written, and a look at what is left.

Owns when to kill and what must have survived. Each round starts the application in the folder that the one
before left behind, so a folder that cannot be started from is found too.
"""

import json
import random
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.client import adapter_id
from orbtile.host.records import Decision
from orbtile.host.settings import Theme
from tests.tools.data_folder import read_data_folder
from tests.tools.driven import drive, driven_folder, end_driven, registration, start_driven

ADAPTERS = 8  # as many as driven_folder allows
LATEST_S = 1.2
SAVING_PART = 0.75  # of the rounds let it come up and write without pause; the others kill it on its way up
START_TIMEOUT_S = 15.0


def kill_again_and_again(environment: Mapping[str, str], rounds: int, seed: int = 1) -> str:
    """Raises AssertionError when something was lost; returns a line that tells what happened."""
    chance = random.Random(seed)
    written = 0
    with driven_folder() as folder:
        for _ in range(rounds):
            before = _stamps(folder)
            driven = start_driven(folder, environment)
            try:
                if chance.random() < SAVING_PART:
                    assert driven.process.stdout is not None
                    assert driven.process.stdout.readline() == '"up"\n', driven.log.read_text()[-4000:]
                    driven.order("churn")
                time.sleep(chance.uniform(0, LATEST_S))
            finally:
                end_driven(driven)
            written += _stamps(folder) != before
            check_folder(folder)
        with drive(folder, environment) as last:
            assert json.loads((folder / "api.json").read_text())["pid"] == last.process.pid
            last.endpoint.expect(
                201, "PUT", f"/adapters/{adapter_id(0)}", {"name": "Bench", "palette": {"baseHue": 1}}
            )
        check_folder(folder)
        assert not list((folder / "data").glob("*broken*"))
    return f"killed {rounds} times, {written} of them after something was written; nothing lost"


def check_folder(folder: Path) -> None:
    """Settings are whole, the API is on, and only the last adapter's decision may have changed."""
    settings, consents = read_data_folder(folder / "data")
    assert settings.api_enabled
    assert settings.theme in Theme
    assert sorted(consents) == [adapter_id(number) for number in range(ADAPTERS)]
    for number in range(ADAPTERS):
        record = consents[adapter_id(number)]
        assert record.allowed == registration()
        if number < ADAPTERS - 1:
            assert record.decision is Decision.ALLOWED
        else:
            assert record.decision in {Decision.ALLOWED, Decision.DENIED}


def _stamps(folder: Path) -> list[int]:
    return [(folder / "data" / name).stat().st_mtime_ns for name in ("settings.json", "consents.json")]
