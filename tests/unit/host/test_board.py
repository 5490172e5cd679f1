"""Each record names exactly the ids that look different."""

from dataclasses import replace

import pytest

from orbtile.host.changes import Changes
from orbtile.palette.states import State
from orbtile.protocol.errors import ApiError
from orbtile.protocol.session import BatchItem, Message, SessionUpdate
from tests.fakes.hosts import AdapterClient, Host, make_registration, make_update

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


def test_a_new_session_is_named_with_its_adapter_whose_count_changed(
    host: Host, adapter: AdapterClient
) -> None:
    adapter.update("new")
    assert host.take_published() == [
        Changes(sessions=frozenset({"dev.example/local/new"}), adapters=frozenset({"dev.example"}))
    ]


def test_an_update_names_its_session_alone(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=SessionUpdate(activity=State.TOOL))
    assert host.take_published() == [Changes(sessions=frozenset({UID}))]


def test_a_heartbeat_says_nothing(host: Host, adapter: AdapterClient) -> None:
    adapter.heartbeat()
    adapter.touch()
    adapter.end("unknown")
    assert host.take_published() == []


@pytest.mark.parametrize(
    "update",
    [
        make_update(),
        SessionUpdate(),
        SessionUpdate(ttl_s=3600),
        SessionUpdate(host="local"),
        SessionUpdate(subagent_count=0, model=None),
    ],
)
def test_an_update_that_shows_nothing_new_says_nothing(
    host: Host, adapter: AdapterClient, update: SessionUpdate
) -> None:
    adapter.update(update=update)
    assert host.take_published() == []


def test_what_is_not_shown_says_nothing(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=SessionUpdate(pid=4242, live_text=False))
    host.take_published()
    adapter.update(update=SessionUpdate(message=Message(id="m1", text="secret"), open_url="example://x"))
    assert host.take_published() == []


def test_an_adapter_that_is_not_allowed_changes_no_session(host: Host) -> None:
    adapter = host.registered()
    host.take_published()
    adapter.update()
    assert host.take_published() == [Changes(adapters=frozenset({"dev.example"}))]
    adapter.update(update=SessionUpdate(activity=State.TOOL))
    assert host.take_published() == []
    adapter.allow()
    assert host.take_published() == [Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"}))]


def test_registering_the_same_again_says_nothing(host: Host, adapter: AdapterClient) -> None:
    adapter.register()
    assert host.take_published() == []


def test_a_renamed_adapter_renames_its_rows(host: Host, adapter: AdapterClient) -> None:
    adapter.register(replace(make_registration(), version="2.0"))
    assert host.take_published() == [Changes(adapters=frozenset({"dev.example"}))]
    adapter.register(make_registration("Renamed"))
    assert host.take_published() == [Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"}))]


def test_deciding_the_same_again_says_nothing(host: Host, adapter: AdapterClient) -> None:
    adapter.allow()
    assert host.take_published() == []


def test_silence_and_its_end_name_the_sessions_alone(host: Host, adapter: AdapterClient) -> None:
    adapter.update("asleep", make_update(activity=State.OFFLINE))
    host.take_published()
    host.advance(16.0)
    assert host.take_published() == [Changes(sessions=frozenset({UID}))]
    adapter.touch()
    assert host.take_published() == [Changes(sessions=frozenset({UID}))]


def test_silence_that_nobody_ticked_for_is_not_shown_when_the_adapter_speaks_again(
    host: Host, adapter: AdapterClient
) -> None:
    host.clock.advance(20.0)
    adapter.heartbeat()
    assert host.take_published() == []


def test_what_became_due_is_told_even_when_the_request_is_refused(host: Host, adapter: AdapterClient) -> None:
    host.clock.advance(61.0)
    with pytest.raises(ApiError):
        adapter.heartbeat()
    assert host.take_published() == [Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"}))]


def test_a_batch_names_what_differs_and_nothing_else(host: Host, adapter: AdapterClient) -> None:
    adapter.update("same")
    host.take_published()
    adapter.replace(
        BatchItem(session_id="same", update=make_update()), BatchItem(session_id="new", update=make_update())
    )
    assert host.take_published() == [
        Changes(
            sessions=frozenset({UID, "dev.example/local/new"})
        )  # one went, one came: the count is the same
    ]
