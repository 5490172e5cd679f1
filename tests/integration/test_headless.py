"""The application on a server: the API works, and standard error has one line of our own."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="a terminal of Unix")

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems have a display, or no user"),
]

PATIENCE_S = 20.0


@pytest.mark.parametrize(
    ("display", "line_said"),
    [
        ({}, "there is no display"),
        ({"DISPLAY": ":4242"}, "cannot reach display :4242"),
        ({"WAYLAND_DISPLAY": "wayland-4242"}, "cannot reach display wayland-4242"),
    ],
)
def test_without_a_display_it_says_one_line_and_serves(display: dict[str, str], line_said: str) -> None:
    with tempfile.TemporaryDirectory(prefix="ob-") as name:  # short: a Unix socket's path must be
        data = Path(name) / "data"
        env = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
        env["ORBTILE_DATA_DIR"] = str(data)
        env |= display
        app = subprocess.Popen([sys.executable, "-m", "orbtile"], env=env, stderr=subprocess.PIPE, text=True)
        try:
            assert open_surface("popover", env, PATIENCE_S) == 0
            assert open_surface("settings", env, PATIENCE_S) == 0
        finally:
            app.send_signal(signal.SIGTERM)
            _, errors = app.communicate(timeout=PATIENCE_S)
    assert app.returncode == 0
    (line,) = errors.splitlines()
    assert f"{line_said}: nothing is shown, the Adapter API works" in line


def test_on_a_terminal_it_says_that_it_runs_and_a_second_start_that_it_ran_already() -> None:
    with tempfile.TemporaryDirectory(prefix="ob-") as name, started_on_a_terminal(Path(name)) as (_, first):
        assert line_of(first) == "orbtile: running without a tray; Ctrl+C here ends it"
        with started_on_a_terminal(Path(name)) as (second, terminal):
            assert line_of(terminal) == "orbtile: already running; opened it"
            assert second.wait(PATIENCE_S) == 0


@contextlib.contextmanager
def started_on_a_terminal(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The application with its standard output on a terminal, and that terminal's other end."""
    here, there = pty.openpty()
    env = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    env["ORBTILE_DATA_DIR"] = str(folder / "data")
    app = subprocess.Popen(
        [sys.executable, "-m", "orbtile"], env=env, stdout=there, stderr=subprocess.DEVNULL
    )
    os.close(there)
    try:
        yield app, here
    finally:
        app.send_signal(signal.SIGTERM)  # nothing where it has ended
        assert app.wait(PATIENCE_S) == 0
        os.close(here)


def line_of(terminal: int) -> str:
    text = b""
    while not text.endswith(b"\n"):
        ready, _, _ = select.select([terminal], [], [], PATIENCE_S)
        assert ready, f"no line within {PATIENCE_S:.0f} s"
        text += os.read(terminal, 4096)
    return text.decode().rstrip()


def open_surface(surface: str, env: dict[str, str], patience_s: float) -> int:
    """``orbtile open``, until the application is up; returns its exit code."""
    end_s = time.monotonic() + patience_s
    while True:
        command = [sys.executable, "-m", "orbtile", "open", surface]
        code = subprocess.run(command, env=env, check=False, capture_output=True).returncode
        if code == 0 or time.monotonic() > end_s:
            return code
        time.sleep(0.05)
