"""The gate: one ordered table over a request head that ends in a route or a refusal.

Owns the order of refusals from ``Host`` to the path segments (ARCHITECTURE "order of refusals"), the
routes of spec section 3, and how a head's token and length are read wherever one is. Pure: it is tested
without a socket. Must not know buckets, leases or owner tokens (the host admits those) nor read a body.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple
from urllib.parse import unquote

from orbtile.protocol import errors, grammar, limits
from orbtile.protocol.errors import ApiError


class Route(StrEnum):
    """An endpoint of spec section 3; a path and a method together."""

    INFO = "info"
    REGISTER = "register"
    UNREGISTER = "unregister"
    UPDATE_SESSION = "update_session"
    END_SESSION = "end_session"
    REPLACE_SESSIONS = "replace_sessions"
    HEARTBEAT = "heartbeat"
    POLL_EVENTS = "poll_events"


class RequestHead(NamedTuple):
    """A complete HTTP/1.x head: raw ASCII ``target``, lowercase header names, repeated headers repeated."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]


UNREADABLE_LENGTH: Final = 10**18
"""Stands for every longer length: above all limits, and an integer of so many digits is work to read."""

_BEARER: Final = re.compile(r"bearer +(\S+)", re.IGNORECASE)
_DIGITS: Final = re.compile(r"[0-9]+")


def bearer_token(authorization: str) -> str | None:
    """The token of an ``Authorization`` header's value; None for any other scheme or form (RFC 6750)."""
    credentials = _BEARER.fullmatch(authorization)
    return None if credentials is None else credentials[1]


def announced_length(content_length: str) -> int | None:
    """Bytes announced by a ``Content-Length`` header's value, at most ``UNREADABLE_LENGTH``.

    None: it is not one decimal number.
    """
    if _DIGITS.fullmatch(content_length) is None:
        return None
    digits = content_length.lstrip("0")
    return int(digits or "0") if len(digits) <= 18 else UNREADABLE_LENGTH


class GateState(NamedTuple):
    """What the gate may ask of the host. ``token_matches`` compares in constant time."""

    api_enabled: bool
    token_matches: Callable[[str], bool]


class Admitted(NamedTuple):
    """A head that passed. ``content_length`` bytes of body (0..65536) follow; ``host`` is the query's."""

    route: Route
    content_length: int
    adapter_id: str = ""
    session_id: str = ""
    host: str = "local"
    owner_token: str | None = None
    nonce: str | None = None


class Refused(NamedTuple):
    """A refusal, and a sign of life of ``adapter_id`` where the token was right and the path names one."""

    error: ApiError
    adapter_id: str | None = None
    owner_token: str | None = None


BODY_ROUTES: Final = frozenset(
    {Route.REGISTER, Route.UPDATE_SESSION, Route.REPLACE_SESSIONS, Route.POLL_EVENTS}
)
"""The routes that read a body. With any other a body is limited in size and ignored."""

_ID: Final = "*"
_ROUTES: Final[Mapping[tuple[str, ...], Mapping[str, Route]]] = {
    ("info",): {"GET": Route.INFO},
    ("adapters", _ID): {"PUT": Route.REGISTER, "DELETE": Route.UNREGISTER},
    ("adapters", _ID, "sessions"): {"PUT": Route.REPLACE_SESSIONS},
    ("adapters", _ID, "sessions", _ID): {"POST": Route.UPDATE_SESSION, "DELETE": Route.END_SESSION},
    ("adapters", _ID, "heartbeat"): {"POST": Route.HEARTBEAT},
    ("adapters", _ID, "events"): {"POST": Route.POLL_EVENTS},
}
"""Spec section 3, behind ``/a/v1``."""

_BASE_PATH: Final = ("", "a", "v1")

_OWNER_HEADER: Final = "x-orbtile-adapter-token"
_ABSOLUTE_FORM: Final = re.compile(r"http://localhost(?=[/?]|\Z)", re.IGNORECASE)


