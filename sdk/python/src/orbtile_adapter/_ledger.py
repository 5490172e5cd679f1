"""Prompts and events: what is still open, what Orbtile delivered, what was carried out (protocol section 6).

Owns the rules by which a decision of the user becomes an action, once. Must not talk to anybody.

The law of this file: a callback runs only for an event that Orbtile delivered in this lease, unchanged, whose
prompt is still open here and matches it in everything. All else is discarded. There is no path from an error,
a timeout or a lost connection to a callback.

Two locks. ``_transaction`` is held while a callback runs, so that a press on a key and an answer in your own
interface cannot both count. ``_state`` guards the dictionaries for moments and is never held while anything
waits. What is done in the order of requests takes only ``_state``: a callback may make requests itself.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from orbtile_adapter._errors import AdapterError, LeaseLostError
from orbtile_adapter._sessions import Key

if TYPE_CHECKING:
    from orbtile_adapter._messages import Commit, Event, LocalCommit
    from orbtile_adapter._ports import Clock

Kind = Literal["approval", "question"]

LIFETIME_S: Final[Mapping[Kind, float]] = {"approval": 120.0, "question": 600.0}
"""From the first publication (protocol section 6)."""

MUST_RECONCILE: Final = (
    "Orbtile had forgotten this adapter, so every earlier prompt is void; "
    "look at your own dialogs, call reconcile() and publish what is open under new ids"
)


class Prompt(NamedTuple):
    """A request that is open here. Ends are in the clock's two readings; either one ends it."""

    kind: Kind
    id: str
    contents: str
    picks: tuple[tuple[int, bool], ...]
    """For each question how many options it has, and whether several may be picked."""
    ends_monotonic: float
    ends_time: float


class _Delivered(dict[str, Any]):
    """An event as the user gets it: a plain dictionary that remembers the lease it came in."""

    lease: int = 0


