"""Low Power Mode, on macOS. Whether it is on is the machine's matter."""

import ctypes
import sys

import pytest

from orbtile.system import macos_objc, macos_power
from tests.fakes.qt import application, wait_until

pytest.importorskip("_scproxy", reason="needs macOS")
assert sys.platform == "darwin"  # for type checkers

POST = ctypes.CFUNCTYPE(
    macos_objc.POINTER, macos_objc.POINTER, macos_objc.POINTER, macos_objc.POINTER, macos_objc.POINTER
)(macos_objc.MESSAGE)


def post() -> None:
    """Say that the power state changed, as the system does."""
    center = macos_objc.send(
        macos_objc.class_named(b"NSNotificationCenter"), macos_objc.selector(b"defaultCenter")
    )
    name = macos_objc.string("NSProcessInfoPowerStateDidChangeNotification")
    POST(center, macos_objc.selector(b"postNotificationName:object:"), name, None)


def test_the_system_says_whether_it_saves_power() -> None:
    assert macos_power.is_low_power_mode() in {True, False}


def test_a_change_is_told_by_the_event_loop_until_the_end() -> None:
    application()
    heard: list[str] = []
    observer = macos_power.PowerStateObserver(lambda: heard.append("changed"))
    post()
    assert wait_until(lambda: heard == ["changed"])
    observer.close()
    observer.close()
    post()
    assert not wait_until(lambda: len(heard) > 1, patience_ms=200)