def admit(head: RequestHead, state: GateState) -> Admitted | Refused:
    """The route that ``head`` asks for, or the first reason in the table to refuse it. Never raises."""
    request = _Request(head, state)
    for check in _UNTIL_TOKEN:
        error = check(request)
        if error is not None:
            return Refused(error=error)
    for check in _BEHIND_TOKEN:
        error = check(request)
        if error is not None:
            return Refused(
                error=error, adapter_id=request.known_adapter_id, owner_token=request.header(_OWNER_HEADER)
            )
    return _admitted(request)


def _path_and_query(target: str) -> tuple[str, str]:
    """Both still encoded. The absolute form of our own name is the same request (RFC 9112 section 3.2.2)."""
    if not target.startswith("/"):
        target = _ABSOLUTE_FORM.sub("", target, count=1)
    path, _, query = target.partition("?")
    return path, query


def _segments(path: str) -> tuple[str, ...]:
    """The path's segments, each decoded once. A dot segment is not resolved but emptied: no route has one."""
    raw_segments = path.split("/")
    if "%" not in path and "." not in raw_segments and ".." not in raw_segments:
        return tuple(raw_segments)
    return tuple("" if raw in {".", ".."} else unquote(raw) for raw in raw_segments)


def _methods(tail: tuple[str, ...]) -> Mapping[str, Route]:
    """What the path behind ``/a/v1`` allows; nothing where it is unknown or has an empty segment."""
    if "" in tail:
        return {}
    shape = (tail[0], _ID, *tail[2:3], *(_ID for _ in tail[3:])) if len(tail) > 1 else tail
    return _ROUTES.get(shape, {})


class _Request:
    """A head as the checks see it: headers by name, the path in segments."""

    __slots__ = (
        "_headers",
        "adapter_id",
        "method",
        "methods",
        "query",
        "repeated",
        "session_id",
        "state",
        "tail",
        "target",
    )

    def __init__(self, head: RequestHead, state: GateState) -> None:
        self.method = head.method
        self.target = head.target
        self.state = state
        self._headers: dict[str, str] = {}
        self.repeated: set[str] = set()
        for name, value in head.headers:
            if name in self._headers:
                self.repeated.add(name)
            self._headers[name] = value
        path, self.query = _path_and_query(head.target)
        segments = _segments(path)
        depth = len(_BASE_PATH)
        self.tail = segments[depth:] if segments[:depth] == _BASE_PATH else None
        """The segments behind ``/a/v1``, None for a path elsewhere."""
        tail = self.tail or ()
        self.adapter_id = tail[1] if len(tail) > 1 and tail[0] == "adapters" else None
        self.session_id = tail[3] if len(tail) > 3 else None
        self.methods = _methods(tail)

    def has(self, name: str) -> bool:
        return name in self._headers

    def header(self, name: str) -> str | None:
        """The value of a header that came exactly once."""
        return None if name in self.repeated else self._headers.get(name)

    @property
    def route(self) -> Route | None:
        return self.methods.get(self.method)

    @property
    def known_adapter_id(self) -> str | None:
        """The path's adapter id where it is one that an adapter may have."""
        adapter_id = self.adapter_id
        if adapter_id is None or grammar.is_reserved_id(adapter_id) or not grammar.is_adapter_id(adapter_id):
            return None
        return adapter_id

    def hosts(self) -> list[str]:
        """Every ``host`` of the query, decoded once. A plus sign is a plus sign."""
        pairs = (part.partition("=") for part in self.query.split("&"))
        return [unquote(value) for name, _, value in pairs if unquote(name) == "host"]


def _host_header(request: _Request) -> ApiError | None:
    is_absolute = "://" in request.target and not request.target.startswith("/")
    is_elsewhere = is_absolute and _ABSOLUTE_FORM.match(request.target) is None
    if request.header("host") != "localhost" or is_elsewhere:
        return errors.bad_request("send exactly one Host header: localhost")
    return None


def _upgrade(request: _Request) -> ApiError | None:
    return errors.bad_request("no protocol upgrade here") if request.has("upgrade") else None


def _origin(request: _Request) -> ApiError | None:
    return errors.forbidden_origin() if request.has("origin") else None


