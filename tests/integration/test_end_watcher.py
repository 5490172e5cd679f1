"""Signals reach the Qt loop, in a process of their own."""

import signal
import subprocess
import sys
from typing import cast

import pytest
from PySide6.QtGui import QSessionManager
from PySide6.QtTest import QSignalSpy

from orbtile.system.signals_qt import EndWatcher
from tests.fakes.qt import application

pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers

APP = """
import signal, sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from orbtile.system.signals_qt import EndWatcher

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)  # nohup and background jobs hand down ignored signals
app = QGuiApplication(["app"])
former = signal.getsignal(signal.SIGTERM)
watcher = EndWatcher(app)

def end():
    print("ending", flush=True)
    watcher.close()
    assert signal.getsignal(signal.SIGTERM) == former
    app.exit(7)

watcher.end_requested.connect(end)
QTimer.singleShot(0, lambda: print("running", flush=True))
sys.exit(app.exec())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_an_idle_app_in_order(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", APP], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as app:
        assert app.stdout is not None
        assert app.stdout.readline() == "running\n"
        app.send_signal(number)
        try:
            output, errors = app.communicate(timeout=20)
        finally:
            app.kill()
    assert (output, app.returncode, errors) == ("ending\n", 7, "")


def test_other_signals_do_not_end_the_app() -> None:
    app = application()
    former_hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup hands down that it is ignored
    watcher = EndWatcher(app)
    spy = QSignalSpy(watcher.end_requested)
    former = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        signal.raise_signal(signal.SIGUSR1)
        assert not spy.wait(100)
        signal.raise_signal(signal.SIGHUP)
        assert spy.count() == 1 or spy.wait(5000)
    finally:
        signal.signal(signal.SIGUSR1, former)
        watcher.close()
        watcher.deleteLater()
        signal.signal(signal.SIGHUP, former_hangup)


def test_a_signal_that_we_were_started_to_ignore_stays_ignored() -> None:
    app = application()
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        watcher = EndWatcher(app)
        spy = QSignalSpy(watcher.end_requested)
        signal.raise_signal(signal.SIGHUP)
        assert not spy.wait(100)
        watcher.close()
        watcher.deleteLater()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, former)


class FakeSessionManager:
    def __init__(self) -> None:
        self.hints: list[QSessionManager.RestartHint] = []

    def setRestartHint(self, hint: QSessionManager.RestartHint) -> None:
        self.hints.append(hint)


def test_a_session_that_may_end_asks_for_saving_and_not_for_ending() -> None:
    watcher = EndWatcher(application())
    manager = FakeSessionManager()
    end, save = QSignalSpy(watcher.end_requested), QSignalSpy(watcher.save_requested)
    watcher._on_commit(cast("QSessionManager", manager))
    watcher.close()
    assert (end.count(), save.count()) == (0, 1)
    assert manager.hints == [QSessionManager.RestartHint.RestartNever]
