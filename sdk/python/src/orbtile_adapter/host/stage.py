"""The strict host with a script: it keeps a journal of what it was asked, and misbehaves where it is told to.

Owns faults and the journal. The rules stay the engine's: a fault is either something that a real host may do
(refuse for a while, drop a connection, replay an event, add fields) or what an impostor would (a false
proof).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from orbtile_adapter.host import http
from orbtile_adapter.host.engine import StrictHost
from orbtile_adapter.host.gate import Ask, Head, Refused, Route, admit
from orbtile_adapter.host.jsontext import parse
from orbtile_adapter.host.refusals import Refusal

UNKNOWN = {"orbtileFuture": {"since": "1.9", "list": [1, None, {"deep": True}]}}
"""What a later minor version might add to any object."""


@dataclass
class Exchange:
    """One request and its answer. ``at`` and ``done`` are real monotonic seconds; no token is kept."""

    number: int
    at: float
    method: str
    target: str
    header_names: tuple[str, ...]
    route: Route | None = None
    adapter_id: str = ""
    session_id: str = ""
    host: str = "local"
    body: Any = None
    status: int = 0
    """0: the connection was dropped instead of an answer."""
    reply: dict[str, Any] | None = None
    is_fault: bool = False
    """The answer was scripted."""
    has_token_in_target: bool = False
    done: float = 0.0

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def error(self) -> dict[str, Any]:
        """``code``, ``message`` and ``field`` of a refusal, empty otherwise."""
        found = (self.reply or {}).get("error", {})
        return found if isinstance(found, dict) else {}


@dataclass
class Answer:
    """What goes onto the socket; ``cut``: only half of it, ``drop``: nothing."""

    status: int
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    drop: bool = False


Match = Callable[[Exchange], bool]


@dataclass
class _Fault:
    count: int
    match: Match
    answer: Callable[[], Answer] | None
    """None: the request is answered, and its answer lost on the way."""

    def takes(self, exchange: Exchange) -> bool:
        if self.count <= 0 or not self.match(exchange):
            return False
        self.count -= 1
        return True


def _any(_exchange: Exchange) -> bool:
    return True


class Stage:
    """Plays one host. ``on_exchange`` is told of every finished exchange, on the thread that served it."""

    def __init__(self, host: StrictHost, on_exchange: Callable[[Exchange], None] | None = None) -> None:
        self.host = host
        self.journal: list[Exchange] = []
        self.has_false_proof = False
        self.has_unknown_fields = False
        self.warnings: list[str] = []
        """Added to every reply that can carry warnings."""
        self._on_exchange = on_exchange
        self._faults: list[_Fault] = []
        self._losses: list[_Fault] = []
        self._replays: dict[str, list[dict[str, Any]]] = {}
        self._told = threading.Condition()

    # --- the script -------------------------------------------------------------------------------------

    def refuse_next(
        self, count: int, status: int, code: str, retry_after: int | None = None, match: Match = _any
    ) -> None:
        """Answer the next ``count`` adapter requests that match with this refusal."""

        def answer() -> Answer:
            refusal = Refusal(status, code, "as the script wants it", retry_after=retry_after)
            return Answer(status, refusal.body, http.headers_of(refusal))

        self._faults.append(_Fault(count, match, answer))

    def drop_next(self, count: int, match: Match = _any) -> None:
        """Hang up on the next ``count`` requests that match, before they have had any effect."""
        self._faults.append(_Fault(count, match, lambda: Answer(0, drop=True)))

    def lose_next(self, count: int, match: Match = _any) -> None:
        """Act on the next ``count`` requests that match, and lose half of the answer, which ``match`` may
        look at.
        """
        self._losses.append(_Fault(count, match, None))

    def inject(self, adapter_id: str, event: dict[str, Any]) -> int:
        """Queue an event as it is (a decision that is expired, say); its sequence, 0 without a lease."""
        with self.host.changed:
            lease = self.host.leases.get(adapter_id)
            if lease is None or not lease.events.put(event):
                return 0
            self.host.changed.notify_all()
            return int(lease.events.behind(0)[-1]["sequence"])

    def replay(self, adapter_id: str, event: dict[str, Any]) -> None:
        """Put an event, with its old sequence, into the adapter's next poll reply once more."""
        with self._told:
            self._replays.setdefault(adapter_id, []).append(event)

    # --- the journal ------------------------------------------------------------------------------------

    def wait(self, found: Callable[[], Any], seconds: float) -> Any:
        """Look again after every exchange until ``found`` is true; its value, or the last one when time is
        up.
        """
        until = time.monotonic() + seconds
        with self._told:
            while not (value := found()) and time.monotonic() < until:
                self._told.wait(min(0.1, max(0.0, until - time.monotonic())))
            return value

    def since(self, number: int) -> list[Exchange]:
        """The finished exchanges from ``number`` on."""
        with self._told:
            return self.journal[number:]

    # --- the server's side ------------------------------------------------------------------------------

    def begin(self, head: Head) -> tuple[Exchange, Ask | None, int, Answer | None]:
        """A head came in: an exchange, and either what the engine admitted or an answer at once."""
        exchange = Exchange(
            0, time.monotonic(), head.method, head.target, tuple(name for name, _ in head.headers)
        )
        exchange.has_token_in_target = self.host.token in head.target
        try:
            self._describe(exchange, head)
            fault = self._fault(exchange)
            if fault is not None and fault.answer is not None:
                exchange.is_fault = True
                return exchange, None, 0, fault.answer()
            ask, generation = self.host.begin(head)
        except Refusal as refusal:
            return exchange, None, 0, Answer(refusal.status, refusal.body, http.headers_of(refusal))
        return exchange, ask, generation, None

    def finish(
        self, exchange: Exchange, ask: Ask, generation: int, body: bytes, is_gone: Callable[[], bool]
    ) -> Answer:
        """The body is there too."""
        try:
            if body:
                exchange.body = parse(body)
            replays = self._take_replays(ask)
            if replays:
                body = b'{"after":%d,"ack":%d}' % (exchange.body.get("after", 0), exchange.body.get("ack", 0))
            status, reply = self.host.finish(ask, generation, body, is_gone)
            if replays and reply is not None:
                reply["events"] = replays + reply["events"]
            answer = Answer(status, self._embellished(reply, ask))
        except Refusal as refusal:
            answer = Answer(refusal.status, refusal.body, http.headers_of(refusal))
        exchange.status, exchange.reply = answer.status, answer.body
        with self._told:
            answer.cut = exchange.is_fault = any(loss.takes(exchange) for loss in self._losses)
        return answer

    def told(self, exchange: Exchange, answer: Answer) -> None:
        """The answer is on its way: write the exchange down."""
        exchange.status = 0 if answer.drop or answer.cut else answer.status
        exchange.reply = answer.body
        exchange.done = time.monotonic()
        with self._told:
            exchange.number = len(self.journal)
            self.journal.append(exchange)
            self._told.notify_all()
        if self._on_exchange is not None:
            self._on_exchange(exchange)

    def _describe(self, exchange: Exchange, head: Head) -> None:
        """Who asks for what, whatever becomes of it."""
        try:
            ask = admit(head, api_on=True, knows_token=lambda _token: True)
        except Refused:  # the engine will say so
            return
        exchange.route = ask.route
        exchange.adapter_id, exchange.session_id, exchange.host = ask.adapter_id, ask.session_id, ask.host

    def _fault(self, exchange: Exchange) -> _Fault | None:
        if exchange.route in {None, Route.INFO}:
            return None
        with self._told:
            return next((fault for fault in self._faults if fault.takes(exchange)), None)

    def _take_replays(self, ask: Ask) -> list[dict[str, Any]]:
        if ask.route is not Route.POLL:
            return []
        with self._told:
            return self._replays.pop(ask.adapter_id, [])

    def _embellished(self, reply: dict[str, Any] | None, ask: Ask) -> dict[str, Any] | None:
        if reply is None:
            return None
        if self.has_false_proof and "proof" in reply:
            reply["proof"] = "0" * 64
        if self.warnings and ask.route in {Route.REGISTER, Route.UPDATE, Route.REPLACE}:
            reply["warnings"] = [*reply.get("warnings", ()), *self.warnings]
        if self.has_unknown_fields:
            reply = _with_unknown(reply)
            if ask.route is Route.INFO:
                reply["activities"] = [*reply["activities"], "dreaming"]
        return reply


def _with_unknown(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_unknown(item) for item in value]
    if isinstance(value, dict):
        return {**{name: _with_unknown(item) for name, item in value.items()}, **UNKNOWN}
    return value
