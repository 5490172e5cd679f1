"""The strict host behind a real socket: what it takes for a request, its slots, held polls and files."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from orbtile_adapter.host import limits, places
from orbtile_adapter.host.engine import StrictHost
from orbtile_adapter.host.gate import Route
from orbtile_adapter.host.server import HostServer
from orbtile_adapter.host.stage import Stage

pytestmark = [
    pytest.mark.socket,
    pytest.mark.skipif(sys.platform == "win32", reason="most of it is about a Unix socket"),
]

ADAPTER = "/adapters/dev.example"
REGISTRATION = {"name": "Example", "palette": {"baseHue": 270}}
INTERACTIVE = {**REGISTRATION, "capabilities": ["tap", "approvals", "questions"]}
NEW = {"title": "t", "activity": "thinking"}
ASKING = {
    "title": "t",
    "activity": "waitingPermission",
    "approval": {"id": "a-1", "toolName": "Bash", "commandSummary": "true"},
}
Reply = tuple[int, dict[str, str], Any]


class Peer:
    """An adapter that writes its own bytes."""

    def __init__(self, server: HostServer) -> None:
        self.server = server
        self.owner = ""

    @property
    def place(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.server.discovery.read_text())
        return found

    def connect(self) -> socket.socket:
        place = self.place
        if "port" in place:
            return socket.create_connection(("127.0.0.1", place["port"]), 10)
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(10)
        sock.connect(place["socketPath"])
        return sock

    def request(self, method: str, path: str, body: object = None) -> bytes:
        data = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} /a/v1{path} HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            f"Authorization: Bearer {self.place['token']}",
            f"Content-Length: {len(data)}",
        ]
        if self.owner:
            lines.append(f"X-Orbtile-Adapter-Token: {self.owner}")
        return "\r\n".join([*lines, "", ""]).encode() + data

    def exchange(self, data: bytes) -> Reply:
        with closing(self.connect()) as sock:
            sock.sendall(data)
            return read(sock)

    def ask(self, method: str, path: str, body: object = None) -> Reply:
        reply = self.exchange(self.request(method, path, body))
        if reply[2] and "adapterToken" in reply[2]:
            self.owner = reply[2]["adapterToken"]
        return reply


def read(sock: socket.socket) -> Reply:
    raw = b""
    while data := sock.recv(65_536):
        raw += data
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    assert headers["connection"] == "close"
    assert int(headers.get("content-length", "0")) == len(body)
    return int(first.split(" ")[1]), headers, json.loads(body) if body else None


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="obhost-") as name:  # short: a socket's path holds 103 bytes
        yield Path(name)


@pytest.fixture
def server(folder: Path) -> Iterator[HostServer]:
    with HostServer(Stage(StrictHost(consent="allow")), folder / "api.json") as running:
        yield running


@pytest.fixture
def peer(server: HostServer) -> Peer:
    return Peer(server)


# --- files --------------------------------------------------------------------------------------------------


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_file_is_private_and_goes_with_the_host(folder: Path) -> None:
    discovery = folder / "new" / "api.json"
    with HostServer(Stage(StrictHost()), discovery) as server:
        assert (mode(discovery), mode(discovery.parent)) == (0o600, 0o700)
        place = Peer(server).place
        assert set(place) == {"api", "socketPath", "basePath", "token", "pid"}
        assert mode(Path(place["socketPath"])) == 0o600
        assert place["pid"] == os.getpid()
    assert list(discovery.parent.iterdir()) == []


def test_a_deep_folder_sends_the_socket_to_a_short_private_one(folder: Path) -> None:
    discovery = folder / ("deep" * 20) / ("er" * 30) / "api.json"
    with HostServer(Stage(StrictHost()), discovery) as server:
        path = Path(Peer(server).place["socketPath"])
        assert path.parent != discovery.parent
        assert len(os.fsencode(path)) <= places.LONGEST_SOCKET_PATH
        assert mode(path.parent) == 0o700
        assert Peer(server).ask("GET", "/info")[0] == 200
    assert not path.parent.exists()


def test_a_folder_that_others_may_enter_holds_no_socket(folder: Path) -> None:
    folder.chmod(0o755)
    with HostServer(Stage(StrictHost()), folder / "api.json") as server:
        assert Path(Peer(server).place["socketPath"]).parent != folder


def test_a_short_folder_that_is_not_ours_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "LONGEST_SOCKET_PATH", 5)
    monkeypatch.setattr(os, "getuid", lambda: 12_345)
    with pytest.raises(PermissionError):
        places.socket_path(folder / "api.json")
    for left in Path("/tmp").glob("orbtile-mock-12345-*"):
        left.rmdir()


def test_loopback_tcp_is_named_by_url_and_port(folder: Path) -> None:
    with HostServer(Stage(StrictHost()), folder / "api.json", tcp=True) as server:
        place = Peer(server).place
        assert place["url"] == f"http://127.0.0.1:{place['port']}"
        assert "socketPath" not in place
        assert Peer(server).ask("GET", "/info")[0] == 200


def test_a_new_token_is_in_the_file_at_once(server: HostServer, peer: Peer) -> None:
    old = peer.place["token"]
    server.regenerate_token()
    assert peer.place["token"] != old
    assert peer.ask("GET", "/info")[0] == 200


def test_off_leaves_no_file_and_tells_who_still_asks(server: HostServer, peer: Peer) -> None:
    request, sock = peer.request("GET", "/info"), peer.connect()
    server.switch_off()
    assert not server.discovery.exists()
    with closing(sock):
        sock.sendall(request)
        status, _, body = read(sock)
    assert (status, body["error"]["code"]) == (503, "api_disabled")
    server.switch_on()
    assert peer.ask("GET", "/info")[0] == 200


# --- bytes --------------------------------------------------------------------------------------------------

GOOD = b"GET /a/v1/info HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n",
        b"\x00" * 64 + b"\r\n\r\n",
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /a/v1/info\r\n\r\n",
        b"GET /a/v1/info HTTP/3.0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"BREW /a/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET a/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /a/v1/info HTTP/1.1\nHost: localhost\n\n",
        GOOD + b"X: a\r\n b\r\n\r\n",
        GOOD + b"X : a\r\n\r\n",
        GOOD + b"X\r\n\r\n",
        GOOD + b": a\r\n\r\n",
        GOOD + b"X: a\x00b\r\n\r\n",
        GOOD + b"X: a\rY: b\r\n\r\n",
        GOOD + b"X\xc3\xa9: a\r\n\r\n",
        GOOD + b"X: " + b"a" * 16_384 + b"\r\n\r\n",
        GOOD + b"X: " + b"a" * 300_000,
        GOOD + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    ],
    ids=lambda raw: repr(raw[:40]),
)
def test_what_is_no_request_is_a_bad_request(peer: Peer, raw: bytes) -> None:
    status, _, body = peer.exchange(raw)
    assert (status, body["error"]["code"]) == (400, "bad_request")


def test_a_request_that_comes_byte_by_byte_is_one(peer: Peer) -> None:
    with closing(peer.connect()) as sock:
        for byte in peer.request("PUT", ADAPTER, REGISTRATION):
            sock.sendall(bytes([byte]))
        assert read(sock)[0] == 201


def test_what_comes_behind_a_request_is_ignored(peer: Peer) -> None:
    assert peer.exchange(peer.request("PUT", ADAPTER, REGISTRATION) + b"GET / HTTP/1.1\r\n\r\n")[0] == 201


def test_too_large_a_body_is_refused_by_its_head_and_the_reply_arrives(peer: Peer) -> None:
    status, _, body = peer.exchange(peer.request("PUT", ADAPTER, {"name": "x" * 200_000}))
    assert (status, body["error"]["code"]) == (413, "payload_too_large")


def test_a_body_behind_an_early_head_is_waited_for(peer: Peer) -> None:
    request = peer.request("PUT", ADAPTER, REGISTRATION)
    head, _, body = request.partition(b"\r\n\r\n")
    with closing(peer.connect()) as sock:
        sock.sendall(head + b"\r\n\r\n")
        time.sleep(0.05)
        sock.sendall(body)
        assert read(sock)[0] == 201


def test_a_peer_that_leaves_in_the_middle_is_forgotten(server: HostServer, peer: Peer) -> None:
    for part in (b"", b"GET /a", peer.request("PUT", ADAPTER, REGISTRATION)[:-5]):
        with closing(peer.connect()) as sock:
            sock.sendall(part)
    assert peer.ask("GET", "/info")[0] == 200
    assert [one.route for one in server.stage.journal] == [Route.INFO]


def test_head_gets_no_body(peer: Peer) -> None:
    with closing(peer.connect()) as sock:
        sock.sendall(peer.request("HEAD", "/info"))
        raw = b""
        while data := sock.recv(65_536):
            raw += data
    assert raw.startswith(b"HTTP/1.1 405 ")
    assert b"Allow: GET\r\n" in raw
    assert raw.endswith(b"\r\n\r\n")


def test_the_ninth_connection_is_told_to_come_back(peer: Peer) -> None:
    with ExitStack() as stack:
        for _ in range(limits.CONNECTIONS):
            stack.enter_context(closing(peer.connect()))
        time.sleep(0.1)
        status, headers, body = peer.ask("GET", "/info")
    assert (status, body["error"]["code"], headers["retry-after"]) == (503, "limit_exceeded", "1")
    deadline = time.monotonic() + 5
    while peer.ask("GET", "/info")[0] != 200:
        assert time.monotonic() < deadline


# --- polls --------------------------------------------------------------------------------------------------


class Poll(threading.Thread):
    """A held poll."""

    def __init__(self, peer: Peer, path: str = ADAPTER, after: int = 0) -> None:
        super().__init__()
        self._request = peer.request(
            "POST", f"{path}/events", {"after": after, "ack": after, "waitSeconds": 2}
        )
        self._peer = peer
        self.reply: Reply | None = None
        self.start()

    def run(self) -> None:
        self.reply = self._peer.exchange(self._request)

    def wait(self) -> Reply:
        self.join(10)
        assert self.reply is not None
        return self.reply


def held(server: HostServer, count: int = 1) -> None:
    deadline = time.monotonic() + 5
    while sum(lease.is_polling for lease in server.stage.host.leases.values()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def asking(server: HostServer, peer: Peer) -> Peer:
    assert peer.ask("PUT", ADAPTER, INTERACTIVE)[0] == 201
    assert peer.ask("POST", f"{ADAPTER}/sessions/run", ASKING)[0] == 200
    return peer


def test_a_held_poll_is_woken_by_an_event(server: HostServer, asking: Peer) -> None:
    started = time.monotonic()
    poll = Poll(asking)
    held(server)
    assert server.stage.host.tap("dev.example", "run")
    status, _, body = poll.wait()
    assert (status, [event["type"] for event in body["events"]]) == (200, ["tap"])
    assert time.monotonic() - started < 1.5


def test_a_held_poll_ends_empty_after_its_time(asking: Peer) -> None:
    started = time.monotonic()
    assert Poll(asking).wait()[2] == {"events": [], "lastSequence": 0, "acknowledged": 0}
    assert 1.9 < time.monotonic() - started < 4


def test_one_poll_at_a_time_and_a_poll_that_was_left_is_none(server: HostServer, asking: Peer) -> None:
    request = asking.request("POST", f"{ADAPTER}/events", {"waitSeconds": 2})
    with closing(asking.connect()) as sock:
        sock.sendall(request)
        held(server)
        status, _, body = asking.exchange(request)
        assert (status, body["error"]["code"]) == (409, "poll_pending")
    deadline = time.monotonic() + 1.5
    while asking.ask("POST", f"{ADAPTER}/events", {})[0] == 409:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_four_polls_are_held_and_no_fifth(server: HostServer) -> None:
    polls = []
    for number in range(4):
        peer = Peer(server)
        path = f"/adapters/dev.a{number}"
        assert peer.ask("PUT", path, INTERACTIVE)[0] == 201
        polls.append(Poll(peer, path))
    held(server, 4)
    fifth = Peer(server)
    assert fifth.ask("PUT", ADAPTER, INTERACTIVE)[0] == 201
    status, headers, body = fifth.ask("POST", f"{ADAPTER}/events", {"waitSeconds": 1})
    assert (status, body["error"]["code"], headers["retry-after"]) == (503, "poll_limit", "1")
    assert fifth.ask("POST", f"{ADAPTER}/events", {"waitSeconds": 0})[0] == 200
    assert [poll.wait()[0] for poll in polls] == [200] * 4


@pytest.mark.parametrize(
    ("act", "status", "code"),
    [
        ("unregister", 404, "adapter_not_registered"),
        ("change", 409, "registration_changed"),
        ("token", 401, "unauthorized"),
        ("off", 503, "api_disabled"),
    ],
)
def test_a_held_poll_ends_with_what_it_belongs_to(
    server: HostServer, asking: Peer, act: str, status: int, code: str
) -> None:
    poll = Poll(asking)
    held(server)
    if act == "unregister":
        asking.ask("DELETE", ADAPTER)
    elif act == "change":
        asking.ask("PUT", ADAPTER, {**INTERACTIVE, "name": "Other"})
    elif act == "token":
        server.regenerate_token()
    else:
        server.switch_off()
    reply = poll.wait()
    assert (reply[0], reply[2]["error"]["code"]) == (status, code)


# --- the stage ----------------------------------------------------------------------------------------------


def test_the_script_refuses_for_a_while(server: HostServer, peer: Peer) -> None:
    server.stage.refuse_next(2, 429, "rate_limited", 3, lambda one: one.route is Route.REGISTER)
    assert peer.ask("GET", "/info")[0] == 200
    for _ in range(2):
        status, headers, body = peer.ask("PUT", ADAPTER, REGISTRATION)
        assert (status, headers["retry-after"], body["error"]["code"]) == (429, "3", "rate_limited")
    assert peer.ask("PUT", ADAPTER, REGISTRATION)[0] == 201
    assert [one.is_fault for one in server.stage.journal] == [False, True, True, False]


def test_the_script_hangs_up_before_or_after_the_effect(server: HostServer, peer: Peer) -> None:
    server.stage.drop_next(1)
    with closing(peer.connect()) as sock:
        sock.sendall(peer.request("PUT", ADAPTER, REGISTRATION))
        assert sock.recv(100) == b""
    assert server.stage.host.leases == {}
    server.stage.lose_next(1)
    with closing(peer.connect()) as sock:
        sock.sendall(peer.request("PUT", ADAPTER, REGISTRATION))
        raw = b""
        while data := sock.recv(65_536):
            raw += data
    assert raw.startswith(b"HTTP/1.1 201")
    assert not raw.endswith(b"}")
    assert list(server.stage.host.leases) == ["dev.example"]
    assert [one.status for one in server.stage.journal] == [0, 0]


def test_the_script_adds_fields_and_lies_about_the_proof(server: HostServer, peer: Peer) -> None:
    server.stage.has_unknown_fields = True
    server.stage.has_false_proof = True
    request = peer.request("GET", "/info").replace(b"Host:", b"X-Orbtile-Nonce: 0123456789abcdef\r\nHost:")
    _, _, info = peer.exchange(request)
    assert info["proof"] == "0" * 64
    assert "dreaming" in info["activities"]
    assert "orbtileFuture" in info
    assert "orbtileFuture" in info["limits"]


def test_the_script_replays_and_injects_events(server: HostServer, asking: Peer) -> None:
    stage = server.stage
    stage.host.tap("dev.example", "run")
    first = asking.ask("POST", f"{ADAPTER}/events", {})[2]["events"]
    assert asking.ask("POST", f"{ADAPTER}/events", {"after": 1, "ack": 1})[2]["events"] == []
    stage.replay("dev.example", first[0])
    assert asking.ask("POST", f"{ADAPTER}/events", {"after": 1, "ack": 1})[2]["events"] == first
    assert stage.inject("dev.example", {"type": "tap", "sessionId": "run", "host": "local"}) == 2
    assert stage.inject("dev.nobody", {}) == 0


def test_the_journal_keeps_no_token(server: HostServer, asking: Peer) -> None:
    kept = repr([(one.target, one.header_names, one.body) for one in server.stage.journal])
    assert peer_tokens(asking).isdisjoint(kept.split("'"))
    assert server.stage.host.token not in kept
    assert asking.owner not in kept


def peer_tokens(peer: Peer) -> set[str]:
    return {peer.owner, peer.place["token"]}
