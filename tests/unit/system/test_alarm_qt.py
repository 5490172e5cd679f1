"""The alarm on Qt's own timer."""

from PySide6.QtTest import QSignalSpy

from orbtile.system.alarm_qt import QtAlarm
from tests.fakes import qt

QUIET_MS = 50


def test_it_rings_once_with_what_it_was_set_to_last() -> None:
    qt.application()
    alarm, rung = QtAlarm(), []
    spy = QSignalSpy(alarm._timer.timeout)
    alarm.set(0.001, lambda: rung.append("first"))
    alarm.set(0.002, lambda: rung.append("second"))
    assert spy.wait(5000)
    assert not spy.wait(QUIET_MS)
    assert rung == ["second"]


def test_a_ring_may_set_it_again() -> None:
    qt.application()
    alarm, rung = QtAlarm(), []
    spy = QSignalSpy(alarm._timer.timeout)
    alarm.set(0.001, lambda: alarm.set(0.001, lambda: rung.append("again")))
    while not rung:
        assert spy.wait(5000)


def test_a_cancelled_alarm_is_silent() -> None:
    qt.application()
    alarm, rung = QtAlarm(), []
    spy = QSignalSpy(alarm._timer.timeout)
    alarm.set(0.001, lambda: rung.append("x"))
    alarm.cancel()
    assert not spy.wait(QUIET_MS)
    assert rung == []
