"""Everything malformed, over a real socket: the exact status, code and field, and nothing else happens."""

import dataclasses
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest

from orbtile.host.views import AdapterView, SessionView
from orbtile.protocol.limits import MAX_BODY_BYTES
from tests.fakes.bodies import REGISTRATION, UPDATE
from tests.fakes.malformed import (
    MALFORMED_BATCHES,
    MALFORMED_POLLS,
    MALFORMED_REGISTRATIONS,
    MALFORMED_UPDATES,
    Malformed,
)
from tests.fakes.malformed_heads import malformed_heads, render
from tests.fakes.malformed_json import MALFORMED_BODIES
from tests.fakes.served import ADAPTER, Reply, Served, build_head

pytestmark = pytest.mark.socket

Refusal = tuple[int, str, str | None]
Snapshot = tuple[list[AdapterView], list[SessionView], int, int]


class Wrong(NamedTuple):
    """A case that was not answered as it must be."""

    name: str
    expected: object
    got: object


class Adapter:
    """An interactive adapter with one session, and what must not change whatever it sends."""

    def __init__(self, served: Served) -> None:
        self.served = served
        registered = served.ask("PUT", ADAPTER, REGISTRATION)
        self.owner = f"X-Orbtile-Adapter-Token: {registered.json['adapterToken']}"
        served.on_loop(served.host.adapter().allow)
        assert self.ask("POST", "/sessions/run-7", json.dumps(UPDATE).encode()).status == 200
        self.before = self.snapshot()

    def ask(self, method: str, path: str, body: bytes) -> Reply:
        """Slowly enough for every bucket, soon enough for the lease."""
        self.served.host.clock.advance(0.06)
        return self.served.ask(method, ADAPTER + path, body, self.owner)

    def snapshot(self) -> Snapshot:
        service, store = self.served.host.service, self.served.host.store

        def read() -> Snapshot:
            adapters = [dataclasses.replace(view, last_seen_epoch_s=0.0) for view in service.adapters()]
            return adapters, service.sessions(), len(store.consents), len(self.served.host.published)

        return self.served.on_loop(read)

    def wrong_answers(
        self, method: str, path: str, cases: Iterable[tuple[str, bytes, Refusal]]
    ) -> Iterator[Wrong]:
        for name, body, expected in cases:
            reply = self.ask(method, path, body)
            if reply.refusal != expected:
                yield Wrong(name, expected, reply.refusal)
        if self.snapshot() != self.before:
            yield Wrong("the state afterwards", self.before, self.snapshot())


def expected(cases: Iterable[Malformed]) -> Iterator[tuple[str, bytes, Refusal]]:
    for case in cases:
        body = json.dumps(case.body).encode("ascii")
        if len(body) > MAX_BODY_BYTES:  # nobody looks into it
            yield case.name, body, (413, "payload_too_large", None)
        else:
            yield case.name, body, (case.status, case.code, case.field)


@pytest.mark.parametrize(
    ("method", "path", "cases"),
    [
        pytest.param("PUT", "", MALFORMED_REGISTRATIONS, id="registrations"),
        pytest.param("POST", "/sessions/run-7", MALFORMED_UPDATES, id="updates"),
        pytest.param("PUT", "/sessions", MALFORMED_BATCHES, id="batches"),
        pytest.param("POST", "/events", MALFORMED_POLLS, id="polls"),
    ],
)
def test_a_malformed_body_is_refused_by_field_and_changes_nothing(
    served: Served, method: str, path: str, cases: tuple[Malformed, ...]
) -> None:
    assert list(Adapter(served).wrong_answers(method, path, expected(cases))) == []


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", ""), ("POST", "/sessions/run-7"), ("PUT", "/sessions"), ("POST", "/events")],
)
def test_a_body_that_is_not_json_is_a_bad_request_and_changes_nothing(
    served: Served, method: str, path: str
) -> None:
    cases = ((name, body, (400, "bad_request", None)) for name, body in MALFORMED_BODIES.items())
    assert list(Adapter(served).wrong_answers(method, path, cases)) == []


def test_the_tables_hold_enough_cases() -> None:
    bodies = MALFORMED_REGISTRATIONS + MALFORMED_UPDATES + MALFORMED_BATCHES + MALFORMED_POLLS
    assert len(bodies) + 4 * len(MALFORMED_BODIES) + len(malformed_heads("token")) >= 400


