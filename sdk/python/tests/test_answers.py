"""Answers in the adapter's own dialog, prompts that a loss voids, and the lock that lets one answer count."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from orbtile_adapter import AdapterError, APIError, Event, LeaseLostError, TransportError
from sdkfakes.memory import MemoryClient
from sdkfakes.model import Model, refuse
from sdkfakes.requests import APPROVAL, NOT_HTTP, QUESTION


def only(pad: MemoryClient) -> Event:
    (event,) = pad.poll_events(0)["events"]
    return event


# --- answers of one's own --------------------------------------------------------------------------------


def test_an_answer_of_ones_own_takes_the_prompt_away_before_anything_is_sent(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide()
    event = only(asking)
    model.say(NOT_HTTP)
    with pytest.raises(TransportError):
        asking.answer_locally("run", lambda: done.append("here"))
    assert done == ["here"]
    assert not asking.apply(event, done.append)
    assert not asking.answer_locally("run", lambda: done.append("twice"))
    asking.heartbeat()
    assert model.session()["approval"] is None
    assert done == ["here"]


def test_an_answer_of_ones_own_clears_the_kind_that_was_open(pad: MemoryClient, model: Model) -> None:
    pad.ask_question("run", QUESTION, title="T", host="vm")
    assert pad.answer_locally("run", lambda: None, host="vm", request_id="q1")
    assert model.last().body == {"question": None, "host": "vm"}


def test_an_answer_to_a_prompt_that_was_replaced_or_answered_is_ignored(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    asking.request_approval("run", {**APPROVAL, "id": "a2"})
    model.requests.clear()
    assert not asking.answer_locally("run", lambda: done.append(1), request_id="a1")
    assert not asking.answer_locally("run", lambda: done.append(1), host="vm")
    assert not asking.answer_locally("other", lambda: done.append(1))
    assert model.requests == []
    model.decide("deny", request="a2")
    assert asking.apply(only(asking), lambda _: None)
    assert not asking.answer_locally("run", lambda: done.append(1))
    assert done == []


def test_ones_own_dialog_outlives_orbtiles_card(asking: MemoryClient, done: list[Any]) -> None:
    asking.clock.advance(10_000)
    assert asking.answer_locally("run", lambda: done.append("here"))


def test_an_answer_whose_callback_raises_leaves_the_prompt_open(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    with pytest.raises(ZeroDivisionError):
        asking.answer_locally("run", lambda: 1 / 0)
    assert model.last().body["approval"] == APPROVAL
    model.decide("deny")
    assert asking.apply(only(asking), done.append)


RETIRE: list[Callable[[MemoryClient], object]] = [
    lambda pad: pad.upsert_session("run", activity="idle", approval=None),
    lambda pad: pad.remove_session("run"),
    lambda pad: pad.replace_sessions([{"id": "run", "title": "T", "activity": "idle"}]),
    lambda pad: pad.ask_question("run", QUESTION),
]


@pytest.mark.parametrize("retire", RETIRE)
def test_a_prompt_that_was_taken_away_gets_no_late_decision(
    asking: MemoryClient, model: Model, done: list[Any], retire: Callable[[MemoryClient], object]
) -> None:
    model.decide()
    event = only(asking)
    retire(asking)
    assert not asking.apply(event, done.append)
    assert done == []


def test_clearing_one_kind_leaves_the_other_open(asking: MemoryClient, model: Model, done: list[Any]) -> None:
    asking.upsert_session("run", question=None)
    model.decide("deny")
    assert asking.apply(only(asking), done.append)


def test_a_replacement_that_was_refused_leaves_prompts_open(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.say(refuse(422, "limit_exceeded", "sessions"))
    with pytest.raises(APIError):
        asking.replace_sessions([])
    assert asking.answer_locally("run", lambda: done.append("here"))


def test_a_display_update_leaves_the_prompt_alone(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.say(NOT_HTTP)
    with pytest.raises(TransportError):
        asking.upsert_session("run", statusDetail="s")
    asking.heartbeat()  # sends the session whole
    assert model.session()["approval"] == APPROVAL
    model.decide("deny")
    assert asking.apply(only(asking), done.append)


# --- a lost registration ---------------------------------------------------------------------------------


def test_a_loss_drops_every_prompt_and_interactive_callers_learn_of_it(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide()
    event = only(asking)
    model.forget()
    asking.heartbeat()
    asking.heartbeat()
    assert asking.reconciliation_required
    for _ in range(2):
        with pytest.raises(LeaseLostError):
            asking.request_approval("run", {**APPROVAL, "id": "a2"})
        with pytest.raises(LeaseLostError):
            asking.ask_question("run", QUESTION)
        with pytest.raises(LeaseLostError):
            asking.answer_locally("run", lambda: done.append(1))
        with pytest.raises(LeaseLostError):
            asking.poll_events(0)
        with pytest.raises(LeaseLostError):
            next(asking.events())
    assert not asking.apply(event, done.append)
    assert "approval" not in model.session()
    assert model.session()["activity"] == "waitingPermission"
    asking.upsert_session("run", activity="thinking")  # display goes on
    asking.reconcile()
    assert not asking.answer_locally("run", lambda: done.append(1))
    asking.request_approval("run", {**APPROVAL, "id": "a2"})
    assert done == []


@pytest.mark.parametrize("lose", [Model.forget, Model.regenerate_token])
@pytest.mark.parametrize(
    "act", [lambda pad: pad.request_approval("run", APPROVAL, title="T"), lambda pad: pad.poll_events(0)]
)
def test_the_call_that_meets_the_loss_recovers_and_reports_it(
    pad: MemoryClient, model: Model, lose: Callable[[Model], None], act: Callable[[MemoryClient], object]
) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    lose(model)
    with pytest.raises(LeaseLostError):
        act(pad)
    assert model.session()["title"] == "T"
    assert "approval" not in model.session()
    assert pad.lease_generation == 2
    pad.reconcile()
    act(pad)


def test_an_event_of_an_earlier_lease_neither_counts_nor_moves_the_cursor(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide()
    old = only(asking)
    model.forget()
    asking.heartbeat()
    asking.reconcile()
    asking.request_approval("run", APPROVAL, title="T")  # the same id again, against all advice
    model.decide("deny")
    new = only(asking)
    assert not asking.apply(old, done.append)
    asking.acknowledge(old)
    assert asking.cursor == 0
    assert asking.apply(new, done.append)
    assert [event["decision"] for event in done] == ["deny"]


def test_a_loss_while_the_callback_runs_does_not_move_the_new_leases_cursor(
    asking: MemoryClient, model: Model
) -> None:
    def commit(_: Event) -> None:
        model.forget()
        asking.heartbeat()

    model.decide("deny")
    assert asking.apply(only(asking), commit)
    assert asking.cursor == 0
    assert asking.reconciliation_required
    asking.reconcile()
    model.event("tap")  # the new lease counts from the start
    assert asking.apply(only(asking), lambda _: None)
    assert asking.cursor == 1


def test_a_registration_that_was_changed_voids_prompts_but_not_the_count(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.event("tap")
    asking.acknowledge(only(asking))
    model.say(refuse(409, "registration_changed"))
    with pytest.raises(LeaseLostError):
        asking.poll_events(0)
    assert asking.cursor == 1
    asking.reconcile()
    assert not asking.answer_locally("run", lambda: done.append(1))


# --- one lock --------------------------------------------------------------------------------------------


def test_a_press_and_an_answer_of_ones_own_cannot_both_count(asking: MemoryClient, model: Model) -> None:
    """The dialog's answer comes while the press is being carried out; it waits, and finds the prompt gone."""
    order: list[str] = []
    inside, answered = threading.Event(), []

    def commit(_: Event) -> None:
        inside.set()
        other.join(0.05)
        order.append("press")

    def answer() -> None:
        inside.wait(5)
        answered.append(asking.answer_locally("run", lambda: order.append("dialog")))

    other = threading.Thread(target=answer)
    other.start()
    model.decide("deny")
    assert asking.apply(only(asking), commit)
    other.join()
    assert order == ["press"]
    assert answered == [False]


