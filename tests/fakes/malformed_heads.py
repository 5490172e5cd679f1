"""Request heads that must be refused, each with the exact status, code, field and ``Allow``.

Heads are values for the gate; ``render`` writes one for a real socket. The cases are refused whatever is
registered: none of them needs an adapter, and each is wrong in one place, or in two to show which one is
told.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from orbtile.protocol.gate import RequestHead

Headers = tuple[tuple[str, str], ...]

ADAPTER: Final = "/a/v1/adapters/dev.example"


class Stage(Enum):
    """How far the gate reads before it refuses."""

    HEAD = "head"
    """Told even with the API off."""
    TOKEN = "token"
    BEHIND_TOKEN = "behind token"
    """A sign of life of the adapter in the path."""


class MalformedHead(NamedTuple):
    """``allow`` is what the ``Allow`` header of a 405 lists. ``stage``: before, at or behind the token."""

    name: str
    head: RequestHead
    status: int
    code: str
    field: str | None = None
    allow: tuple[str, ...] = ()
    stage: Stage = Stage.BEHIND_TOKEN


def valid_headers(token: str) -> Headers:
    """What every request carries, with a body of two bytes."""
    return (
        ("host", "localhost"),
        ("authorization", f"Bearer {token}"),
        ("content-type", "application/json"),
        ("content-length", "2"),
    )


def render(head: RequestHead) -> bytes:
    """The head's bytes as they stand on the wire, in UTF-8 where a case is not ASCII; no body."""
    lines = [f"{head.method} {head.target} HTTP/1.1", *(f"{name}: {value}" for name, value in head.headers)]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def malformed_heads(token: str) -> tuple[MalformedHead, ...]:
    """Every case, for a host whose bearer token is ``token``. With the API off those behind the path get 503
    instead.
    """
    cases = _Cases(token)
    return (
        *cases.hosts(),
        *cases.origins(),
        *cases.paths_elsewhere(),
        *cases.tokens(),
        *cases.content_types(),
        *cases.lengths(),
        *cases.unknown_paths(),
        *cases.wrong_methods(),
        *cases.adapter_ids(),
        *cases.session_ids(),
        *cases.query_hosts(),
        *cases.nonces(),
    )


