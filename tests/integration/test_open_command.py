"""``orbtile open`` against the real control routes, and against whatever else may listen there."""

import asyncio
import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orbtile.cli import open as open_command
from orbtile.cli.open import ExitCode, NotRunningError, open_surface, run
from orbtile.cli.parser import Surface
from orbtile.protocol.gate import RequestHead
from orbtile.server.control import ControlRoutes
from orbtile.server.endpoint import Endpoint, TcpEndpoint, UnixEndpoint
from orbtile.server.handler import BodyWanted
from orbtile.server.listener import Listener
from orbtile.server.response import Response
from orbtile.system.instance import Address, InstanceFiles
from orbtile.system.machine import read_machine
from orbtile.system.paths import Edition, Paths, resolve_paths
from orbtile.system.peer import is_own_peer
from orbtile.system.private_files import make_private_folder
from orbtile.system.tokens import SystemTokens

pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers

pytestmark = pytest.mark.socket

TOKEN = "t" * 43


@pytest.fixture
def paths(tmp_path: Path) -> Paths[Path]:
    return resolve_paths(read_machine(), Edition.STANDARD, {}, data_dir=str(tmp_path / "data")).here()


def leave_files(paths: Paths[Path], address: Address, token: str = TOKEN) -> None:
    files = InstanceFiles(paths.hook_token_file, paths.endpoint_file)
    files.write_hook_token(token)
    files.write_endpoint(address, os.getpid())


def socket_path(paths: Paths[Path]) -> Path:
    assert paths.socket_path is not None
    return paths.socket_path


class ControlOnly:
    """A handler that has the control routes and nothing else."""

    def __init__(self, opened: list[str]) -> None:
        self._routes = ControlRoutes(
            lambda token: SystemTokens().matches(token, TOKEN), opened.append, surfaces=frozenset(Surface)
        )

    def needs_slot(self, head: RequestHead) -> bool:
        return False

    def begin(self, head: RequestHead) -> Response | BodyWanted:
        return self._routes.begin(head)


@contextlib.contextmanager
def running_instance(paths: Paths[Path], endpoint: Endpoint) -> Iterator[list[str]]:
    """The listener of another instance, on a loop in a thread; yields what was opened."""
    opened: list[str] = []
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def listen() -> Listener:
        listener = Listener(
            ControlOnly(opened),
            endpoint,
            lambda *_: None,
            prepare_folder=make_private_folder,
            peer_check=is_own_peer,
        )
        await listener.start()
        return listener

    try:
        listener = asyncio.run_coroutine_threadsafe(listen(), loop).result(10)
        port = listener.port
        leave_files(paths, socket_path(paths) if port is None else port)
        try:
            yield opened
        finally:
            asyncio.run_coroutine_threadsafe(listener.aclose(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextlib.contextmanager
def impostor(path: Path, answer: Callable[[socket.socket], None]) -> Iterator[list[bytes]]:
    """Something else that listens on the socket; yields what it was sent."""
    make_private_folder(path.parent)
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):  # nobody came, or the command hung up when it had heard enough
                connection, _ = server.accept()
                with connection:
                    heard.append(connection.recv(4096))
                    answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield heard
        finally:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)  # ends a wait for a connection
            thread.join()


@pytest.mark.parametrize("surface", list(Surface))
def test_the_surface_of_the_running_instance_opens_over_its_socket(
    paths: Paths[Path], surface: Surface
) -> None:
    with running_instance(paths, UnixEndpoint(socket_path(paths))) as opened:
        assert run(paths, surface) is ExitCode.DONE
    assert opened == [surface.value]


def test_the_surface_of_the_running_instance_opens_over_tcp(paths: Paths[Path]) -> None:
    with running_instance(paths, TcpEndpoint()) as opened:
        assert run(paths, Surface.POPOVER) is ExitCode.DONE
    assert opened == ["popover"]


def test_a_running_instance_is_found_where_it_says_it_listens_whatever_this_shell_would_guess(
    paths: Paths[Path], tmp_path: Path
) -> None:
    make_private_folder(tmp_path / "runtime")
    other = tmp_path / "runtime" / "hooks.sock"
    with running_instance(paths, UnixEndpoint(other)) as opened:
        leave_files(paths, other)
        assert run(paths, Surface.POPOVER) is ExitCode.DONE
    assert opened == ["popover"]


def test_the_running_instance_may_come_to_the_front_before_it_is_asked(
    paths: Paths[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, list[str]]] = []
    with running_instance(paths, UnixEndpoint(socket_path(paths))) as opened:
        monkeypatch.setattr(open_command, "let_come_forward", lambda pid: told.append((pid, opened.copy())))
        open_surface(paths, Surface.POPOVER)
    assert told == [(os.getpid(), [])]
    assert opened == ["popover"]


