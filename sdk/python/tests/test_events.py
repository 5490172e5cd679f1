"""The iterator over events: replay, patience and no busy loop. And the daemon's heartbeats."""

from __future__ import annotations

from typing import Any

import pytest

from orbtile_adapter import (
    AdapterError,
    APIError,
    DiscoveryError,
    LeaseLostError,
    ProofError,
    TransportError,
)
from sdkfakes.memory import MemoryClient
from sdkfakes.model import Model, refuse, respond
from sdkfakes.requests import APPROVAL, NOT_HTTP


def test_events_come_in_order_and_the_next_poll_acknowledges_what_was_applied(
    pad: MemoryClient, model: Model
) -> None:
    for _ in range(3):
        model.event("tap")
    events = pad.events()
    seen = []
    for _ in range(3):
        event = next(events)
        assert pad.apply(event, lambda event: seen.append(event["sequence"]))
    model.event("tap")
    pad.acknowledge(next(events))
    assert seen == [1, 2, 3]
    polls = [request.body for request in model.requests]
    assert polls == [{"after": 0, "ack": 0, "waitSeconds": 2}, {"after": 3, "ack": 3, "waitSeconds": 2}]
    assert pad.cursor == 4


def test_a_poll_may_take_its_wait_longer_than_other_requests(pad: MemoryClient, model: Model) -> None:
    model.event("tap")
    next(pad.events())
    assert pad.io.timeouts[-1] == 7


@pytest.mark.parametrize(
    "trouble",
    [
        NOT_HTTP,
        refuse(429, "rate_limited"),
        refuse(503, "poll_limit"),
        refuse(503, "limit_exceeded"),
        refuse(503, "api_disabled"),
        refuse(409, "poll_pending"),
    ],
)
def test_trouble_that_passes_is_waited_for_with_an_unchanged_cursor(
    pad: MemoryClient, model: Model, trouble: bytes
) -> None:
    model.event("tap")
    pad.acknowledge(pad.poll_events(0)["events"][0])
    model.event("tap")
    info = [lambda _: None] if trouble == NOT_HTTP else []
    model.say(trouble, *info, trouble, *info, trouble)
    model.requests.clear()
    assert next(pad.events())["sequence"] == 2
    polls = [request.body for request in model.requests if request.line == "POST /events"]
    assert polls == [{"after": 1, "ack": 1, "waitSeconds": 2}] * 4
    assert pad.lease_generation == 1
    assert [round(pause / base, 1) for pause, base in zip(pad.io.pauses, (0.5, 1, 2), strict=True)] == (
        pytest.approx([1, 1, 1], abs=0.21)
    )


def test_the_wait_is_as_long_as_orbtile_asks(pad: MemoryClient, model: Model) -> None:
    model.event("tap")
    busy = refuse(503, "poll_limit", headers="Retry-After: 3\r\n")
    model.say(busy, busy, refuse(429, "rate_limited", headers="Retry-After: 0\r\n"))
    next(pad.events())
    assert pad.io.pauses == [3, 3, 0.25]


def test_the_pauses_grow_to_15_s_while_the_host_is_off_and_start_anew_when_it_was_there(
    pad: MemoryClient, model: Model
) -> None:
    model.is_off = True

    def turn_on() -> None:
        if len(pad.io.pauses) == 9:
            model.is_off = False
            pad.io.on_pause = lambda: None
            model.forget()

    pad.io.on_pause = turn_on
    events = pad.events()
    with pytest.raises(LeaseLostError):
        next(events)
    expected = [0.5, 1, 2, 4, 8, 15, 15, 15, 15]
    assert pad.io.pauses == pytest.approx(expected, rel=0.21)
    assert len(model.requests) < 5
    pad.reconcile()
    pad.io.pauses.clear()
    model.event("tap")
    assert next(events)["sequence"] == 1
    model.say(NOT_HTTP, lambda _: None)
    next(events)
    assert pad.io.pauses[0] < 0.61


@pytest.mark.parametrize(
    "refusal",
    [
        refuse(409, "events_not_supported"),
        refuse(409, "invalid_cursor"),
        refuse(422, "invalid_field"),
        refuse(403, "adapter_token_required"),
        refuse(500, "internal"),
    ],
)
def test_a_refusal_that_waiting_does_not_mend_is_raised(
    pad: MemoryClient, model: Model, refusal: bytes
) -> None:
    model.say(refusal)
    with pytest.raises(APIError):
        next(pad.events())
    assert pad.io.pauses == []


def test_a_listener_without_proof_or_an_unsafe_file_ends_the_waiting(pad: MemoryClient, model: Model) -> None:
    model.proof_key = "x"
    model.say(NOT_HTTP)
    with pytest.raises(ProofError):
        next(pad.events())
    pad.io.file_trouble = DiscoveryError("unsafe")
    with pytest.raises(DiscoveryError):
        next(pad.events())


def test_direct_calls_do_not_wait_for_anything(pad: MemoryClient, model: Model) -> None:
    model.say(NOT_HTTP, lambda _: None, refuse(503, "poll_limit"))
    with pytest.raises(TransportError):
        pad.poll_events()
    with pytest.raises(APIError):
        pad.poll_events()
    assert pad.io.pauses == []


def test_an_event_nobody_settled_comes_again_after_a_pause(pad: MemoryClient, model: Model) -> None:
    model.event("tap")
    events = pad.events()
    numbers = [next(events)["sequence"] for _ in range(10)]
    assert numbers == [1] * 10
    assert len(pad.io.pauses) == 9
    assert pad.io.pauses[-1] == 2
    model.event("tap")
    assert [next(events)["sequence"], next(events)["sequence"]] == [1, 2]


