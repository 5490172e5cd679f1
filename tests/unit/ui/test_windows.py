"""Which surface opens for which wish, with and without a tray, offscreen."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtTest import QSignalSpy

from orbtile.ui import windows as windows_module
from orbtile.ui.bridge import Bridge
from orbtile.ui.motion import MotionClock
from orbtile.ui.settings.diagnostics import AboutInfo
from orbtile.ui.tray import Tray
from orbtile.ui.windows import Windows
from tests.conftest import ExpectLog
from tests.fakes.hosts import Host
from tests.fakes.qt import application

TRAY_ICON = QRect(1200, 0, 24, 24)


class Stage:
    """The surfaces on a real service, with a tray that comes and goes by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.has_tray = True
        monkeypatch.setattr(Tray, "is_available", lambda *_: self.has_tray)
        monkeypatch.setattr(windows_module, "has_display", lambda: True)
        application()
        self.host = Host()
        self.bridge = Bridge(self.host.service)
        self.windows = Windows(
            self.bridge,
            now_s=self.host.clock.monotonic_s,
            about=AboutInfo(version="0.0.0", data_dir=Path("data"), log_file=Path("log")),
            open_url=self.host.desktop.open_url,
            example_command=None,
            has_compositor=lambda: True,
        )
        self.quits = QSignalSpy(self.windows.quit_requested)

    @property
    def is_windowed(self) -> bool:
        return not self.windows.popover.windowFlags() & Qt.WindowType.FramelessWindowHint

    def close(self) -> None:
        self.windows.close()
        QCoreApplication.sendPostedEvents(None, 52)  # the deferred deletes


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, expect_log: ExpectLog) -> Iterator[Stage]:
    expect_log("systemTrayWindowChanged")  # the offscreen platform's, of no consequence
    stage = Stage(monkeypatch)
    assert stage.windows.tray is not None
    stage.windows.tray.show()  # the item is made at the latest now
    yield stage
    stage.close()


def test_with_a_tray_nothing_opens_by_itself(stage: Stage) -> None:
    stage.windows.start()

    assert not stage.windows.popover.isVisible()


def test_without_a_tray_a_normal_window_takes_the_popovers_place(stage: Stage) -> None:
    stage.has_tray = False

    stage.windows.start()

    assert stage.windows.popover.isVisible()
    assert stage.is_windowed


def test_closing_that_window_quits_since_nothing_is_left(stage: Stage) -> None:
    stage.has_tray = False
    stage.windows.start()

    stage.windows.popover.close()

    assert stage.quits.count() == 1


def test_closing_it_does_not_quit_while_settings_is_open(stage: Stage) -> None:
    stage.has_tray = False
    stage.windows.start()
    stage.windows.open("settings")

    stage.windows.popover.close()
    assert stage.quits.count() == 0

    stage.windows.settings.close()
    assert stage.quits.count() == 1


def test_with_a_tray_closing_windows_never_quits(stage: Stage) -> None:
    stage.windows.start()
    stage.windows.open("popover")
    stage.windows.open("settings")

    stage.windows.popover.close()
    stage.windows.settings.close()

    assert stage.quits.count() == 0


def test_a_tray_that_came_unannounced_turns_the_window_into_the_popover_at_the_first_click(
    stage: Stage,
) -> None:
    stage.has_tray = False
    stage.windows.start()
    stage.has_tray = True  # an XEmbed tray: the icon docks, and nobody is told

    stage.windows.popover.close()
    assert stage.quits.count() == 0, "the tray icon is on the screen"
    assert stage.windows.tray is not None
    stage.windows.tray.popoverRequested.emit(TRAY_ICON)

    assert stage.windows.popover.isVisible()
    assert not stage.is_windowed


def test_a_tray_that_goes_leaves_a_window_on_the_screen(stage: Stage) -> None:
    stage.windows.start()
    stage.has_tray = False

    stage.windows.tray_host_changed()

    assert stage.windows.popover.isVisible()
    assert stage.is_windowed


def test_a_tray_that_comes_back_makes_it_a_popover_again(stage: Stage) -> None:
    stage.has_tray = False
    stage.windows.start()
    stage.has_tray = True

    stage.windows.tray_host_changed()

    assert not stage.is_windowed
    assert stage.quits.count() == 0


def test_an_unknown_surface_is_refused(stage: Stage) -> None:
    with pytest.raises(KeyError):
        stage.windows.open("keypad")


def test_reduced_motion_or_battery_saver_each_stop_all_motion(stage: Stage) -> None:
    def set_reduced(wished: bool) -> None:
        stage.host.service.change_settings(replace(stage.host.service.settings, reduce_motion=wished))
        stage.bridge.flush()

    stage.windows.set_battery_saver(True)
    still = [stage.windows.motion.is_still]
    stage.windows.set_battery_saver(False)
    still.append(stage.windows.motion.is_still)
    set_reduced(True)
    still.append(stage.windows.motion.is_still)
    stage.windows.set_battery_saver(True)
    set_reduced(False)
    still.append(stage.windows.motion.is_still)
    stage.windows.set_battery_saver(False)
    still.append(stage.windows.motion.is_still)
    assert still == [True, False, True, True, False]


def test_everything_moves_by_one_clock(stage: Stage) -> None:
    assert stage.windows.motion is stage.windows.motion
    stage.windows.open("popover")
    stage.windows.open("settings")
    assert len(stage.windows.findChildren(MotionClock)) == 1


def test_what_only_windows_draw_with_is_not_loaded_for_the_tray() -> None:
    """Its two megabytes would stay for as long as nobody opens a window."""
    code = (
        "import sys, orbtile.ui.windows, orbtile.ui.settings.diagnostics\n"
        "print([it for it in sys.modules if it.startswith(('orbtile.ui.agent', 'orbtile.ui.orb', 'html'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
