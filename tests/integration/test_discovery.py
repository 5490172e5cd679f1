"""The discovery file on a real file system."""

import json
import os
import stat
from pathlib import Path

import pytest

from orbtile.system.discovery import DiscoveryFile
from orbtile.system.private_files import UnsafePathError

TOKEN = "t" * 43
OTHER_TOKEN = "o" * 43
PID = 4242


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Orbtile" / "adapter-api.json"


def read(path: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return document


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


@pytest.mark.parametrize("contents", [b"", b"[]", b"{", b'"x"', b"\xff", b"[" * 100_000])
def test_a_file_that_is_no_discovery_file_is_left_alone(path: Path, tmp_path: Path, contents: bytes) -> None:
    file = DiscoveryFile(path, pid=PID)
    file.write(tmp_path / "s", TOKEN)
    path.write_bytes(contents)
    assert not file.remove()
    assert not file.remove_stale(lambda _: False)
    assert path.read_bytes() == contents


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


@pytest.mark.parametrize(("pid", "live", "goes"), [(1, False, True), (1, True, False), (PID, True, True)])
def test_at_start_only_the_file_of_a_dead_instance_is_stale(
    path: Path, tmp_path: Path, pid: int, live: bool, goes: bool
) -> None:
    DiscoveryFile(path, pid=pid).write(tmp_path / "s", TOKEN)
    assert DiscoveryFile(path, pid=PID).remove_stale(lambda _: live) is goes
    assert path.exists() is not goes


def test_at_start_there_may_be_no_file(path: Path) -> None:
    assert not DiscoveryFile(path, pid=PID).remove_stale(lambda _: False)