def test_an_event_that_was_settled_meanwhile_is_not_offered(pad: MemoryClient, model: Model) -> None:
    for _ in range(3):
        model.event("tap")
    events = pad.events()
    next(events)
    for event in pad.poll_events(0)["events"][:2]:
        pad.acknowledge(event)
    assert next(events)["sequence"] == 3


def test_a_host_that_does_not_hold_polls_is_not_asked_in_a_busy_loop(pad: MemoryClient, model: Model) -> None:
    def some_time_later() -> None:
        if len(pad.io.pauses) == 20:
            model.event("tap")

    pad.io.on_pause = some_time_later
    next(pad.events())
    assert pad.io.pauses == [0.25] * 20


def test_an_empty_poll_that_was_held_is_followed_at_once(pad: MemoryClient, model: Model) -> None:
    def hold(_: object) -> bytes:
        pad.clock.advance(2)
        return respond(200, {"events": [], "lastSequence": 0, "acknowledged": 0})

    model.event("tap")
    model.say(hold, hold)
    next(pad.events())
    assert pad.io.pauses == []


def test_only_one_poll_at_a_time(pad: MemoryClient, model: Model) -> None:
    def meanwhile(_: object) -> None:
        with pytest.raises(AdapterError, match="one poll"):
            pad.poll_events(0)
        with pytest.raises(AdapterError, match="one poll"):
            next(pad.events())

    model.say(meanwhile)
    pad.poll_events(0)
    pad.poll_events(0)
    assert len(model.requests) == 2


@pytest.mark.parametrize("reply", [{}, {"events": None}, {"events": {}}, {"events": "x"}])
def test_an_answer_without_events_is_trouble_on_the_wire(
    pad: MemoryClient, model: Model, reply: object
) -> None:
    model.say(respond(200, reply))
    with pytest.raises(TransportError):
        pad.poll_events(0)


def test_the_iterator_ends_when_the_client_is_closed(pad: MemoryClient, model: Model) -> None:
    pad.io.on_pause = pad.close
    assert list(pad.events()) == []


def test_a_decision_that_was_queued_before_a_loss_is_not_offered_after_it(
    pad: MemoryClient, model: Model
) -> None:
    pad.request_approval("run", APPROVAL, title="T")
    model.event("tap")
    model.decide()
    events = pad.events()
    pad.acknowledge(next(events))
    model.forget()
    pad.heartbeat()
    with pytest.raises(LeaseLostError):
        next(events)


def test_a_registration_whose_answer_was_lost_is_waited_for(pad: MemoryClient, model: Model) -> None:
    """Our own registration stands under a token that we never got; in a minute of silence it ends."""
    model.forget()

    def lose(request: Any) -> bytes:
        model._register(request.body)
        return NOT_HTTP

    def silence_ends() -> None:
        if len(pad.io.pauses) == 4:
            model.forget()

    pad.io.on_pause = silence_ends
    model.say(lambda _: None, lose)
    with pytest.raises(LeaseLostError):
        next(pad.events())
    assert len(pad.io.pauses) == 4
    assert pad.lease_generation == 2


def test_a_poll_whose_lease_was_renewed_meanwhile_brings_nothing(pad: MemoryClient, model: Model) -> None:
    def renew(_: object) -> bytes:
        model.forget()
        pad.heartbeat()
        pad.reconcile()
        return respond(200, {"events": [model.event("tap")], "lastSequence": 1, "acknowledged": 0})

    model.say(renew)
    with pytest.raises(LeaseLostError):
        pad.poll_events(0)
    assert pad.cursor == 0


def test_a_poll_that_meets_a_new_token_someone_else_has_read_asks_only_again(
    pad: MemoryClient, model: Model
) -> None:
    def renew(_: object) -> bytes:
        model.token = "n" * 43
        pad.heartbeat()
        return refuse(401, "unauthorized")

    model.say(renew)
    pad.poll_events(0)
    assert model.lines == [
        "POST /events",
        "POST /heartbeat",
        "GET /a/v1/info",
        "POST /heartbeat",
        "POST /events",
    ]


# --- the daemon ------------------------------------------------------------------------------------------


def test_a_heartbeat_that_fails_is_told_and_one_that_works_takes_it_back(
    pad: MemoryClient, model: Model
) -> None:
    assert pad.heartbeat_error is None
    model.is_off = True
    for _ in range(3):
        assert pad.beat() == 0
        assert isinstance(pad.heartbeat_error, (TransportError, DiscoveryError))
    model.is_off = False
    pad.beat()
    assert pad.heartbeat_error is None


def test_the_daemon_waits_as_long_as_it_is_asked_to(pad: MemoryClient, model: Model) -> None:
    model.say(refuse(429, "rate_limited", headers="Retry-After: 8\r\n"))
    assert pad.beat() == 8
    assert isinstance(pad.heartbeat_error, APIError)


def test_the_daemon_recovers_a_lost_registration_by_itself(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    model.regenerate_token()
    pad.beat()
    assert pad.heartbeat_error is None
    assert model.session()["title"] == "T"
    assert pad.reconciliation_required


def test_the_daemon_survives_what_nobody_thought_of(
    pad: MemoryClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(pad._core, "heartbeat", fail)
    pad.beat()
    assert "ZeroDivisionError" in str(pad.heartbeat_error)
    assert "secret" not in str(pad.heartbeat_error)
    monkeypatch.undo()
    pad.beat()
    assert pad.heartbeat_error is None