class _Cases:
    def __init__(self, token: str) -> None:
        self.token = token
        self.valid = valid_headers(token)

    def head(self, method: str, target: str, *extra: tuple[str, str], drop: str = "") -> RequestHead:
        kept = tuple(header for header in self.valid if header[0] != drop)
        return RequestHead(method=method, target=target, headers=(*kept, *extra))

    def with_header(self, name: str, *values: str, method: str = "PUT", target: str = ADAPTER) -> RequestHead:
        """The valid head with these values, none or several, in the place of one header."""
        return self.head(method, target, *((name, value) for value in values), drop=name)

    def hosts(self) -> Iterator[MalformedHead]:
        for values in (
            (), ("",), ("Localhost",), ("localhost.",), ("localhost:80",), ("127.0.0.1",), ("[::1]",),
            ("example.com",),
            ("localhost, localhost",), ("localhost", "localhost"), ("localhost", "example.com"),
            ("local host",),
        ):  # fmt: skip
            yield MalformedHead(
                f"Host {values}", self.with_header("host", *values), 400, "bad_request", stage=Stage.HEAD
            )
        for target in (
            "http://example.com/a/v1/info",
            "http://localhost:80/a/v1/info",
            "http://localhost@example.com/a/v1/info",
            "http://localhost.example.com/a/v1/info",
            "https://localhost/a/v1/info",
            "ftp://localhost/a/v1/info",
        ):
            yield MalformedHead(
                f"the target {target}", self.head("GET", target), 400, "bad_request", stage=Stage.HEAD
            )
        for protocol in ("websocket", "h2c", ""):
            head = self.head("GET", "/a/v1/info", ("connection", "Upgrade"), ("upgrade", protocol))
            yield MalformedHead(f"Upgrade {protocol!r}", head, 400, "bad_request", stage=Stage.HEAD)
        both = self.head("GET", "/a/v1/info", ("origin", "null"), drop="host")
        yield MalformedHead("no Host, and an Origin", both, 400, "bad_request", stage=Stage.HEAD)

    def origins(self) -> Iterator[MalformedHead]:
        for origin in ("null", "", "http://localhost", "https://example.com", "file://"):
            head = self.head("GET", "/a/v1/info", ("origin", origin))
            yield MalformedHead(f"Origin {origin!r}", head, 403, "forbidden_origin", stage=Stage.HEAD)
        for name, head in {
            "no token": self.head("GET", "/a/v1/info", ("origin", "null"), drop="authorization"),
            "an unknown path": self.head("GET", "/nowhere", ("origin", "null")),
            "an unknown route": self.head("GET", "/a/v1/nowhere", ("origin", "null")),
            "no type": self.head("PUT", ADAPTER, ("origin", "null"), drop="content-type"),
        }.items():
            yield MalformedHead(f"Origin, and {name}", head, 403, "forbidden_origin", stage=Stage.HEAD)

    def paths_elsewhere(self) -> Iterator[MalformedHead]:
        for target in (
            "/", "/a", "/a/", "/a/v2/info", "/a/v1x", "/a/v11/info", "/A/v1/info", "/a/V1/info",
            "/b/v1/info", "/info",
            "//a/v1/info", "/a//v1/info", "/./a/v1/info", "/a/./v1/info", "/x/../a/v1/info", "/a/v1%2Finfo",
            "/a%2Fv1/info",
            "/a/%2576%31/info", "/?/a/v1/info", "http://localhost", "http://localhost/", "a/v1/info",
        ):  # fmt: skip
            yield MalformedHead(
                f"the path {target}", self.head("GET", target), 404, "not_found", stage=Stage.HEAD
            )
        head = self.head("GET", "/nowhere", drop="authorization")
        yield MalformedHead("an unknown path, and no token", head, 404, "not_found", stage=Stage.HEAD)

    def tokens(self) -> Iterator[MalformedHead]:
        token = self.token
        for values in (
            (), ("",), ("Bearer",), (token,), (f"Basic {token}",), (f"Bearer{token}",), (f"Bearer {token}x",),
            (f"Bearer {token[:-1]}",), (f"Bearer {token} {token}",), (f"Bearer {token},",),
            (f"Bearer: {token}",),
            (f"Token {token}",), (f'Bearer "{token}"',), (f"Bearer {token[::-1]}",), ("Bearer é",),
            ("Bearer " + "x" * 5000,),
            (f"Bearer {token}", f"Bearer {token}"), ("Bearer wrong", f"Bearer {token}"),
            ("Bearer\t" + token,),
        ):  # fmt: skip
            name = ", ".join(values).replace(token, "TOKEN")[:40]
            head = self.with_header("authorization", *values)
            yield MalformedHead(f"Authorization {name}", head, 401, "unauthorized", stage=Stage.TOKEN)
        for name, head in {
            "no type": RequestHead("PUT", ADAPTER, (("host", "localhost"),)),
            "an unknown route": self.head("PUT", "/a/v1/nowhere", drop="authorization"),
            "too much": self.head("PUT", ADAPTER, ("content-length", "70000"), drop="authorization"),
            "a reserved id": self.head("PUT", "/a/v1/adapters/codex", drop="authorization"),
        }.items():
            yield MalformedHead(f"no token, and {name}", head, 401, "unauthorized", stage=Stage.TOKEN)

    def content_types(self) -> Iterator[MalformedHead]:
        for values in (
            (), ("",), ("text/plain",), ("application/jsonx",), ("application/json, text/plain",), ("json",),
            ("*/*",),
            ("application/problem+json",), ("text/json",), ("application/json", "application/json"), (";",),
            ("charset=utf-8; application/json",), ("application / json",),
            ("application/x-www-form-urlencoded",),
        ):  # fmt: skip
            head = self.with_header("content-type", *values)
            yield MalformedHead(f"Content-Type {values}", head, 415, "unsupported_media_type")
        for method, target in (("GET", "/a/v1/info"), ("DELETE", ADAPTER), ("POST", f"{ADAPTER}/heartbeat")):
            head = self.head(method, target, drop="content-type")
            yield MalformedHead(f"no Content-Type on {method}", head, 415, "unsupported_media_type")
        head = self.head("PUT", ADAPTER, ("transfer-encoding", "chunked"), drop="content-type")
        yield MalformedHead("no Content-Type, and chunked", head, 415, "unsupported_media_type")

    def lengths(self) -> Iterator[MalformedHead]:
        for coding in ("chunked", "Chunked", "gzip, chunked"):
            head = self.head("PUT", ADAPTER, ("transfer-encoding", coding), drop="content-length")
            yield MalformedHead(f"Transfer-Encoding {coding}", head, 411, "length_required")
        beside = self.head("PUT", ADAPTER, ("transfer-encoding", "chunked"))
        yield MalformedHead("chunked beside a length", beside, 411, "length_required")
        get = self.head("GET", "/a/v1/info", ("transfer-encoding", "chunked"), drop="content-length")
        yield MalformedHead("chunked on GET", get, 411, "length_required")
        for method, target in (
            ("PUT", ADAPTER),
            ("POST", f"{ADAPTER}/sessions/a"),
            ("PUT", f"{ADAPTER}/sessions"),
            ("POST", f"{ADAPTER}/events"),
            ("PUT", "/a/v1/adapters/codex"),
        ):
            head = self.head(method, target, drop="content-length")
            yield MalformedHead(f"no length on {method} {target}", head, 411, "length_required")
        for length in ("65537", "70000", "0065537", "9" * 19, "9" * 400):
            for method, target in (
                ("PUT", ADAPTER),
                ("GET", "/a/v1/info"),
                ("DELETE", ADAPTER),
                ("POST", f"{ADAPTER}/heartbeat"),
                ("PUT", "/a/v1/nowhere"),
            ):
                head = self.with_header("content-length", length, method=method, target=target)
                yield MalformedHead(
                    f"{length[:9]} bytes on {method} {target}", head, 413, "payload_too_large"
                )
        for values in (
            ("",), ("-1",), ("+2",), ("2.0",), ("0x2",), ("2 2",), ("2,2",), ("two",), ("２",), ("2", "2"),
            ("2", "3"), ("1e1",),
        ):  # fmt: skip
            head = self.with_header("content-length", *values)
            yield MalformedHead(f"Content-Length {values}", head, 400, "bad_request")

    def unknown_paths(self) -> Iterator[MalformedHead]:
        for target in (
            "/a/v1", "/a/v1/", "/a/v1/nowhere", "/a/v1/info/", "/a/v1/info/x", "/a/v1//info", "/a/v1/./info",
            "/a/v1/Info",
            "/a/v1/adapters", "/a/v1/adapters/", "/a/v1/adapters//sessions", "/a/v1/adapters/../info",
            "/a/v1/adapters/.",
            "/a/v1/x/dev.example", "/a/v1/info/../info", f"{ADAPTER}/", f"{ADAPTER}/nowhere",
            f"{ADAPTER}/Heartbeat",
            f"{ADAPTER}/heartbeat/", f"{ADAPTER}/heartbeat/x", f"{ADAPTER}/events/x", f"{ADAPTER}/sessions/",
            f"{ADAPTER}/sessions/a/", f"{ADAPTER}/sessions/a/b", f"{ADAPTER}/sessions/.",
            f"{ADAPTER}/sessions/..",
            f"{ADAPTER}//heartbeat", f"{ADAPTER}/sessions/a/../b", "/a/v1/info%2F",
            "http://localhost/a/v1/nowhere", "/a/v1?/info",
        ):  # fmt: skip
            yield MalformedHead(f"the route {target}", self.head("PUT", target), 404, "not_found")
        head = self.head("PUT", "/a/v1/nowhere", drop="content-length")
        yield MalformedHead("an unknown route without a length", head, 404, "not_found")
        reserved = self.head("PUT", "/a/v1/adapters/codex/nowhere")
        yield MalformedHead("an unknown route of a reserved id", reserved, 404, "not_found")

    def wrong_methods(self) -> Iterator[MalformedHead]:
        methods = ("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS")
        for target, allow in {
            "/a/v1/info": ("GET",),
            ADAPTER: ("PUT", "DELETE"),
            f"{ADAPTER}/sessions": ("PUT",),
            f"{ADAPTER}/sessions/a": ("POST", "DELETE"),
            f"{ADAPTER}/heartbeat": ("POST",),
            f"{ADAPTER}/events": ("POST",),
        }.items():
            for method in methods:
                if method not in allow:
                    head = self.head(method, target, drop="content-length")
                    yield MalformedHead(f"{method} {target}", head, 405, "bad_request", allow=allow)
        head = self.head("GET", "/a/v1/adapters/codex")
        yield MalformedHead("GET of a reserved id", head, 405, "bad_request", allow=("PUT", "DELETE"))

    def adapter_ids(self) -> Iterator[MalformedHead]:
        for text in (
            "claude-code", "codex", "zcode", "x", "UPPER", "a%20b", "under_score", "com.orbtile",
            "com.orbtile.agent",
            "com.orbtile.BAD_", "com%2Eorbtile%2Ex", "%zz", "x" * 100, "%C3%A9",
        ):  # fmt: skip
            for target in (f"/a/v1/adapters/{text}", f"/a/v1/adapters/{text}/sessions"):
                yield MalformedHead(
                    f"the id {text[:20]} in {target[-9:]}",
                    self.head("PUT", target),
                    409,
                    "reserved_id",
                    "adapterId",
                )
        for text in (
            "Dev.example", "dev.Example", ".dev", "dev.", "dev..example", "..dev", "-dev.example",
            "dev-.example", "dev.-example",
            "dev.example-", "dev.ex--ample", "dev_x.example", "dev.ex%20ample", "dev.example%2Fx",
            "dev.example%00",
            "dev.example%0A", "dev.%C3%A9", "dev.%FF", "dev.%zz", "dev.example%", "dev%252Eexample.x",
            "%2E%2E", "com.Orbtile.x",
            "a." + "b" * 63, "dev.example;x=1", "dev.example+x", "dev.*", "dev.example:8", "dev.%ED%A0%80",
        ):  # fmt: skip
            head = self.head("PUT", f"/a/v1/adapters/{text}")
            yield MalformedHead(f"the id {text[:20]}", head, 422, "invalid_field", "adapterId")
        both = self.head("POST", "/a/v1/adapters/Dev.example/sessions/a%20b")
        yield MalformedHead("both ids", both, 422, "invalid_field", "adapterId")

    def session_ids(self) -> Iterator[MalformedHead]:
        for text in (
            "a%20b", "a%2Fb", "%C3%A9", "x" * 129, "a%", "a%zz", "a%00", "a%0A", "a+b", "a%2520b", "a@b",
            "%FF", "~a", "a;b",
            "a,b", "(a)", "%E2%80%AE", "a%5Cb", "%ED%A0%80",
        ):  # fmt: skip
            for method in ("POST", "DELETE"):
                head = self.head(method, f"{ADAPTER}/sessions/{text}")
                yield MalformedHead(f"{method} session {text[:20]}", head, 422, "invalid_field", "sessionId")

    def query_hosts(self) -> Iterator[MalformedHead]:
        for query in (
            "host", "host=", "host=a%20b", "host=a/b", "host=a&host=b", "host=a&host=a", "host=%C3%A9",
            "host=" + "x" * 65,
            "%68ost=a@b", "host=a+b", "host=a%252E", "x=1&host=", "host=a;b", "host=a%00", "host=a=b",
            "host=a?b", "host=a%0A",
        ):  # fmt: skip
            head = self.head("DELETE", f"{ADAPTER}/sessions/a?{query}")
            yield MalformedHead(f"the query {query[:20]}", head, 422, "invalid_field", "host")

    def nonces(self) -> Iterator[MalformedHead]:
        for values in (
            ("",), ("0" * 15,), ("0" * 65,), ("g" * 16,), ("0x" + "0" * 16,), ("0" * 8 + "-" + "0" * 8,),
            ("é" * 16,),
            ("0" * 16, "0" * 16), ("0" * 8 + " " + "0" * 8,), ("０" * 16,),
        ):  # fmt: skip
            extra = [("x-orbtile-nonce", value) for value in values]
            head = self.head("GET", "/a/v1/info", *extra)
            yield MalformedHead(f"the nonce {values}"[:40], head, 422, "invalid_field", "X-Orbtile-Nonce")
