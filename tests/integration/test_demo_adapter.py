"""The demo adapter's manners, against a small host on a TCP port whose moods the test decides."""

import hashlib
import hmac
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

from adapters.examples import demo

pytestmark = pytest.mark.socket
no_signals = pytest.mark.skipif(sys.platform == "win32", reason="there a process can only be killed")

DEMO: Final = Path(demo.__file__)
BASE: Final = "/a/v1/adapters/org.example.demo"
NOT_REGISTERED: Final = (404, "adapter_not_registered")


class SmallHost:
    """Answers like Orbtile as far as the demo can tell, and keeps what it was told."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "adapter-api.json"
        self.token = "a" * 43
        self.proof_key: str | None = None  # None: the token, as the real one does
        self.visible = True
        self.registered = False
        self.sessions: dict[str, dict[str, object]] = {}
        self.log: list[str] = []
        self.updates: list[tuple[str, dict[str, object]]] = []
        self.refusals: list[tuple[int, str]] = []
        self.retry_after: str | None = None
        self.closed = threading.Event()
        host = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, reply = host.answer(self.command, self.path, dict(self.headers.items()), body)
                data = json.dumps(reply).encode() if reply is not None else b""
                self.send_response(status)
                if host.retry_after and status in {429, 503}:
                    self.send_header("Retry-After", host.retry_after)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(data)
                self.close_connection = True

            do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815 - the base class looks for these names

            def log_message(self, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        self.publish()

    def publish(self) -> None:
        content = {
            "api": 1,
            "url": f"http://127.0.0.1:{self.server.server_port}",
            "port": self.server.server_port,
            "basePath": "/a/v1",
            "token": self.token,
            "pid": os.getpid(),
        }
        self.file.write_text(json.dumps(content))

    def new_token(self, token: str) -> None:
        """Regenerate: every registration ends."""
        self.token = token
        self.registered = False
        self.sessions.clear()
        self.publish()

    def answer(
        self, method: str, target: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, object] | None]:
        path = target.removeprefix(BASE)
        self.log.append(f"{method} {path}")
        assert headers["Host"] == "localhost"
        assert headers["Content-Type"] == "application/json"
        assert self.token not in target
        if headers["Authorization"] != f"Bearer {self.token}":
            return error(401, "unauthorized")
        if target == "/a/v1/info":
            key = self.proof_key or self.token
            proof = hmac.new(key.encode(), headers["X-Orbtile-Nonce"].encode(), hashlib.sha256).hexdigest()
            return 200, {"server": "orbtile", "api": 1, "version": "9", "proof": proof, "surprise": []}
        if self.refusals:
            return error(*self.refusals.pop(0))
        if method == "PUT" and path == "":
            self.registered = True
            return 201, {"adapter": {"id": "org.example.demo"}, "enabled": self.visible}
        if not self.registered:
            return error(*NOT_REGISTERED)
        return self.answer_registered(method, path, body)

    def answer_registered(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, object] | None]:
        name = PurePosixPath(path.partition("?")[0]).name
        if method == "POST" and path.startswith("/sessions/"):
            update = json.loads(body)
            self.updates.append((path, update))
            if name not in self.sessions and not {"title", "activity"} <= update.keys():
                return error(422, "invalid_field")
            self.sessions.setdefault(name, {}).update(update)
            return 200, {"session": {"uid": name, "visible": self.visible}}
        if method == "DELETE" and path == "":
            self.registered = False
            self.closed.set()
        elif method == "DELETE":
            del self.sessions[name]
        return 204, None

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def error(status: int, code: str) -> tuple[int, dict[str, object]]:
    return status, {"error": {"code": code, "message": f"about {code}"}}


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[SmallHost]:
    small_host = SmallHost(tmp_path)
    monkeypatch.setenv("ORBTILE_API_FILE", str(small_host.file))
    yield small_host
    small_host.close()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def link(said: list[str]) -> demo.Link:
    return demo.Link(said.append)


def session(name: str = "run", host: str = "local") -> demo.Session:
    new = demo.Session(name, host, {"title": "Tidy up", "model": "m"})
    new.show("thinking", {"statusDetail": "Reading"})
    return new


def test_the_first_update_carries_the_whole_session_and_later_ones_what_changed(
    host: SmallHost, link: demo.Link
) -> None:
    one = session()
    link.sync([one], 0)
    assert host.log == ["GET /a/v1/info", "PUT ", "POST /sessions/run"]
    one.show("tool", {"toolLabel": "Bash  ls"})
    assert one.changes() == {"activity": "tool", "toolLabel": "Bash  ls", "statusDetail": None}
    link.sync([one], 1)
    assert host.sessions["run"]["toolLabel"] == "Bash  ls"
    link.sync([one], 2)
    assert len(host.log) == 4


def test_a_heartbeat_goes_out_every_8_s_also_while_updates_do(host: SmallHost, link: demo.Link) -> None:
    one = session()
    for second in range(18):
        one.show("thinking", {"statusDetail": f"Step {second}"})
        link.sync([one], second)
    assert host.log.count("POST /heartbeat") == 2


def test_no_data_goes_to_a_listener_that_does_not_know_the_token(
    host: SmallHost, link: demo.Link, said: list[str]
) -> None:
    host.proof_key = "b" * 43
    link.sync([session()], 0)
    assert host.log == ["GET /a/v1/info"]
    assert said == ["the listener did not prove that it is Orbtile; trying again now and then"]


def test_without_orbtile_the_pauses_grow_to_15_s_and_one_line_says_so(
    host: SmallHost, link: demo.Link, said: list[str]
) -> None:
    host.file.unlink()
    pauses = []
    now = 100.0
    for _ in range(8):
        link.sync([], now)
        pauses.append(link.quiet_until - now)
        link.sync([], now + pauses[-1] / 2)  # too early: nothing happens
        now = link.quiet_until
    assert pauses == pytest.approx([1, 2, 4, 8, 15, 15, 15, 15], rel=0.2)
    assert len(said) == 1
    host.publish()
    link.sync([session()], now)
    assert "run" in host.sessions
    assert link.failures == 0


def test_a_new_token_is_read_once_and_the_sessions_come_back_whole(host: SmallHost, link: demo.Link) -> None:
    one = session()
    link.sync([one], 0)
    host.new_token("c" * 43)
    host.log.clear()
    one.show("done", {})
    link.sync([one], 1)
    assert host.log == [
        "POST /sessions/run",  # 401
        "GET /a/v1/info",
        "POST /sessions/run",  # 404
        "PUT ",
        "POST /sessions/run",
    ]
    assert host.sessions["run"] == {"title": "Tidy up", "model": "m", "activity": "done", "host": "local"}


def test_a_token_that_stays_wrong_is_tried_once_and_then_waited_for(host: SmallHost, link: demo.Link) -> None:
    link.sync([session()], 0)
    host.token = "d" * 43  # the file still has the old one
    host.log.clear()
    one = session("other")
    link.sync([one], 1)
    assert host.log == ["POST /sessions/other", "GET /a/v1/info"]
    assert link.quiet_until > 1


def test_a_lost_registration_is_made_again_with_every_session(host: SmallHost, link: demo.Link) -> None:
    both = [session("a"), session("b", "build-01")]
    link.sync(both, 0)
    host.registered = False
    host.sessions.clear()
    both[1].show("error", {"statusDetail": "disk: full"})
    link.sync(both, 1)
    assert set(host.sessions) == {"a", "b"}
    assert host.sessions["b"]["host"] == "build-01"


def test_a_host_that_never_knows_us_is_not_asked_in_a_loop(host: SmallHost, link: demo.Link) -> None:
    host.refusals = [NOT_REGISTERED] * 50
    link.sync([session()], 0)
    assert len(host.log) < 5
    assert link.quiet_until > 0


@pytest.mark.parametrize(("status", "code"), [(429, "rate_limited"), (503, "limit_exceeded")])
def test_it_waits_as_long_as_it_is_asked_to(host: SmallHost, link: demo.Link, status: int, code: str) -> None:
    one = session()
    link.sync([one], 0)
    host.refusals, host.retry_after = [(status, code)], "3"
    one.show("idle", {})
    link.sync([one], 10)
    assert link.quiet_until == 13
    link.sync([one], 12.9)
    assert "idle" not in host.sessions["run"].values()
    link.sync([one], 13)
    assert "idle" in host.sessions["run"].values()


def test_an_ended_session_is_deleted_under_its_host(host: SmallHost, link: demo.Link) -> None:
    one = session("a b", "build-01")
    link.sync([one], 0)
    one.ended = True
    link.sync([one], 1)
    link.sync([one], 2)
    assert host.log[-1] == "DELETE /sessions/a%20b?host=build-01"
    assert host.log.count(host.log[-1]) == 1


def test_a_refusal_that_waiting_cannot_mend_ends_the_program(host: SmallHost, link: demo.Link) -> None:
    host.refusals = [(422, "invalid_field")]
    with pytest.raises(SystemExit, match="about invalid_field"):
        link.sync([session()], 0)


def test_it_says_what_the_user_decided(host: SmallHost, link: demo.Link, said: list[str]) -> None:
    host.visible = False
    one = session()
    link.sync([one], 0)
    host.visible = True
    one.show("idle", {})
    link.sync([one], 1)
    assert said[-2:] == ["Orbtile does not show our sessions", "Orbtile shows our sessions"]


WINDOWS_ENV: Final = {"USERPROFILE": "/u", "LOCALAPPDATA": "/u/l"}


@pytest.mark.parametrize(
    ("platform", "env", "expected"),
    [
        ("linux", {}, ["/h/.local/share/Orbtile/adapter-api.json"]),
        ("linux", {"XDG_DATA_HOME": "/x"}, ["/x/Orbtile/adapter-api.json"]),
        ("linux", {"XDG_DATA_HOME": "x"}, ["/h/.local/share/Orbtile/adapter-api.json"]),
        ("linux", {"ORBTILE_API_FILE": "/f"}, ["/f"]),
        ("darwin", {}, ["/h/Library/Application Support/Orbtile/adapter-api.json"]),
        ("win32", WINDOWS_ENV, ["/u/.orbtile/adapter-api.json", "/u/l/Orbtile/Windows/adapter-api.json"]),
    ],
)
def test_the_file_is_looked_for_where_each_system_keeps_it(
    platform: str, env: dict[str, str], expected: list[str]
) -> None:
    files = [file.as_posix() for file in demo.discovery_files(platform, env, Path("/h"))]
    assert files[: len(expected)] == expected
    assert "ORBTILE_API_FILE" in env or "Orbtile Enterprise" in files[-1]


def run_demo(host: SmallHost, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", DEMO, *arguments],
        env={**os.environ, "ORBTILE_API_FILE": str(host.file)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_whole_run_shows_every_kind_of_session_and_leaves_nothing(host: SmallHost) -> None:
    with run_demo(host, "--once", "--speed", "60") as process:
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    assert len({path for path, _ in host.updates}) == 6
    assert {update["host"] for _, update in host.updates} == {"local", "build-01"}
    activities = {update.get("activity") for _, update in host.updates}
    assert activities >= {"starting", "thinking", "tool", "streaming", "waitingPermission", "waitingQuestion"}
    assert activities >= {"done", "error", "idle", "compacting"}
    assert host.closed.is_set()
    assert not host.registered
    assert host.token not in output


@no_signals
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_takes_the_sessions_away_and_ends_quietly(host: SmallHost, number: signal.Signals) -> None:
    with run_demo(host) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "shows our sessions" in line:
                break
        process.send_signal(number)
        rest = process.stdout.read()
    assert process.returncode == 0
    assert rest == ""
    assert host.closed.wait(5)


@no_signals
def test_it_starts_before_orbtile_does_and_costs_nothing_while_it_waits(host: SmallHost) -> None:
    host.file.unlink()
    with run_demo(host) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        host.publish()
        for line in process.stdout:
            if "shows our sessions" in line:
                break
        process.terminate()
    assert re.fullmatch(r"demo: Orbtile is not running, .*; trying again now and then\n", first)
    assert process.returncode == 0
