"""What the facade itself promises: settings, notices, deadlines."""

from dataclasses import replace

import pytest

from orbtile.host.changes import Changes
from orbtile.host.settings import Settings, Theme
from orbtile.host.views import Notice, NoticeKind
from orbtile.palette.states import State
from orbtile.protocol.session import SessionUpdate
from tests.fakes.hosts import AdapterClient, Host, make_update

UID = "dev.example/local/run-7"


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def adapter(host: Host) -> AdapterClient:
    adapter = host.allowed()
    adapter.update()
    host.take_published()
    return adapter


FULL_DISK = Notice(kind=NoticeKind.CONSENTS_NOT_SAVED, detail="No space left on device")


def test_the_api_and_its_token(host: Host, adapter: AdapterClient) -> None:
    gone = Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"}))
    host.service.regenerate_token()
    assert host.take_published() == [gone.merged(Changes(api=True))]
    host.service.set_api_enabled(True)
    assert host.take_published() == []
    host.service.set_api_enabled(False)
    assert host.take_published() == [Changes(api=True, settings=True)]
    host.service.set_api_enabled(True)
    assert host.take_published() == [Changes(api=True, settings=True)]


def test_settings(host: Host) -> None:
    host.service.change_settings(Settings(api_enabled=True, theme=Theme.DARK))
    assert host.take_published() == [Changes(settings=True)]
    host.service.change_settings(Settings(api_enabled=True, theme=Theme.DARK))
    assert host.take_published() == []
    assert host.service.settings.theme is Theme.DARK


def test_settings_do_not_switch_the_api(host: Host) -> None:
    host.service.change_settings(Settings(api_enabled=False, theme=Theme.LIGHT))
    assert host.service.settings == Settings(api_enabled=True, theme=Theme.LIGHT)
    assert host.service.api_enabled


# --- notices -----------------------------------------------------------------------------------------------


def test_reported_trouble_is_shown_until_it_is_over(host: Host) -> None:
    host.service.report(FULL_DISK)
    assert host.service.notices() == [FULL_DISK]
    host.service.clear(NoticeKind.CONSENTS_NOT_SAVED)
    assert host.service.notices() == []
    assert host.take_published() == [Changes(notices=True)] * 2


def test_the_same_trouble_again_says_nothing_and_another_detail_does(host: Host) -> None:
    host.service.report(FULL_DISK)
    host.service.report(FULL_DISK)
    assert len(host.take_published()) == 1
    other = Notice(kind=NoticeKind.CONSENTS_NOT_SAVED, detail="Read-only file system")
    host.service.report(other)
    assert host.service.notices() == [other]
    assert len(host.take_published()) == 1


def test_the_user_may_dismiss_a_notice(host: Host) -> None:
    host.service.report(FULL_DISK)
    host.service.dismiss_notice(NoticeKind.CONSENTS_NOT_SAVED)
    host.service.dismiss_notice(NoticeKind.CONSENTS_NOT_SAVED)
    assert host.service.notices() == []
    assert len(host.take_published()) == 2


def test_several_kinds_stand_side_by_side(host: Host) -> None:
    down = Notice(kind=NoticeKind.LISTENER_DOWN)
    host.service.report(FULL_DISK)
    host.service.report(down)
    assert host.service.notices() == [FULL_DISK, down]


# --- deadlines ---------------------------------------------------------------------------------------------


def test_whoever_armed_a_timer_is_told_when_something_is_due_earlier(host: Host) -> None:
    told: list[float | None] = []
    host.service.watch_deadline(lambda: told.append(host.service.next_deadline()))
    now_s = host.clock.monotonic_s()
    adapter = host.registered()
    assert told == [now_s]  # the save of the new adapter
    host.service.tick()
    host.service.next_deadline()
    told.clear()
    adapter.update(update=replace(make_update(), ttl_s=3600))
    adapter.heartbeat()
    assert told == []
    adapter.update(update=SessionUpdate(ttl_s=10))
    assert told == [now_s + 10.0]


def test_an_early_tick_is_harmless(host: Host, adapter: AdapterClient) -> None:
    host.service.tick()
    assert adapter.state() is State.THINKING
    assert host.take_published() == []
