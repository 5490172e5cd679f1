"""Peers that stall, flood, reset or end early hurt nobody but themselves."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from tests.fakes.served import ADAPTER, Served, parse_reply, read_all

pytestmark = pytest.mark.socket

SLOTS = 8
QUICK_S = 1.0
"""A request beside stalled peers takes milliseconds; their shortest deadline is 3 s."""


def wait_until_open(served: Served, count: int) -> None:
    deadline = time.monotonic() + 10
    while served.on_loop(lambda: served.listener.open_connections) != count:
        assert time.monotonic() < deadline, "the server did not notice"


@contextmanager
def stalled(served: Served, count: int, start: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many open connections that have sent ``start`` and no more."""
    with ExitStack() as stack:
        peers = [stack.enter_context(served.connect()) for _ in range(count)]
        for peer in peers:
            peer.sendall(start)
        wait_until_open(served, count)
        yield peers


def partial_body(served: Served) -> bytes:
    return served.head("PUT", ADAPTER, length=100) + b"{"


def assert_quick(served: Served) -> None:
    before = time.monotonic()
    assert served.ask("GET", "/info").status == 200
    assert time.monotonic() - before < QUICK_S


def test_slow_peers_do_not_delay_a_fast_one(served: Served) -> None:
    with stalled(served, 3), stalled_more(served, b"GET /a/v1/in", 3), stalled_more(served, b"", 1):
        for _ in range(20):
            assert_quick(served)


@contextmanager
def stalled_more(served: Served, start: bytes, count: int) -> Iterator[None]:
    before = served.on_loop(lambda: served.listener.open_connections)
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(served.connect()).sendall(start)
        wait_until_open(served, before + count)
        yield


def test_a_peer_that_trickles_its_head_does_not_delay_a_fast_one(served: Served) -> None:
    request = served.head("GET", "/info")
    with stalled(served, 7, b"G") as peers:
        for byte in request[1:20]:
            for peer in peers:
                peer.sendall(bytes([byte]))
            assert_quick(served)
        for peer in peers:
            peer.sendall(request[20:])
            assert parse_reply(read_all(peer)).status == 200


@pytest.mark.parametrize("is_silent", [True, False], ids=["silent", "bodies awaited"])
def test_the_ninth_connection_is_told_to_come_back(served: Served, *, is_silent: bool) -> None:
    with stalled(served, SLOTS, b"" if is_silent else partial_body(served)) as peers:
        ninth = served.exchange(served.head("PUT", ADAPTER, length=50))
        assert ninth.refusal == (503, "limit_exceeded", None)
        assert ninth.headers["retry-after"] == "1"
        peers[0].close()
        wait_until_open(served, SLOTS - 1)
        assert served.ask("GET", "/info").status == 200


def test_the_apps_own_requests_are_never_in_the_way_of_adapters_nor_delayed_by_them(served: Served) -> None:
    with stalled(served, SLOTS, partial_body(served)):
        before = time.monotonic()
        assert served.open("popover").status == 204
        assert time.monotonic() - before < QUICK_S


def test_eight_can_be_served_at_a_time(served: Served) -> None:
    body = b'{"name":"Example","palette":{"baseHue":270}}'
    request = served.head("PUT", ADAPTER, length=len(body)) + body
    with stalled(served, SLOTS, request[:-1]) as peers:
        for peer in peers:
            peer.sendall(request[-1:])
        assert sorted(parse_reply(read_all(peer)).status for peer in peers) == [200] * 7 + [201]


def test_beyond_128_silent_connections_the_oldest_goes(served: Served) -> None:
    with stalled(served, 128) as peers, served.connect():
        assert read_all(peers[0]) == b""
        wait_until_open(served, 128)
        peers[1].setblocking(False)
        with pytest.raises(BlockingIOError):
            peers[1].recv(1)


@pytest.mark.parametrize("size", [65_537, 3_000_000])
def test_a_client_that_sends_a_large_body_first_still_reads_the_413(served: Served, size: int) -> None:
    for _ in range(10):
        reply = served.exchange(served.head("PUT", ADAPTER, length=size) + b"x" * size)
        assert reply.refusal == (413, "payload_too_large", None)


def test_a_client_that_sends_chunks_first_still_reads_the_411(served: Served) -> None:
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    request = served.head("PUT", ADAPTER, "Transfer-Encoding: chunked") + chunk * 16 + b"0\r\n\r\n"
    assert served.exchange(request).refusal == (411, "length_required", None)


