"""Display sessions: what is sent, what is kept, and how it comes back after a loss."""

from __future__ import annotations

import pytest

from orbtile_adapter import AdapterError, APIError, PayloadTooLargeError, SessionUpdate, TransportError
from sdkfakes.memory import DISPLAY_ONLY, MemoryClient
from sdkfakes.model import Model, refuse, respond
from sdkfakes.requests import NOT_HTTP


def test_an_update_sends_the_fields_given_and_returns_the_reply(pad: MemoryClient, model: Model) -> None:
    update: SessionUpdate = {"title": "Tiny agent", "activity": "thinking", "project": "Customer jobs"}
    reply = pad.upsert_session("run", **update)
    assert model.last().body == update
    assert reply["session"] == {"uid": "run", "visible": True}
    pad.upsert_session("run", activity="streaming", message={"id": "m1", "text": "Hello"}, project=None)
    assert model.last().body == {
        "activity": "streaming",
        "message": {"id": "m1", "text": "Hello"},
        "project": None,
    }


def test_a_session_that_is_not_visible_is_no_error(pad: MemoryClient, model: Model) -> None:
    model.is_enabled = False
    reply = pad.upsert_session("run", title="T", activity="idle")
    assert reply["session"]["visible"] is False
    assert pad.register()["reason"] == "awaiting_user"


def test_the_host_is_part_of_the_identity(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="Here", activity="idle")
    pad.upsert_session("run", title="There", activity="idle", host="build-01")
    assert model.last().body["host"] == "build-01"
    assert model.session()["title"] == "Here"
    assert model.session(host="build-01")["title"] == "There"
    pad.upsert_session("run", activity="done", host="local")
    assert model.session()["activity"] == "done"
    pad.remove_session("run", host="build-01")
    assert model.lines[-1] == "DELETE /sessions/run?host=build-01"
    pad.remove_session("run")
    assert model.lines[-1] == "DELETE /sessions/run"
    assert model.sessions == {}


def test_ids_and_hosts_are_encoded(pad: MemoryClient, model: Model) -> None:
    pad.remove_session("a/b ?é", host="x&y")
    assert model.lines[-1] == "DELETE /sessions/a%2Fb%20%3F%C3%A9?host=x%26y"


def test_a_replacement_sends_whole_sessions(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("old", title="T", activity="idle")
    reply = pad.replace_sessions(
        [
            {"id": "a", "title": "A", "activity": "done"},
            {"id": "b", "title": "B", "activity": "idle", "host": "vm"},
        ]
    )
    assert model.lines[-1] == "PUT /sessions"
    assert model.requests[-1].body["sessions"][1] == {
        "id": "b",
        "title": "B",
        "activity": "idle",
        "host": "vm",
    }
    assert [session["uid"] for session in reply["sessions"]] == ["a", "b"]
    model.forget()
    pad.heartbeat()
    assert set(model.sessions) == {("local", "a"), ("vm", "b")}


@pytest.mark.parametrize("kind", ["approval", "question"])
def test_requests_are_published_by_their_own_methods_only(pad: MemoryClient, model: Model, kind: str) -> None:
    fields = {kind: {"id": "a1"}}
    with pytest.raises(ValueError, match="request_approval"):
        pad.upsert_session("run", **fields)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="request_approval"):
        pad.replace_sessions([{"id": "run", **fields}])  # type: ignore[typeddict-item]
    assert model.requests == []


# --- a lost registration ---------------------------------------------------------------------------------


def test_a_lost_registration_is_made_again_and_every_session_comes_back_whole(
    pad: MemoryClient, model: Model
) -> None:
    pad.upsert_session("a", title="A", activity="tool", toolLabel="Bash  ls", cwd="/x")
    pad.upsert_session("a", cwd=None, statusDetail="more")
    pad.upsert_session("b", title="B", activity="idle", host="vm")
    before = {key: dict(fields) for key, fields in model.sessions.items()}
    model.forget()
    model.requests.clear()
    pad.upsert_session("b", activity="done", host="vm")
    assert model.lines == ["POST /sessions/b", "PUT /", "POST /sessions/a", "POST /sessions/b"]
    assert model.session("b", "vm") == {"title": "B", "activity": "done", "host": "vm"}
    shown = {name: value for name, value in model.session("a").items() if value is not None}
    assert shown == {name: value for name, value in before["local", "a"].items() if value is not None}


