"""A small Orbtile in memory: bytes of a request in, bytes of a reply out, and moods that the test decides.

Owns what a client can notice of a host: tokens, proof, registration, sessions, events. It is lenient where
the protocol is strict; the strict host and the application are for that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any, NamedTuple

JsonObject = dict[str, Any]

ADAPTER = "dev.example.tiny"
ROUTE = f"/a/v1/adapters/{ADAPTER}"


class Request(NamedTuple):
    method: str
    target: str
    headers: dict[str, str]
    body: JsonObject

    @property
    def line(self) -> str:
        """Method and what follows the adapter's route, as ``POST /sessions/run``; ``PUT /`` registers."""
        rest = self.target.removeprefix(ROUTE)
        return f"{self.method} {rest or '/'}"


class Refusal(Exception):  # noqa: N818  it is one
    def __init__(self, status: int, code: str, field: str | None = None, headers: str = "") -> None:
        super().__init__(code)
        self.status, self.code, self.field, self.headers = status, code, field, headers


Mood = Callable[[Request], bytes | None]


def respond(status: int, body: object = None, headers: str = "") -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    length = "" if status == 204 else f"Content-Length: {len(data)}\r\n"
    return f"HTTP/1.1 {status} Whatever\r\n{length}{headers}Connection: close\r\n\r\n".encode() + data


def refuse(
    status: int, code: str, field: str | None = None, headers: str = "", message: str = "about it"
) -> bytes:
    return respond(status, {"error": {"code": code, "message": message, "field": field}}, headers)