def test_a_413_comes_before_any_byte_of_the_body(served: Served) -> None:
    with served.connect() as sock:
        sock.sendall(served.head("PUT", ADAPTER, "Expect: 100-continue", length=65_537))
        assert parse_reply(read_all(sock)).status == 413


def test_junk_behind_a_request_is_ignored(served: Served) -> None:
    for junk in (b"x", b"\r\n\r\n", served.head("GET", "/info") * 50, b"\x00" * 1_000_000):
        assert served.exchange(served.head("GET", "/info") + junk).status == 200
    assert served.on_loop(lambda: served.host.published) == []


def test_a_client_that_ends_its_side_still_reads_the_answer(served: Served) -> None:
    with served.connect() as sock:
        sock.sendall(served.head("GET", "/info"))
        sock.shutdown(socket.SHUT_WR)
        assert parse_reply(read_all(sock)).status == 200


@pytest.mark.parametrize("missing", [1, 30], ids=["in the body", "in the head"])
def test_a_client_that_ends_its_side_too_early_is_told(served: Served, missing: int) -> None:
    with served.connect() as sock:
        sock.sendall((served.head("PUT", ADAPTER, length=5) + b"hello")[:-missing])
        sock.shutdown(socket.SHUT_WR)
        assert parse_reply(read_all(sock)).refusal == (400, "bad_request", None)


def test_a_client_that_says_nothing_and_ends_gets_nothing(served: Served) -> None:
    with served.connect() as sock:
        sock.shutdown(socket.SHUT_WR)
        assert read_all(sock) == b""
    wait_until_open(served, 0)


def test_clients_that_reset_leave_nothing_behind(served: Served) -> None:
    body = b'{"title":"t","activity":"idle"}'
    request = served.head("POST", f"{ADAPTER}/sessions/run-7", length=len(body)) + body
    for cut in (0, 1, 40, len(request) - 5, len(request)):
        for _ in range(5):
            sock = served.connect()
            sock.sendall(request[:cut])
            if sock.family == socket.AF_INET:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
    assert served.open("popover").status == 204  # accepted after all of them
    wait_until_open(served, 0)
    assert served.ask("GET", "/info").status == 200


@pytest.mark.slow
@pytest.mark.parametrize("served", ["qasync"], indirect=True)
def test_the_heads_deadline_holds_on_qts_clock(served: Served) -> None:
    before = time.monotonic()
    with stalled(served, 1) as [silent], served.connect() as slow:
        slow.sendall(b"GET /a/v1/in")
        assert read_all(silent) == b""
        assert parse_reply(read_all(slow)).refusal == (400, "bad_request", None)
        assert 5.0 <= time.monotonic() - before < 7.0


@pytest.mark.slow
@pytest.mark.parametrize("served", ["tcp", "server"], indirect=True)
def test_a_peer_that_does_not_read_is_dropped_and_delays_nobody(served: Served) -> None:
    served.host.service._version = "v" * 30_000_000  # no real reply is larger than a socket's buffers
    with served.connect() as stuck:
        before = time.monotonic()
        stuck.sendall(served.head("GET", "/info"))
        wait_until_open(served, 1)
        assert served.ask("POST", f"{ADAPTER}/heartbeat").status == 404
        assert time.monotonic() - before < QUICK_S
        wait_until_open(served, 0)
        assert 3.0 <= time.monotonic() - before < 5.0


@pytest.mark.parametrize("served", ["unix", "qasync"], indirect=True)
def test_a_foreign_peer_is_closed_without_a_word(served: Served) -> None:
    served.is_peer_welcome = False
    with served.connect() as sock, suppress(BrokenPipeError, ConnectionResetError):
        sock.sendall(b"GET /a/v1/info HTTP/1.1\r\n")
        assert sock.recv(100) == b""
    served.is_peer_welcome = True
    assert served.ask("GET", "/info").status == 200


def test_many_updates_in_a_row_all_arrive(served: Served) -> None:
    body = json.dumps({"name": "Example", "palette": {"baseHue": 270}}).encode()
    served.ask("PUT", ADAPTER, body)
    served.on_loop(served.host.adapter().allow)
    served.ask("POST", f"{ADAPTER}/sessions/run-7", {"title": "0", "activity": "idle"})
    for number in range(1, 301):
        served.host.clock.advance(0.06)
        assert served.ask("POST", f"{ADAPTER}/sessions/run-7", {"title": str(number)}).status == 200
        assert served.on_loop(served.host.service.sessions)[0].title == str(number)
