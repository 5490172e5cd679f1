"""The discovery file on a real file system."""

import errno
import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from orbtile.system import discovery
from orbtile.system.discovery import DiscoveryFile, Standing
from orbtile.system.private_files import UnsafePathError

pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers

TOKEN = "t" * 43
OTHER_TOKEN = "o" * 43
PID = 4242


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Orbtile" / "adapter-api.json"


def read(path: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return document


@contextmanager
def listening_on(path: Path, backlog: int = 8) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(backlog)
        yield


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_says_what_an_adapter_needs_to_connect_to_a_socket(path: Path, tmp_path: Path) -> None:
    DiscoveryFile(path, pid=PID).write(tmp_path / "hooks.sock", TOKEN)
    assert read(path) == {
        "api": 1,
        "socketPath": str(tmp_path / "hooks.sock"),
        "basePath": "/a/v1",
        "token": TOKEN,
        "pid": PID,
    }


def test_it_says_what_an_adapter_needs_to_connect_over_tcp(path: Path) -> None:
    DiscoveryFile(path, pid=PID).write(49152, TOKEN)
    assert read(path) == {
        "api": 1,
        "url": "http://127.0.0.1:49152",
        "port": 49152,
        "basePath": "/a/v1",
        "token": TOKEN,
        "pid": PID,
    }


def test_it_is_private_in_a_private_folder(path: Path, tmp_path: Path) -> None:
    DiscoveryFile(path, pid=PID).write(tmp_path / "s", TOKEN)
    assert (mode_of(path), mode_of(path.parent)) == (0o600, 0o700)


def test_a_folder_that_the_user_named_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "other").write_bytes(b"")
    DiscoveryFile(tmp_path / "api.json", pid=PID, folder_is_shared=True).write(tmp_path / "s", TOKEN)
    assert (mode_of(tmp_path / "api.json"), mode_of(tmp_path)) == (0o600, 0o755)


def test_a_socket_path_with_any_name_survives(path: Path) -> None:
    socket_path = Path("/tmp/ü 'q\" \n/hooks.sock")
    DiscoveryFile(path, pid=PID).write(socket_path, TOKEN)
    assert read(path)["socketPath"] == str(socket_path)


def test_what_a_crash_left_is_replaced(path: Path, tmp_path: Path) -> None:
    DiscoveryFile(path, pid=1).write(tmp_path / "old", OTHER_TOKEN)
    DiscoveryFile(path, pid=PID).write(tmp_path / "new", TOKEN)
    assert read(path)["token"] == TOKEN


def test_it_is_removed_when_the_api_ends(path: Path, tmp_path: Path) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", TOKEN)
    assert file.remove()
    assert not path.exists()
    assert not file.remove()


@pytest.mark.parametrize(("pid", "token"), [(PID + 1, TOKEN), (PID, OTHER_TOKEN)])
def test_the_file_of_another_instance_is_not_removed(
    path: Path, tmp_path: Path, pid: int, token: str
) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", TOKEN)
    DiscoveryFile(path, pid=pid).write(tmp_path / "s", token)
    assert not file.remove()
    assert read(path)["token"] == token


def test_an_instance_that_wrote_nothing_removes_nothing(path: Path, tmp_path: Path) -> None:
    DiscoveryFile(path, pid=PID).write(tmp_path / "s", TOKEN)
    assert not DiscoveryFile(path, pid=PID).remove()
    assert path.exists()


@pytest.mark.parametrize(
    "contents", [b"", b"[]", b"{", b'"x"', b"\xff", b"[" * 100_000, b'{"pid": 4242.5, "token": []}']
)
def test_a_file_that_is_no_discovery_file_is_left_alone(path: Path, tmp_path: Path, contents: bytes) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", TOKEN)
    path.write_bytes(contents)
    assert not file.remove()
    assert not file.remove_stale(lambda _: False)
    assert path.read_bytes() == contents


def test_a_file_of_our_process_with_a_token_that_is_no_text_is_not_ours(path: Path, tmp_path: Path) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", TOKEN)
    path.write_text(f'{{"pid": {PID}, "token": []}}')
    assert not file.remove()
    assert path.exists()


