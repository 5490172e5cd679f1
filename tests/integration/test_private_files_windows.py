"""Private folders and files on Windows: access lists read back, and files that another program has open."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from orbtile.system import windows_api
from orbtile.system.discovery import DiscoveryFile
from orbtile.system.instance import InstanceFiles
from orbtile.system.lock import InstanceLock, LockResult
from orbtile.system.private_files import (
    UnsafePathError,
    clear_leftovers,
    make_private_folder,
    read_private_file,
    remove_file,
    require_safe_folder,
    write_private_file,
)
from orbtile.system.windows_sddl import file_sddl

pytest.importorskip("msvcrt", reason="needs Windows")
assert sys.platform == "win32"  # for type checkers

ACCESS_LIST = """
$acl = Get-Acl -LiteralPath $env:ORBTILE_TEST_PATH
$sid = [Security.Principal.SecurityIdentifier]
$acl.GetOwner($sid).Value
$acl.AreAccessRulesProtected
foreach ($rule in $acl.GetAccessRules($true, $true, $sid)) {
    "{0} {1} {2} {3}" -f $rule.IdentityReference.Value, $rule.AccessControlType,
        $rule.FileSystemRights, $rule.IsInherited
}
"""


def access_of(path: Path) -> list[str]:
    """Owner, whether nothing is inherited, and each entry of the access list."""
    done = subprocess.run(
        ["powershell", "-NoProfile", "-NonInteractive", "-Command", ACCESS_LIST],
        env={**os.environ, "ORBTILE_TEST_PATH": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def ours_alone() -> list[str]:
    sid = windows_api.own_sid()
    return [sid, "True", f"{sid} Allow FullControl False"]


def names_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_private_folder(tmp_path / "folder")
    return tmp_path / "folder"


def test_a_new_folder_and_a_new_file_are_ours_alone(folder: Path) -> None:
    write_private_file(folder / "file", b"new")
    assert read_private_file(folder / "file", 3) == b"new"
    assert access_of(folder) == ours_alone()
    assert access_of(folder / "file") == ours_alone()
    assert names_in(folder) == {"file"}


def test_a_folder_and_a_file_that_were_open_to_others_are_closed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_bytes(b"old")
    assert access_of(folder) != ours_alone()
    make_private_folder(folder)
    write_private_file(folder / "file", b"new")
    assert access_of(folder) == ours_alone()
    assert access_of(folder / "file") == ours_alone()


def test_a_named_folder_with_other_things_in_it_keeps_its_access_list(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "thesis.tex").write_bytes(b"")
    before = access_of(folder)
    require_safe_folder(folder, frozenset({"api.json"}))
    assert access_of(folder) == before


def test_a_file_over_the_limit_and_a_folder_are_not_read(folder: Path) -> None:
    write_private_file(folder / "file", b"contents!")
    with pytest.raises(UnsafePathError, match="longer than 8 bytes"):
        read_private_file(folder / "file", 8)
    with pytest.raises(UnsafePathError, match="not a regular file"):
        read_private_file(folder, 8)


def test_a_file_whose_name_is_taken_is_not_created_and_the_system_says_so(folder: Path) -> None:
    write_private_file(folder / "file", b"old")
    with pytest.raises(FileExistsError):
        windows_api.create_file(str(folder / "file"), file_sddl(windows_api.own_sid()))
    assert not windows_api.create_folder(str(folder), file_sddl(windows_api.own_sid()))


def test_a_file_that_somebody_reads_is_replaced_once_he_is_done(folder: Path) -> None:
    path = folder / "file"
    write_private_file(path, b"old")
    reader = path.open("rb")  # like most programs: without leave to replace the file meanwhile
    done = threading.Timer(0.1, reader.close)
    done.start()
    write_private_file(path, b"new")
    done.join()
    assert path.read_bytes() == b"new"
    assert names_in(folder) == {"file"}


def test_a_file_that_stays_open_keeps_its_contents_and_no_temporary_file_stays(folder: Path) -> None:
    path = folder / "file"
    write_private_file(path, b"old")
    with path.open("rb"), pytest.raises(PermissionError):
        write_private_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert names_in(folder) == {"file"}


def test_a_file_that_somebody_reads_is_removed_once_he_is_done(folder: Path) -> None:
    path = folder / "file"
    write_private_file(path, b"old")
    reader = path.open("rb")
    done = threading.Timer(0.1, reader.close)
    done.start()
    remove_file(path)
    done.join()
    assert names_in(folder) == set()


def test_a_discovery_file_that_stays_open_is_removed_by_the_next_attempt(folder: Path) -> None:
    path = folder / "adapter-api.json"
    file = DiscoveryFile(path, pid=os.getpid())
    file.write(49152, "t" * 43)
    with path.open("rb"):
        assert not file.remove()
    assert file.remove()
    assert not path.exists()


def test_leftovers_of_killed_writers_are_removed(folder: Path) -> None:
    (folder / ".file.0f.tmp").write_bytes(b"secret")
    clear_leftovers(folder / "file")
    assert names_in(folder) == set()


def test_the_files_of_an_instance_come_back_and_go(folder: Path) -> None:
    files = InstanceFiles(folder / "hook-token", folder / "endpoint.json")
    files.write_hook_token("t" * 43)
    files.write_endpoint(49152, os.getpid())
    assert files.read_hook_token() == "t" * 43
    assert files.read_endpoint() == (49152, os.getpid())
    files.remove()
    assert names_in(folder) == set()


def test_the_first_instance_holds_the_lock_and_the_second_is_told(folder: Path) -> None:
    first, second = InstanceLock(folder / "lock"), InstanceLock(folder / "lock")
    assert first.acquire() is LockResult.HELD
    assert second.acquire() is LockResult.TAKEN
    first.release()
    assert second.acquire() is LockResult.HELD
    second.release()
