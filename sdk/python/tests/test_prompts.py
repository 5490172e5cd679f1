"""Approvals and questions: what is published, which decision counts, and that nothing else ever does."""

from __future__ import annotations

from typing import Any

import pytest

from orbtile_adapter import APIError, Event, TransportError
from sdkfakes.memory import MemoryClient
from sdkfakes.model import Model, refuse, respond
from sdkfakes.requests import APPROVAL, LATER, NOT_HTTP, QUESTION


def only(pad: MemoryClient) -> Event:
    (event,) = pad.poll_events(0)["events"]
    return event


# --- publishing ------------------------------------------------------------------------------------------


def test_an_approval_sets_its_activity_and_clears_the_question(pad: MemoryClient, model: Model) -> None:
    reply = pad.request_approval("run", APPROVAL, title="T", host="vm")
    assert model.last().body == {
        "title": "T",
        "host": "vm",
        "activity": "waitingPermission",
        "approval": APPROVAL,
        "question": None,
    }
    assert reply["session"]["uid"] == "run"


def test_a_question_sets_its_activity_and_clears_the_approval(pad: MemoryClient, model: Model) -> None:
    pad.ask_question("run", QUESTION, title="T", activity="idle")
    assert model.last().body == {
        "title": "T",
        "activity": "waitingQuestion",
        "question": QUESTION,
        "approval": None,
    }


@pytest.mark.parametrize(
    "request_",
    [{}, {"id": ""}, {"id": 5}, {"id": "q"}, {"id": "q", "questions": [{}]}, {"id": "q", "questions": 3}],
)
def test_a_request_that_no_answer_could_be_checked_against_is_refused_here(
    pad: MemoryClient, model: Model, request_: Any
) -> None:
    with pytest.raises(ValueError, match="request needs"):
        pad.ask_question("run", request_)
    assert model.requests == []


def test_a_decision_that_comes_before_the_reply_to_the_request_counts(
    pad: MemoryClient, model: Model, done: list[Any]
) -> None:
    def meanwhile(_: object) -> None:
        model.decide("deny")

    model.say(meanwhile)
    pad.request_approval("run", APPROVAL, title="T")
    assert pad.apply(only(pad), done.append)


