from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt

from orbtile.system.battery_saver_qt import AskedBatterySaver, watch_battery_saver
from orbtile.system.paths import Platform
from orbtile.system.power_profiles_qt import ProfileBatterySaver
from tests.fakes.qt import application


class Machine:
    """One whose battery saver a test switches; ``told`` is what the watch said."""

    def __init__(self, *, is_saving: bool = False) -> None:
        self.is_saving = is_saving
        self.asked = 0
        self.app = application()
        self.told: list[bool] = []
        self.saver = AskedBatterySaver(ask=self._ask)
        self.saver.changed.connect(self._hear)

    def _ask(self) -> bool:
        self.asked += 1
        return self.is_saving

    def _hear(self, is_on: bool) -> None:
        self.told.append(is_on)


@pytest.fixture
def machine() -> Iterator[Machine]:
    machine = Machine()
    yield machine
    machine.saver.close()


def test_what_holds_at_the_start_is_known_and_not_told() -> None:
    machine = Machine(is_saving=True)
    is_on, told = machine.saver.is_on, machine.told
    machine.saver.close()
    assert (is_on, told) == (True, [])


def test_a_change_is_told_once(machine: Machine) -> None:
    machine.is_saving = True
    known = []
    for is_saving in (False, True, True, False):
        machine.is_saving = is_saving
        machine.saver.check()
        known.append(machine.saver.is_on)
    assert known == [False, True, True, False]
    assert machine.told == [True, False]


def test_the_system_is_asked_when_the_application_comes_to_the_front(machine: Machine) -> None:
    machine.is_saving = True
    machine.app.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    assert machine.asked == 1
    machine.app.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert machine.told == [True]


def test_after_the_end_nothing_is_asked(machine: Machine) -> None:
    machine.saver.close()
    machine.saver.close()
    machine.app.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert machine.asked == 1


def test_linux_has_profiles_and_the_others_are_asked() -> None:
    parent = QObject()
    savers = {platform: watch_battery_saver(platform, parent) for platform in Platform}
    for platform, saver in savers.items():
        assert isinstance(saver, ProfileBatterySaver) == (platform is Platform.LINUX)
        assert saver.parent() is parent
        saver.close()
