"""The mock on the command line: what it prints, the user it simulates, and how it ends."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orbtile_adapter.host.stage import Exchange
from orbtile_adapter.mock import describe, main

ROOT = Path(__file__).parents[3]
SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "orbtile_adapter"
EXAMPLES = ROOT / "adapters" / "examples"

unix = pytest.mark.skipif(sys.platform == "win32", reason="the processes are stopped by SIGTERM")
checkout = pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples belong to the repository")


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="obmock-") as name:
        yield Path(name)


def start(*command: object, discovery: Path | None = None) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
    if discovery is not None:
        env["ORBTILE_API_FILE"] = str(discovery)
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@unix
@checkout
@pytest.mark.socket
@pytest.mark.slow
def test_with_events_it_taps_denies_and_answers_a_question(folder: Path) -> None:
    discovery = folder / "api.json"
    mock = start(EXAMPLES / "mock-orbtile.py", discovery, "--events")
    adapter = start(EXAMPLES / "ref.py", "--events", discovery=discovery)
    lines: list[str] = []
    try:
        token = ""
        assert mock.stdout is not None
        for line in mock.stdout:
            lines.append(line)
            if discovery.exists():
                token = json.loads(discovery.read_text())["token"]
            if "answers" in line:
                break
    finally:
        adapter.terminate()
        said, _ = adapter.communicate(timeout=20)
        mock.terminate()
        rest, _ = mock.communicate(timeout=20)
    printed = "".join(lines) + rest
    assert "the user taps org.example.ref-py/local/ref" in printed
    assert "the user presses Deny for " in printed
    assert "with the first option" in printed
    assert "approval answered: deny" in said
    assert len(token) == 43
    assert token not in printed + said
    assert "adapterToken" not in printed
    assert mock.returncode == 0
    assert not discovery.exists()


@unix
@pytest.mark.socket
def test_without_events_it_never_decides_and_it_ends_on_a_signal(folder: Path) -> None:
    discovery = folder / "api.json"
    mock = start("-m", "orbtile_adapter.mock", discovery, "--consent", "wait")
    deadline = time.monotonic() + 20
    while not discovery.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert discovery.stat().st_mode & 0o777 == 0o600
    mock.send_signal(signal.SIGINT)
    printed, _ = mock.communicate(timeout=20)
    assert mock.returncode == 0
    assert str(discovery) in printed
    assert list(folder.iterdir()) == []


def test_where_it_cannot_listen_it_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "file").write_text("")
    with pytest.raises(SystemExit) as ended:
        main([str(folder / "file" / "api.json")])
    assert ended.value.code == 1
    assert "cannot listen" in capsys.readouterr().err


def exchange(target: str = "/a/v1/info", **values: object) -> Exchange:
    made = Exchange(0, 0.0, "POST", target, ())
    for name, value in values.items():
        setattr(made, name, value)
    return made


def test_a_line_holds_nothing_that_a_terminal_obeys() -> None:
    line = describe(
        exchange(
            "/a/v1/x\x1b[2J",
            status=200,
            body={"title": "\x1b]0;owned\x07 \u202e \ud800"},
            reply={"warnings": ["unknown field '\x1b[31m' ignored"]},
        )
    )
    assert line.replace("\n", "").isprintable()
    assert line.isascii()


def test_a_token_in_an_address_is_not_repeated() -> None:
    assert "secret" not in describe(exchange("/a/v1/info?t=secret", has_token_in_target=True, status=200))


def test_a_refusal_is_shown_with_its_code_and_field() -> None:
    error = {"error": {"code": "invalid_field", "message": "m", "field": "title"}}
    assert "422 invalid_field (title)" in describe(exchange(status=422, reply=error))


def test_a_long_body_is_cut() -> None:
    assert len(describe(exchange(status=200, body={"message": "x" * 60_000}))) < 500


OWN = ("host", "check")


def modules() -> list[Path]:
    return [PACKAGE / "mock.py", *(path for part in OWN for path in sorted((PACKAGE / part).rglob("*.py")))]


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_host_check_and_mock_share_nothing_but_the_wire(path: Path) -> None:
    """Not with the application, and not with the client; nothing beyond the standard library; small files."""
    source = path.read_text(encoding="utf-8")
    allowed = {f"orbtile_adapter.{part}" for part in OWN}
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [str(node.module)]
        for name in names:
            is_own = ".".join(name.split(".")[:2]) in allowed
            assert is_own or name.split(".")[0] in sys.stdlib_module_names, name
    assert len(source.splitlines()) < 400