def test_a_malformed_head_is_refused_in_the_order_of_the_table_and_changes_nothing(served: Served) -> None:
    adapter = Adapter(served)
    wrong = []
    for case in malformed_heads(served.token):
        reply = served.exchange(render(case.head))
        told: object = (*reply.refusal, reply.headers.get("allow", "")) if reply.body else reply.status
        wanted: object = (case.status, case.code, case.field, ", ".join(case.allow))
        if case.head.target == "a/v1/info":
            wanted = (400, "bad_request", None, "")  # not a target that HTTP knows
        if case.head.method == "HEAD":
            wanted = case.status
        if told != wanted:
            wrong.append(Wrong(case.name, wanted, told))
    assert wrong == []
    assert adapter.snapshot() == adapter.before


GOOD = b"GET /a/v1/info HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", id="a TLS hello"),
        pytest.param(b"\x00" * 64 + b"\r\n\r\n", id="zeros"),
        pytest.param(b"hello\r\n\r\n", id="a word"),
        pytest.param(b"GET\r\n\r\n", id="a method alone"),
        pytest.param(b"GET /a/v1/info\r\n\r\n", id="HTTP/0.9"),
        pytest.param(b"GET /a/v1/info HTTP/3.0\r\n\r\n", id="HTTP/3.0"),
        pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="HTTP/2"),
        pytest.param(b"GET /a/v1/info RTSP/1.0\r\nHost: localhost\r\n\r\n", id="RTSP"),
        pytest.param(b"BREW /a/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n", id="an unknown method"),
        pytest.param(b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", id="CONNECT"),
        pytest.param(b"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", id="a blank in the target"),
        pytest.param(b"GET /\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n", id="a target beyond ASCII"),
        pytest.param(b"GET /a/v1/info HTTP/1.1\nHost: localhost\n\n", id="bare LF"),
        pytest.param(GOOD + b"X: a\r\n b\r\n\r\n", id="a folded line"),
        pytest.param(GOOD + b"X : a\r\n\r\n", id="a blank before the colon"),
        pytest.param(GOOD + b"X\r\n\r\n", id="no colon"),
        pytest.param(GOOD + b": a\r\n\r\n", id="no name"),
        pytest.param(GOOD + b"X: a\x00b\r\n\r\n", id="a NUL in a value"),
        pytest.param(GOOD + b"X: a\rY: b\r\n\r\n", id="a CR in a value"),
        pytest.param(GOOD + b"X\xc3\xa9: a\r\n\r\n", id="a name beyond ASCII"),
        pytest.param(GOOD + b"X: " + b"a" * 16_384 + b"\r\n\r\n", id="a head over 16 KiB"),
        pytest.param(GOOD + b"X: " + b"a" * 300_000, id="a head without end"),
        pytest.param(GOOD + b"X: a\r\n" * 4_000 + b"\r\n", id="thousands of headers"),
        pytest.param(GOOD + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", id="an upgrade"),
    ],
)
def test_what_is_no_request_is_a_bad_request(served: Served, raw: bytes) -> None:
    assert served.exchange(raw).refusal == (400, "bad_request", None)
    assert served.ask("GET", "/info").status == 200


def test_a_refused_request_with_the_right_tokens_is_a_sign_of_life(served: Served) -> None:
    adapter = Adapter(served)
    for _ in range(10):
        served.host.clock.advance(14.0)
        assert adapter.ask("POST", "/sessions/run-7", b"not json").status == 400
    assert [view.state for view in served.on_loop(served.host.service.sessions)] == ["offline"]  # by its TTL
    assert adapter.ask("POST", "/heartbeat", b"").status == 204
    assert [view.state for view in served.on_loop(served.host.service.sessions)] == ["tool"]


def test_a_foreign_token_is_no_sign_of_life(served: Served) -> None:
    adapter = Adapter(served)
    served.host.clock.advance(14.0)
    unauthorized = build_head("POST", f"/a/v1{ADAPTER}/heartbeat", adapter.owner, token="wrong")
    assert served.exchange(unauthorized).status == 401
    assert served.ask("POST", f"{ADAPTER}/heartbeat").status == 403
    served.on_loop(lambda: served.host.advance(1.5))
    assert [view.state for view in served.on_loop(served.host.service.sessions)] == ["offline"]
