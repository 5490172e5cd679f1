"""The host: every endpoint and every act of the user, over the parts that know one rule each.

Owns the order of steps and the lock. Must not know sockets or files. Every method may be called from any
thread; a held poll waits with the lock released.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable
from typing import Any

from orbtile_adapter.host import limits, registration, sessions, updates
from orbtile_adapter.host.clock import Clock, RealClock
from orbtile_adapter.host.consent import Consents
from orbtile_adapter.host.gate import Ask, Head, Refused, Route, admit
from orbtile_adapter.host.jsontext import parse
from orbtile_adapter.host.leases import AdapterBuckets, Bucket, Lease
from orbtile_adapter.host.processes import is_own_live
from orbtile_adapter.host.prompts import LIFETIMES, Prompt
from orbtile_adapter.host.refusals import (
    Refusal,
    api_off,
    conflict,
    invalid,
    not_registered,
    too_many,
    unauthorized,
)

Reply = tuple[int, "dict[str, Any] | None"]
"""A status and a JSON body."""

_POLL_LOOK_S = 0.1


def _never() -> bool:
    return False


class StrictHost:
    """The protocol's rules, v1.2 with two-way events. ``lives``: whether a pid is a live process of this
    user.
    """

    version = "0-strict"

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        consent: str = "wait",
        lives: Callable[[int], bool] = is_own_live,
        new_token: Callable[[], str] = lambda: secrets.token_urlsafe(32),
    ) -> None:
        self.clock: Clock = clock or RealClock()
        self.changed = threading.Condition(threading.RLock())
        self.consents = Consents(consent)
        self.leases: dict[str, Lease] = {}
        self.api_on = True
        self._new_token = new_token
        self.token = new_token()
        self.generation = 0
        self._lives = lives
        self._bucket = Bucket(limits.GLOBAL_RATE, limits.GLOBAL_BURST, self.clock.monotonic())
        self._buckets = AdapterBuckets()
        self._waiting = 0

    # --- requests ---------------------------------------------------------------------------------------

    def begin(self, head: Head) -> tuple[Ask, int]:
        """Let a head in; the second value belongs to :meth:`finish`. Raises ``Refusal``."""
        with self.changed:
            now = self._sweep()
            try:
                ask = admit(head, api_on=self.api_on, knows_token=self._knows)
            except Refused as refused:
                lease = self.leases.get(refused.adapter_id or "")
                if lease is not None and lease.is_owner(refused.owner_token):
                    lease.seen = now
                raise refused.refusal from None
            lease = self.leases.get(ask.adapter_id)
            owned = lease is None or lease.is_owner(ask.owner_token)
            if lease is not None and owned:
                lease.seen = now
            own = self._buckets.get(ask.adapter_id)
            buckets = [self._bucket] if own is None else [own, self._bucket]
            for bucket in buckets:
                bucket.check(now)
            if lease is not None:
                lease.require_owner(ask.owner_token)
            elif ask.route not in {Route.INFO, Route.REGISTER}:
                raise not_registered()
            for bucket in buckets:  # only now: a request that is refused takes nothing
                bucket.take()
            return ask, self.generation

    def finish(self, ask: Ask, generation: int, body: bytes, is_gone: Callable[[], bool] = _never) -> Reply:
        """Answer a request whose body is there; ``is_gone``: whether its peer hung up. Raises ``Refusal``."""
        with self.changed:
            value = parse(body) if ask.route in _READS_JSON else None
            now = self._sweep()
            if not self.api_on:
                raise api_off()
            if generation != self.generation:
                raise unauthorized()
            if ask.route is Route.INFO:
                return 200, self._info(ask.nonce)
            lease = self.leases.get(ask.adapter_id)
            if lease is not None:
                lease.require_owner(ask.owner_token)
                lease.seen = now
            if ask.route is Route.REGISTER:
                reply = self._register(ask.adapter_id, lease, value, now)
            elif lease is None:
                raise not_registered()
            elif ask.route is Route.POLL:
                reply = 200, self._poll(lease, value, is_gone)
            else:
                reply = self._live(lease, ask, value, now)
            self.changed.notify_all()
            return reply

    def _live(self, lease: Lease, ask: Ask, value: Any, now: float) -> Reply:
        if ask.route is Route.UNREGISTER:
            del self.leases[lease.adapter_id]
        elif ask.route is Route.UPDATE:
            update, warnings = updates.parse_update(value, lease.registration)
            session = self._apply(lease, [(ask.session_id, update)], now, whole=False)[0]
            return 200, _warn({"session": self._shown(lease, session)}, warnings)
        elif ask.route is Route.END:
            lease.sessions.pop((ask.host, ask.session_id), None)
        elif ask.route is Route.REPLACE:
            entries, warnings = updates.parse_batch(value, lease.registration)
            found = self._apply(lease, [(str(entry["id"]), entry) for entry in entries], now, whole=True)
            lease.sessions = {(session.host, session.session_id): session for session in found}
            return 200, _warn({"sessions": [self._shown(lease, session) for session in found]}, warnings)
        else:
            for session in lease.sessions.values():
                session.renewed = now
        return 204, None

    def _register(self, adapter_id: str, lease: Lease | None, value: Any, now: float) -> Reply:
        parsed, warnings = registration.parse(value)
        is_new = lease is None
        if lease is None:
            if len(self.leases) >= limits.ADAPTERS:
                raise too_many("adapterId", f"at most {limits.ADAPTERS} adapters are live")
            lease = self.leases[adapter_id] = Lease(adapter_id, now)
            self._buckets.keep(adapter_id, now, self.leases)
        lease.registration = parsed
        if parsed.get("capabilities") and lease.owner_token is None:
            lease.owner_token = self._new_token()
        if self.consents.saw(adapter_id, registration.fingerprint(parsed), self.leases) and not is_new:
            lease.generation += 1
            lease.events.clear()
            for session in lease.sessions.values():
                session.prompt = None
        body = registration.reply(adapter_id, parsed, self.consents.reason(adapter_id))
        if lease.owner_token is not None:
            body["adapterToken"] = lease.owner_token
        return 201 if is_new else 200, _warn(body, warnings)

    def _apply(
        self, lease: Lease, entries: list[tuple[str, dict[str, Any]]], now: float, *, whole: bool
    ) -> list[sessions.Session]:
        """Merge all updates or none."""
        plans = []
        claimed: set[str] = set()
        for index, (session_id, update) in enumerate(entries):
            path = f"sessions[{index}]." if whole else ""
            host = update.get("host") or "local"
            old = lease.sessions.get((host, session_id))
            fields = sessions.merged(old, update, path, whole=whole)
            ttl = sessions.merged_ttl(old, update, whole=whole)
            plan = lease.ledger.plan(old.prompt if old else None, update, path, claimed, whole=whole)
            if update.get("pid") is not None and not self._lives(update["pid"]):
                raise invalid(f"{path}pid", "is no live process of this user")
            if old is None and not whole and len(lease.sessions) >= limits.SESSIONS:
                raise too_many("sessionId", f"at most {limits.SESSIONS} sessions")
            plans.append((old or sessions.Session(lease.adapter_id, host, session_id), fields, ttl, plan))
        for session, fields, ttl, plan in plans:
            session.fields, session.ttl, session.renewed = fields, ttl, now
            if isinstance(plan, tuple):
                kind, content = plan
                session.prompt = Prompt(kind, content, now, self.clock.epoch() + LIFETIMES[kind])
                lease.ledger.use(session.prompt.id)
            else:
                session.prompt = plan
            lease.sessions[session.host, session.session_id] = session
        return [session for session, *_ in plans]

    def _poll(self, lease: Lease, value: Any, is_gone: Callable[[], bool]) -> dict[str, Any]:
        after, ack, wait = updates.parse_poll(value)
        if not lease.registration.get("capabilities"):
            raise conflict("events_not_supported", "this registration has no event capability")
        if lease.is_polling:
            raise conflict("poll_pending", "another poll of this adapter is held")
        lease.events.check(after, ack)
        lease.events.acknowledge(ack)
        if wait and not lease.events.behind(after):
            self._hold(lease, after, wait, is_gone)
        return lease.events.reply(after)

    def _hold(self, lease: Lease, after: int, wait: int, is_gone: Callable[[], bool]) -> None:
        if self._waiting >= limits.LONG_POLLS:
            raise Refusal(503, "poll_limit", "too many polls are held", retry_after=1)
        changes, generation = lease.generation, self.generation
        until = self.clock.monotonic() + wait
        self._waiting += 1
        lease.is_polling = True
        try:
            while not lease.events.behind(after) and self.clock.monotonic() < until and not is_gone():
                self.clock.wait(self.changed, min(_POLL_LOOK_S, until - self.clock.monotonic()))
                if not self.api_on:
                    raise api_off()
                if self.generation != generation:
                    raise unauthorized()
                if self.leases.get(lease.adapter_id) is not lease:
                    raise not_registered()
                if lease.generation != changes:
                    raise conflict(
                        "registration_changed", "the registration changed while this poll was held"
                    )
        finally:
            self._waiting -= 1
            lease.is_polling = False

    # --- the user ---------------------------------------------------------------------------------------

    def allow(self, adapter_id: str) -> None:
        """Press Allow for what is registered now."""
        with self.changed:
            self.consents.allow(adapter_id)
            self.changed.notify_all()

    def deny(self, adapter_id: str) -> None:
        """Press Deny; queued decisions go."""
        with self.changed:
            self.consents.deny(adapter_id)
            if adapter_id in self.leases:
                self.leases[adapter_id].events.drop_decisions()
            self.changed.notify_all()

    def regenerate_token(self) -> None:
        """A new token ends every registration."""
        with self.changed:
            self.generation += 1
            self.token = self._new_token()
            self.leases.clear()
            self.changed.notify_all()

    def switch_off(self) -> None:
        """The API goes off, and every registration with it."""
        with self.changed:
            self.api_on = False
            self.generation += 1
            self.leases.clear()
            self.changed.notify_all()

    def switch_on(self) -> None:
        """The API is on again, with a new token."""
        self.regenerate_token()
        self.api_on = True

    def tap(self, adapter_id: str, session_id: str, host: str = "local") -> bool:
        """Press a session's key; whether an event was queued."""
        with self.changed:
            lease = self._visible(adapter_id)
            if lease is None or "tap" not in lease.registration.get("capabilities", ()):
                return False
            if (host, session_id) not in lease.sessions:
                return False
            return self._put(lease, {"type": "tap", "sessionId": session_id, "host": host})

    def decide(self, adapter_id: str, session_id: str, decision: str, host: str = "local") -> bool:
        """Answer the pending approval, ``allow`` or ``deny``; False: it may not be answered (any more)."""
        return self._answer(adapter_id, session_id, host, "approval", {"decision": decision})

    def answer(self, adapter_id: str, session_id: str, picks: list[list[int]], host: str = "local") -> bool:
        """Answer the pending question; False: it may not be answered, or the picks do not fit it."""
        with self.changed:
            lease = self.leases.get(adapter_id)
            session = lease.sessions.get((host, session_id)) if lease else None
            if session is None or session.prompt is None or session.prompt.kind != "question":
                return False
            questions = session.prompt.content["questions"]
            fits = len(picks) == len(questions) and all(
                pick
                and len(set(pick)) == len(pick)
                and all(0 <= at < len(question["options"]) for at in pick)
                and (question.get("multiSelect") or len(pick) == 1)
                for pick, question in zip(picks, questions, strict=True)
            )
            return fits and self._answer(adapter_id, session_id, host, "question", {"picks": picks})

    def _answer(self, adapter_id: str, session_id: str, host: str, kind: str, answer: dict[str, Any]) -> bool:
        with self.changed:
            now = self._sweep()
            lease = self._visible(adapter_id)
            session = lease.sessions.get((host, session_id)) if lease else None
            if lease is None or session is None or session.prompt is None or session.prompt.kind != kind:
                return False
            prompt = session.prompt
            shown = sessions.state(session, now, silent=lease.is_silent(now)) == updates.WAITING[kind]
            if not shown or not prompt.is_live(now, self.clock.epoch()):
                return False
            event = {"type": kind, "sessionId": session_id, "host": host, "requestId": prompt.id, **answer}
            prompt.consumed = self._put(lease, {**event, "expiresAt": int(prompt.expires_at)})
            return prompt.consumed

    def _put(self, lease: Lease, event: dict[str, Any]) -> bool:
        was_put = lease.events.put(event)
        self.changed.notify_all()
        return was_put

    # --- the read side ----------------------------------------------------------------------------------

    def session(self, adapter_id: str, session_id: str, host: str = "local") -> sessions.Session | None:
        """A live session."""
        with self.changed:
            self._sweep()
            lease = self.leases.get(adapter_id)
            return lease.sessions.get((host, session_id)) if lease else None

    def state(self, adapter_id: str, session_id: str, host: str = "local") -> str | None:
        """What a session shows; None: there is none."""
        with self.changed:
            session = self.session(adapter_id, session_id, host)
            now = self.clock.monotonic()
            silent = session is not None and self.leases[adapter_id].is_silent(now)
            return None if session is None else sessions.state(session, now, silent=silent)

    def _visible(self, adapter_id: str) -> Lease | None:
        lease = self.leases.get(adapter_id)
        return lease if lease is not None and self.consents.reason(adapter_id) is None else None

    def _shown(self, lease: Lease, session: sessions.Session) -> dict[str, Any]:
        return {"uid": session.uid, "visible": self.consents.reason(lease.adapter_id) is None}

    def _info(self, nonce: str | None) -> dict[str, Any]:
        body: dict[str, Any] = {
            "server": "orbtile",
            "api": 1,
            "apiMinor": 2,
            "version": self.version,
            "activities": list(updates.ACTIVITIES),
            "limits": {
                "maxBodyBytes": limits.BODY_BYTES,
                "maxSessionsPerAdapter": limits.SESSIONS,
                "maxAdapters": limits.ADAPTERS,
                "requestsPerSecond": limits.ADAPTER_RATE,
                "burst": limits.ADAPTER_BURST,
                "maxPendingRequestsPerAdapter": limits.SESSIONS,
                "maxEvents": limits.EVENTS,
                "maxRequestIDs": limits.REQUEST_IDS,
                "maxLongPolls": limits.LONG_POLLS,
            },
        }
        if nonce is not None:
            body["proof"] = self.prove(nonce)
        return body

    def prove(self, nonce: str) -> str:
        """Section 2: only who knows the token can say this."""
        return hmac.new(self.token.encode(), nonce.encode(), hashlib.sha256).hexdigest()

    def _knows(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(errors="replace"), self.token.encode())

    def _sweep(self) -> float:
        """Let happen what time has brought."""
        now = self.clock.monotonic()
        for lease in list(self.leases.values()):
            if lease.is_over(now):
                del self.leases[lease.adapter_id]
                self.changed.notify_all()
                continue
            for key, session in list(lease.sessions.items()):
                if sessions.is_due(session, now):
                    del lease.sessions[key]
        return now


_READS_JSON = frozenset([Route.REGISTER, Route.UPDATE, Route.REPLACE, Route.POLL])


def _warn(body: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
    if warnings:
        body["warnings"] = list(warnings)
    return body
