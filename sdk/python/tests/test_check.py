"""The check passes an adapter that keeps the rules, and finds in each broken one exactly the rule that it
breaks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from orbtile_adapter.check.commandline import check, main
from orbtile_adapter.check.play import Options
from orbtile_adapter.check.process import AdapterProcess
from orbtile_adapter.check.report import table
from orbtile_adapter.check.scenarios import SCENARIOS
from orbtile_adapter.check.verdicts import Row, Verdict

FLAWED = Path(__file__).parent / "adapters" / "flawed.py"
SOURCE = Path(__file__).parents[1] / "src"
ADAPTER = (sys.executable, "-I", str(FLAWED))
CHECKS_AT_A_TIME = 6

BREAKS = {
    "token-in-address": "first-contact",
    "ignores-proof": "proof",
    "partial-after-relaunch": "relaunch",
    "keeps-old-token": "token",
    "never-heartbeats": "silence",
    "ignores-retry-after": "overload",
    "spins-while-off": "off-and-on",
    "registers-again-when-denied": "deny",
    "dies-of-unknown-fields": "unknown-fields",
    "sends-texts-uncut": "text",
    "skips-lost-events": "replay",
    "acknowledges-last-sequence": "cursor",
    "applies-duplicates": "duplicate",
    "applies-expired": "expired",
    "leaves-own-answers-open": "own-answer",
}

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the adapters of this test connect to a Unix socket"),
]


def options(*fault: str) -> Options:
    return Options((*ADAPTER, *fault), own_answer="n", feed=True, patience=0.6)


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> None:
    """In place of the fixture for all tests: here checks go on behind the tests, until ``checks`` ends."""


@pytest.fixture(scope="module")
def checks() -> Iterator[dict[str, Future[list[Row]]]]:
    """All of them, a few at a time: they mostly wait. No thread outlives them."""
    before = set(threading.enumerate())
    with ThreadPoolExecutor(CHECKS_AT_A_TIME) as pool:
        yield {
            fault: pool.submit(check, options(*([fault] if fault else [])), jobs=len(SCENARIOS))
            for fault in ("", *BREAKS)
        }
    assert {thread.name for thread in threading.enumerate() if thread not in before} == set()


def test_every_rule_has_an_adapter_that_breaks_it() -> None:
    assert {scenario.key for scenario in SCENARIOS} == set(BREAKS.values())


def test_an_adapter_that_keeps_the_rules_passes_them_all(checks: dict[str, Future[list[Row]]]) -> None:
    rows = checks[""].result()
    assert [row for row in rows if row.verdict is not Verdict.PASSED] == [], table(rows)


@pytest.mark.parametrize(("fault", "broken"), BREAKS.items())
def test_a_broken_adapter_fails_the_rule_it_breaks_and_no_other(
    checks: dict[str, Future[list[Row]]], fault: str, broken: str
) -> None:
    rows = checks[fault].result()
    assert [row.scenario for row in rows if row.verdict is Verdict.FAILED] == [broken], table(rows)


def test_a_failure_is_told_with_its_rule_and_section(checks: dict[str, Future[list[Row]]]) -> None:
    text = table(checks["applies-expired"].result())
    (expired,) = [scenario for scenario in SCENARIOS if scenario.key == "expired"]
    assert "failed         Expired approval" in text
    assert expired.rule.split(";", maxsplit=1)[0] in text
    assert "from: the protocol's section 6 Two-way events" in text
    assert text.endswith("14 passed, 1 failed, 0 not exercised")


def run_check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "orbtile_adapter.check", *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_command_line_gives_json_and_an_exit_status() -> None:
    found = run_check("--json", "--only", "deny", "--", *ADAPTER, "registers-again-when-denied")
    result = json.loads(found.stdout)
    assert found.returncode == 1, found.stderr
    assert (result["passed"], result["failed"], result["not_exercised"]) == (1, 1, 0)
    contact, deny = result["scenarios"]
    assert (contact["scenario"], contact["verdict"]) == ("first-contact", "passed")
    assert (deny["verdict"], deny["section"]) == ("failed", "3 Endpoints")
    assert "registered" in deny["seen"]
    assert result["command"] == [*ADAPTER, "registers-again-when-denied"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's processor time in a file")
def test_a_loop_without_a_pause_is_seen_by_its_processor_time(tmp_path: Path) -> None:
    adapter = AdapterProcess([sys.executable, "-I", "-c", "while True: pass"], tmp_path / "none")
    try:
        deadline = time.monotonic() + 20
        while (spent := adapter.cpu_s()) is not None and spent < 0.3 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert spent is not None
        assert spent >= 0.3
    finally:
        adapter.stop()


def test_an_adapter_that_ends_at_once_fails_first_contact_and_shows_nothing_else() -> None:
    rows = check(Options((sys.executable, "-c", "print('no such thing')"), patience=0.1))
    assert rows[0].verdict is Verdict.FAILED
    assert "no such thing" in rows[0].seen
    assert {row.verdict for row in rows[1:]} == {Verdict.NOT_EXERCISED}


@pytest.mark.parametrize(
    "arguments", [[], ["--", "no-such-command-anywhere"], ["--only", "everything", "--", sys.executable]]
)
def test_a_wrong_command_line_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_the_list_names_every_scenario_with_its_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":", 1)[0] for line in lines] == [scenario.key for scenario in SCENARIOS]