def test_without_a_running_instance_it_says_so_and_ends_with_1(
    paths: Paths[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(paths, Surface.POPOVER) is ExitCode.NOT_RUNNING
    assert int(ExitCode.NOT_RUNNING) == 1
    assert capsys.readouterr().err == "orbtile: Orbtile is not running\n"


def test_what_a_crashed_instance_left_counts_as_not_running(
    paths: Paths[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    leave_files(paths, socket_path(paths))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(socket_path(paths)))
    assert run(paths, Surface.POPOVER) is ExitCode.NOT_RUNNING
    assert "not running" in capsys.readouterr().err


def test_a_token_that_is_not_the_instances_is_refused(
    paths: Paths[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with running_instance(paths, UnixEndpoint(socket_path(paths))) as opened:
        leave_files(paths, socket_path(paths), "x" * 43)
        assert run(paths, Surface.POPOVER) is ExitCode.NOT_RUNNING
    assert opened == []
    assert "refused" in capsys.readouterr().err


def test_a_second_start_waits_for_a_first_one_that_does_not_listen_yet(paths: Paths[Path]) -> None:
    asked = threading.Thread(target=lambda: open_surface(paths, Surface.POPOVER, wait_s=20))
    asked.start()
    with running_instance(paths, UnixEndpoint(socket_path(paths))) as opened:
        asked.join(20)
    assert opened == ["popover"]


def test_a_second_start_does_not_wait_for_ever(paths: Paths[Path]) -> None:
    with pytest.raises(NotRunningError):
        open_surface(paths, Surface.POPOVER, wait_s=0.1)


# --- the token goes to nobody else --------------------------------------------------------------------------


def test_a_socket_in_a_folder_that_is_open_to_others_gets_no_token(
    paths: Paths[Path], tmp_path: Path
) -> None:
    path = tmp_path / "open" / "s"
    with impostor(path, lambda _: None) as heard:
        path.parent.chmod(0o755)
        leave_files(paths, path)
        with pytest.raises(NotRunningError, match="open to others"):
            open_surface(paths, Surface.POPOVER)
    assert heard == []


def test_a_link_in_place_of_the_socket_gets_no_token(paths: Paths[Path], tmp_path: Path) -> None:
    with impostor(tmp_path / "real" / "s", lambda _: None) as heard:
        make_private_folder(socket_path(paths).parent)
        socket_path(paths).symlink_to(tmp_path / "real" / "s")
        leave_files(paths, socket_path(paths))
        with pytest.raises(NotRunningError):
            open_surface(paths, Surface.POPOVER)
    assert heard == []


def test_a_peer_of_somebody_else_gets_no_token(paths: Paths[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_command, "is_own_peer", lambda _: False)
    with impostor(socket_path(paths), lambda _: None) as heard:
        leave_files(paths, socket_path(paths))
        with pytest.raises(NotRunningError, match="somebody else"):
            open_surface(paths, Surface.POPOVER)
    assert heard in ([], [b""])


def test_a_socket_of_somebody_else_gets_no_token(paths: Paths[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    with impostor(socket_path(paths), lambda _: None) as heard:
        leave_files(paths, socket_path(paths))
        monkeypatch.setattr(open_command, "own_uid", lambda: me + 1)
        with pytest.raises(NotRunningError, match="somebody else"):
            open_surface(paths, Surface.POPOVER)
    assert heard == []


# --- answers that are no answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [b"", b"hello\r\n", b"HTTP/1.1 \r\n", b"HTTP/1.1 2x4\r\n", b"x" * 70_000])
def test_what_does_not_speak_http_is_not_orbtile(paths: Paths[Path], reply: bytes) -> None:
    with impostor(socket_path(paths), lambda peer: peer.sendall(reply)):
        leave_files(paths, socket_path(paths))
        with pytest.raises(NotRunningError):
            open_surface(paths, Surface.POPOVER)


def test_an_instance_that_hangs_is_given_up(paths: Paths[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_command, "DEADLINE_S", 0.1)
    release = threading.Event()

    def hang(_connection: socket.socket) -> None:
        release.wait(10)

    with impostor(socket_path(paths), hang):
        leave_files(paths, socket_path(paths))
        with pytest.raises(NotRunningError, match="does not answer"):
            open_surface(paths, Surface.POPOVER)
        release.set()


def test_an_instance_that_answers_a_byte_at_a_time_is_given_up_too(
    paths: Paths[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_command, "DEADLINE_S", 0.2)
    release = threading.Event()

    def drip(connection: socket.socket) -> None:
        while not release.wait(0.02):
            connection.send(b"H")

    with impostor(socket_path(paths), drip):
        leave_files(paths, socket_path(paths))
        with pytest.raises(NotRunningError, match="does not answer"):
            open_surface(paths, Surface.POPOVER)
        release.set()
