import os
import sys
from pathlib import Path

import pytest

from orbtile.system import machine
from orbtile.system.machine import is_private_folder, read_edition, read_machine
from orbtile.system.paths import Edition

pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers


def test_a_folder_of_ours_that_is_closed_to_others_is_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert is_private_folder(str(tmp_path))


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o755, 0o770, 0o1777])
def test_a_folder_that_others_can_enter_is_not_private(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(mode)
    assert not is_private_folder(str(folder))


def test_what_is_no_folder_is_not_private(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "file").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path)
    assert not is_private_folder(str(tmp_path / "file"))
    assert not is_private_folder(str(tmp_path / "link"))
    assert not is_private_folder(str(tmp_path / "missing"))


def test_a_folder_of_somebody_else_is_not_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    me = os.geteuid()
    monkeypatch.setattr(machine, "own_uid", lambda: me + 1)
    assert not is_private_folder(str(tmp_path))


def test_this_machine_is_described_by_absolute_paths_and_our_user() -> None:
    facts = read_machine()
    assert Path(facts.home).is_absolute()
    assert Path(facts.cwd).is_absolute()
    assert facts.uid == os.geteuid()
    assert facts.is_private_folder is is_private_folder


def test_what_does_not_come_from_a_store_is_the_standard_edition() -> None:
    assert read_edition() is Edition.STANDARD
