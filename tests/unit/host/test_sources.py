"""Built-in agents own sessions without a lease, a bucket, a limit or a banner."""

import pytest

from orbtile.host.changes import Changes
from orbtile.host.sources import SourceInfo
from orbtile.host.views import Consent
from orbtile.palette.states import State
from orbtile.protocol.session import SessionUpdate
from tests.fakes.hosts import Host, make_registration, make_update

CLAUDE = SourceInfo(source_id="claude-code", registration=make_registration("Claude"))


@pytest.fixture
def host() -> Host:
    host = Host()
    host.service.add_source(CLAUDE)
    host.take_published()
    return host


def test_a_source_is_listed_and_needs_no_allow(host: Host) -> None:
    view = host.service.adapter("claude-code")
    assert view is not None
    assert (view.built_in, view.connected, view.consent, view.session_count) == (
        True,
        True,
        Consent.ALLOWED,
        0,
    )


def test_its_sessions_show_at_once(host: Host) -> None:
    uid = host.service.source_update("claude-code", "s1", make_update())
    assert uid == "claude-code/local/s1"
    view = host.service.session(uid)
    assert view is not None
    assert (view.adapter_name, view.monogram, view.state) == ("Claude", "C", State.THINKING)
    assert host.take_published() == [Changes(sessions=frozenset({uid}), adapters=frozenset({"claude-code"}))]
    host.service.source_update("claude-code", "s1", SessionUpdate(activity=State.DONE))
    assert host.take_published() == [Changes(sessions=frozenset({uid}))]


def test_without_an_end_of_evidence_a_session_stays(host: Host) -> None:
    uid = host.service.source_update("claude-code", "s1", make_update())
    host.advance(100_000.0)
    view = host.service.session(uid)
    assert view is not None
    assert view.state is State.THINKING
    assert host.service.next_deadline() is None


def test_a_session_goes_offline_when_its_evidence_ends_and_is_removed_600_s_later(host: Host) -> None:
    uid = host.service.source_update("claude-code", "s1", make_update(), evidence_s=30.0)
    host.advance(30.0)
    view = host.service.session(uid)
    assert view is not None
    assert view.state is State.OFFLINE
    host.advance(600.0)
    assert host.service.session(uid) is None


def test_new_evidence_brings_it_back_for_good(host: Host) -> None:
    uid = host.service.source_update("claude-code", "s1", make_update(), evidence_s=30.0)
    host.advance(40.0)
    host.service.source_update("claude-code", "s1", SessionUpdate())
    host.advance(10_000.0)
    view = host.service.session(uid)
    assert view is not None
    assert view.state is State.THINKING


def test_its_sessions_are_not_counted_in_the_32_nor_it_in_the_8(host: Host) -> None:
    for index in range(100):
        host.service.source_update("claude-code", f"s{index}", make_update())
    for index in range(8):
        host.allowed(f"dev.a{index}")
    assert len(host.service.sessions()) == 100
    assert host.store.consents[-1] == [
        record for record in host.store.consents[-1] if record.adapter_id.startswith("dev.")
    ]


def test_the_apis_switch_and_token_do_not_concern_it(host: Host) -> None:
    uid = host.service.source_update("claude-code", "s1", make_update())
    host.service.regenerate_token()
    host.service.set_api_enabled(False)
    assert host.service.session(uid) is not None


def test_the_user_cannot_decide_about_or_forget_it(host: Host) -> None:
    assert not host.service.deny("claude-code", "")
    assert not host.service.turn_off("claude-code")
    host.service.forget("claude-code")
    assert host.service.adapter("claude-code") is not None


def test_a_source_ends_its_session(host: Host) -> None:
    host.service.source_update("claude-code", "s1", make_update())
    host.service.source_end("claude-code", "s1")
    host.service.source_end("claude-code", "s1")
    assert host.service.sessions() == []


def test_a_source_that_is_turned_off_goes_with_its_sessions(host: Host) -> None:
    host.service.source_update("claude-code", "s1", make_update())
    host.service.remove_source("claude-code")
    assert host.service.sessions() == []
    assert host.service.adapter("claude-code") is None
    host.service.add_source(CLAUDE)


@pytest.mark.parametrize("source_id", ["dev.example", "claude-code"])
def test_an_id_that_an_adapter_could_have_or_that_is_taken_is_refused(host: Host, source_id: str) -> None:
    with pytest.raises(ValueError, match=source_id):
        host.service.add_source(SourceInfo(source_id=source_id, registration=make_registration()))


def test_a_tap_opens_what_the_source_registered(host: Host) -> None:
    uid = host.service.source_update(
        "claude-code", "s1", SessionUpdate(title="t", activity=State.IDLE, pid=4242)
    )
    assert host.service.tap(uid)
    assert host.desktop.raised == [4242]