def test_a_link_is_replaced_by_the_file(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    (tmp_path / "victim").write_bytes(b"precious")
    path.symlink_to(tmp_path / "victim")
    DiscoveryFile(path, pid=PID).write(tmp_path / "s", TOKEN)
    assert (tmp_path / "victim").read_bytes() == b"precious"
    assert not path.is_symlink()


def test_a_folder_that_is_a_link_gets_no_token(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    path.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePathError):
        DiscoveryFile(path, pid=PID).write(tmp_path / "s", TOKEN)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_old_token_does_not_stay_when_the_new_one_cannot_be_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", OTHER_TOKEN)

    def full(_fd: int, _data: object) -> int:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        file.write(tmp_path / "s", TOKEN)
    assert list(path.parent.iterdir()) == []


def test_a_file_that_may_not_survive_a_crash_is_not_left_behind(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = os.fsync

    def fsync(fd: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(5, "injected")  # after the file has come to stand there
        original(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    file = DiscoveryFile(path, pid=PID)
    with pytest.raises(OSError, match="injected"):
        file.write(tmp_path / "s", TOKEN)
    assert not path.exists()


@pytest.mark.parametrize("call", ["remove_file", "read_private_file"])
def test_what_could_not_be_removed_is_removed_by_the_next_attempt(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", TOKEN)

    def fail(*_: object) -> None:
        raise OSError(16, "injected")

    with monkeypatch.context() as patch:
        patch.setattr(discovery, call, fail)
        assert not file.remove()
        assert not file.remove_stale(lambda _: False)
    assert read(path)["token"] == TOKEN
    assert file.remove()
    assert not path.exists()


def test_an_old_file_that_could_neither_be_replaced_nor_removed_is_still_ours(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", OTHER_TOKEN)

    def fail(*_: object) -> None:
        raise OSError(16, "injected")

    with monkeypatch.context() as patch:
        patch.setattr(discovery, "remove_file", fail)
        patch.setattr(discovery, "write_private_file", fail)
        with pytest.raises(OSError, match="injected"):
            file.write(tmp_path / "s", TOKEN)
    assert read(path)["token"] == OTHER_TOKEN
    assert file.remove()


def test_at_start_what_a_killed_writer_left_goes_with_its_token(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    (path.parent / f".{path.name}.0123456789abcdef.tmp").write_text(TOKEN)
    DiscoveryFile(path, pid=PID).remove_stale(lambda _: True)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("pid", [1, PID])
def test_at_start_a_file_in_our_own_folder_is_stale_whoever_has_its_process_id_now(
    path: Path, tmp_path: Path, pid: int
) -> None:
    with listening_on(tmp_path / "s"):
        DiscoveryFile(path, pid=pid).write(tmp_path / "s", TOKEN)
        assert DiscoveryFile(path, pid=PID).remove_stale(lambda _: True)
    assert not path.exists()


@pytest.mark.parametrize(
    ("pid", "is_live", "listens", "goes"),
    [
        (1, True, True, False),
        (1, True, False, True),  # another program has got the process id since
        (1, False, True, True),
        (PID, True, True, True),  # it is ours now
    ],
)
def test_at_start_a_file_that_the_user_named_stays_while_another_instance_runs_and_listens(
    path: Path, tmp_path: Path, pid: int, is_live: bool, listens: bool, goes: bool
) -> None:
    DiscoveryFile(path, pid=pid, folder_is_shared=True).write(tmp_path / "s", TOKEN)
    with listening_on(tmp_path / ("s" if listens else "other")):
        file = DiscoveryFile(path, pid=PID, folder_is_shared=True)
        assert file.remove_stale(lambda _: is_live) is goes
    assert path.exists() is not goes


def test_at_start_a_file_that_names_a_port_stays_while_its_process_lives(path: Path) -> None:
    DiscoveryFile(path, pid=1, folder_is_shared=True).write(4711, TOKEN)
    file = DiscoveryFile(path, pid=PID, folder_is_shared=True)
    assert not file.remove_stale(lambda _: True)
    assert file.remove_stale(lambda _: False)


# --- whose file stands there --------------------------------------------------------------------------------


def test_what_we_wrote_is_ours_until_a_letter_is_changed(path: Path, tmp_path: Path) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", TOKEN)
    assert file.look(lambda _: True) is Standing.OURS
    path.write_text(path.read_text(encoding="ascii").replace(TOKEN, OTHER_TOKEN), encoding="ascii")
    assert file.look(lambda _: True) is Standing.NOTHING


@pytest.mark.parametrize(
    "contents",
    [None, b"", b"[]", b"{}", b"{", b"[" * 99_999, b'{"pid": 1, "token": "t", "socketPath": "\\u0000"}'],
)
def test_what_is_no_discovery_file_is_nothing(path: Path, contents: bytes | None) -> None:
    path.parent.mkdir()
    if contents is not None:
        path.write_bytes(contents)
    assert DiscoveryFile(path, pid=PID).look(lambda _: True) is Standing.NOTHING


def test_a_live_instance_whose_backlog_is_full_still_has_its_file(path: Path, tmp_path: Path) -> None:
    DiscoveryFile(path, pid=1).write(tmp_path / "s", TOKEN)
    with listening_on(tmp_path / "s", backlog=0), ExitStack() as clients:
        for _ in range(100):
            client = clients.enter_context(socket.socket(socket.AF_UNIX))
            client.setblocking(False)
            if client.connect_ex(str(tmp_path / "s")) == errno.EAGAIN:
                break
        else:
            pytest.fail("the backlog takes everybody")
        assert DiscoveryFile(path, pid=PID).look(lambda _: True) is Standing.ANOTHERS


def test_at_start_there_may_be_no_file(path: Path) -> None:
    assert not DiscoveryFile(path, pid=PID).remove_stale(lambda _: False)