def test_a_request_that_orbtile_refused_is_not_open(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.say(refuse(409, "stale_request", "approval"))
    with pytest.raises(APIError):
        asking.request_approval("run", {**APPROVAL, "id": "a2"})
    model.decide(request="a2")
    assert not asking.apply(only(asking), done.append)
    model.decide("deny", request="a1")
    assert asking.apply(only(asking), done.append)  # the one before is open as it was


def test_a_request_whose_answer_was_lost_may_be_open_so_it_is(
    pad: MemoryClient, model: Model, done: list[Any]
) -> None:
    def lose(request: Any) -> bytes:
        model._update("run", request.body)
        return NOT_HTTP

    model.say(lose)
    with pytest.raises(TransportError):
        pad.request_approval("run", APPROVAL, title="T")
    model.decide("deny")
    assert pad.apply(only(pad), done.append)
    pad.request_approval("other", {**APPROVAL, "id": "a2"}, title="T")
    assert model.last().body["approval"]["id"] == "a2"


def test_a_request_on_a_session_that_did_not_arrive_carries_the_whole_session(
    pad: MemoryClient, model: Model
) -> None:
    model.say(NOT_HTTP)
    with pytest.raises(TransportError):
        pad.upsert_session("run", title="T", activity="idle", cwd="/x")
    pad.request_approval("run", APPROVAL)
    assert model.session()["cwd"] == "/x"
    assert model.session()["approval"] == APPROVAL


def test_publishing_the_same_again_does_not_make_it_younger(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    asking.clock.advance(100)
    asking.request_approval("run", APPROVAL)
    asking.clock.advance(30)
    model.decide()
    assert not asking.apply(only(asking), done.append)


# --- decisions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_decision_is_carried_out_once_and_moves_the_cursor(
    asking: MemoryClient, model: Model, done: list[Any], decision: str
) -> None:
    sent = model.decide(decision)
    event = only(asking)
    assert asking.cursor == 0
    assert asking.apply(event, done.append)
    assert done == [sent]
    assert asking.cursor == 1
    assert not asking.apply(event, done.append)
    assert len(done) == 1
    asking.poll_events(0)
    assert model.requests[-1].body == {"after": 1, "ack": 1, "waitSeconds": 0}


def test_a_question_is_answered_with_the_options_picked(
    pad: MemoryClient, model: Model, done: list[Any]
) -> None:
    pad.ask_question("run", QUESTION, title="T")
    model.event("question", requestId="q1", picks=[[1], [0, 2]], expiresAt=LATER)
    assert pad.apply(only(pad), done.append)
    assert done[0]["picks"] == [[1], [0, 2]]


@pytest.mark.parametrize(
    "picks",
    [
        [[0]],
        [[0], [1], [2]],
        [[], [0]],
        [[0, 1], [0]],
        [[2], [0]],
        [[-1], [0]],
        [[0], [3]],
        [[0], [1, 1]],
        [[0], [True]],
        [[0], ["1"]],
        [[0], [1.0]],
        [[0], 1],
        [0, [1]],
        "00",
        None,
        {},
    ],
)
def test_picks_that_do_not_fit_the_options_are_discarded(
    pad: MemoryClient, model: Model, done: list[Any], picks: object
) -> None:
    pad.ask_question("run", QUESTION, title="T")
    model.event("question", requestId="q1", picks=picks, expiresAt=LATER)
    assert not pad.apply(only(pad), done.append)
    assert done == []
    assert pad.cursor == 1


@pytest.mark.parametrize(
    "change",
    [
        {"type": "question"},
        {"type": "tapped"},
        {"type": None},
        {"requestId": "a2"},
        {"requestId": None},
        {"sessionId": "other"},
        {"sessionId": 5},
        {"host": "vm"},
        {"host": None},
        {"decision": "Allow"},
        {"decision": True},
        {"decision": ["allow"]},
        {"decision": None},
        {"expiresAt": 1_900_000_000.0},
        {"expiresAt": 1},
        {"expiresAt": None},
        {"expiresAt": True},
        {"expiresAt": "2000000000"},
        {"expiresAt": float("nan")},
    ],
    ids=str,
)
def test_an_event_that_does_not_fit_its_prompt_in_everything_is_discarded(
    asking: MemoryClient, model: Model, done: list[Any], change: dict[str, Any]
) -> None:
    model.decide().update(change)
    assert not asking.apply(only(asking), done.append)
    assert done == []
    assert asking.cursor == 1
    assert asking.answer_locally("run", lambda: done.append("here"))  # one's own dialog still works
    assert done == ["here"]


@pytest.mark.parametrize(("seconds", "counts"), [(119, True), (120, False)])
def test_an_approval_ends_after_120_s(
    asking: MemoryClient, model: Model, done: list[Any], seconds: float, counts: bool
) -> None:
    asking.clock.advance(seconds)
    model.decide()
    assert asking.apply(only(asking), done.append) is counts


@pytest.mark.parametrize(("seconds", "counts"), [(599, True), (600, False)])
def test_a_question_ends_after_600_s(
    pad: MemoryClient, model: Model, done: list[Any], seconds: float, counts: bool
) -> None:
    pad.ask_question("run", QUESTION, title="T")
    pad.clock.advance(seconds)
    model.event("question", requestId="q1", picks=[[0], [0]], expiresAt=LATER)
    assert pad.apply(only(pad), done.append) is counts


def test_either_clock_ends_a_prompt(asking: MemoryClient, model: Model, done: list[Any]) -> None:
    asking.clock.now_time += 120  # a laptop that slept: monotonic time stood still
    model.decide()
    assert not asking.apply(only(asking), done.append)
    asking.request_approval("run", {**APPROVAL, "id": "a2"})
    asking.clock.now_monotonic += 120  # a clock that was set back
    model.decide(request="a2")
    assert not asking.apply(only(asking), done.append)
    assert done == []


def test_an_event_that_orbtile_did_not_deliver_is_never_carried_out(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    forged: Any = {
        "sequence": 1, "type": "approval", "sessionId": "run", "host": "local",
        "requestId": "a1", "decision": "allow", "expiresAt": LATER,
    }  # fmt: skip
    assert not asking.apply(forged, done.append)
    assert asking.cursor == 0
    model.decide("deny")
    event: Any = only(asking)
    event["decision"] = "allow"
    assert not asking.apply(event, done.append)
    assert done == []


def test_an_event_that_was_changed_into_no_json_is_discarded(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide()
    event: Any = only(asking)
    event["decision"] = object()
    assert not asking.apply(event, done.append)
    assert done == []


@pytest.mark.parametrize("sequence", [None, 0, -1, True, "1", 1.5])
def test_an_event_without_a_proper_number_is_never_carried_out(
    asking: MemoryClient, model: Model, done: list[Any], sequence: object
) -> None:
    model.decide()["sequence"] = 1
    model.say(respond(200, {"events": [{**model.events[0], "sequence": sequence}, "x", 5]}))
    (event,) = asking.poll_events(0)["events"]
    assert not asking.apply(event, done.append)
    assert done == []
    assert asking.cursor == 0


def test_a_callback_that_raises_leaves_the_prompt_open_and_the_event_unacknowledged(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide("deny")
    event = only(asking)
    with pytest.raises(ZeroDivisionError):
        asking.apply(event, lambda _: 1 / 0)
    assert asking.cursor == 0
    assert only(asking) == event
    assert asking.apply(event, done.append)
    assert asking.cursor == 1


def test_a_callback_that_would_run_later_is_refused(asking: MemoryClient, model: Model) -> None:
    async def later(_: Event) -> None: ...

    model.decide()
    with pytest.raises(TypeError, match="asynchronous"):
        asking.apply(only(asking), later)
    assert asking.cursor == 0


def test_a_tap_is_carried_out_once(pad: MemoryClient, model: Model, done: list[Any]) -> None:
    model.event("tap")
    event = only(pad)
    assert pad.apply(event, done.append)
    assert not pad.apply(event, done.append)
    assert [event["type"] for event in done] == ["tap"]
    model.event("tap", host=5)  # type: ignore[arg-type]
    assert not pad.apply(only(pad), done.append)


def test_acknowledging_discards_without_carrying_out(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide()
    event = only(asking)
    asking.acknowledge(event)
    asking.acknowledge(event)
    assert asking.cursor == 1
    assert not asking.apply(event, done.append)
    assert asking.answer_locally("run", lambda: done.append("here"))


def test_the_cursor_never_passes_an_event_that_is_still_open(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide("deny")
    model.sequence += 3  # policy changes leave gaps
    model.event("tap")
    first, second = asking.poll_events(0)["events"]
    assert asking.apply(second, done.append)
    assert asking.cursor == 0
    replayed, again = asking.poll_events(0)["events"]
    assert (replayed, again) == (first, second)
    assert not asking.apply(again, done.append)
    assert asking.apply(first, done.append)
    assert asking.cursor == 5


def test_the_last_sequence_is_not_acknowledged_by_itself(asking: MemoryClient, model: Model) -> None:
    model.sequence = 9
    asking.poll_events(0)
    assert asking.cursor == 0
    asking.poll_events(0)
    assert model.requests[-1].body["ack"] == 0