def test_removing_a_session_of_a_lost_registration_leaves_it_removed(pad: MemoryClient, model: Model) -> None:
    for name in "ab":
        pad.upsert_session(name, title=name, activity="idle")
    model.forget()
    pad.remove_session("a")
    assert set(model.sessions) == {("local", "b")}
    pad.heartbeat()
    assert set(model.sessions) == {("local", "b")}


def test_a_replacement_after_a_loss_is_sent_again(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("old", title="T", activity="idle")
    model.forget()
    model.requests.clear()
    pad.replace_sessions([{"id": "a", "title": "A", "activity": "done"}])
    assert model.lines == ["PUT /sessions", "PUT /", "PUT /sessions"]
    assert set(model.sessions) == {("local", "a")}


def test_a_loss_sets_the_cursor_to_zero_changes_the_lease_and_asks_to_reconcile(
    pad: MemoryClient, model: Model
) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    model.event("tap")
    (event,) = pad.poll_events(0)["events"]
    pad.acknowledge(event)
    assert (pad.cursor, pad.lease_generation, pad.reconciliation_required) == (1, 1, False)
    model.forget()
    pad.heartbeat()
    assert (pad.cursor, pad.lease_generation, pad.reconciliation_required) == (0, 2, True)
    pad.heartbeat()
    assert pad.reconciliation_required
    pad.reconcile()
    assert not pad.reconciliation_required


def test_registering_again_finds_out_that_the_registration_was_lost(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    pad.register()
    assert pad.lease_generation == 1
    model.forget()
    pad.register()
    assert pad.lease_generation == 2
    assert model.session()["title"] == "T"


def test_trouble_on_the_wire_alone_keeps_lease_and_cursor(pad: MemoryClient, model: Model) -> None:
    model.event("tap")
    pad.acknowledge(pad.poll_events(0)["events"][0])
    for _ in range(3):
        model.say(NOT_HTTP)
        with pytest.raises(TransportError):
            pad.heartbeat()
    pad.heartbeat()
    assert (pad.cursor, pad.lease_generation, pad.reconciliation_required) == (1, 1, False)


def test_a_host_that_never_knows_us_is_not_asked_in_a_loop(pad: MemoryClient, model: Model) -> None:
    model.say(*[refuse(404, "adapter_not_registered")] * 50)
    with pytest.raises(APIError):
        pad.upsert_session("run", title="T", activity="idle")
    assert len(model.requests) < 6


def test_the_reply_to_a_registration_that_never_came_does_not_leave_a_session_half_known(
    pad: MemoryClient, model: Model
) -> None:
    """The host has registered us and we do not know it: the session must still come whole."""
    pad.upsert_session("run", title="T", activity="idle", model="m")
    model.forget()

    def lose(request: object) -> bytes:
        model._register({"name": "x"})
        return NOT_HTTP

    model.say(lambda _: None, lose)
    with pytest.raises(TransportError):
        pad.upsert_session("run", activity="done")
    pad.upsert_session("run", statusDetail="s")
    assert model.session() == {
        "title": "T",
        "activity": "done",
        "model": "m",
        "statusDetail": "s",
    }
    assert pad.lease_generation == 2


# --- updates that fail -----------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", [NOT_HTTP, refuse(503, "limit_exceeded"), refuse(500, "internal")])
def test_an_update_that_did_not_arrive_is_sent_with_the_next_heartbeat(
    pad: MemoryClient, model: Model, trouble: bytes
) -> None:
    pad.upsert_session("run", title="T", activity="idle", cwd="/x")
    model.say(trouble)
    with pytest.raises((TransportError, APIError)):
        pad.upsert_session("run", activity="done", cwd=None)
    pad.heartbeat()
    assert model.session()["activity"] == "done"
    assert model.session()["cwd"] is None
    model.requests.clear()
    pad.heartbeat()
    assert model.lines == ["POST /heartbeat"]


def test_the_update_after_one_that_did_not_arrive_carries_both(pad: MemoryClient, model: Model) -> None:
    model.say(NOT_HTTP)
    with pytest.raises(TransportError):
        pad.upsert_session("run", title="T", activity="idle")
    pad.upsert_session("run", statusDetail="s")
    assert model.session()["title"] == "T"
    assert model.session()["statusDetail"] == "s"


def test_what_did_not_arrive_is_not_forgotten_when_later_changes_do(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    model.say(NOT_HTTP)
    with pytest.raises(TransportError):
        pad.upsert_session("run", cwd="/x", activity="tool")
    pad.upsert_session("run", statusDetail="s")
    assert model.session()["cwd"] == "/x"
    assert model.session()["activity"] == "tool"


def test_a_removal_and_a_replacement_that_did_not_arrive_come_with_the_next_heartbeat(
    pad: MemoryClient, model: Model
) -> None:
    for name in "abc":
        pad.upsert_session(name, title=name, activity="idle")
    model.say(NOT_HTTP)
    with pytest.raises(TransportError):
        pad.remove_session("a")
    pad.heartbeat()
    assert set(model.sessions) == {("local", "b"), ("local", "c")}
    model.say(NOT_HTTP)
    with pytest.raises(TransportError):
        pad.replace_sessions([{"id": "c", "title": "C", "activity": "done"}])
    pad.heartbeat()
    assert set(model.sessions) == {("local", "c")}
    assert model.session("c")["title"] == "C"


def test_what_orbtile_refused_is_not_kept(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    model.say(refuse(422, "invalid_field", "activity"))
    with pytest.raises(APIError) as caught:
        pad.upsert_session("run", activity="busy")  # type: ignore[arg-type]
    assert caught.value.field == "activity"
    model.say(refuse(422, "limit_exceeded", "sessions"))
    with pytest.raises(APIError):
        pad.replace_sessions([{"id": "z", "title": "Z", "activity": "idle"}])
    model.forget()
    pad.heartbeat()
    assert {key: fields["activity"] for key, fields in model.sessions.items()} == {("local", "run"): "idle"}


def test_what_was_refused_after_a_loss_is_not_kept_and_the_rest_is(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("a", title="A", activity="idle")
    pad.upsert_session("b", title="B", activity="idle")
    model.forget()
    model.say(lambda _: None, lambda _: None, lambda _: None, refuse(422, "invalid_field", "activity"))
    with pytest.raises(APIError):
        pad.upsert_session("a", activity="busy")  # type: ignore[arg-type]
    assert set(model.sessions) == {("local", "b")}
    pad.heartbeat()
    assert model.session("a")["activity"] == "idle"


def test_a_removal_that_was_refused_is_not_repeated(pad: MemoryClient, model: Model) -> None:
    model.say(refuse(422, "invalid_field", "sessionId"))
    with pytest.raises(APIError):
        pad.remove_session("?")
    model.requests.clear()
    pad.heartbeat()
    assert model.lines == ["POST /heartbeat"]


def test_a_registration_that_is_refused_does_not_lose_the_update(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    model.forget()
    model.say(lambda _: None, refuse(422, "limit_exceeded"))
    with pytest.raises(APIError):
        pad.upsert_session("run", activity="done")
    pad.heartbeat()
    assert model.session()["activity"] == "done"


def test_a_session_whose_time_was_up_comes_back_whole(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="T", activity="idle", cwd="/x")
    model.sessions.clear()
    pad.upsert_session("run", activity="done")
    assert model.session()["title"] == "T"
    assert model.session()["cwd"] == "/x"


def test_a_new_session_without_a_title_is_the_callers_mistake(pad: MemoryClient, model: Model) -> None:
    with pytest.raises(APIError) as caught:
        pad.upsert_session("run", activity="done")
    assert caught.value.field == "title"
    assert model.lines == ["POST /sessions/run"]
    pad.heartbeat()
    assert model.sessions == {}


def test_a_process_that_has_ended_does_not_keep_its_session_from_coming_back(
    pad: MemoryClient, model: Model
) -> None:
    pad.upsert_session("run", title="T", activity="idle", pid=7)
    model.forget()
    model.say(lambda _: None, lambda _: None, refuse(422, "invalid_field", "pid"))
    pad.heartbeat()
    assert model.session()["title"] == "T"
    assert "pid" not in model.session()


def test_a_session_that_cannot_come_back_does_not_keep_the_others(pad: MemoryClient, model: Model) -> None:
    for name in "abc":
        pad.upsert_session(name, title=name, activity="idle")
    model.forget()
    refusal = refuse(422, "invalid_field", "title")
    model.say(lambda _: None, lambda _: None, lambda _: None, refusal)
    pad.heartbeat()
    assert set(model.sessions) == {("local", "a"), ("local", "c")}


def test_a_session_too_large_to_come_back_whole_comes_without_its_message(
    pad: MemoryClient, model: Model
) -> None:
    pad.upsert_session("run", title="T", activity="idle", cwd="/" + "x" * 40_000)
    pad.upsert_session("run", message={"id": "m", "text": "y" * 40_000})
    model.forget()
    pad.heartbeat()
    assert model.session()["title"] == "T"
    assert "message" not in model.session()


def test_a_message_too_large_for_its_session_is_the_callers_to_shorten(
    pad: MemoryClient, model: Model
) -> None:
    pad.upsert_session("run", title="T", activity="idle", cwd="/" + "x" * 40_000)
    model.forget()
    with pytest.raises(PayloadTooLargeError):
        pad.upsert_session("run", message={"id": "m", "text": "y" * 40_000})
    pad.heartbeat()
    assert "message" not in model.session()


def test_a_session_too_large_in_any_case_does_not_keep_the_others(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("a", title="A", activity="idle", cwd="/" + "x" * 40_000)
    pad.upsert_session("a", statusDetail="y" * 40_000)
    pad.upsert_session("b", title="B", activity="idle")
    model.forget()
    pad.heartbeat()
    assert set(model.sessions) == {("local", "b")}


def test_a_session_of_which_every_field_is_refused_is_given_up(pad: MemoryClient, model: Model) -> None:
    names = "cwd project model toolLabel toolKind statusDetail".split()
    pad.upsert_session("run", title="T", activity="idle", **dict.fromkeys(names, "x"))  # type: ignore[arg-type]
    model.forget()
    model.say(*[lambda _: None] * 2, *[refuse(422, "invalid_field", name) for name in names])
    with pytest.raises(AdapterError, match="does not take"):
        pad.heartbeat()
    assert len(model.requests) < 15


def test_a_refusal_after_a_loss_leaves_every_earlier_session_to_come_back(
    pad: MemoryClient, model: Model
) -> None:
    for name in "ab":
        pad.upsert_session(name, title=name, activity="idle")
    model.forget()
    model.say(*[lambda _: None] * 2, refuse(422, "limit_exceeded", "sessions"))
    with pytest.raises(APIError):
        pad.replace_sessions([{"id": "z", "title": "Z", "activity": "idle"}])
    pad.heartbeat()
    assert set(model.sessions) == {("local", "a"), ("local", "b")}


def test_overload_during_the_recovery_is_reported_and_the_rest_comes_later(
    pad: MemoryClient, model: Model
) -> None:
    for name in "abc":
        pad.upsert_session(name, title=name, activity="idle")
    model.forget()
    busy = refuse(429, "rate_limited", headers="Retry-After: 2\r\n")
    model.say(lambda _: None, lambda _: None, lambda _: None, busy)
    with pytest.raises(APIError) as caught:
        pad.heartbeat()
    assert caught.value.retry_after == 2
    assert set(model.sessions) == {("local", "a")}
    pad.heartbeat()
    assert len(model.sessions) == 3
    assert pad.lease_generation == 2


def test_a_loss_in_the_middle_of_the_recovery_is_seen_by_the_next_call(
    pad: MemoryClient, model: Model
) -> None:
    for name in "ab":
        pad.upsert_session(name, title=name, activity="idle")
    model.forget()
    model.say(lambda _: None, lambda _: None, lambda _: model.forget())
    with pytest.raises(APIError, match="adapter_not_registered"):
        pad.heartbeat()
    pad.heartbeat()
    assert len(model.sessions) == 2


def test_a_display_only_adapter_never_mentions_prompts(model: Model) -> None:
    pad = MemoryClient(model, DISPLAY_ONLY)
    pad.connect()
    pad.upsert_session("run", title="T", activity="idle")
    model.forget()
    pad.heartbeat()
    assert model.session() == {"title": "T", "activity": "idle"}


def test_a_reply_that_is_not_an_object_is_trouble_on_the_wire(pad: MemoryClient, model: Model) -> None:
    bodies: list[object] = [[], None, "x"]
    for body in bodies:
        model.say(respond(200, body))
        with pytest.raises(TransportError):
            pad.upsert_session("run", title="T", activity="idle")


def test_errors_that_carry_no_known_body_still_say_their_status(pad: MemoryClient, model: Model) -> None:
    errors: list[object] = ["x", {"code": 5, "field": 6}, {"code": "brand_new"}]
    for body in ([], *({"error": error} for error in errors)):
        model.say(respond(418, body))
        with pytest.raises(APIError) as caught:
            pad.upsert_session("run", title="T", activity="idle")
        assert str(caught.value) == "Orbtile answered with HTTP 418"


def test_unknown_response_fields_are_ignored(pad: MemoryClient, model: Model) -> None:
    model.say(respond(200, {"session": {"uid": "u", "visible": True, "new": 1}, "brandNew": {"a": []}}))
    assert pad.upsert_session("run", title="T", activity="idle")["session"]["uid"] == "u"
