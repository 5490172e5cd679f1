"""User actions are saved at once, adapters' doings at most once a second, heartbeats never."""

from dataclasses import replace

import pytest

from orbtile.host.records import Decision
from orbtile.host.settings import Settings, Theme
from orbtile.host.views import Notice, NoticeKind
from tests.fakes.hosts import Host, make_registration


@pytest.fixture
def host() -> Host:
    return Host()


def saves(host: Host) -> int:
    return len(host.store.consents)


def test_user_actions_are_saved_at_once(host: Host) -> None:
    adapter = host.registered()
    host.service.tick()
    host.store.consents.clear()
    adapter.allow()
    assert [record.decision for record in host.store.consents[-1]] == [Decision.ALLOWED]
    adapter.deny()
    assert [record.decision for record in host.store.consents[-1]] == [Decision.DENIED]
    adapter.allow()
    adapter.turn_off()
    assert [record.decision for record in host.store.consents[-1]] == [Decision.DENIED]
    host.service.forget("dev.example")
    assert host.store.consents[-1] == []
    assert saves(host) == 5


def test_settings_are_saved_at_once(host: Host) -> None:
    host.service.set_api_enabled(False)
    host.service.change_settings(Settings(theme=Theme.DARK))
    assert host.store.settings == [Settings(), Settings(theme=Theme.DARK)]


def test_a_refused_decision_saves_nothing(host: Host) -> None:
    host.registered()
    host.service.tick()
    host.service.allow("dev.example", "another fingerprint")
    host.service.turn_off("dev.unknown")
    host.service.forget("dev.unknown")
    assert saves(host) == 1


def test_a_new_adapter_is_saved_by_the_next_tick(host: Host) -> None:
    host.registered()
    host.service.tick()
    assert [record.adapter_id for record in host.store.consents[-1]] == ["dev.example"]


def test_what_adapters_cause_is_saved_at_most_once_a_second(host: Host) -> None:
    adapter = host.registered()
    for step in range(100):
        host.advance(0.1)
        adapter.register(make_registration(f"Agent {step}"))
    assert 9 <= saves(host) <= 11


def test_the_last_of_many_changes_is_saved_without_another_request(host: Host) -> None:
    adapter = host.registered()
    host.service.tick()
    adapter.register(make_registration("Second"))
    assert saves(host) == 1
    host.advance(1.0)
    assert saves(host) == 2
    assert host.store.consents[-1][0].seen.name == "Second"


def test_heartbeats_updates_and_identical_registrations_save_nothing(host: Host) -> None:
    adapter = host.allowed()
    host.advance(2.0)
    before = saves(host)
    for _ in range(30):
        host.advance(1.0)
        adapter.heartbeat()
        adapter.update()
        adapter.register()
    assert saves(host) == before


def test_a_record_has_the_last_sign_of_life_and_what_was_allowed(host: Host) -> None:
    adapter = host.allowed()
    host.advance(5.0)
    adapter.heartbeat()
    adapter.register(replace(make_registration(), name="Other", version="2"))
    host.advance(1.0)
    (record,) = host.store.consents[-1]
    assert record.last_seen_epoch_s == host.clock.epoch_s() - 1.0
    assert (record.decision, record.seen.name, record.seen.version) == (Decision.ALLOWED, "Other", "2")
    assert record.allowed == make_registration()


def test_the_end_of_a_lease_is_saved(host: Host) -> None:
    host.allowed()
    host.advance(2.0)
    before = saves(host)
    host.advance(60.0)
    assert saves(host) == before + 1
    host.registered().unregister()
    host.advance(1.0)
    assert saves(host) >= before + 2


def test_ending_all_registrations_is_the_users_doing(host: Host) -> None:
    host.allowed()
    host.advance(2.0)
    before = saves(host)
    host.service.regenerate_token()
    assert saves(host) == before + 1
    host.service.regenerate_token()
    assert saves(host) == before + 1


def test_flush_saves_what_waits(host: Host) -> None:
    host.allowed().unregister()
    before = saves(host)
    host.service.flush()
    assert saves(host) == before + 1
    host.service.flush()
    assert saves(host) == before + 1
    assert host.service.next_deadline() is None


def test_flush_saves_the_last_signs_of_life(host: Host) -> None:
    adapter = host.allowed()
    host.advance(9.0)
    adapter.heartbeat()
    host.service.flush()
    assert host.store.consents[-1][0].last_seen_epoch_s == host.clock.epoch_s()


def test_flush_with_nothing_unsaved_saves_nothing(host: Host) -> None:
    host.service.flush()
    assert (host.store.settings, host.store.consents) == ([], [])


def test_a_failed_save_is_left_to_the_store(host: Host) -> None:
    """It has what it could not write, and tries again with the next save and when it is closed."""
    host.service.report(Notice(kind=NoticeKind.SETTINGS_NOT_SAVED, detail="No space left on device"))
    host.service.report(Notice(kind=NoticeKind.CONSENTS_NOT_SAVED, detail="No space left on device"))
    assert host.service.next_deadline() is None
    host.service.flush()
    assert (host.store.settings, host.store.consents) == ([], [])
