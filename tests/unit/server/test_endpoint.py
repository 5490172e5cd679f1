import os
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orbtile.server import endpoint as endpoint_module
from orbtile.server.endpoint import (
    BoundSocket,
    EndpointInUseError,
    TcpEndpoint,
    UnixEndpoint,
    UnsafeEndpointError,
    bind,
)

pytestmark = pytest.mark.socket

assert sys.platform != "win32"  # for type checkers


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a socket file shall be; short enough for every system, which pytest's folders are not."""
    with tempfile.TemporaryDirectory(prefix="orbtile-") as folder:
        yield Path(folder) / "hooks.sock"


def bind_unix(path: Path) -> BoundSocket:
    return bind(UnixEndpoint(path), lambda _folder: None)


def leave_stale(path: Path) -> None:
    """A socket file whose listener died."""
    with closing(socket.socket(socket.AF_UNIX)) as sock:
        sock.bind(str(path))


def can_connect(path: Path) -> bool:
    with closing(socket.socket(socket.AF_UNIX)) as sock:
        return sock.connect_ex(str(path)) == 0


def test_a_socket_file_is_for_its_owner_alone_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        bound = bind_unix(path)
    finally:
        os.umask(before)
    with closing(bound):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_ISSOCK(path.stat().st_mode)
        assert not bound.sock.getblocking()
        assert can_connect(path)
        assert bound.port is None
        assert bound.is_in_place()


def test_the_folder_is_checked_before_anything_happens_in_it(path: Path) -> None:
    def refuse(folder: Path) -> None:
        assert folder == path.parent
        raise PermissionError("not private")

    with pytest.raises(PermissionError, match="not private"):
        bind(UnixEndpoint(path), refuse)
    assert not path.exists()


def test_a_stale_socket_is_replaced(path: Path) -> None:
    leave_stale(path)
    assert not can_connect(path)
    with closing(bind_unix(path)):
        assert can_connect(path)


def test_a_live_socket_is_never_stolen(path: Path) -> None:
    with closing(bind_unix(path)) as live:
        with pytest.raises(EndpointInUseError, match="another process listens"):
            bind_unix(path)
        assert live.is_in_place()
        assert can_connect(path)


def test_a_live_socket_with_a_full_backlog_is_not_stolen_either(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as live, closing(socket.socket(socket.AF_UNIX)) as caller:
        live.bind(str(path))
        live.listen(0)
        caller.connect(str(path))
        with pytest.raises(EndpointInUseError):
            bind_unix(path)
        assert path.exists()


def test_a_socket_that_took_the_stale_ones_place_meanwhile_is_not_removed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace_and_refuse(path: Path) -> bool:
        path.rename(path.with_name("moved"))
        leave_stale(path)
        return True

    leave_stale(path)
    monkeypatch.setattr(endpoint_module, "_refuses_connections", replace_and_refuse)
    with pytest.raises(OSError, match="in use"):
        bind_unix(path)
    assert path.exists()


def test_a_symlink_is_neither_followed_nor_removed(path: Path) -> None:
    target = path.with_name("target.sock")
    leave_stale(target)
    path.symlink_to(target)
    with pytest.raises(UnsafeEndpointError, match="not a socket"):
        bind_unix(path)
    assert path.is_symlink()
    assert target.exists()


def test_a_dangling_symlink_is_not_followed_either(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))
    with pytest.raises(UnsafeEndpointError):
        bind_unix(path)
    assert path.is_symlink()
    assert not path.with_name("nowhere").exists()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_no_socket_is_left_alone(path: Path, kind: str) -> None:
    if kind == "file":
        path.write_text("precious")
    else:
        path.mkdir()
    with pytest.raises(UnsafeEndpointError, match="not a socket"):
        bind_unix(path)
    assert path.exists()


def test_a_socket_of_another_user_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_stale(path)
    monkeypatch.setattr(os, "getuid", lambda: 4_294_967_294)
    with pytest.raises(UnsafeEndpointError, match="another user"):
        bind_unix(path)
    assert path.exists()


def test_close_removes_our_file(path: Path) -> None:
    bound = bind_unix(path)
    bound.close()
    assert not path.exists()
    assert not bound.is_in_place()
    bound.close()


def test_close_leaves_a_file_that_took_the_place_of_ours(path: Path) -> None:
    bound = bind_unix(path)
    path.rename(path.with_name("moved"))  # keeps the inode from being used again
    leave_stale(path)
    assert not bound.is_in_place()
    bound.close()
    assert path.exists()


def test_a_file_that_cannot_be_removed_does_not_keep_the_socket_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError

    bound = bind_unix(path)
    monkeypatch.setattr(Path, "unlink", refuse)
    bound.close()
    assert bound.sock.fileno() == -1


def test_a_path_that_no_socket_can_have_leaves_nothing_behind(path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        bind_unix(path.with_name("x" * 200))
    assert list(path.parent.iterdir()) == []


def test_a_mode_that_cannot_be_set_leaves_nothing_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path, _mode: int) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(PermissionError):
        bind_unix(path)
    assert list(path.parent.iterdir()) == []


def test_tcp_listens_on_the_loopback_address_only() -> None:
    with closing(bind(TcpEndpoint(), lambda _folder: None)) as bound:
        assert bound.sock.getsockname() == ("127.0.0.1", bound.port)
        assert bound.is_in_place()


def test_a_tcp_port_in_use_is_not_taken() -> None:
    with closing(bind(TcpEndpoint(), lambda _folder: None)) as bound:
        assert bound.port
        with pytest.raises(OSError, match="in use"):
            bind(TcpEndpoint(bound.port), lambda _folder: None)


def test_a_tcp_port_can_be_bound_again_at_once() -> None:
    first = bind(TcpEndpoint(), lambda _folder: None)
    port = first.port
    assert port
    first.close()
    with closing(bind(TcpEndpoint(port), lambda _folder: None)) as second:
        assert second.port == port
