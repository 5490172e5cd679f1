"""The reference adapters against the application: they wait for it, survive a new token and a restart, and
show awkward text. And each passes the SDK's check.
"""

import contextlib
import dataclasses
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from tests.tools.driven import drive, driven_folder

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the shell adapter needs bash and a Unix socket"),
]

ROOT: Final = Path(__file__).parents[2]
EXAMPLES: Final = ROOT / "adapters" / "examples"
SDK: Final = ROOT / "sdk" / "python" / "src"
PATIENCE_S: Final = 30.0
THE_END: Final = "the end"

COMMANDS: Final = {
    "ref-sh": [str(EXAMPLES / "ref.sh"), "Reference in shell"],
    "ref-py": [sys.executable, str(EXAMPLES / "ref.py"), "--title", "Reference in Python"],
    "ref-node": ["node", str(EXAMPLES / "ref.mjs"), "--title", "Reference in Node"],
    "tiny-agent": [sys.executable, str(EXAMPLES / "tiny_agent.py")],
}
TITLES: Final = {
    "org.example.ref-sh/local/ref": "Reference in shell",
    "org.example.ref-py/local/ref": "Reference in Python",
    "org.example.ref-node/local/ref": "Reference in Node",
    "org.example.tiny-agent/local/run": "Tiny agent",
}
SHOWS_INPUT: Final = ("ref-sh", "ref-py", "ref-node")
LINES: Final = (
    "\N{GRINNING FACE}\N{ZERO WIDTH JOINER}\N{ROCKET} \U0001f1f3\U0001f1f1",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\u202eoverride\u202c \u2066isolate\u2069 \u200fmark",
    "\x00\x01\x07\x1b[31mred\x1b[0m \x7f \x85 \u2028 \ttab",
    "\"double\" 'single' \\backslash\\ $(dollar) `tick` %s %n",
    "e" * 4_096,
    "\N{GRINNING FACE}" * 1_024,
    "\u05e9" * 2_048,
    "long " * 14_000,
)
NOT_UTF8: Final = b"half a character \xf0\x9f\x98 and a stray \xff\n"
AWKWARD: Final = NOT_UTF8 + "\n".join([*LINES, THE_END, ""]).encode()