def test_a_callback_may_make_requests_and_clear_its_own_prompt(asking: MemoryClient, model: Model) -> None:
    def commit(_: Event) -> None:
        asking.upsert_session("run", activity="thinking", approval=None)
        asking.heartbeat()

    model.decide("deny")
    assert asking.apply(only(asking), commit)
    assert asking.cursor == 1
    assert model.session()["approval"] is None


def test_a_callback_may_publish_the_next_prompt(asking: MemoryClient, model: Model, done: list[Any]) -> None:
    model.decide("deny")

    def commit(_: Event) -> None:
        asking.request_approval("run", {**APPROVAL, "id": "a2"})

    assert asking.apply(only(asking), commit)
    model.decide("deny", request="a2")
    assert asking.apply(only(asking), done.append)


def test_a_callback_cannot_carry_out_another_event(
    asking: MemoryClient, model: Model, done: list[Any]
) -> None:
    model.decide("deny")
    model.event("tap")
    first, second = asking.poll_events(0)["events"]
    with pytest.raises(AdapterError, match="another event"):
        asking.apply(first, lambda _: asking.apply(second, done.append))
    with pytest.raises(AdapterError, match="another event"):
        asking.apply(first, lambda _: asking.answer_locally("run", lambda: done.append(1)))
    assert done == []
    assert asking.apply(first, done.append)


def test_a_callback_that_closes_the_client_still_settles_its_event(
    asking: MemoryClient, model: Model
) -> None:
    model.decide("deny")
    assert asking.apply(only(asking), lambda _: asking.close())
    assert asking.cursor == 1


def test_a_request_that_finds_the_registration_lost_still_brings_its_session_back(
    asking: MemoryClient, model: Model
) -> None:
    model.forget()
    model.say(NOT_HTTP, lambda _: None, lambda _: None, NOT_HTTP)
    for _ in range(2):
        with pytest.raises(TransportError):
            asking.heartbeat()  # now the registration is known to be lost
    with pytest.raises(LeaseLostError):
        asking.request_approval("run", {**APPROVAL, "id": "a2"}, statusDetail="s")
    assert model.session() == {"title": "T", "activity": "waitingPermission", "statusDetail": "s"}


def test_a_loss_that_is_noticed_while_a_request_waits_for_its_turn_is_reported(
    asking: MemoryClient, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_order = asking.io.in_order

    def daemon_comes_first() -> Any:
        monkeypatch.undo()
        model.forget()
        asking.heartbeat()
        return in_order()

    monkeypatch.setattr(asking.io, "in_order", daemon_comes_first)
    with pytest.raises(LeaseLostError):
        asking.request_approval("run", {**APPROVAL, "id": "a2"})
    assert "approval" not in model.session()
