"""The composition root's own parts: the alarm for the next deadline, and the choice of a window system."""

from collections.abc import Callable

import pytest

from orbtile.main import DeadlineAlarm, choose_window_system
from orbtile.palette.states import State
from orbtile.system.paths import Platform
from tests.conftest import ExpectLog
from tests.fakes.hosts import Host


class FakeTimer:
    def __init__(self, delay_s: float, callback: Callable[[], None]) -> None:
        self.delay_s = delay_s
        self.callback = callback
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class FakeLoop:
    """Keeps what it is asked to call later, and rings it by hand."""

    def __init__(self) -> None:
        self.timers: list[FakeTimer] = []

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> FakeTimer:
        timer = FakeTimer(delay_s, callback)
        self.timers.append(timer)
        return timer

    @property
    def armed(self) -> list[FakeTimer]:
        return [timer for timer in self.timers if not timer.is_cancelled]

    def ring(self) -> None:
        (timer,) = self.armed
        timer.is_cancelled = True
        timer.callback()


def test_nothing_is_armed_while_nothing_is_due() -> None:
    host, loop = Host(), FakeLoop()

    DeadlineAlarm(host.service, host.clock, loop.call_later)

    assert loop.timers == []


def test_a_new_deadline_arms_exactly_one_timer() -> None:
    host, loop = Host(), FakeLoop()
    DeadlineAlarm(host.service, host.clock, loop.call_later)

    adapter = host.allowed()
    adapter.update()
    adapter.update("run-8")

    (timer,) = loop.armed
    due_s = host.service.next_deadline()
    assert due_s is not None
    assert timer.delay_s <= due_s - host.clock.monotonic_s()


def test_a_ring_lets_happen_what_is_due_and_arms_the_next() -> None:
    host, loop = Host(), FakeLoop()
    DeadlineAlarm(host.service, host.clock, loop.call_later)
    adapter = host.allowed()
    adapter.update()

    host.clock.advance(15.001)
    loop.ring()

    assert adapter.state() is State.OFFLINE
    assert len(loop.armed) == 1, "the end of the silent registration is still to come"


def test_rings_go_on_until_the_registration_is_gone_and_then_stop() -> None:
    host, loop = Host(), FakeLoop()
    DeadlineAlarm(host.service, host.clock, loop.call_later)
    host.allowed().update()

    for _ in range(20):
        if not loop.armed:
            break
        host.clock.advance(loop.armed[0].delay_s)
        loop.ring()

    assert loop.armed == []
    assert host.service.sessions() == []


def test_a_cancelled_alarm_is_silent() -> None:
    host, loop = Host(), FakeLoop()
    alarm = DeadlineAlarm(host.service, host.clock, loop.call_later)
    host.allowed().update()

    alarm.cancel()

    assert loop.armed == []


@pytest.mark.parametrize(
    ("env", "chosen"),
    [
        ({"DISPLAY": ":0"}, "xcb"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "xcb"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, None),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "minimal"}, "minimal"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "offscreen"),
    ],
)
def test_on_linux_the_popover_can_be_placed_where_the_display_lets_it(
    env: dict[str, str], chosen: str | None
) -> None:
    choose_window_system(env, Platform.LINUX)

    assert env.get("QT_QPA_PLATFORM") == chosen


def test_without_any_display_qt_draws_nowhere_and_the_log_says_so(expect_log: ExpectLog) -> None:
    expect_log(r"orbtile\.main: WARNING: there is no display")
    env: dict[str, str] = {}

    choose_window_system(env, Platform.LINUX)

    assert env == {"QT_QPA_PLATFORM": "offscreen"}


@pytest.mark.parametrize("platform", [Platform.MACOS, Platform.WINDOWS])
def test_other_systems_have_one_window_system(platform: Platform) -> None:
    env: dict[str, str] = {}

    choose_window_system(env, platform)

    assert env == {}
