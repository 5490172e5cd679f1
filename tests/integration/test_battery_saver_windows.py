"""Battery saver, on Windows. Whether it is on is the machine's matter."""

import sys

import pytest

from orbtile.system import windows_api
from orbtile.system.battery_saver import POWER_STATUS, has_saver_flag, is_battery_saver_on

pytest.importorskip("msvcrt", reason="needs Windows")
assert sys.platform == "win32"  # for type checkers


def test_the_system_says_whether_it_saves_power() -> None:
    status = windows_api.read_power_status(POWER_STATUS.size)
    assert has_saver_flag(status) == is_battery_saver_on()
