import os
import sys
from pathlib import Path

import pytest

from orbtile.system import machine
from orbtile.system.machine import (
    behind_own_links,
    is_private_folder,
    may_be_private_folder,
    read_edition,
    read_machine,
)
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
    assert facts.may_be_private_folder is may_be_private_folder
    assert facts.behind_own_links is behind_own_links


def test_in_a_folder_that_was_removed_paths_are_relative_to_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    facts = read_machine()
    assert facts.cwd == facts.home


def test_what_does_not_come_from_a_store_is_the_standard_edition() -> None:
    assert read_edition() is Edition.STANDARD


@pytest.mark.parametrize("home", ["relative", "./relative", "", None])
def test_a_home_that_is_not_absolute_is_not_the_users(
    monkeypatch: pytest.MonkeyPatch, home: str | None
) -> None:
    import pwd

    if home is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", home)
    assert read_machine().home == pwd.getpwuid(os.getuid()).pw_dir


def test_a_user_whom_nobody_knows_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    with pytest.raises(RuntimeError, match="no home"):
        read_machine()


# --- a folder that may become private -----------------------------------------------------------------------


def test_a_folder_that_is_missing_may_become_private_in_one_that_exists(tmp_path: Path) -> None:
    assert may_be_private_folder(str(tmp_path / "new"))
    assert not may_be_private_folder(str(tmp_path / "missing" / "new"))


def test_a_folder_of_ours_may_become_private_whatever_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert may_be_private_folder(str(tmp_path))
    tmp_path.chmod(0o1777)
    assert not may_be_private_folder(str(tmp_path))


def test_what_is_no_folder_of_ours_cannot_become_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "file/folder", "link"):
        assert not may_be_private_folder(str(tmp_path / name))
    monkeypatch.setattr(machine, "own_uid", lambda: os.geteuid() + 1)
    assert not may_be_private_folder(str(tmp_path))


# --- a data folder that is a link ---------------------------------------------------------------------------


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """A link of ours to a folder on another disk, say."""
    (tmp_path / "disk" / "Orbtile").mkdir(parents=True)
    (tmp_path / "share").mkdir(mode=0o755)
    link = tmp_path / "share" / "Orbtile"
    link.symlink_to(Path("..", "disk", "Orbtile"))
    return link


def test_a_link_of_ours_where_only_we_can_write_is_followed(link: Path, tmp_path: Path) -> None:
    assert behind_own_links(str(link)) == str(tmp_path.resolve() / "disk" / "Orbtile")
    second = tmp_path / "second"
    second.symlink_to(link)
    assert behind_own_links(str(second)) == str(tmp_path.resolve() / "disk" / "Orbtile")


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o1777])
def test_a_link_that_others_could_replace_is_not_followed(link: Path, mode: int) -> None:
    link.parent.chmod(mode)
    assert behind_own_links(str(link)) == str(link)


def test_a_link_of_somebody_else_is_not_followed(link: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert behind_own_links(str(link)) == str(link)


def test_links_that_lead_nowhere_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for name, target in (("a", "b"), ("b", "a"), ("dangling", "missing"), ("to-file", "file")):
        (tmp_path / name).symlink_to(target)
        assert behind_own_links(str(tmp_path / name)) == str(tmp_path / name)


def test_a_folder_and_one_that_is_not_there_are_what_they_are(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing", tmp_path / ("too long" * 40)):
        assert behind_own_links(str(path)) == str(path)
