"""A request's head: from the ``Host`` header to the path's ids, in the order in which refusals are told.

Owns routes and that order (sections 1 to 3). Reads no body; buckets, leases and owner tokens come behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote

from orbtile_adapter.host import grammar, limits
from orbtile_adapter.host.refusals import Refusal, api_off, bad_request, conflict, invalid, unauthorized


class Route(Enum):
    """An endpoint."""

    INFO = "info"
    REGISTER = "register"
    UNREGISTER = "unregister"
    UPDATE = "update"
    END = "end"
    REPLACE = "replace"
    HEARTBEAT = "heartbeat"
    POLL = "poll"


WITH_BODY = frozenset([Route.REGISTER, Route.UPDATE, Route.REPLACE, Route.POLL])

ROUTES: dict[tuple[str, ...], dict[str, Route]] = {
    ("info",): {"GET": Route.INFO},
    ("adapters", "*"): {"PUT": Route.REGISTER, "DELETE": Route.UNREGISTER},
    ("adapters", "*", "sessions"): {"PUT": Route.REPLACE},
    ("adapters", "*", "sessions", "*"): {"POST": Route.UPDATE, "DELETE": Route.END},
    ("adapters", "*", "heartbeat"): {"POST": Route.HEARTBEAT},
    ("adapters", "*", "events"): {"POST": Route.POLL},
}

OWNER_HEADER = "x-orbtile-adapter-token"
RESERVED = "adapterId: ids without a dot and com.orbtile.* are reserved; use one such as org.example.mytool"


@dataclass(frozen=True)
class Head:
    """``target`` as it stood on the request line; header names in lower case, repeated ones repeated."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self.headers if key == name]

    def value(self, name: str) -> str | None:
        """The value of a header that came once."""
        found = self.values(name)
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class Ask:
    """A head that may go on; ``length`` bytes of body follow."""

    route: Route
    length: int
    adapter_id: str = ""
    session_id: str = ""
    host: str = "local"
    owner_token: str | None = None
    nonce: str | None = None


class Refused(Exception):  # noqa: N818 - carries a refusal, is none of its own
    """A refusal, and whose sign of life the request is all the same: that adapter's, when the token was
    right.
    """

    def __init__(self, refusal: Refusal, adapter_id: str | None, owner_token: str | None) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.adapter_id = adapter_id
        self.owner_token = owner_token


def admit(head: Head, *, api_on: bool, knows_token: Callable[[str], bool]) -> Ask:
    """What the head asks for. Raises ``Refused``."""
    path, _, query = _without_origin_form(head.target).partition("?")
    parts = _segments(path)
    tail = parts[3:] if parts[:3] == ["", "a", "v1"] else None
    try:
        _outside(head, tail, api_on=api_on, knows_token=knows_token)
    except Refusal as refusal:
        raise Refused(refusal, None, None) from None
    owner_token = head.value(OWNER_HEADER)
    try:
        return _inside(head, tail or [], query, owner_token)
    except Refusal as refusal:
        raise Refused(refusal, _adapter_of(tail or []), owner_token) from None


def _outside(head: Head, tail: list[str] | None, *, api_on: bool, knows_token: Callable[[str], bool]) -> None:
    is_elsewhere = "://" in head.target and not head.target.startswith("/")
    if head.value("host") != "localhost" or (
        is_elsewhere and _without_origin_form(head.target) == head.target
    ):
        raise bad_request("send one Host header, and in it: localhost")
    if head.values("upgrade"):
        raise bad_request("there is no other protocol here")
    if head.values("origin"):
        raise Refusal(403, "forbidden_origin", "web pages are refused: send no Origin header")
    if tail is None:
        raise Refusal(404, "not_found", "no such path")
    if not api_on:
        raise api_off()
    bearer = re.fullmatch(r"(?i:bearer) +(\S+)", head.value("authorization") or "")
    if bearer is None or not knows_token(bearer[1]):
        raise unauthorized()


def _inside(head: Head, tail: list[str], query: str, owner_token: str | None) -> Ask:
    media_type = (head.value("content-type") or "").split(";")[0].strip().lower()
    if media_type != "application/json":
        raise Refusal(415, "unsupported_media_type", "send Content-Type: application/json")
    shape = tuple("*" if index in {1, 3} else part for index, part in enumerate(tail))
    methods = {} if "" in tail else ROUTES.get(shape, {})
    route = methods.get(head.method)
    length = _length(head, needs_one=route in WITH_BODY)
    if not methods:
        raise Refusal(404, "not_found", "no such path")
    if route is None:
        allow = tuple(methods)
        raise Refusal(405, "bad_request", f"this path takes {' and '.join(allow)}", allow=allow)
    adapter_id = tail[1] if len(tail) > 1 else ""
    if len(tail) > 1:
        _check_adapter_id(adapter_id)
    session_id = tail[3] if len(tail) > 3 else ""
    if session_id and not grammar.SESSION_ID.fullmatch(session_id):
        raise invalid("sessionId", "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -")
    host = _query_host(query) if route is Route.END else "local"
    nonce = None
    if route is Route.INFO and head.values("x-orbtile-nonce"):
        nonce = head.value("x-orbtile-nonce")
        if nonce is None or not grammar.NONCE.fullmatch(nonce):
            raise invalid("X-Orbtile-Nonce", "must be 16 to 64 hex digits")
    return Ask(route, length, adapter_id, session_id, host, owner_token, nonce)


def _length(head: Head, *, needs_one: bool) -> int:
    if head.values("transfer-encoding"):
        raise Refusal(411, "length_required", "chunked bodies are refused: send Content-Length")
    if not head.values("content-length"):
        if needs_one:
            raise Refusal(411, "length_required", "send Content-Length")
        return 0
    digits = head.value("content-length") or ""
    if not re.fullmatch("[0-9]+", digits):
        raise bad_request("Content-Length is one decimal number")
    digits = digits.lstrip("0") or "0"
    if len(digits) > 5 or int(digits) > limits.BODY_BYTES:
        raise Refusal(413, "payload_too_large", f"the body has more than {limits.BODY_BYTES} bytes")
    return int(digits)


def _check_adapter_id(adapter_id: str) -> None:
    if grammar.is_reserved(adapter_id):
        raise conflict("reserved_id", RESERVED, "adapterId")
    if not grammar.ADAPTER_ID.fullmatch(adapter_id):
        raise invalid("adapterId", "must be a lowercase reverse-DNS id of 3 to 64 bytes")


def _adapter_of(tail: list[str]) -> str | None:
    if len(tail) < 2 or tail[0] != "adapters":
        return None
    try:
        _check_adapter_id(tail[1])
    except Refusal:
        return None
    return tail[1]


def _query_host(query: str) -> str:
    pairs = [part.partition("=") for part in query.split("&")]
    hosts = [unquote(value) for name, _, value in pairs if unquote(name) == "host"]
    if not hosts:
        return "local"
    if len(hosts) > 1 or not grammar.HOST.fullmatch(hosts[0]):
        raise invalid("host", "must be one name of 1 to 64 characters of A-Z a-z 0-9 . _ -")
    return hosts[0]


def _without_origin_form(target: str) -> str:
    """``http://localhost/x`` is ``/x`` (RFC 9112 section 3.2.2)."""
    match = re.match(r"(?i:http://localhost)(?=[/?]|\Z)", target)
    return target[match.end() :] if match else target


def _segments(path: str) -> list[str]:
    """Decoded once; a dot segment is nobody's."""
    return ["" if part in {".", ".."} else unquote(part) for part in path.split("/")]
