"""The composition root's own parts: the alarm for the next deadline, and the choice of a window system."""

import asyncio
import gc
from collections.abc import Callable

import pytest

from orbtile.main import DeadlineAlarm, FilesWorker, OneTask, Wishes, choose_window_system
from orbtile.palette.states import State
from orbtile.system.paths import Platform
from tests.conftest import ExpectLog
from tests.fakes.hosts import Host


class FakeTimer:
    """Mirrors a single-shot ``QTimer``; rung by hand."""

    def __init__(self) -> None:
        self.armed_ms: int | None = None
        self.starts = 0

    def start(self, msec: int, /) -> None:
        self.armed_ms = msec
        self.starts += 1

    def stop(self) -> None:
        self.armed_ms = None


class Alarmed:
    """A host with its alarm."""

    def __init__(self) -> None:
        self.host = Host()
        self.timer = FakeTimer()
        self.alarm = DeadlineAlarm(self.host.service, self.host.clock, self.timer)

    def ring(self) -> None:
        assert self.timer.armed_ms is not None
        self.host.clock.advance(self.timer.armed_ms / 1000)
        self.timer.armed_ms = None
        self.alarm.ring()


def test_nothing_is_armed_while_nothing_is_due() -> None:
    assert Alarmed().timer.armed_ms is None


def test_the_timer_rings_at_the_next_deadline_at_the_latest() -> None:
    alarmed = Alarmed()

    alarmed.host.allowed().update()

    due_s = alarmed.host.service.next_deadline()
    assert due_s is not None
    assert alarmed.timer.armed_ms is not None
    late_s = alarmed.timer.armed_ms / 1000 - (due_s - alarmed.host.clock.monotonic_s())
    assert late_s <= 0.0011


def test_a_ring_lets_happen_what_is_due_and_arms_the_next() -> None:
    alarmed = Alarmed()
    adapter = alarmed.host.allowed()
    adapter.update()

    while adapter.state() is State.THINKING:
        alarmed.ring()

    assert adapter.state() is State.OFFLINE
    assert alarmed.timer.armed_ms is not None, "the end of the silent registration is still to come"


def test_rings_go_on_until_the_registration_is_gone_and_then_stop() -> None:
    alarmed = Alarmed()
    alarmed.host.allowed().update()

    rings = 0
    while alarmed.timer.armed_ms is not None:
        alarmed.ring()
        rings += 1
        assert rings < 20

    assert alarmed.host.service.sessions() == []


def test_heartbeats_do_not_arm_the_timer_anew() -> None:
    alarmed = Alarmed()
    adapter = alarmed.host.allowed()
    adapter.update()
    starts = alarmed.timer.starts

    for _ in range(10):
        adapter.heartbeat()

    assert alarmed.timer.starts == starts


@pytest.mark.parametrize("is_collecting", [True, False])
def test_no_garbage_is_collected_on_the_files_thread(is_collecting: bool) -> None:
    before = gc.isenabled()
    try:
        gc.enable() if is_collecting else gc.disable()
        with FilesWorker(max_workers=1) as worker:
            assert worker.submit(gc.isenabled).result(5) is False
        assert gc.isenabled() is is_collecting
    finally:
        gc.enable() if before else gc.disable()


def test_a_wish_is_granted_from_the_loop_and_not_inside_the_request() -> None:
    soon: list[Callable[[], None]] = []
    opened: list[str] = []
    wishes = Wishes(soon.append)
    wishes.grant(opened.append)

    wishes.take("settings")

    assert opened == []
    soon.pop()()
    assert opened == ["settings"]


def test_what_is_wished_before_there_are_windows_opens_with_them() -> None:
    soon: list[Callable[[], None]] = []
    opened: list[str] = []
    wishes = Wishes(soon.append)
    wishes.take("settings")
    wishes.take("popover")
    while soon:
        soon.pop(0)()
    assert opened == []

    wishes.grant(opened.append)

    assert opened == ["settings", "popover"]


def test_one_task_runs_at_a_time_and_its_failure_is_told(expect_log: ExpectLog) -> None:
    expect_log(r"orbtile\.main: ERROR: checking failed")
    ran: list[str] = []

    async def work(name: str) -> None:
        ran.append(name)
        await asyncio.sleep(0)
        raise ValueError(name)

    async def story() -> None:
        task = OneTask("checking")
        task.start(work("first"))
        task.start(work("second"))
        await asyncio.sleep(0.01)
        await task.cancel()

    asyncio.run(story())

    assert ran == ["first"]


def test_a_task_that_still_runs_is_ended_with_the_application() -> None:
    async def story() -> None:
        task = OneTask("checking")
        task.start(asyncio.sleep(3600))
        await asyncio.sleep(0)
        await task.cancel()
        await OneTask("never started").cancel()

    asyncio.run(asyncio.wait_for(story(), timeout=5))


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