class Ledger:
    """The prompts of one client, its events and its applied cursor."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._transaction = threading.RLock()
        self._state = threading.Lock()
        self._is_committing = False
        self._prompts: dict[Key, Prompt] = {}
        self._delivered: dict[int, str] = {}
        self._settled: set[int] = set()
        self.cursor = 0
        """Everything up to here was carried out or discarded."""
        self.lease = 0
        """Counts registrations; 0 before the first."""
        self.must_reconcile = False

    # --- leases -----------------------------------------------------------------------------------------

    def begin_lease(self) -> None:
        """A new registration: it knows no prompt of before, and counts its events from the start."""
        with self._state:
            self.must_reconcile = self.must_reconcile or self.lease > 0
            self.lease += 1
            self.cursor = 0
            self._forget()

    def void_prompts(self) -> None:
        """The registration was changed: prompts and queued events are gone, the count goes on."""
        with self._state:
            self.must_reconcile = True
            self._forget()

    def _forget(self) -> None:
        self._prompts.clear()
        self._delivered.clear()
        self._settled.clear()

    def reconcile(self) -> None:
        with self._state:
            self.must_reconcile = False

    def require_reconciled(self) -> None:
        if self.must_reconcile:
            raise LeaseLostError(MUST_RECONCILE)

    # --- prompts ----------------------------------------------------------------------------------------

    def publish(self, key: Key, kind: Kind, request: Mapping[str, Any]) -> Callable[[], None]:
        """Open a prompt, in place of the session's earlier one. Returns how to take it back.

        It opens before it is sent, since a decision may be here before the answer to the request is. Sending
        the same again leaves its age alone, as it does in Orbtile.
        """
        contents = json.dumps(request, sort_keys=True)
        prompt = Prompt(
            kind,
            _request_id(request),
            contents,
            _picks(request) if kind == "question" else (),
            self._clock.monotonic() + LIFETIME_S[kind],
            self._clock.time() + LIFETIME_S[kind],
        )
        with self._state:
            before = self._prompts.get(key)
            if before is None or before[:3] != prompt[:3]:
                self._prompts[key] = prompt
            lease = self.lease

        def take_back() -> None:
            with self._state:
                if self.lease == lease and self._prompts.get(key) is prompt:
                    del self._prompts[key]
                    if before is not None:
                        self._prompts[key] = before

        return take_back

    def retire(self, key: Key, kinds: tuple[Kind, ...] = ("approval", "question")) -> None:
        """The prompt was answered, or is shown no more. Waits for a callback that is under way."""
        with self._transaction, self._state:
            prompt = self._prompts.get(key)
            if prompt is not None and prompt.kind in kinds:
                del self._prompts[key]

    def retire_all(self) -> None:
        """Orbtile shows none of them any more."""
        with self._state:
            self._prompts.clear()

    def kind_at(self, key: Key) -> Kind | None:
        """What is open there."""
        with self._state:
            prompt = self._prompts.get(key)
        return None if prompt is None else prompt.kind

    # --- events -----------------------------------------------------------------------------------------

    def deliver(self, events: list[Any], lease: int) -> list[Event]:
        """Note what a poll brought; returns it as the user gets it. Nothing of it is acknowledged by that."""
        with self._state:
            if lease != self.lease:
                raise LeaseLostError(MUST_RECONCILE)
            delivered = []
            for event in events:
                if not isinstance(event, dict):
                    continue
                mine = _Delivered(event)
                mine.lease = lease
                delivered.append(cast("Event", mine))
                sequence = _sequence(event)
                if sequence is not None and sequence > self.cursor and sequence not in self._settled:
                    self._delivered[sequence] = json.dumps(event, sort_keys=True)
            return delivered

    def is_open(self, event: Event) -> bool:
        """Whether it was neither carried out nor discarded."""
        sequence = _sequence(event)
        with self._state:
            return self._is_of_this_lease(event) and sequence in self._delivered.keys() - self._settled

    def apply(self, event: Event, commit: Commit) -> bool:
        """Carry the event out, or discard it and return False. What ``commit`` raises leaves it open."""
        with self._transaction:
            self._forbid_nesting()
            with self._state:
                sequence = self._open_sequence(event)
                if sequence is None:
                    return False
                key, prompt = _key_of(event), None
                fits = key is not None and self._is_as_delivered(event, sequence)
                if fits and event.get("type") != "tap":
                    prompt = self._prompt_for(event, key)
                    fits = prompt is not None
                if not fits:
                    self._settle(sequence)
                    return False
                lease = self.lease
            self._commit(lambda: commit(event))
            with self._state:
                if self.lease == lease:
                    if key is not None and prompt is not None and self._prompts.get(key) is prompt:
                        del self._prompts[key]
                    self._settle(sequence)
            return True

    def answer_locally(self, key: Key, commit: LocalCommit, request_id: str | None) -> Kind | None:
        """Carry out an answer given in the adapter's own interface; None when the prompt was no longer open.

        Its time does not matter here: the adapter's own dialog outlives Orbtile's card.
        """
        with self._transaction:
            self._forbid_nesting()
            with self._state:
                self.require_reconciled()
                prompt = self._prompts.get(key)
                if prompt is None or request_id not in {None, prompt.id}:
                    return None
            self._commit(commit)
            with self._state:
                if self._prompts.get(key) is prompt:
                    del self._prompts[key]
            return prompt.kind

    def acknowledge(self, event: Event) -> None:
        """Discard a delivered event. Its prompt stays open for the adapter's own interface."""
        with self._transaction, self._state:
            sequence = self._open_sequence(event)
            if sequence is not None:
                self._settle(sequence)

    # --- the rules, with _state held ----------------------------------------------------------------------

    def _is_of_this_lease(self, event: Event) -> bool:
        return not isinstance(event, _Delivered) or event.lease == self.lease

    def _open_sequence(self, event: Event) -> int | None:
        """Its number when it may still be carried out or discarded, None for duplicates and old leases'."""
        sequence = _sequence(event)
        if sequence is None or sequence in self._settled or not self._is_of_this_lease(event):
            return None
        return sequence if sequence in self._delivered else None

    def _is_as_delivered(self, event: Event, sequence: int) -> bool:
        try:
            return json.dumps(event, sort_keys=True) == self._delivered[sequence]
        except (TypeError, ValueError):
            return False

    def _prompt_for(self, event: Event, key: Key | None) -> Prompt | None:
        """The open prompt that this event decides, None when anything about it does not fit."""
        prompt = None if key is None else self._prompts.get(key)
        if prompt is None or event.get("type") != prompt.kind or event.get("requestId") != prompt.id:
            return None
        return prompt if self._is_in_time(event, prompt) and _is_valid_answer(event, prompt) else None

    def _is_in_time(self, event: Event, prompt: Prompt) -> bool:
        now = self._clock.time()
        expires = event.get("expiresAt")
        if isinstance(expires, bool) or not isinstance(expires, (int, float)):
            return False
        return now < expires and now < prompt.ends_time and self._clock.monotonic() < prompt.ends_monotonic

    def _settle(self, sequence: int) -> None:
        """The cursor moves only over what is settled without a gap: it acknowledges everything below it."""
        self._settled.add(sequence)
        for number in sorted(self._delivered):
            if number not in self._settled:
                return
            self._settled.discard(number)
            del self._delivered[number]
            self.cursor = number

    # --- callbacks, with _transaction held ----------------------------------------------------------------

    def _forbid_nesting(self) -> None:
        if self._is_committing:
            raise AdapterError("a callback cannot carry out another event")

    def _commit(self, commit: LocalCommit) -> None:
        self._is_committing = True
        try:
            result = commit()
        finally:
            self._is_committing = False
        if hasattr(result, "__await__"):
            if hasattr(result, "close"):
                result.close()
            raise TypeError("the callback must do its work before it returns, so it cannot be asynchronous")


def _sequence(event: Any) -> int | None:
    sequence = event.get("sequence")
    if isinstance(sequence, bool) or not isinstance(sequence, int) or sequence < 1:
        return None
    return sequence


def _key_of(event: Any) -> Key | None:
    host, session_id = event.get("host"), event.get("sessionId")
    return Key(host, session_id) if isinstance(host, str) and isinstance(session_id, str) else None


def _request_id(request: Mapping[str, Any]) -> str:
    request_id = request.get("id")
    if not isinstance(request_id, str) or not request_id:
        raise ValueError("a request needs an id")
    return request_id


def _picks(request: Mapping[str, Any]) -> tuple[tuple[int, bool], ...]:
    try:
        return tuple(
            (len(question["options"]), question.get("multiSelect") is True)
            for question in request["questions"]
        )
    except (KeyError, TypeError, AttributeError):
        raise ValueError("a question request needs questions, and each of them options") from None


def _is_valid_answer(event: Event, prompt: Prompt) -> bool:
    if prompt.kind == "approval":
        return event.get("decision") in ("allow", "deny")
    picks: object = event.get("picks")
    if not isinstance(picks, list) or len(picks) != len(prompt.picks):
        return False
    return all(_is_valid_pick(pick, *question) for pick, question in zip(picks, prompt.picks, strict=True))


def _is_valid_pick(pick: object, options: int, is_multiple: bool) -> bool:  # noqa: FBT001  unpacked from a pair
    if not isinstance(pick, list) or not pick or (len(pick) > 1 and not is_multiple):
        return False
    if not all(
        isinstance(index, int) and not isinstance(index, bool) and 0 <= index < options for index in pick
    ):
        return False
    return len(set(pick)) == len(pick)
