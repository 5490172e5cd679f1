"""A real host behind a real socket, for tests that speak bytes.

The loop (asyncio's, or qasync's on an offscreen QApplication) runs on the main thread and the test's body
on a thread of its own, with blocking sockets, as an adapter would.
"""

import asyncio
import gc
import json
import select
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar
from unittest import mock

from orbtile.protocol.fields import JsonValue
from orbtile.server import listener as listener_module
from orbtile.server.control import ControlRoutes
from orbtile.server.dispatch import Dispatch
from orbtile.server.endpoint import TcpEndpoint, UnixEndpoint
from orbtile.server.listener import Listener
from tests.fakes.hosts import Host
from tests.fakes.renderer import FakeRenderer

Kind = Literal["unix", "tcp", "server", "qasync"]
"""A socket file, a TCP port, a TCP port whose connections are accepted as on Windows, a socket file under
qasync.
"""

HOOK_TOKEN: Final = "hook".ljust(43, "k")
ADAPTER: Final = "/adapters/dev.example"
PATIENCE_S: Final = 20.0

if sys.platform == "win32":
    FILE_FAMILY: Final = socket.AF_INET  # there are no socket files; the kinds that need them fail to connect
else:
    FILE_FAMILY: Final = socket.AF_UNIX

_Result = TypeVar("_Result")


