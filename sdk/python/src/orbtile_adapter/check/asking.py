"""Scenarios about two-way events: an answer counts once, in time, for the request that is shown now.

Owns what a late, repeated or lost event must not do. What an adapter executes cannot be seen from outside;
that its session stops waiting can, and stands for it.
"""

from __future__ import annotations

import time
from typing import Any

from orbtile_adapter.check.play import Play
from orbtile_adapter.check.verdicts import Broken, NotExercised
from orbtile_adapter.host.gate import Route
from orbtile_adapter.host.prompts import Prompt
from orbtile_adapter.host.sessions import Session
from orbtile_adapter.host.stage import Exchange

STILL_S = 2.0
"""How long a session is watched that must go on waiting."""

UNDER_WAY_S = 0.4
"""Time for a poll and an update that are under way."""

SEEN_S = 8.0
"""How long events may take to be polled and acknowledged."""


def replay(play: Play) -> str:
    """The reply that carries a decision is lost on the way: the old cursor brings it again."""
    session = play.settle_asking()
    play.stage.lose_next(1, lambda one: one.route is Route.POLL and bool((one.reply or {}).get("events")))
    mark = play.mark()
    if not play.answer(session):
        raise NotExercised("it took its request back too soon")
    cut = play.first(SEEN_S, lambda one: one.is_fault, mark)
    if cut is None or cut.reply is None:
        raise NotExercised("it did not poll again")
    lost = int(cut.reply["events"][-1]["sequence"])
    following = play.first(SEEN_S, lambda one: one.route is Route.POLL and one.number > cut.number)
    if following is None:
        raise Broken(f"it did not poll again after a reply was lost{play.postscript()}")
    if _cursor(following) >= lost:
        raise Broken(f"it acknowledged event {lost}, which never reached it")
    if not play.acknowledged(lost, SEEN_S, following.number):
        raise Broken(f"the replayed event {lost} was not acknowledged{play.postscript()}")
    return "the event came again and was applied once"


def _cursor(one: Exchange) -> int:
    body = one.body if isinstance(one.body, dict) else {}
    return max(int(body.get("after", 0)), int(body.get("ack", 0)))


def blind(play: Play) -> str:
    """The last sequence runs ahead of what was delivered: only what was applied is acknowledged."""
    session = play.settle_asking()
    with play.host.changed:
        events = play.host.leases[session.adapter_id].events
        if not play.answer(session):
            raise NotExercised("it took its request back too soon")
        sequence = int(events.behind(0)[-1]["sequence"])
        events.skip()
        events.skip()
    mark = play.mark()
    if play.delivered(sequence, SEEN_S) is None:
        raise NotExercised("it did not poll again")
    moved = play.first(SEEN_S, lambda one: one.route is Route.POLL and _cursor(one) >= sequence, mark)
    if moved is None:
        raise Broken(f"event {sequence} was not acknowledged{play.postscript()}")
    if _cursor(moved) > sequence:
        raise Broken(f"it acknowledged {_cursor(moved)}; event {sequence} was the last that it got")
    return "it acknowledged what it had applied"


def duplicate(play: Play) -> str:
    """An event that was applied comes once more while another request waits."""
    session = play.settle_asking()
    prompt = _prompt(session)
    mark = play.mark()
    if not play.answer(session):
        raise NotExercised("it took its request back too soon")
    event = play.wait(lambda: _event(play, prompt.id, mark), SEEN_S)
    if event is None or not play.acknowledged(event["sequence"], SEEN_S, mark):
        raise NotExercised("it did not acknowledge the first answer")
    second = _next_like(play, prompt)
    mark = play.mark()
    play.stage.replay(session.adapter_id, event)
    _require_still_waiting(
        play, second, event["sequence"], mark, f"event {event['sequence']}, a second time,"
    )
    return "the second copy changed nothing"


def expired(play: Play) -> str:
    """An Allow arrives when its time is over."""
    session = play.settle_asking()
    play.watch(UNDER_WAY_S)
    mark = play.mark()
    sequence = play.stage.inject(session.adapter_id, play.yes(session, int(time.time()) - 5))
    _require_still_waiting(play, session, sequence, mark, "an expired answer")
    if not play.acknowledged(sequence, SEEN_S, mark):
        raise Broken(
            f"the expired event {sequence} was neither applied nor discarded: it would come for ever"
        )
    return "the expired answer was discarded"


def own_answer(play: Play) -> str:
    """The adapter's own dialog is answered while a key's answer is on its way."""
    session = play.settle_asking()
    if play.options.own_answer is None:
        raise NotExercised("use --own-answer to say what answers its own dialog on standard input")
    play.watch(UNDER_WAY_S)
    prompt = _prompt(session)
    late = play.yes(session, time.time() + 60)
    play.adapter.write(f"{play.options.own_answer}\n".encode())
    if not play.left_waiting(session, prompt.id, 5.0):
        raise NotExercised(f"{play.options.own_answer!r} on its standard input did not answer its dialog")
    second = _next_like(play, prompt)
    mark = play.mark()
    sequence = play.stage.inject(session.adapter_id, late)
    _require_still_waiting(
        play, second, sequence, mark, "a key's answer to a request that its own dialog had settled"
    )
    if not play.acknowledged(sequence, SEEN_S, mark):
        raise Broken(f"the late event {sequence} was never discarded: it would come for ever")
    return "the late answer was discarded"


def _prompt(session: Session) -> Prompt:
    if session.prompt is None:
        raise NotExercised("it took its request back too soon")
    return session.prompt


def _next_like(play: Play, old: Prompt) -> Session:
    """A later request of the same kind, whose kind alone gives nothing away; others are answered by a key."""
    done = [old.id]
    for _ in range(4):
        session = play.next_asked(done)
        play.watch(UNDER_WAY_S)
        prompt = _prompt(session)
        if prompt.kind == old.kind:
            return session
        done.append(prompt.id)
        play.answer(session)
    raise NotExercised(f"it asked for no second {old.kind}")


def _event(play: Play, request_id: str, mark: int) -> dict[str, Any] | None:
    """The event that answers this request, once it was polled."""
    for one in play.seen(Route.POLL, since=mark):
        for event in (one.reply or {}).get("events", ()):
            if event.get("requestId") == request_id:
                return dict(event)
    return None


def _require_still_waiting(play: Play, session: Session, sequence: int, mark: int, what: str) -> None:
    prompt = _prompt(session)
    if play.delivered(sequence, SEEN_S, mark) is None:
        raise NotExercised("it did not poll again")
    if play.left_waiting(session, prompt.id, STILL_S):
        raise Broken(f"{what} ended the wait for {prompt.id}")
    play.require_alive()
