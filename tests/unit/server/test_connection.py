import random
from itertools import pairwise

import pytest

from orbtile.protocol.gate import RequestHead
from orbtile.protocol.limits import MAX_CONNECTIONS, MAX_HEAD_BYTES
from orbtile.server.connection import DRAIN_LIMIT_BYTES, Connection
from orbtile.server.handler import BodyWanted
from orbtile.server.response import NO_CONTENT, Response
from tests.conftest import ExpectLog
from tests.fakes.connections import GET, POST, Bench, body, error, status
from tests.fakes.transport import FakeTransport


@pytest.fixture
def bench() -> Bench:
    return Bench()


# --- one request, one response ------------------------------------------------------------------------------


def test_a_whole_request_is_answered_and_closed_at_once(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(POST + b"hello")
    assert body(peer) == b"/x hello"
    assert peer.is_closing()
    assert not peer.has_ended
    assert len(bench.table) == 0
    assert bench.handler.heads == [
        RequestHead("POST", "/x", (("host", "localhost"), ("content-length", "5")))
    ]


def test_an_answered_connection_leaves_no_wake_up_behind_its_first(bench: Bench) -> None:
    bench.connect().receive(GET)
    bench.time.advance(60.0)
    assert len(bench.time.armed) == 1


@pytest.mark.parametrize("request_", [GET, POST + b"hello", b"\r\n" + POST + b"hello", b"junk\n\n", POST])
def test_the_answer_is_the_same_at_every_split_point(bench: Bench, request_: bytes) -> None:
    whole = bench.connect()
    whole.receive(request_)
    whole.receive_end()
    for at in range(1, len(request_)):
        peer = bench.connect()
        peer.receive(request_[:at])
        peer.receive(request_[at:])
        peer.receive_end()
        assert peer.written == whole.written
        assert peer.is_closing()


@pytest.mark.parametrize("request_", [GET, POST + b"hello", b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"])
def test_the_answer_is_the_same_byte_by_byte(bench: Bench, request_: bytes) -> None:
    whole, peer = bench.connect(), bench.connect()
    whole.receive(request_)
    for start, end in pairwise(range(len(request_) + 1)):
        peer.receive(request_[start:end])
    assert peer.written == whole.written


def test_a_large_body_in_small_pieces_arrives_whole(bench: Bench) -> None:
    sent = random.Random(7).randbytes(65_536)
    peer = bench.connect()
    peer.receive(b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n")
    for start in range(0, len(sent), 7):
        peer.receive(sent[start : start + 7])
    assert body(peer) == b"/x " + sent


def test_head_is_answered_without_a_body(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(b"HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert peer.written.endswith(b"Content-Length: 3\r\nConnection: close\r\n\r\n")


def test_expect_100_continue_gets_no_interim_reply(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(POST.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
    assert peer.written == b""
    peer.receive(b"hello")
    assert peer.written.startswith(b"HTTP/1.1 200 ")


def test_a_body_method_without_body_is_answered_at_the_head(bench: Bench) -> None:
    bench.answer(NO_CONTENT)
    peer = bench.connect()
    peer.receive(b"POST /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status(peer) == 204
    assert peer.is_closing()


# --- what cannot be read ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [b"\x16\x03\x01\n\n", b"GET /x\r\n\r\n", b"BREW / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\nHost: a\n\n"],
)
def test_what_the_parser_cannot_read_is_a_bad_request(bench: Bench, raw: bytes) -> None:
    peer = bench.connect()
    peer.receive(raw)
    assert error(peer) == (400, "bad_request")
    assert not bench.handler.heads


def padded_head(length: int) -> bytes:
    start = b"GET /x HTTP/1.1\r\nHost: localhost\r\nX-Pad: "
    return start + b"a" * (length - len(start) - 4) + b"\r\n\r\n"


def test_a_head_of_16_kib_is_read_and_one_byte_more_is_refused(bench: Bench) -> None:
    largest, larger = bench.connect(), bench.connect()
    largest.receive(padded_head(MAX_HEAD_BYTES))
    larger.receive(padded_head(MAX_HEAD_BYTES + 1))
    assert status(largest) == 200
    assert error(larger) == (400, "bad_request")


def test_a_head_that_grows_beyond_16_kib_is_refused_before_it_ends(bench: Bench) -> None:
    peer = bench.connect()
    for _ in range(MAX_HEAD_BYTES):
        peer.receive(b"a")
    assert peer.written == b""
    peer.receive(b"a")
    assert error(peer) == (400, "bad_request")


def test_a_large_body_behind_a_small_head_is_not_counted_as_head(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n" + b"a" * 65_536)
    assert status(peer) == 200


# --- leaving politely ---------------------------------------------------------------------------------------


REFUSAL = Response(413, b"too much")


def test_a_refusal_with_the_body_on_its_way_ends_our_side_and_drains_the_rest(bench: Bench) -> None:
    bench.answer(REFUSAL)
    peer = bench.connect()
    peer.receive(POST)
    assert body(peer) == b"too much"
    assert peer.has_ended
    assert not peer.is_closing()
    peer.receive(b"hello")
    peer.receive(b"and more")
    peer.receive_end()
    assert peer.is_closing()
    assert len(bench.table) == 0
    assert peer.written.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("zeros", [b"", b"0" * 20])
def test_a_refusal_of_a_complete_request_closes_at_once(bench: Bench, zeros: bytes) -> None:
    bench.answer(REFUSAL)
    peer = bench.connect()
    peer.receive(POST.replace(b"Length: ", b"Length: " + zeros) + b"hello")
    assert peer.is_closing()
    assert not peer.has_ended


@pytest.mark.parametrize(
    "headers",
    [
        b"Transfer-Encoding: chunked",
        b"Content-Length: 99999999999999999999",
        b"Content-Length: 0009999",
        b"Content-Length: many",
        b"Content-Length: 5\r\nContent-Length: 0",
    ],
)
def test_a_refusal_of_a_body_without_end_drains(bench: Bench, headers: bytes) -> None:
    bench.answer(REFUSAL)
    peer = bench.connect()
    peer.receive(b"POST /x HTTP/1.1\r\nHost: localhost\r\n" + headers + b"\r\n\r\n")
    assert peer.has_ended
    assert not peer.is_closing()


def test_bytes_behind_the_first_request_are_ignored_and_drained(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(POST + b"hello" + GET)
    assert body(peer) == b"/x hello"
    assert peer.has_ended
    peer.receive(GET)
    assert len(bench.handler.heads) == 1
    peer.receive_end()
    assert peer.is_closing()


def test_the_drain_ends_at_its_limit_of_bytes(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(GET + b"x")
    for _ in range(DRAIN_LIMIT_BYTES // 65_536):
        peer.receive(b"x" * 65_536)
    assert not peer.is_closing()
    peer.receive(b"x")
    assert peer.was_aborted


def test_the_drain_ends_after_three_seconds(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(GET + b"x")
    bench.time.advance(2.9)
    assert not peer.is_closing()
    bench.time.advance(0.5)
    assert peer.was_aborted
    assert len(bench.table) == 0


def test_a_peer_that_is_gone_when_the_answer_is_written_is_forgotten(bench: Bench) -> None:
    peer = bench.connect()
    peer.is_broken = True
    peer.receive(POST + b"hello")
    assert len(bench.table) == 0


def test_a_reset_while_the_body_is_awaited_forgets_the_request(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive(POST + b"he")
    peer.lose()
    assert len(bench.table) == 0
    bench.time.advance(30.0)
    assert peer.written == b""


# --- half-close ---------------------------------------------------------------------------------------------


def test_a_peer_that_ends_without_a_word_gets_none(bench: Bench) -> None:
    peer = bench.connect()
    peer.receive_end()
    assert peer.is_closing()
    assert peer.written == b""
    assert len(bench.table) == 0


@pytest.mark.parametrize("part", [b"GET /x HT", POST, POST + b"hell"])
def test_a_peer_that_ends_its_side_too_early_is_told(bench: Bench, part: bytes) -> None:
    peer = bench.connect()
    peer.receive(part)
    peer.receive_end()
    assert error(peer) == (400, "bad_request")
    assert peer.is_closing()


def test_the_end_of_a_peer_that_was_answered_changes_nothing(bench: Bench) -> None:
    connection = Connection(bench.handler, bench.table, bench.answers)
    peer = FakeTransport(connection)
    peer.receive(GET)
    connection.eof_received()
    connection.data_received(b"late")
    assert peer.written.count(b"HTTP/1.1") == 1


# --- deadlines ----------------------------------------------------------------------------------------------


def test_a_silent_peer_is_dropped_after_five_seconds(bench: Bench) -> None:
    peer = bench.connect()
    bench.time.advance(4.9)
    assert not peer.is_closing()
    bench.time.advance(0.6)
    assert peer.was_aborted
    assert peer.written == b""


def test_a_head_that_trickles_in_is_refused_after_five_seconds(bench: Bench) -> None:
    peer = bench.connect()
    for byte in GET[:10]:
        peer.receive(bytes([byte]))
        bench.time.advance(0.49)
    assert peer.written == b""
    bench.time.advance(0.6)
    assert error(peer) == (400, "bad_request")
    assert peer.has_ended


def test_a_body_has_ten_seconds_from_the_head_on(bench: Bench) -> None:
    peer = bench.connect()
    bench.time.advance(4.0)
    peer.receive(POST)
    bench.time.advance(9.9)
    assert peer.written == b""
    bench.time.advance(1.0)
    assert error(peer) == (400, "bad_request")


def test_a_peer_that_does_not_read_is_dropped_after_three_seconds(bench: Bench) -> None:
    peer = bench.connect(reads=False)
    peer.receive(GET)
    assert len(bench.table) == 1
    bench.time.advance(2.9)
    assert len(bench.table) == 1
    bench.time.advance(0.5)
    assert peer.was_aborted
    assert len(bench.table) == 0


def test_a_peer_that_neither_reads_nor_stops_sending_keeps_its_slot_for_three_seconds_at_most(
    bench: Bench,
) -> None:
    stalled = [bench.connect(reads=False) for _ in range(MAX_CONNECTIONS)]
    for peer in stalled:
        peer.receive(GET + b"x")
    ninth = bench.connect()
    ninth.receive(GET)
    assert error(ninth) == (503, "limit_exceeded")
    bench.time.advance(3.5)
    assert all(peer.was_aborted for peer in stalled)
    next_ = bench.connect()
    next_.receive(GET)
    assert status(next_) == 200


# --- slots --------------------------------------------------------------------------------------------------


def test_the_ninth_is_told_as_soon_as_its_head_is_in(bench: Bench) -> None:
    others = [bench.connect() for _ in range(MAX_CONNECTIONS)]
    ninth = bench.connect()
    ninth.receive(POST)
    assert error(ninth) == (503, "limit_exceeded")
    assert b"\r\nRetry-After: 1\r\n" in ninth.written
    assert not bench.handler.heads
    for peer in others:
        peer.receive(POST + b"hello")
        assert status(peer) == 200


def test_a_request_that_needs_no_slot_is_served_beside_eight_stalled_ones(bench: Bench) -> None:
    for _ in range(MAX_CONNECTIONS):
        bench.connect().receive(POST)
    peer = bench.connect()
    peer.receive(GET.replace(b"/x", b"/free"))
    assert status(peer) == 200


def test_a_request_that_needs_no_slot_gives_its_own_back_while_its_body_comes(bench: Bench) -> None:
    free = bench.connect()
    free.receive(POST.replace(b"/x", b"/free"))
    for _ in range(MAX_CONNECTIONS - 1):
        bench.connect().receive(POST)
    eighth = bench.connect()
    eighth.receive(GET)
    assert status(eighth) == 200


def test_a_drained_connection_holds_no_slot(bench: Bench) -> None:
    for _ in range(MAX_CONNECTIONS + 4):
        peer = bench.connect()
        peer.receive(GET + b"x")
        assert status(peer) == 200
        assert not peer.is_closing()


# --- faults of ours -----------------------------------------------------------------------------------------


def fail(text: str) -> Response:
    raise ValueError(text)


def test_a_fault_behind_the_head_gives_500_without_detail(bench: Bench, expect_log: ExpectLog) -> None:
    expect_log(r"^orbtile\.server\.faults: ERROR: a request failed: ValueError at \S+:\d+ in fail$")
    bench.handler.answer = lambda head: fail(f"secret {head.target}")
    peer = bench.connect()
    peer.receive(GET)
    assert error(peer) == (500, "internal")
    assert b"secret" not in peer.written


def test_a_fault_behind_the_body_gives_500_without_detail(
    bench: Bench, expect_log: ExpectLog, caplog: pytest.LogCaptureFixture
) -> None:
    expect_log(r"ValueError at ")
    bench.handler.answer = lambda _head: BodyWanted(5, lambda body: fail(f"secret {body!r}"))
    peer = bench.connect()
    peer.receive(POST)
    peer.receive(b"hello")
    assert error(peer) == (500, "internal")
    assert "secret" not in caplog.text
    assert "hello" not in caplog.text