class Adapter:
    """A reference adapter as a subprocess."""

    def __init__(self, command: list[str], discovery: Path) -> None:
        env = {**os.environ, "ORBTILE_API_FILE": str(discovery), "PYTHONPATH": str(SDK)}
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def feed(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def end(self) -> tuple[int, str]:
        """Ask it to stop; its status and what it printed."""
        self.process.terminate()
        output, _ = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, output.decode("utf-8", "replace")


@dataclasses.dataclass
class Story:
    """What was seen, moment by moment: visible sessions' titles by uid, or messages."""

    asked_for: set[str] = dataclasses.field(default_factory=set)
    allowed: dict[str, str] = dataclasses.field(default_factory=dict)
    messages: dict[str, str] = dataclasses.field(default_factory=dict)
    after_token: dict[str, str] = dataclasses.field(default_factory=dict)
    after_restart: dict[str, str] = dataclasses.field(default_factory=dict)
    ends: dict[str, tuple[int, str]] = dataclasses.field(default_factory=dict)
    left: dict[str, str] = dataclasses.field(default_factory=dict)
    complaints: list[str] = dataclasses.field(default_factory=list)
    tokens: set[str] = dataclasses.field(default_factory=set)


def until(ask: Callable[[], object], is_there: Callable[[], bool]) -> None:
    """Ask until it is there, or patience ends; the test will say what was missing."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_there() and time.monotonic() < deadline:
        time.sleep(0.1)
        ask()


def tell(folder: Path, adapters: dict[str, Adapter], story: Story) -> None:
    """The adapters are there before the application."""
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}

    def note_token() -> None:
        with contextlib.suppress(OSError, ValueError):
            story.tokens.add(str(json.loads((folder / "api.json").read_text())["token"]))

    with drive(folder, env) as app:
        note_token()
        wanted = len(TITLES)
        until(
            lambda: story.asked_for.update(_names(app.order("allow"))), lambda: len(story.asked_for) == wanted
        )
        until(lambda: story.allowed.update(app.titles("sessions")), lambda: story.allowed == TITLES)
        for name in SHOWS_INPUT:
            adapters[name].feed(AWKWARD)

        def is_shown() -> bool:
            return sum(text.endswith(THE_END) for text in story.messages.values()) == len(SHOWS_INPUT)

        until(lambda: story.messages.update(app.titles("messages")), is_shown)
        app.order("regenerate")
        note_token()
        until(lambda: story.after_token.update(app.titles("sessions")), lambda: story.after_token == TITLES)
        story.complaints += app.complaints()
    time.sleep(1.0)  # away for a moment
    with drive(folder, env) as app:
        note_token()
        back = story.after_restart
        until(lambda: back.update(app.titles("sessions")), lambda: back == TITLES)
        for name, adapter in adapters.items():
            story.ends[name] = adapter.end()
        story.left = app.titles("sessions")
        story.complaints += app.complaints()


def _names(answer: object) -> list[str]:
    assert isinstance(answer, list)
    return answer


@pytest.fixture(scope="module")
def checks() -> Iterator[dict[str, Future[subprocess.CompletedProcess[str]]]]:
    """The checks run beside the story: both mostly wait."""
    arguments = {name: ["--feed"] for name in SHOWS_INPUT}
    arguments |= {"tiny-agent": ["--own-answer", "2"], "ref-py --events": ["--own-answer", "y"]}
    commands = {**COMMANDS, "ref-py --events": [sys.executable, str(EXAMPLES / "ref.py"), "--events"]}

    def check(name: str) -> subprocess.CompletedProcess[str]:
        own = [sys.executable, "-m", "orbtile_adapter.check", "--json", "--jobs", "7", *arguments[name], "--"]
        env = {**os.environ, "PYTHONPATH": str(SDK)}
        return subprocess.run(
            [*own, *commands[name]], env=env, capture_output=True, text=True, timeout=240, check=False
        )

    with ThreadPoolExecutor(len(commands)) as pool:
        yield {name: pool.submit(check, name) for name in arguments}


@pytest.fixture(scope="module")
def story(checks: object) -> Story:
    missing = [command[0] for command in COMMANDS.values() if shutil.which(command[0]) is None]
    assert missing == [], "the reference adapters need these programs"
    told = Story()
    with driven_folder(allowed=()) as folder:
        adapters = {name: Adapter(command, folder / "api.json") for name, command in COMMANDS.items()}
        try:
            tell(folder, adapters, told)
        finally:
            for adapter in adapters.values():
                adapter.process.kill()
                adapter.process.communicate()
    return told


def test_adapters_that_were_there_first_find_the_application_and_ask_the_user(story: Story) -> None:
    assert story.asked_for == {uid.partition("/")[0] for uid in TITLES}


def test_one_allow_shows_their_sessions(story: Story) -> None:
    assert story.allowed == TITLES


def test_awkward_text_arrives_clean_and_to_its_end(story: Story) -> None:
    shown = [text for text in story.messages.values() if text.endswith(THE_END)]
    assert len(shown) == len(SHOWS_INPUT)
    for text in shown:
        assert "long long long" in text
        assert len(text.encode()) <= 4_096


def test_a_new_token_brings_whole_sessions_back(story: Story) -> None:
    assert story.after_token == TITLES


def test_a_restart_brings_whole_sessions_back_without_another_allow(story: Story) -> None:
    assert story.after_restart == TITLES


@pytest.mark.parametrize("name", COMMANDS)
def test_an_adapter_that_is_told_to_stop_takes_its_session_away(story: Story, name: str) -> None:
    status, output = story.ends[name]
    assert status == 0, output
    assert "Traceback" not in output
    assert story.left == {}


def test_no_adapter_prints_a_token(story: Story) -> None:
    assert len(story.tokens) == 3
    assert [token for token in story.tokens for _, output in story.ends.values() if token in output] == []


def test_the_application_had_nothing_to_complain_about(story: Story) -> None:
    assert story.complaints == []


@pytest.mark.parametrize("name", ["ref-sh", "ref-py", "ref-node", "tiny-agent", "ref-py --events"])
def test_a_reference_adapter_passes_the_check(
    checks: dict[str, Future[subprocess.CompletedProcess[str]]], name: str
) -> None:
    found = checks[name].result()
    assert found.returncode == 0, found.stdout + found.stderr
    result = json.loads(found.stdout)
    not_exercised = {row["scenario"] for row in result["scenarios"] if row["verdict"] == "not exercised"}
    events = {"replay", "cursor", "duplicate", "expired", "own-answer"}
    assert not_exercised == ({"text"} if name in {"tiny-agent", "ref-py --events"} else events)


def test_the_shell_adapter_keeps_token_and_text_off_command_lines(tmp_path: Path) -> None:
    """A ``curl`` that writes down how it was called stands in for the real one."""
    log, token, text = tmp_path / "argv", "t" * 43, "a secret line"
    fake = tmp_path / "curl"
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{log}"\ncat > /dev/null\nexit 7\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    discovery = tmp_path / "api.json"
    discovery.write_text(json.dumps({"socketPath": "/nowhere", "basePath": "/a/v1", "token": token}))
    adapter = subprocess.Popen(
        [EXAMPLES / "ref.sh"],
        env={**os.environ, "ORBTILE_API_FILE": str(discovery), "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert adapter.stdin is not None
    adapter.stdin.write(f"{text}\n")
    adapter.stdin.flush()
    deadline = time.monotonic() + PATIENCE_S
    while not log.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    adapter.terminate()
    adapter.communicate(timeout=PATIENCE_S)
    called = log.read_text()
    assert "/a/v1/info" in called
    assert token not in called
    assert text not in called


@pytest.mark.parametrize("name", SHOWS_INPUT)
def test_a_while_after_its_input_has_ended_an_adapter_takes_its_session_away_and_ends(
    name: str, tmp_path: Path
) -> None:
    discovery = tmp_path / "api.json"
    env = {**os.environ, "ORBTILE_API_FILE": str(discovery)}
    mock = subprocess.Popen(
        [sys.executable, EXAMPLES / "mock-orbtile.py", discovery], env=env, stdout=subprocess.PIPE, text=True
    )
    try:
        until(lambda: None, discovery.exists)
        found = subprocess.run(
            COMMANDS[name], env=env, input=b"one line\n", capture_output=True, timeout=20, check=False
        )
    finally:
        mock.terminate()
        printed, _ = mock.communicate(timeout=PATIENCE_S)
    assert found.returncode == 0, found.stderr
    updates = [line for line in printed.splitlines() if "/sessions/ref -> " in line]
    assert '"activity": "done"' in updates[-1], printed
    assert re.search(r"DELETE \S*/adapters/org\.example\.ref-\w+ ", printed), printed


@pytest.mark.parametrize("name", SHOWS_INPUT)
def test_an_adapter_whose_input_has_ended_ends_without_orbtile_too(name: str, tmp_path: Path) -> None:
    found = subprocess.run(
        COMMANDS[name],
        env={**os.environ, "ORBTILE_API_FILE": str(tmp_path / "nowhere.json")},
        input=b"one line\n",
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("name", SHOWS_INPUT)
def test_an_adapter_says_how_it_is_used(name: str) -> None:
    command = COMMANDS[name][: 1 if name == "ref-sh" else 2]
    found = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=20, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("usage: ")


def test_the_commands_of_the_guide_work_as_they_stand_there(tmp_path: Path) -> None:
    """From the discovery file to the last update, pasted into a shell beside the mock."""
    guide = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    pasted = [block for block in blocks if block.startswith(("file=", "ask "))]
    assert len(pasted) == 3
    discovery = tmp_path / "api.json"
    env = {**os.environ, "ORBTILE_API_FILE": str(discovery)}
    mock = subprocess.Popen(
        [sys.executable, EXAMPLES / "mock-orbtile.py", discovery], env=env, stdout=subprocess.PIPE, text=True
    )
    try:
        until(lambda: None, discovery.exists)
        found = subprocess.run(
            ["bash", "-c", "".join(pasted)], env=env, capture_output=True, text=True, timeout=60, check=False
        )
    finally:
        mock.terminate()
        printed, _ = mock.communicate(timeout=PATIENCE_S)
    assert found.stderr == ""
    assert len(re.findall(r"(PUT|POST) .* -> 20[01]", printed)) == 5, printed
    assert found.stdout.count('"visible":true') == 4


def test_the_event_tests_of_the_examples_pass() -> None:
    """They run without anything installed."""
    found = subprocess.run(
        [sys.executable, "-I", "-m", "unittest", "discover", "-s", EXAMPLES, "-p", "test_events.py"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 0, found.stderr
