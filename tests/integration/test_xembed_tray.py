"""The watch on the XEmbed tray, beside a real one that comes and goes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
import shiboken6
from PySide6.QtCore import QDeadlineTimer, QEventLoop, QObject
from PySide6.QtTest import QSignalSpy
from Xlib.error import DisplayConnectionError

from orbtile.system import xembed_tray, xembed_tray_qt
from orbtile.system.xembed_tray_qt import XEmbedTrayWatch
from tests.conftest import ExpectLog
from tests.fakes.qt import application, settle
from tests.tools.desktop import Desktop, Program, wait_for

pytestmark = pytest.mark.desktop

PATIENCE_MS = 10_000
QUIET_MS = 300


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop("none") as desktop:
        yield desktop


@pytest.fixture
def on_x11(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The watch takes this process, whose Qt draws nowhere, for one on ``desktop``, and starts at once."""
    application()
    monkeypatch.setenv("DISPLAY", desktop.env["DISPLAY"])
    monkeypatch.setattr(xembed_tray_qt, "QGuiApplication", SimpleNamespace(platformName=lambda: "xcb"))
    monkeypatch.setattr(xembed_tray_qt, "CONNECT_AFTER_MS", 0)


@pytest.fixture
def start_tray(desktop: Desktop) -> Iterator[Callable[[], Program]]:
    trays: list[Program] = []

    def start() -> Program:
        tray = desktop.start("trayer", "--edge", "top", "--align", "right")
        trays.append(tray)
        return tray

    yield start
    for tray in trays:
        tray.stop()
    wait_for("the end of the tray", lambda: not desktop.owns_selection("_NET_SYSTEM_TRAY_S0"))


def wait_until(condition: Callable[[], bool]) -> None:
    """Let Qt's loop run until ``condition`` holds."""
    loop, patience = QEventLoop(), QDeadlineTimer(PATIENCE_MS)
    while not condition():
        assert not patience.hasExpired()
        loop.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)


def watching(*, has_tray: bool = False, parent: QObject | None = None) -> tuple[XEmbedTrayWatch, list[str]]:
    """A watch that has begun, and what it says."""
    watch = XEmbedTrayWatch(parent, has_tray=has_tray)
    said: list[str] = []
    watch.host_appeared.connect(lambda: said.append("appeared"))
    watch.host_vanished.connect(lambda: said.append("vanished"))
    wait_until(lambda: watch._tray is not None)
    return watch, said


def test_a_tray_that_starts_later_dies_and_starts_again_is_noticed(
    on_x11: None, start_tray: Callable[[], Program]
) -> None:
    watch, said = watching()
    first = start_tray()
    wait_until(lambda: said == ["appeared"])
    first.process.kill()
    wait_until(lambda: said == ["appeared", "vanished"])
    second = start_tray()
    wait_until(lambda: said == ["appeared", "vanished", "appeared"])
    second.stop()
    wait_until(lambda: said == ["appeared", "vanished"] * 2)
    watch.close()


def test_a_tray_that_came_back_before_anybody_looked_is_a_new_one(
    on_x11: None, desktop: Desktop, start_tray: Callable[[], Program]
) -> None:
    first = start_tray()
    wait_for("a tray", lambda: desktop.owns_selection("_NET_SYSTEM_TRAY_S0"))
    watch, said = watching(has_tray=True)
    first.process.kill()
    wait_for("its end", lambda: not desktop.owns_selection("_NET_SYSTEM_TRAY_S0"))
    start_tray()
    wait_for("a tray", lambda: desktop.owns_selection("_NET_SYSTEM_TRAY_S0"))
    wait_until(lambda: said == ["vanished", "appeared"])
    watch.close()


@pytest.mark.parametrize(("has_tray", "expected"), [(True, []), (False, ["appeared"])])
def test_a_tray_that_was_there_is_told_only_to_who_had_not_seen_it(
    on_x11: None,
    desktop: Desktop,
    start_tray: Callable[[], Program],
    has_tray: bool,
    expected: list[str],
) -> None:
    start_tray()
    wait_for("a tray", lambda: desktop.owns_selection("_NET_SYSTEM_TRAY_S0"))
    watch, said = watching(has_tray=has_tray)
    spy = QSignalSpy(watch.host_appeared)
    assert not spy.wait(QUIET_MS)
    assert said == expected
    watch.close()


def test_a_closed_watch_is_silent(on_x11: None, desktop: Desktop, start_tray: Callable[[], Program]) -> None:
    watch, said = watching()
    watch.close()
    watch.close()
    start_tray()
    wait_for("a tray", lambda: desktop.owns_selection("_NET_SYSTEM_TRAY_S0"))
    assert not QSignalSpy(watch.host_appeared).wait(QUIET_MS)
    assert said == []


@pytest.mark.parametrize("end", [shiboken6.delete, lambda parent: parent.deleteLater()])
def test_the_connection_ends_with_the_object(on_x11: None, end: Callable[[QObject], None]) -> None:
    parent = QObject()
    watch, _ = watching(parent=parent)
    assert watch._notifier is not None
    connection = watch._notifier.socket()
    os.fstat(connection)
    end(parent)
    settle()
    assert not shiboken6.isValid(watch)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(connection)


def test_a_watch_that_ends_before_it_began_connects_to_nobody(on_x11: None) -> None:
    watch = XEmbedTrayWatch(has_tray=False)
    watch.close()
    settle()
    assert watch._tray is None


def test_without_an_x_server_nothing_is_watched_and_the_log_says_so(
    on_x11: None, monkeypatch: pytest.MonkeyPatch, expect_log: ExpectLog
) -> None:
    expect_log("the tray is not watched: DisplayConnectionError")

    def refuse() -> None:
        raise DisplayConnectionError(":0", "no server")

    monkeypatch.setattr(xembed_tray, "XEmbedTray", refuse)
    watch = XEmbedTrayWatch(has_tray=False)
    wait_until(lambda: not watch._starting.isActive())
    settle()
    assert watch._tray is None
    watch.close()


def test_an_x_server_that_dies_ends_the_watch_and_nothing_else(
    on_x11: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(writing)
        with os.fdopen(reading) as told:
            monkeypatch.setenv("DISPLAY", f":{told.readline().strip()}")
        watch, said = watching()
        server.kill()
    wait_until(lambda: watch._tray is None)
    settle()
    assert said == []


def test_elsewhere_than_on_x11_it_is_inert() -> None:
    code = (
        "import sys; from PySide6.QtGui import QGuiApplication; app = QGuiApplication(['app']);"
        "from orbtile.system.xembed_tray_qt import XEmbedTrayWatch;"
        "watch = XEmbedTrayWatch(has_tray=False); print(watch._starting.isActive(), 'Xlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
