"""The composition root's own parts: the alarm for the next deadline, and the icons' way to the worker."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orbtile.host.icons import IconImages
from orbtile.main import DeadlineAlarm, IconRendering, OneTask, Wishes, _heed_battery_saver
from orbtile.palette.states import State
from orbtile.protocol.errors import ApiError, invalid_field
from orbtile.protocol.registration import Icon
from orbtile.system import battery_saver_qt
from orbtile.system.files_worker import FilesWorker
from orbtile.system.paths import Platform
from orbtile.ui.bridge import Bridge
from orbtile.ui.settings.diagnostics import AboutInfo
from orbtile.ui.windows import Windows
from tests.conftest import ExpectLog
from tests.fakes.codec import FakeCodec, images_of
from tests.fakes.hosts import Host, make_registration
from tests.fakes.qt import application


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


# --- icons --------------------------------------------------------------------------------------------------


class Rendering:
    """A host that remembers icons, and how they are rendered: on a real worker, by a fake codec."""

    def __init__(self, worker: FilesWorker) -> None:
        self.host = Host()
        self.codec = FakeCodec()
        self.loads = 0
        self.icons = IconRendering(self.host.service, self.host.bundles, worker, self.load_codec)

    def load_codec(self) -> FakeCodec:
        self.loads += 1
        return self.codec

    def remember(self, *icons: Icon) -> None:
        for index, icon in enumerate(icons):
            self.host.registered(f"dev.a{index}", replace(make_registration(), icon=icon))

    def icon_of(self, index: int) -> IconImages | None:
        return self.host.adapter(f"dev.a{index}").view().icon


@pytest.fixture
def rendering() -> Iterator[Rendering]:
    afterwards: list[Callable[[], None]] = []
    with FilesWorker(afterwards.append) as worker:
        yield Rendering(worker)
    for call in afterwards:
        call()


def run(story: Coroutine[object, object, object]) -> None:
    asyncio.run(asyncio.wait_for(story, timeout=20))


def test_an_icon_is_rendered_on_the_workers_thread(
    rendering: Rendering, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def render(png: bytes) -> IconImages:
        threads.append(threading.current_thread())
        return images_of(png)

    monkeypatch.setattr(rendering.codec, "render", render)

    async def story() -> None:
        assert await rendering.icons.render(Icon(png=b"red")) == images_of(b"red")

    run(story())

    assert threads
    assert threading.main_thread() not in threads


def test_a_refusal_comes_back_to_the_request(rendering: Rendering) -> None:
    rendering.codec.refused[b"bad"] = invalid_field("icon.png", "is no picture")

    async def story() -> None:
        with pytest.raises(ApiError, match="is no picture"):
            await rendering.icons.render(Icon(png=b"bad"))

    run(story())


def test_a_png_that_is_known_is_not_decoded_again_and_applications_are_asked_about_each_time(
    rendering: Rendering,
) -> None:
    plain, installed = Icon(png=b"red"), Icon(png=b"red", app_bundle_id="com.example.agent")
    rendering.remember(plain, installed)
    for icon in (plain, installed):
        rendering.host.service.keep_icon(icon, images_of(b"red"))
    rendering.host.bundles.icons["com.example.agent"] = b"new"

    async def story() -> None:
        assert await rendering.icons.render(plain) == images_of(b"red")
        assert rendering.codec.rendered == []
        assert await rendering.icons.render(installed) == images_of(b"new")

    run(story())


def test_after_a_start_the_remembered_icons_come_one_after_another(rendering: Rendering) -> None:
    rendering.remember(Icon(png=b"a"), Icon(png=b"b"), Icon(png=b"c"))

    run(rendering.icons.render_remembered())

    assert (rendering.codec.rendered, rendering.loads) == ([b"a", b"b", b"c"], 1)
    assert [rendering.icon_of(index) for index in range(3)] == [
        images_of(name) for name in (b"a", b"b", b"c")
    ]


def test_without_remembered_icons_no_decoder_is_loaded(rendering: Rendering) -> None:
    rendering.host.registered()

    run(rendering.icons.render_remembered())

    assert rendering.loads == 0


@pytest.mark.parametrize(
    ("failure", "told"),
    [(invalid_field("icon.png", "secret"), "invalid_field"), (OSError("secret"), "OSError")],
)
def test_an_icon_that_cannot_be_rendered_costs_none_of_the_others_and_the_log_has_nothing_of_it(
    rendering: Rendering,
    failure: Exception,
    told: str,
    expect_log: ExpectLog,
    caplog: pytest.LogCaptureFixture,
) -> None:
    expect_log(rf"orbtile\.main: WARNING: a remembered icon was not rendered \({told}\)")
    rendering.codec.refused[b"bad"] = failure
    rendering.remember(Icon(png=b"bad"), Icon(png=b"good"), Icon(app_bundle_id="com.example.agent"))

    run(rendering.icons.render_remembered())

    assert rendering.icon_of(1) == images_of(b"good")
    assert rendering.icon_of(0) is rendering.icon_of(2) is None
    assert "secret" not in caplog.text


def test_the_end_does_not_wait_for_the_rest(rendering: Rendering) -> None:
    rendering.remember(*(Icon(png=b"%d" % index) for index in range(8)))

    async def story() -> None:
        rendering.icons.start()
        await asyncio.sleep(0)
        await rendering.icons.cancel()

    run(story())

    assert len(rendering.host.service.icons_to_render()) >= 7


# --- the battery saver --------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_on", [False, True])
def test_nothing_moves_while_the_system_saves_power_from_the_start_and_at_every_change(
    is_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    application()
    host = Host()
    windows = Windows(
        Bridge(host.service),
        now_s=host.clock.monotonic_s,
        about=AboutInfo(version="1", data_dir=Path(), log_file=Path()),
        open_url=lambda _url: True,
        example_command=None,
        has_compositor=lambda: True,
    )
    system = SystemSaver(windows, is_on=is_on)
    monkeypatch.setattr(battery_saver_qt, "watch_battery_saver", lambda _platform, _parent: system)

    saver = _heed_battery_saver(Platform.LINUX, windows)

    assert saver is system, "whoever ends the application closes it"
    seen = [windows.motion.is_still]
    for now in (not is_on, is_on):
        system.say(is_on=now)
        seen.append(windows.motion.is_still)
    assert seen == [is_on, not is_on, is_on]
    windows.close()


class SystemSaver(battery_saver_qt.BatterySaver):
    """Says what the test says."""

    def say(self, *, is_on: bool) -> None:
        self._take(is_on)
