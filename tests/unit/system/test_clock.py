import sys
import time

from orbtile.system.clock import SystemClock


def test_monotonic_seconds_never_go_back() -> None:
    clock = SystemClock()
    readings = [clock.monotonic_s() for _ in range(1000)]
    assert readings == sorted(readings)


def test_epoch_seconds_are_those_of_the_calendar() -> None:
    assert abs(SystemClock().epoch_s() - time.time()) < 5


def test_the_clock_stands_still_while_the_machine_sleeps() -> None:
    # On Linux CLOCK_BOOTTIME counts sleep and CLOCK_MONOTONIC does not; it is the second that is read.
    if sys.platform == "linux":
        before = time.clock_gettime(time.CLOCK_MONOTONIC)
        reading = SystemClock().monotonic_s()
        assert before <= reading <= time.clock_gettime(time.CLOCK_MONOTONIC)
