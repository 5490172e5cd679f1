"""One scenario's stage: the strict host, its server, the adapter, and ways to wait for what it does.

Owns a play's parts and the questions that scenarios ask of the journal. Must not know which rule is at stake.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orbtile_adapter.check.process import AdapterProcess
from orbtile_adapter.check.verdicts import Broken, NotExercised
from orbtile_adapter.host.engine import StrictHost
from orbtile_adapter.host.gate import Route
from orbtile_adapter.host.server import HostServer
from orbtile_adapter.host.sessions import Session
from orbtile_adapter.host.stage import Exchange, Stage
from orbtile_adapter.host.updates import WAITING

UPDATES = (Route.UPDATE, Route.REPLACE)


@dataclass(frozen=True)
class Options:
    """What the author said about the adapter. ``patience`` multiplies how long its own acts may take."""

    command: tuple[str, ...]
    own_answer: str | None = None
    feed: bool = False
    patience: float = 1.0


class Play:
    """Enter it for a host without an adapter; :meth:`start` brings the adapter on."""

    def __init__(self, options: Options, *, consent: str = "allow") -> None:
        self.options = options
        self.host = StrictHost(consent=consent)
        self.stage = Stage(self.host)
        self._closing = ExitStack()
        self._consent = consent
        self.server: HostServer
        self.adapter: AdapterProcess

    def __enter__(self) -> Play:  # noqa: PYI034 - typing.Self is younger than Python 3.10
        folder = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="obchk-"))
        self.discovery = Path(folder) / "api.json"
        self.server = HostServer(self.stage, self.discovery)
        self._closing.enter_context(self.server)
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def start(self) -> None:
        """Start the adapter."""
        self.adapter = AdapterProcess(self.options.command, self.discovery)
        self._closing.callback(self.adapter.stop)

    # --- waiting ----------------------------------------------------------------------------------------

    def wait(self, found: Callable[[], Any], seconds: float) -> Any:
        """What ``found`` gives once it is true, or after ``seconds`` of the adapter's time."""
        return self.stage.wait(found, seconds * self.options.patience)

    def watch(self, seconds: float) -> None:
        """Let the adapter act."""
        time.sleep(seconds)

    def mark(self) -> int:
        """Now, as a place in the journal."""
        return len(self.stage.journal)

    def seen(self, *routes: Route, since: int = 0) -> list[Exchange]:
        """The exchanges on these routes, or all."""
        return [one for one in self.stage.since(since) if not routes or one.route in routes]

    def first(self, seconds: float, matches: Callable[[Exchange], bool], since: int = 0) -> Exchange | None:
        """The first exchange that matches, once there is one."""

        def found() -> Exchange | None:
            return next((one for one in self.stage.since(since) if matches(one)), None)

        exchange: Exchange | None = self.wait(found, seconds)
        return exchange

    # --- the adapter ------------------------------------------------------------------------------------

    def settle(self, seconds: float = 15.0) -> Exchange:
        """Start it and wait for its first session; the accepted update."""
        self.start()
        shown = self.first(seconds, lambda one: one.route in UPDATES and one.is_ok)
        if shown is None:
            raise NotExercised(f"it showed no session within {seconds:g} s{self.postscript()}")
        return shown

    def sessions(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """The fields of every live session, by adapter, host and id."""
        with self.host.changed:
            return {
                (lease.adapter_id, *key): dict(session.fields)
                for lease in self.host.leases.values()
                for key, session in lease.sessions.items()
            }

    def require_alive(self) -> None:
        """Broken when the process has ended."""
        if self.adapter.exit_status is not None:
            raise Broken(f"the adapter ended with status {self.adapter.exit_status}{self.postscript()}")

    def postscript(self) -> str:
        """What the adapter printed last, for a report."""
        words = self.adapter.last_words()
        return f"; it printed: {words}" if words else ""

    # --- prompts ----------------------------------------------------------------------------------------

    def asked(self, but: Sequence[str] = ()) -> Session | None:
        """A session whose request may be answered and is none of these."""
        with self.host.changed:
            for lease in self.host.leases.values():
                for session in lease.sessions.values():
                    prompt = session.prompt
                    if prompt is not None and not prompt.consumed and prompt.id not in but:
                        return session
        return None

    def settle_asking(self) -> Session:
        """Start an adapter with events and wait until it polls and asks for something."""
        shown = self.settle()
        with self.host.changed:
            lease = self.host.leases.get(shown.adapter_id)
            if lease is None or not lease.registration.get("capabilities"):
                raise NotExercised("it declares no event capability")
        if self.first(6.0, lambda one: one.route is Route.POLL) is None:
            raise NotExercised("it never polls for events")
        return self.next_asked()

    def next_asked(self, but: Sequence[str] = (), seconds: float = 12.0) -> Session:
        """The next request that is none of ``but``."""
        self.wait(lambda: self.asked(but), seconds)
        session = self.asked(but)
        if session is None:
            raise NotExercised("it asked for nothing " + ("more" if but else "that a key could answer"))
        return session

    def answer(self, session: Session) -> bool:
        """Press Deny, or the first option of each question."""
        prompt = session.prompt
        if prompt is None:
            return False
        if prompt.kind == "approval":
            return self.host.decide(session.adapter_id, session.session_id, "deny", session.host)
        picks = [[0] for _ in prompt.content["questions"]]
        return self.host.answer(session.adapter_id, session.session_id, picks, session.host)

    def yes(self, session: Session, expires_at: float) -> dict[str, Any]:
        """An event, without a sequence, that would answer the session's request: Allow, or first options."""
        prompt = session.prompt
        if prompt is None:
            raise NotExercised("it took its request back too soon")
        answer: dict[str, Any] = {"decision": "allow"}
        if prompt.kind == "question":
            answer = {"picks": [[0] for _ in prompt.content["questions"]]}
        return {
            "type": prompt.kind,
            "sessionId": session.session_id,
            "host": session.host,
            "requestId": prompt.id,
            **answer,
            "expiresAt": expires_at,
        }

    def acknowledged(self, sequence: int, seconds: float, since: int = 0) -> bool:
        """Whether a poll came that acknowledges up to ``sequence``."""

        def acks(one: Exchange) -> bool:
            return (
                one.route is Route.POLL and isinstance(one.body, dict) and one.body.get("ack", 0) >= sequence
            )

        return self.first(seconds, acks, since) is not None

    def delivered(self, sequence: int, seconds: float, since: int = 0) -> Exchange | None:
        """The poll whose reply carried this event to the adapter."""

        def carries(one: Exchange) -> bool:
            events = (one.reply or {}).get("events", ()) if one.is_ok else ()
            return any(event.get("sequence") == sequence for event in events)

        return self.first(seconds, carries, since)

    def left_waiting(self, session: Session, request_id: str, seconds: float) -> bool:
        """Whether the session stops waiting for this request within ``seconds`` of real time."""

        def moved() -> bool:
            found = self.host.session(session.adapter_id, session.session_id, session.host)
            if found is None:
                return True
            waits = found.fields["activity"] in WAITING.values()
            return not waits or (found.prompt is not None and found.prompt.id != request_id)

        return bool(self.stage.wait(moved, seconds))
