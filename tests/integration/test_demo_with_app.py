"""The demo adapter beside the real application: it comes back after all that happens to Orbtile."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.examples import demo
from tests.tools.driven import Driven, drive, driven_folder, registration

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the driven application is watched through /proc"),
]

PATIENCE_S = 15.0


@contextlib.contextmanager
def adapter(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The demo as a process of its own, its stories five times as fast."""
    environment = {**os.environ, "ORBTILE_API_FILE": str(folder / "api.json")}
    command = [sys.executable, "-W", "error", demo.__file__, "--speed", "5", "--quiet"]
    with subprocess.Popen(command, env=environment) as process:
        try:
            yield process
            process.terminate()
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()


def wait_for_sessions(app: Driven, least: int) -> dict[str, str]:
    end_s = time.monotonic() + PATIENCE_S
    while len(shown := app.titles("sessions")) < least:
        assert time.monotonic() < end_s, f"only {shown} after {PATIENCE_S:.0f} s"
        time.sleep(0.05)
    return shown


def test_the_demo_comes_back_after_a_new_token_and_after_a_restart_and_goes_when_it_ends() -> None:
    with (
        driven_folder(registration(demo.REGISTRATION), [demo.ADAPTER_ID]) as folder,
        adapter(folder) as process,
    ):
        with drive(folder, os.environ) as app:
            first = wait_for_sessions(app, 3)
            assert first["org.example.demo/local/checkout"] == "Fix the flaky checkout test"
            assert app.titles("regenerate") == {}
            wait_for_sessions(app, 3)
            assert app.complaints() == []
        with drive(folder, os.environ) as again:
            shown = wait_for_sessions(again, 5)
            assert "org.example.demo/build-01/report-7" in shown
            process.terminate()
            process.wait(PATIENCE_S)
            assert again.titles("sessions") == {}
            assert again.complaints() == []