class Reply(NamedTuple):
    """A parsed response. ``json`` of a body that is none fails the test."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, JsonValue]:
        assert self.headers["content-type"] == "application/json"
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value

    @property
    def refusal(self) -> tuple[int, str, str | None]:
        """What refusals are told apart by."""
        error = self.json["error"]
        assert isinstance(error, dict)
        assert isinstance(error["message"], str)
        field = error.get("field")
        assert field is None or isinstance(field, str)
        return self.status, str(error["code"]), field


def parse_reply(raw: bytes, *, answers_head: bool = False) -> Reply:
    """Read one whole response, nothing missing and nothing behind it."""
    head, found, body = raw.partition(b"\r\n\r\n")
    assert found, f"not a response: {raw!r}"
    start, *lines = head.decode("ascii").split("\r\n")
    version, status, _reason = start.split(" ", 2)
    assert version == "HTTP/1.1"
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    assert len(headers) == len(lines)
    assert headers["connection"] == "close"
    assert len(body) == (0 if answers_head else int(headers.get("content-length", "0")))
    return Reply(int(status), headers, body)


class Served:
    """The host, its listener, and how to talk to it. ``on_loop`` is for everything that is not a socket."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.host = Host()
        self.renderer = FakeRenderer()
        self.opened: list[str] = []
        self.states: list[tuple[bool, str]] = []
        self._folder = tempfile.TemporaryDirectory(prefix="orbtile-served-")
        self.path = Path(self._folder.name) / "hooks.sock"
        self.is_peer_welcome = True
        self.listener = Listener(
            Dispatch(
                self.host.service,
                ControlRoutes(
                    lambda token: token == HOOK_TOKEN, self.opened.append, surfaces={"popover", "settings"}
                ),
                render_icon=self.renderer,
            ),
            UnixEndpoint(self.path) if kind in {"unix", "qasync"} else TcpEndpoint(),
            lambda is_listening, detail: self.states.append((is_listening, detail)),
            prepare_folder=lambda folder: folder.mkdir(mode=0o700, exist_ok=True),
            peer_check=lambda _sock: self.is_peer_welcome,
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._port: int | None = None

    # --- running ---

    def run(self, body: Callable[[], object]) -> None:
        """Serve until ``body``, on its own thread, has returned; its exception is raised here."""
        # An object of Qt in the garbage would end on the body's thread, and Qt crashes then.
        gc.collect()
        gc.disable()
        try:
            with asyncio.Runner(loop_factory=_qasync_loop if self.kind == "qasync" else None) as runner:
                runner.run(self._serve(body))
        finally:
            self._loop = None
            self._folder.cleanup()
            gc.enable()
            gc.collect()

    async def _serve(self, body: Callable[[], object]) -> None:
        self._loop = loop = asyncio.get_running_loop()
        finished: asyncio.Future[None] = loop.create_future()

        def work() -> None:
            try:
                body()
            except BaseException as error:  # noqa: BLE001 - also pytest's own outcomes are raised on the main thread
                loop.call_soon_threadsafe(finished.set_exception, error)
            else:
                loop.call_soon_threadsafe(finished.set_result, None)

        with mock.patch.object(listener_module, "has_readers", return_value=self.kind != "server"):
            await self.listener.start()
            self._port = self.listener.port
            thread = threading.Thread(target=work, name="test-body")
            thread.start()
            try:
                await finished
            finally:
                await self.listener.aclose()
                thread.join(PATIENCE_S)

    def on_loop(self, call: Callable[[], _Result]) -> _Result:
        """The result of ``call``, run between two callbacks of the loop."""
        assert self._loop is not None
        result: Future[_Result] = Future()

        def run() -> None:
            try:
                result.set_result(call())
            except BaseException as error:  # noqa: BLE001 - belongs to whoever asked
                result.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return result.result(PATIENCE_S)

    # --- talking ---

    def connect(self) -> socket.socket:
        address: str | tuple[str, int] = str(self.path)
        if self._port is not None:
            sock = socket.socket()
            address = ("127.0.0.1", self._port)
        else:
            sock = socket.socket(FILE_FAMILY)
        sock.settimeout(PATIENCE_S)
        sock.connect(address)
        return sock

    def exchange(self, data: bytes) -> Reply:
        """Send ``data`` on a connection of its own and read the response."""
        with closing(self.connect()) as sock:
            sock.sendall(data)
            return parse_reply(read_all(sock), answers_head=data.startswith(b"HEAD "))

    def exchange_pieces(self, *pieces: bytes) -> Reply:
        """The same in several writes; stops writing when the response is there."""
        with closing(self.connect()) as sock:
            if sock.family == socket.AF_INET:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in pieces:
                if select.select([sock], [], [], 0)[0]:
                    break
                with suppress(BrokenPipeError, ConnectionResetError):  # it was answered just now
                    sock.sendall(piece)
            # Bytes that reach a TCP port after its close reset the stream behind the answer.
            return parse_reply(read_all(sock, may_be_reset=sock.family == socket.AF_INET))

    def head(self, method: str, path: str, *lines: str, length: int | None = None, token: str = "") -> bytes:
        """A good head for ``/a/v1`` + ``path`` with more ``lines``."""
        return build_head(method, "/a/v1" + path, *lines, length=length, token=token or self.token)

    def ask(self, method: str, path: str, body: object = b"", *lines: str, token: str = "") -> Reply:
        """Send a good request; ``body`` is bytes, or a value that travels as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode("ascii")
        length = None if method == "GET" else len(data)
        return self.exchange(self.head(method, path, *lines, length=length, token=token) + data)

    @property
    def token(self) -> str:
        return self.host.service.api_token

    def open(self, surface: str, *lines: str, method: str = "POST", token: str = HOOK_TOKEN) -> Reply:
        return self.exchange(build_head(method, f"/control/open/{surface}", *lines, length=0, token=token))


def build_head(method: str, target: str, *lines: str, length: int | None = None, token: str = "") -> bytes:
    """A head as adapters send it, whatever the target."""
    all_lines = [
        f"{method} {target} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Authorization: Bearer {token}",
        *lines,
    ]
    if length is not None:
        all_lines.append(f"Content-Length: {length}")
    return "\r\n".join([*all_lines, "", ""]).encode("latin-1")


def read_all(sock: socket.socket, *, may_be_reset: bool = False) -> bytes:
    """Everything until the peer ends its side; ``may_be_reset``: a reset behind an answer is an end, too."""
    received = b""
    try:
        while chunk := sock.recv(65_536):
            received += chunk
    except ConnectionResetError:
        if not (may_be_reset and received):
            raise
    return received


def _qasync_loop() -> asyncio.AbstractEventLoop:
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    return QEventLoop(QApplication.instance() or QApplication(sys.argv[:1]))
