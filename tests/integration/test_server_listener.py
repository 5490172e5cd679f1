"""The listener listens for as long as the app runs, whatever happens to its socket."""

import asyncio
import errno
import os
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest

from orbtile.server import acceptor as acceptor_module
from orbtile.server import listener as listener_module
from orbtile.server.endpoint import Endpoint, TcpEndpoint, UnixEndpoint
from orbtile.server.listener import Listener
from orbtile.server.response import Response
from tests.conftest import ExpectLog
from tests.fakes.handler import ScriptedHandler
from tests.fakes.served import parse_reply

pytestmark = pytest.mark.socket

assert sys.platform != "win32"  # for type checkers

GET = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
CONTROL = GET.replace(b"/x", b"/control/x")
PATIENCE_S = 10.0


class Stage:
    """A listener with a recorder of its states."""

    def __init__(self, endpoint: Endpoint, *, serves_adapters: bool = True) -> None:
        self.endpoint = endpoint
        self.states: list[tuple[bool, str]] = []
        self.changed = asyncio.Event()
        self.folder_error: OSError | None = None
        self.handler = ScriptedHandler(lambda _head: Response(200, b"here"))
        self.listener = Listener(
            self.handler,
            endpoint,
            self._record,
            prepare_folder=self._prepare,
            peer_check=lambda _sock: True,
            serves_adapters=serves_adapters,
        )

    def _prepare(self, _folder: Path) -> None:
        if self.folder_error is not None:
            raise self.folder_error

    def _record(self, is_listening: bool, detail: str) -> None:
        self.states.append((is_listening, detail))
        self.changed.set()

    async def get(self, request: bytes = GET) -> tuple[int, bytes]:
        if isinstance(self.endpoint, UnixEndpoint):
            reader, writer = await asyncio.open_unix_connection(self.endpoint.path)
        else:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.listener.port)
        writer.write(request)
        reply = parse_reply(await reader.read())
        writer.close()
        await writer.wait_closed()
        return reply.status, reply.body

    async def until(self, count: int) -> None:
        """Until so many states were told."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.states) < count:
                self.changed.clear()
                await self.changed.wait()

    async def until_accepted(self) -> None:
        for _ in range(1_000):
            if self.listener.open_connections:
                return
            await asyncio.sleep(0)
        pytest.fail("nothing was accepted")


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="orbtile-") as folder:
        yield Path(folder) / "hooks.sock"


@pytest.fixture(autouse=True)
def _impatient() -> Iterator[None]:
    """Retries and pauses of milliseconds."""
    with (
        mock.patch.object(listener_module, "FIRST_RETRY_S", 0.002),
        mock.patch.object(acceptor_module, "FIRST_PAUSE_S", 0.002),
    ):
        yield


def play(stage: Stage, scene: Callable[[], Awaitable[None]]) -> None:
    """Run ``scene`` beside the started listener; afterwards nothing of it may be left."""

    async def run() -> None:
        await stage.listener.start()
        try:
            await scene()
        finally:
            await stage.listener.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_it_listens_from_start_to_aclose_and_removes_its_file(path: Path) -> None:
    stage = Stage(UnixEndpoint(path))

    async def scene() -> None:
        assert stage.states == [(True, "")]
        assert stage.listener.is_listening
        assert await stage.get() == (200, b"here")

    play(stage, scene)
    assert not path.exists()
    assert not stage.listener.is_listening
    assert stage.states == [(True, "")]


def test_a_tcp_listener_tells_its_port() -> None:
    stage = Stage(TcpEndpoint())

    async def scene() -> None:
        assert stage.listener.port
        assert await stage.get() == (200, b"here")

    assert stage.listener.port is None
    play(stage, scene)
    assert stage.listener.port is None


def test_where_adapters_are_not_served_all_but_control_is_a_plain_404() -> None:
    stage = Stage(TcpEndpoint(), serves_adapters=False)

    async def scene() -> None:
        for target in (b"/a/v1/info", b"/a/", b"/%61/v1/info", b"/elsewhere", b"http://localhost/a/v1/info"):
            assert await stage.get(GET.replace(b"/x", target)) == (404, b"not found\n")
        assert await stage.get(CONTROL) == (200, b"here")

    play(stage, scene)


def test_it_comes_back_when_the_folder_becomes_usable(path: Path, expect_log: ExpectLog) -> None:
    expect_log("the listener is down: not private")
    stage = Stage(UnixEndpoint(path))
    stage.folder_error = OSError(errno.EACCES, "not private")

    async def scene() -> None:
        assert stage.states == [(False, "not private")]
        await asyncio.sleep(0.01)
        assert len(stage.states) == 1
        stage.folder_error = None
        await stage.until(2)
        assert stage.states[1] == (True, "")
        assert await stage.get() == (200, b"here")

    play(stage, scene)


def test_it_waits_for_a_live_socket_to_go_and_never_takes_it(path: Path, expect_log: ExpectLog) -> None:
    expect_log("another process listens")
    stage = Stage(UnixEndpoint(path))
    other = socket.socket(socket.AF_UNIX)
    other.bind(str(path))
    other.listen(50)

    async def scene() -> None:
        assert stage.states == [(False, "hooks.sock: another process listens on this socket")]
        other.close()
        await stage.until(2)
        assert await stage.get() == (200, b"here")

    play(stage, scene)


def test_closing_while_it_is_down_ends_its_attempts(path: Path, expect_log: ExpectLog) -> None:
    expect_log("the listener is down")
    stage = Stage(UnixEndpoint(path))
    stage.folder_error = OSError("no folder")

    async def scene() -> None:
        assert stage.states == [(False, "no folder")]

    play(stage, scene)


def test_a_port_in_use_is_waited_for(expect_log: ExpectLog) -> None:
    expect_log("the listener is down: Address already in use")
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        stage = Stage(TcpEndpoint(other.getsockname()[1]))

        async def scene() -> None:
            assert not stage.states[0][0]
            other.close()
            await stage.until(2)
            assert await stage.get() == (200, b"here")

        play(stage, scene)


def remove(path: Path) -> None:
    path.unlink()


def replace(path: Path, text: str) -> None:
    path.rename(path.with_name("moved"))
    path.write_text(text)


def test_a_check_brings_back_a_socket_file_that_was_removed(path: Path) -> None:
    stage = Stage(UnixEndpoint(path))

    async def scene() -> None:
        assert await stage.listener.check()
        assert len(stage.states) == 1
        remove(path)
        assert await stage.listener.check()
        assert stage.states == [(True, "")] * 2
        assert await stage.get() == (200, b"here")

    play(stage, scene)


def test_a_check_leaves_alone_what_took_the_place_of_the_socket_file(
    path: Path, expect_log: ExpectLog
) -> None:
    expect_log("not a socket")
    stage = Stage(UnixEndpoint(path))

    async def scene() -> None:
        replace(path, "precious")
        assert not await stage.listener.check()
        remove(path)
        await stage.until(3)
        assert await stage.get() == (200, b"here")

    play(stage, scene)


def test_rebinding_keeps_open_connections(path: Path) -> None:
    stage = Stage(UnixEndpoint(path))

    async def scene() -> None:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(GET[:10])
        await stage.until_accepted()
        await stage.listener.rebind()
        assert await stage.get() == (200, b"here")
        writer.write(GET[10:])
        assert parse_reply(await reader.read()).status == 200
        writer.close()

    play(stage, scene)


WAYS_TO_ACCEPT = pytest.mark.parametrize("has_readers", [True, False], ids=["reader", "task"])
"""In a reader callback, and in a task as on Windows."""


@WAYS_TO_ACCEPT
def test_a_socket_that_dies_is_replaced(expect_log: ExpectLog, has_readers: bool) -> None:
    expect_log("the listener is down: Invalid argument")
    stage = Stage(TcpEndpoint())

    async def scene() -> None:
        bound = stage.listener._bound
        assert bound is not None
        bound.sock.shutdown(socket.SHUT_RDWR)  # accept() fails from now on
        await stage.until(3)
        assert [is_listening for is_listening, _ in stage.states] == [True, False, True]
        assert await stage.get() == (200, b"here")

    with mock.patch.object(listener_module, "has_readers", return_value=has_readers):
        play(stage, scene)


@WAYS_TO_ACCEPT
def test_a_tcp_listener_can_be_bound_again_and_again(has_readers: bool) -> None:
    stage = Stage(TcpEndpoint())

    async def scene() -> None:
        for _ in range(3):
            assert await stage.get() == (200, b"here")
            await stage.listener.rebind()
        assert await stage.get() == (200, b"here")

    with mock.patch.object(listener_module, "has_readers", return_value=has_readers):
        play(stage, scene)


def count_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_a_process_without_descriptors_waits_and_then_serves_everybody(
    path: Path, expect_log: ExpectLog
) -> None:
    expect_log("the listener is down: Too many open files")
    stage = Stage(UnixEndpoint(path))

    async def scene() -> None:
        import resource

        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = count_descriptors()
        with closing(socket.socket(socket.AF_UNIX)) as client:
            client.setblocking(False)
            spare: list[int] = []
            resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, limits[1]))
            try:
                while True:
                    spare.append(os.dup(0))
            except OSError:
                pass
            try:
                client.connect(str(path))
                await stage.until(2)
                assert stage.states[1] == (False, "Too many open files")
            finally:
                for fd in spare:
                    os.close(fd)
                resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            await stage.until(3)
            assert stage.states[2] == (True, "")
        assert await stage.get() == (200, b"here")

    play(stage, scene)


def test_closing_drops_open_connections(path: Path) -> None:
    stage = Stage(UnixEndpoint(path))
    clients: list[socket.socket] = []

    async def scene() -> None:
        client = socket.socket(socket.AF_UNIX)
        clients.append(client)
        client.connect(str(path))
        client.sendall(b"GET /x")
        await stage.until_accepted()

    play(stage, scene)
    with closing(clients[0]) as client:
        client.settimeout(PATIENCE_S)
        assert client.recv(10) == b""


def test_a_closed_listener_stays_closed(path: Path) -> None:
    stage = Stage(UnixEndpoint(path))

    async def run() -> None:
        await stage.listener.start()
        await stage.listener.aclose()
        await stage.listener.rebind()
        assert not await stage.listener.check()

    asyncio.run(run())
    assert not path.exists()


def test_closing_a_listener_that_never_started_does_nothing(path: Path) -> None:
    stage = Stage(UnixEndpoint(path))
    asyncio.run(stage.listener.aclose())
    assert stage.listener.open_connections == 0
    assert not path.exists()


def test_rebinding_before_the_start_is_a_mistake(path: Path) -> None:
    with pytest.raises(RuntimeError, match="start"):
        asyncio.run(Stage(UnixEndpoint(path)).listener.rebind())


def test_a_failing_server_leaves_no_socket_behind(expect_log: ExpectLog) -> None:
    expect_log("the listener is down: no server")
    stage = Stage(TcpEndpoint())
    fails = mock.AsyncMock(side_effect=OSError(errno.EIO, "no server"))

    async def scene() -> None:
        assert stage.states == [(False, "no server")]
        assert stage.listener.port is None

    with (
        mock.patch.object(listener_module, "has_readers", return_value=False),
        mock.patch.object(acceptor_module.ServerAcceptor, "start", fails),
    ):
        play(stage, scene)