class Model:
    """One host. ``moods`` answer the next requests instead of it; a mood that returns None lets it answer."""

    def __init__(self) -> None:
        self.token = "t" * 43
        self.proof_key: str | None = None
        self.info: JsonObject = {"server": "orbtile", "api": 1, "apiMinor": 2, "version": "9", "new": [1]}
        self.is_off = False
        self.is_enabled = True
        self.registration: JsonObject | None = None
        self.adapter_token: str | None = None
        self.sessions: dict[tuple[str, str], JsonObject] = {}
        self.events: list[JsonObject] = []
        self.sequence = 0
        self.acknowledged = 0
        self.leases = 0
        self.moods: list[Mood] = []
        self.requests: list[Request] = []

    # --- what happens to a host ---------------------------------------------------------------------------

    def forget(self) -> None:
        """The adapter was silent for a minute."""
        self.registration, self.adapter_token = None, None
        self.sessions.clear()
        self.events.clear()
        self.sequence = self.acknowledged = 0

    def regenerate_token(self) -> None:
        self.token = hashlib.sha256(self.token.encode()).hexdigest()[:43]
        self.forget()

    def say(self, *replies: bytes | Mood) -> None:
        """Answer the next requests like this."""
        for reply in replies:
            self.moods.append(reply if callable(reply) else lambda _request, reply=reply: reply)  # type: ignore[misc]

    def event(self, type_: str, session: str = "run", host: str = "local", **fields: object) -> JsonObject:
        """The user did something."""
        self.sequence += 1
        event = {"sequence": self.sequence, "type": type_, "sessionId": session, "host": host, **fields}
        self.events.append(event)
        return event

    def decide(self, decision: str = "allow", request: str = "a1", **fields: Any) -> JsonObject:
        fields = {"requestId": request, "decision": decision, "expiresAt": 2_000_000_000.0, **fields}
        return self.event("approval", **fields)

    # --- what a client notices ----------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        return [request.line for request in self.requests]

    def last(self, method: str = "POST", part: str = "/sessions/") -> Request:
        """The latest request of a kind."""
        return next(r for r in reversed(self.requests) if r.method == method and part in r.target)

    def session(self, name: str = "run", host: str = "local") -> JsonObject:
        return self.sessions[host, name]

    def answer(self, data: bytes) -> bytes:
        request = parse(data)
        self.requests.append(request)
        if self.moods:
            reply = self.moods.pop(0)(request)
            if reply is not None:
                return reply
        try:
            return self._answer(request)
        except Refusal as refusal:
            return refuse(refusal.status, refusal.code, refusal.field, refusal.headers)

    def _answer(self, request: Request) -> bytes:
        assert request.headers["host"] == "localhost"
        assert request.headers["content-type"] == "application/json"
        assert "origin" not in request.headers
        if request.headers.get("authorization") != f"Bearer {self.token}":
            raise Refusal(401, "unauthorized")
        if request.target == "/a/v1/info":
            nonce = request.headers["x-orbtile-nonce"]
            key = self.proof_key or self.token
            proof = hmac.new(key.encode(), nonce.encode(), hashlib.sha256).hexdigest()
            return respond(200, {**self.info, "proof": proof})
        given = request.headers.get("x-orbtile-adapter-token")
        if self.adapter_token is not None and given != self.adapter_token:
            raise Refusal(403, "adapter_token_required")
        if request.line == "PUT /":
            return self._register(request.body)
        if self.registration is None:
            raise Refusal(404, "adapter_not_registered")
        return self._answer_registered(request)

    def _register(self, body: JsonObject) -> bytes:
        is_new = self.registration is None
        if is_new and body.get("capabilities"):
            self.leases += 1
            self.adapter_token = f"a{self.leases}" * 20
        self.registration = body
        reply: JsonObject = {"adapter": {"id": ADAPTER}, "enabled": self.is_enabled, "later": {}}
        if not self.is_enabled:
            reply["reason"] = "awaiting_user"
        if self.adapter_token is not None:
            reply["adapterToken"] = self.adapter_token
        return respond(201 if is_new else 200, reply)

    def _answer_registered(self, request: Request) -> bytes:
        kind, _, rest = request.line.partition("/")[2].partition("/")
        match request.method.strip(), kind, rest:
            case "POST", "heartbeat", "":
                return respond(204)
            case "DELETE", "", "":
                self.forget()
                return respond(204)
            case "POST", "events", "":
                return self._poll(request.body)
            case "PUT", "sessions", "":
                listed = {(item.get("host", "local"), item["id"]): item for item in request.body["sessions"]}
                for item in listed.values():
                    self._require(
                        {"title", "activity"} <= item.keys(), 422, "invalid_field", "sessions[0].title"
                    )
                self.sessions = listed
                return respond(200, {"sessions": [{"uid": key[1], "visible": True} for key in listed]})
            case "POST", "sessions", name:
                return self._update(name, request.body)
            case "DELETE", "sessions", name:
                name, _, query = name.partition("?host=")
                self.sessions.pop((query or "local", name), None)
                return respond(204)
        raise Refusal(404, "not_found")

    def _update(self, name: str, body: JsonObject) -> bytes:
        key = body.get("host", "local"), name
        for field in ("title", "activity"):
            known = key in self.sessions or field in body
            self._require(known and body.get(field, "") is not None, 422, "invalid_field", field)
        self._require(body.get("pid") != -1, 422, "invalid_field", "pid")
        self.sessions[key] = {**self.sessions.get(key, {}), **body}
        return respond(200, {"session": {"uid": name, "visible": self.is_enabled}})

    def _poll(self, body: JsonObject) -> bytes:
        self._require(body["ack"] <= body["after"] <= self.sequence, 409, "invalid_cursor")
        self._require(body["ack"] >= self.acknowledged, 409, "invalid_cursor")
        self.acknowledged = body["ack"]
        self.events = [event for event in self.events if event["sequence"] > body["ack"]]
        waiting = [event for event in self.events if event["sequence"] > body["after"]]
        return respond(
            200, {"events": waiting, "lastSequence": self.sequence, "acknowledged": self.acknowledged}
        )

    @staticmethod
    def _require(holds: bool, status: int, code: str, field: str | None = None) -> None:
        if not holds:
            raise Refusal(status, code, field)


def parse(data: bytes) -> Request:
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    method, target, version = first.split(" ")
    assert version == "HTTP/1.1"
    headers = dict(line.split(": ", 1) for line in lines)
    assert len(headers) == len(lines)
    lower = {name.lower(): value for name, value in headers.items()}
    assert int(lower.get("content-length", "0")) == len(body)
    return Request(method, target, lower, json.loads(body) if body else {})


def is_whole(data: bytes) -> bool:
    head, found, body = data.partition(b"\r\n\r\n")
    if not found:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    return True
