import os
import socket
import struct
import sys
from pathlib import Path

import pytest

from orbtile.system import peer
from orbtile.system.peer import is_own_peer, parse_ucred, parse_xucred

pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers


def test_linux_puts_the_user_second() -> None:
    assert parse_ucred(struct.pack("@3i", 4242, 1000, 100)) == 1000


def test_a_linux_user_id_is_unsigned() -> None:
    assert parse_ucred(struct.pack("@3I", 4242, 4_000_000_000, 100)) == 4_000_000_000


@pytest.mark.parametrize("size", [0, 8, 16])
def test_a_linux_structure_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError):
        parse_ucred(bytes(size))


def xucred(*, version: int = 0, uid: int = 501, size: int = 76) -> bytes:
    data = struct.pack("@IIh2x", version, uid, 3) + struct.pack("@16I", 20, 12, 61, *[0] * 13)
    return data.ljust(size, b"\0")[:size]


def test_macos_puts_the_user_behind_the_version() -> None:
    assert parse_xucred(xucred()) == 501


@pytest.mark.parametrize("data", [b"", xucred(size=75), xucred(size=77), xucred(version=1)])
def test_a_macos_structure_of_another_size_or_version_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        parse_xucred(data)


def test_a_peer_of_our_own_is_known_on_a_real_socket(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        client.connect(path)
        accepted, _ = server.accept()
        with accepted:
            assert is_own_peer(accepted)
            assert is_own_peer(client)


def test_a_peer_of_somebody_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "own_uid", lambda: os.geteuid() + 1)
    left, right = socket.socketpair()
    with left, right:
        assert not is_own_peer(left)


def test_a_peer_that_the_system_does_not_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_connection: socket.socket) -> int:
        raise OSError

    monkeypatch.setattr(peer, "peer_uid", nobody)
    left, right = socket.socketpair()
    with left, right:
        assert not is_own_peer(left)


def test_tcp_peers_are_left_to_the_token() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as end,
    ):
        assert is_own_peer(end)
