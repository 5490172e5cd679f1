"""However a request's bytes are cut on their way, the answer is the same."""

import json
import socket
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.bodies import REGISTRATION
from tests.fakes.served import ADAPTER, HOOK_TOKEN, Reply, Served, build_head

pytestmark = pytest.mark.socket

UPDATE = json.dumps({"title": "möbel 🪑", "activity": "tool", "flavour": 1}, ensure_ascii=False).encode()
UNKNOWN_ACTIVITY = json.dumps({"title": "t", "activity": "busy"}).encode()

Build = Callable[[Served], bytes]


def update(served: Served, body: bytes) -> bytes:
    return served.head("POST", f"{ADAPTER}/sessions/run-7", length=len(body)) + body


REQUESTS: dict[str, Build] = {
    "an update": lambda served: update(served, UPDATE),
    "a refused field": lambda served: update(served, UNKNOWN_ACTIVITY),
    "a body that is not JSON": lambda served: update(served, b'{"title":'),
    "info": lambda served: served.head("GET", "/info", "X-Orbtile-Nonce: 0123456789abcdef"),
    "a heartbeat with a body": lambda served: served.head("POST", f"{ADAPTER}/heartbeat", length=3) + b"abc",
    "a refusal at the head": lambda served: (
        served.head("POST", f"{ADAPTER}/sessions/run-7", length=9, token="wrong") + b"some body"
    ),
    "a 413": lambda served: served.head("PUT", ADAPTER, length=65_537) + b"some of the body",
    "a chunked body": lambda served: (
        served.head("PUT", ADAPTER, "Transfer-Encoding: chunked") + b"5\r\nhello\r\n0\r\n\r\n"
    ),
    "a malformed head": lambda _served: b"GET /a/v1/info HTTP/1.1\r\nHost : localhost\r\n\r\n",
    "bare line feeds": lambda _served: b"GET /a/v1/info HTTP/1.1\nHost: localhost\n\n",
    "two requests": lambda served: served.head("GET", "/info") * 2,
    "a control request": lambda _served: build_head("POST", "/control/open/popover", token=HOOK_TOKEN),
}


def register(served: Served) -> None:
    body = json.dumps({"name": "Example", "palette": {"baseHue": 270}}).encode()
    served.host.clock.advance(0.06)
    assert served.ask("PUT", ADAPTER, body).status in {200, 201}


def send(served: Served, *pieces: bytes) -> Reply:
    """Slowly enough for the buckets; the session keeps existing."""
    served.host.clock.advance(0.06)
    return served.exchange_pieces(*pieces)


@pytest.mark.parametrize("build", REQUESTS.values(), ids=REQUESTS)
def test_one_byte_at_a_time_gives_the_same_answer(served: Served, build: Build) -> None:
    register(served)
    request = build(served)
    whole = send(served, request)
    pieces = [request[start:end] for start, end in pairwise(range(len(request) + 1))]
    assert send(served, *pieces) == whole


@pytest.mark.parametrize("build", REQUESTS.values(), ids=REQUESTS)
def test_every_split_point_gives_the_same_answer(served: Served, build: Build) -> None:
    register(served)
    request = build(served)
    whole = send(served, request)
    for at in range(1, len(request)):
        assert send(served, request[:at], request[at:]) == whole


@pytest.mark.parametrize("served", ["unix", "qasync"], indirect=True)
@given(data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_split_gives_the_same_answer(served: Served, data: st.DataObject) -> None:
    register(served)
    request = REQUESTS[data.draw(st.sampled_from(sorted(REQUESTS)))](served)
    cuts = data.draw(st.sets(st.integers(1, len(request) - 1), max_size=12).map(sorted))
    pieces = [request[start:end] for start, end in pairwise([0, *cuts, len(request)])]
    assert send(served, *pieces) == send(served, request)


def test_a_body_of_the_largest_size_arrives_in_any_pieces(served: Served) -> None:
    filler = {**REGISTRATION, "unknown": ""}
    filler["unknown"] = "x" * (65_536 - len(json.dumps(filler)))
    request = served.head("PUT", ADAPTER, length=65_536) + json.dumps(filler).encode()
    with served.connect() as sock:
        if sock.family == socket.AF_INET:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(request), 1_000):
            sock.sendall(request[start : start + 1_000])
        assert sock.recv(65_536).startswith(b"HTTP/1.1 201 ")