def _path_elsewhere(request: _Request) -> ApiError | None:
    return errors.not_found() if request.tail is None else None


def _api_off(request: _Request) -> ApiError | None:
    return None if request.state.api_enabled else errors.api_disabled()


def _bearer_token(request: _Request) -> ApiError | None:
    token = bearer_token(request.header("authorization") or "")
    if token is None or not request.state.token_matches(token):
        return errors.unauthorized()
    return None


def _content_type(request: _Request) -> ApiError | None:
    media_type = (request.header("content-type") or "").partition(";")[0]
    return None if media_type.strip().lower() == "application/json" else errors.unsupported_media_type()


def _chunked(request: _Request) -> ApiError | None:
    return errors.length_required() if request.has("transfer-encoding") else None


def _content_length(request: _Request) -> ApiError | None:
    if not request.has("content-length"):
        return errors.length_required() if request.route in BODY_ROUTES else None
    length = announced_length(request.header("content-length") or "")
    if length is None:
        return errors.bad_request("Content-Length must be one decimal number")
    return errors.payload_too_large(limits.MAX_BODY_BYTES) if length > limits.MAX_BODY_BYTES else None


def _unknown_path(request: _Request) -> ApiError | None:
    return None if request.methods else errors.not_found()


def _wrong_method(request: _Request) -> ApiError | None:
    return errors.method_not_allowed(tuple(request.methods)) if request.route is None else None


def _adapter_id(request: _Request) -> ApiError | None:
    adapter_id = request.adapter_id
    if adapter_id is None:
        return None
    if grammar.is_reserved_id(adapter_id):
        return errors.reserved_id()
    if not grammar.is_adapter_id(adapter_id):
        return errors.invalid_field("adapterId", "must be a lowercase reverse-DNS id of 3 to 64 bytes")
    return None


def _session_id(request: _Request) -> ApiError | None:
    session_id = request.session_id
    if session_id is None or grammar.SESSION_ID.fullmatch(session_id) is not None:
        return None
    return errors.invalid_field("sessionId", "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -")


def _query_host(request: _Request) -> ApiError | None:
    if request.route is not Route.END_SESSION:
        return None
    hosts = request.hosts()
    if len(hosts) > 1 or any(grammar.HOST.fullmatch(host) is None for host in hosts):
        return errors.invalid_field("host", "must be one name of 1 to 64 characters of A-Z a-z 0-9 . _ -")
    return None


def _nonce(request: _Request) -> ApiError | None:
    if request.route is not Route.INFO or not request.has("x-orbtile-nonce"):
        return None
    nonce = request.header("x-orbtile-nonce")
    if nonce is None or grammar.NONCE.fullmatch(nonce) is None:
        return errors.invalid_field("X-Orbtile-Nonce", "must be 16 to 64 hex digits")
    return None


_Check = Callable[[_Request], ApiError | None]
_UNTIL_TOKEN: Final[tuple[_Check, ...]] = (
    _host_header,
    _upgrade,
    _origin,
    _path_elsewhere,
    _api_off,
    _bearer_token,
)
_BEHIND_TOKEN: Final[tuple[_Check, ...]] = (
    _content_type,
    _chunked,
    _content_length,
    _unknown_path,
    _wrong_method,
    _adapter_id,
    _session_id,
    _query_host,
    _nonce,
)
"""The order of refusals. What fails behind the token is a sign of life of the adapter that the path names."""


def _admitted(request: _Request) -> Admitted:
    """Every part was checked by the table."""
    route = request.methods[request.method]
    hosts = request.hosts() if route is Route.END_SESSION else []
    return Admitted(
        route=route,
        content_length=announced_length(request.header("content-length") or "") or 0,
        adapter_id=request.adapter_id or "",
        session_id=request.session_id or "",
        host=hosts[0] if hosts else grammar.LOCAL_HOST,
        owner_token=request.header(_OWNER_HEADER),
        nonce=request.header("x-orbtile-nonce") if route is Route.INFO else None,
    )
