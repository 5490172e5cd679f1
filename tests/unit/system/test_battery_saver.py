import sys

import pytest

from orbtile.system.battery_saver import (
    POWER_STATUS,
    has_saver_flag,
    is_battery_saver_on,
    is_saver_profile,
)


@pytest.mark.parametrize(
    ("profile", "is_saving"),
    [
        ("power-saver", True),
        ("balanced", False),
        ("performance", False),
        ("", False),
        ("Power-Saver", False),
        (None, False),
        (1, False),
        (["power-saver"], False),
    ],
)
def test_one_profile_saves_power(profile: object, is_saving: bool) -> None:
    assert is_saver_profile(profile) is is_saving


@pytest.mark.parametrize(("flag", "is_saving"), [(0, False), (1, True), (255, False)])
def test_windows_says_it_in_the_fourth_byte(flag: int, is_saving: bool) -> None:
    on_battery_with_a_third_left = POWER_STATUS.pack(0, 2, 33, flag, 3_600, 0xFFFF_FFFF)
    assert len(on_battery_with_a_third_left) == 12
    assert has_saver_flag(on_battery_with_a_third_left) is is_saving


@pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="there the machine decides")
def test_other_systems_are_not_asked_this_way() -> None:
    assert not is_battery_saver_on()
