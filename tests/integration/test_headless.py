"""The application on a server: the API works, and standard error has one line of our own."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems have a display, or no user"),
]

PATIENCE_S = 20.0


def test_without_a_display_it_says_one_line_and_serves() -> None:
    with tempfile.TemporaryDirectory(prefix="ob-") as name:  # short: a Unix socket's path must be
        data = Path(name) / "data"
        env = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
        env["ORBTILE_DATA_DIR"] = str(data)
        app = subprocess.Popen([sys.executable, "-m", "orbtile"], env=env, stderr=subprocess.PIPE, text=True)
        try:
            assert open_surface("popover", env, PATIENCE_S) == 0
            assert open_surface("settings", env, PATIENCE_S) == 0
        finally:
            app.send_signal(signal.SIGTERM)
            _, errors = app.communicate(timeout=PATIENCE_S)
    assert app.returncode == 0
    (line,) = errors.splitlines()
    assert "there is no display: nothing is shown, the Adapter API works" in line


def open_surface(surface: str, env: dict[str, str], patience_s: float) -> int:
    """``orbtile open``, until the application is up; returns its exit code."""
    end_s = time.monotonic() + patience_s
    while True:
        command = [sys.executable, "-m", "orbtile", "open", surface]
        code = subprocess.run(command, env=env, check=False, capture_output=True).returncode
        if code == 0 or time.monotonic() > end_s:
            return code
        time.sleep(0.05)
