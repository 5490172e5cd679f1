"""The watch on the tray's D-Bus name, on a bus of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

pytestmark = pytest.mark.desktop

TRAY_COMES_AND_GOES = """
from PySide6.QtCore import QCoreApplication
from PySide6.QtDBus import QDBusConnection
from PySide6.QtTest import QSignalSpy
from orbtile.system.statusnotifier_qt import WATCHER_NAME, StatusNotifierWatch

app = QCoreApplication(["app"])
watch = StatusNotifierWatch()
appeared, vanished = QSignalSpy(watch.host_appeared), QSignalSpy(watch.host_vanished)
tray = QDBusConnection.connectToBus(QDBusConnection.BusType.SessionBus, "tray")
for _ in range(2):
    assert tray.registerService(WATCHER_NAME)
    assert appeared.wait(5000)
    assert tray.unregisterService(WATCHER_NAME)
    assert vanished.wait(5000)
print(appeared.count(), vanished.count())
"""

NO_BUS = """
from PySide6.QtCore import QCoreApplication
from orbtile.system.statusnotifier_qt import StatusNotifierWatch
app = QCoreApplication(["app"])
watch = StatusNotifierWatch()
app.processEvents()
print("inert")
"""


@pytest.fixture
def bus() -> Iterator[str]:
    with subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, text=True
    ) as daemon:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
        daemon.terminate()


def run(code: str, address: str) -> list[str]:
    env = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.split()


def test_a_tray_that_starts_later_or_again_is_noticed(bus: str) -> None:
    assert run(TRAY_COMES_AND_GOES, bus) == ["2", "2"]


def test_without_a_session_bus_there_is_no_tray_and_no_trouble() -> None:
    assert run(NO_BUS, "unix:path=/nonexistent") == ["inert"]
