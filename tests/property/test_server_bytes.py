"""Whatever bytes arrive, in whatever pieces: one well-formed answer or none, never a fault of ours."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from orbtile.server.answers import PendingAnswers
from orbtile.server.connection import Connection
from orbtile.server.dispatch import Dispatch
from orbtile.server.table import ConnectionTable
from tests.fakes.hosts import Host
from tests.fakes.scheduler import FakeScheduler
from tests.fakes.served import Reply, build_head, parse_reply
from tests.fakes.transport import FakeTransport

TOKEN = "token-1".ljust(43, "x")
"""The first token that the fake source gives, so that valid requests can be built before there is a host."""

BODY = b'{"title":"a title","activity":"tool","message":{"id":"1","text":"some text"}}'
REQUESTS = (
    build_head("GET", "/a/v1/info", token=TOKEN),
    build_head("POST", "/a/v1/adapters/dev.example/sessions/run-7", length=len(BODY), token=TOKEN) + BODY,
    build_head("PUT", "/a/v1/adapters/dev.example/sessions", length=15, token=TOKEN) + b'{"sessions":[]}',
    build_head("DELETE", "/a/v1/adapters/dev.example/sessions/run-7?host=vm-1", token=TOKEN),
    build_head("POST", "/a/v1/adapters/dev.example/heartbeat", token=TOKEN),
)

STATUSES = frozenset({200, 201, 204, 400, 401, 403, 404, 405, 409, 411, 413, 415, 422})


def answer(*pieces: bytes) -> Reply | None:
    """What a fresh host with one adapter says; None: nothing was asked."""
    host = Host()
    assert host.service.api_token == TOKEN
    host.allowed()
    table = ConnectionTable(FakeScheduler())
    transport = FakeTransport(Connection(Dispatch(host.service), table, PendingAnswers()))
    for piece in pieces:
        transport.receive(piece)
    transport.receive_end()
    assert transport.is_closing()
    assert len(table) == 0
    if not transport.written:
        return None
    is_head = b"".join(pieces).lstrip(b"\r\n").startswith(b"HEAD ")
    reply = parse_reply(transport.written, answers_head=is_head)
    assert reply.status in STATUSES
    if reply.status >= 400 and not is_head:
        assert set(json.loads(reply.body)["error"]) <= {"code", "message", "field"}
    return reply


@st.composite
def damaged_requests(draw: st.DrawFn) -> bytes:
    """A good request with a few bytes replaced, removed or inserted."""
    request = bytearray(draw(st.sampled_from(REQUESTS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(request)))
        end = min(len(request), start + draw(st.integers(0, 3)))
        junk = st.binary(max_size=3) | st.sampled_from(
            [b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b"\x00", b"%"]
        )
        request[start:end] = draw(junk)
    return bytes(request)


def cut(data: bytes, places: set[int]) -> list[bytes]:
    return [
        data[start:end]
        for start, end in pairwise([0, *sorted(p for p in places if 0 < p < len(data)), len(data)])
    ]


@given(st.binary(max_size=300))
def test_any_bytes_get_one_answer_or_none(data: bytes) -> None:
    reply = answer(data)
    assert (reply is None) == (data == b"")
    assert reply is None or reply.status == 400


@given(damaged_requests())
def test_a_damaged_request_gets_one_answer_and_no_fault(data: bytes) -> None:
    answer(data)


@given(damaged_requests() | st.sampled_from(REQUESTS), st.sets(st.integers(1, 400), max_size=20))
def test_how_the_bytes_are_cut_changes_nothing(data: bytes, places: set[int]) -> None:
    assert answer(*cut(data, places)) == answer(data)
