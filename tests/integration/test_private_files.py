"""Private folders and files on a real file system."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from orbtile.system.private_files import (
    PrivateFiles,
    UnsafePathError,
    make_private_folder,
    read_private_file,
    require_safe_folder,
    write_private_file,
)
from tests.fakes.disk import Disk, InjectedDisk, can_mount, mounted_disk

fcntl = pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers

SOMEBODY_ELSE = 12345
DISKS = ["injected", *(["mounted"] if can_mount() else [])]


@pytest.fixture(params=DISKS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    root = tmp_path / "disk"
    root.mkdir(mode=0o700)
    with ExitStack() as stack:
        if request.param == "mounted":
            yield stack.enter_context(mounted_disk(root))
        else:
            yield InjectedDisk(root, stack.enter_context(pytest.MonkeyPatch.context()))


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def names_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.fixture(params=["pretended", *(["chown"] if os.geteuid() == 0 else [])])
def give_away(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a path somebody else's: root gives it away, others become another user themselves."""

    def give(path: Path) -> None:
        if request.param == "chown":
            os.chown(path, SOMEBODY_ELSE, SOMEBODY_ELSE)
        else:
            me = os.geteuid()
            monkeypatch.setattr(os, "geteuid", lambda: me + SOMEBODY_ELSE)

    return give


# --- folders
# ----------------------------------------------------------------------------------------------------


def test_a_missing_folder_is_made_private_with_its_parents(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a" / "b" / "c")
    assert [mode_of(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_the_umask_changes_nothing(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "folder"
    former = os.umask(umask)
    try:
        make_private_folder(folder)
        write_private_file(folder / "file", b"x")
    finally:
        os.umask(former)
    assert (mode_of(folder), mode_of(folder / "file")) == (0o700, 0o600)


def test_a_folder_of_ours_that_is_open_to_others_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o755)
    make_private_folder(folder)
    assert mode_of(folder) == 0o700


def test_a_link_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    (tmp_path / "folder").symlink_to(elsewhere)
    with pytest.raises(UnsafePathError, match="link"):
        make_private_folder(tmp_path / "folder")
    assert mode_of(elsewhere) == 0o755


def test_a_dangling_link_in_place_of_a_folder_is_refused_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePathError):
        make_private_folder(tmp_path / "folder")
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").write_bytes(b"")
    with pytest.raises(UnsafePathError):
        make_private_folder(tmp_path / "folder")


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, give_away: Callable[[Path], None]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    give_away(folder)
    with pytest.raises(UnsafePathError, match="somebody else"):
        make_private_folder(folder)


@pytest.mark.parametrize("mode", [0o1777, 0o1700])
def test_a_folder_that_users_share_is_never_made_private(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(UnsafePathError, match="shared"):
        make_private_folder(folder)
    assert mode_of(folder) == mode


# --- a folder that the user named ---------------------------------------------------------------------------


OURS = frozenset({"api.json"})


def test_a_named_folder_that_is_missing_is_made_private(tmp_path: Path) -> None:
    require_safe_folder(tmp_path / "new", OURS)
    assert mode_of(tmp_path / "new") == 0o700


@pytest.mark.parametrize("contents", [(), ("api.json",)])
def test_a_named_folder_with_nothing_else_in_it_is_made_private(
    tmp_path: Path, contents: tuple[str, ...]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o775)
    for name in contents:
        (folder / name).write_bytes(b"")
    require_safe_folder(folder, OURS)
    assert mode_of(folder) == 0o700


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_named_folder_with_other_things_in_it_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(mode)
    (folder / "thesis.tex").write_bytes(b"")
    require_safe_folder(folder, OURS)
    assert mode_of(folder) == mode


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_a_named_folder_in_which_others_could_replace_our_file_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(mode)
    (folder / "thesis.tex").write_bytes(b"")
    with pytest.raises(UnsafePathError, match="replace"):
        require_safe_folder(folder, OURS)
    assert mode_of(folder) == mode


def test_a_named_folder_of_somebody_else_is_refused_unless_the_system_owns_it(
    tmp_path: Path, give_away: Callable[[Path], None]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o755)
    give_away(folder)
    owner = folder.stat().st_uid
    if owner == 0:  # we pretend not to be root: the folder is the system's, such as /tmp
        require_safe_folder(folder, OURS)
    else:
        with pytest.raises(UnsafePathError, match="somebody else"):
            require_safe_folder(folder, OURS)
    assert mode_of(folder) == 0o755


# --- writing ------------------------------------------------------------------------------------------------


def test_a_written_file_is_private_and_alone(tmp_path: Path) -> None:
    write_private_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert mode_of(tmp_path / "file") == 0o600
    assert names_in(tmp_path) == {"file"}


def test_a_file_that_was_open_to_others_is_private_once_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o644)
    write_private_file(tmp_path / "file", b"new")
    assert mode_of(tmp_path / "file") == 0o600


def test_a_link_in_place_of_a_file_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "file").symlink_to(tmp_path / "victim")
    write_private_file(tmp_path / "file", b"new")
    assert (tmp_path / "victim").read_bytes() == b"precious"
    assert not (tmp_path / "file").is_symlink()


def test_a_link_in_place_of_the_folder_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "folder").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePathError):
        write_private_file(tmp_path / "folder" / "file", b"new")
    assert names_in(tmp_path / "elsewhere") == set()


def test_a_planted_temporary_name_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "victim").write_bytes(b"precious")
    monkeypatch.setattr("secrets.token_hex", lambda _: "guessed")
    (tmp_path / ".file.guessed.tmp").symlink_to(tmp_path / "victim")
    with pytest.raises(FileExistsError):
        write_private_file(tmp_path / "file", b"new")
    assert (tmp_path / "victim").read_bytes() == b"precious"


def test_a_full_disk_costs_nothing_that_was_there(disk: Disk) -> None:
    path = disk.root / "file"
    write_private_file(path, b"old")
    disk.fill()
    with pytest.raises(OSError) as failure:
        write_private_file(path, b"n" * 100_000)
    assert failure.value.errno == errno.ENOSPC
    assert path.read_bytes() == b"old"
    assert names_in(disk.root) <= {"file", "ballast"}
    disk.free()
    write_private_file(path, b"n" * 100_000)
    assert path.read_bytes() == b"n" * 100_000


def test_a_read_only_disk_costs_nothing_that_was_there(disk: Disk) -> None:
    path = disk.root / "file"
    write_private_file(path, b"old")
    disk.make_read_only()
    with pytest.raises(OSError) as failure:
        write_private_file(path, b"new")
    assert failure.value.errno == errno.EROFS
    assert path.read_bytes() == b"old"
    assert names_in(disk.root) == {"file"}
    disk.make_writable()
    write_private_file(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("call", ["fsync", "close", "replace", "fchmod"])
def test_whatever_fails_before_the_end_the_old_file_stays_and_no_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "file"
    write_private_file(path, b"old")
    original = getattr(os, call)

    def fail_once(*args: object, **kwargs: object) -> None:
        monkeypatch.setattr(os, call, original)
        if call == "close":
            original(*args)
        raise OSError(errno.EIO, "injected")

    monkeypatch.setattr(os, call, fail_once)
    with pytest.raises(OSError, match="injected"):
        write_private_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == {"file"}


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: original(fd, bytes(data)[:3]))
    write_private_file(tmp_path / "file", b"0123456789")
    assert (tmp_path / "file").read_bytes() == b"0123456789"


@pytest.mark.parametrize(("number", "matters"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_folder_that_cannot_be_synced_matters_only_where_it_means_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, matters: bool
) -> None:
    original = os.fsync

    def fsync(fd: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(number, "injected")
        original(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    if matters:
        with pytest.raises(OSError, match="injected"):
            write_private_file(tmp_path / "file", b"new")
    else:
        write_private_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


WRITER = """
import sys
from pathlib import Path
from orbtile.system.private_files import write_private_file
path = Path(sys.argv[1])
print("ready", flush=True)
number = 0
while True:
    number += 1
    write_private_file(path, str(number % 10).encode() * 200_000)
"""


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_private_file(path, b"0" * 200_000)
    for turn in range(12):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        with writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.003 * turn)
            writer.send_signal(signal.SIGKILL)
        data = path.read_bytes()
        assert len(data) == 200_000
        assert data == data[:1] * 200_000
    PrivateFiles().clear_leftovers(path)
    assert names_in(tmp_path) == {"file"}


@pytest.mark.parametrize("has_the_call", [True, False])
def test_a_saved_document_leaves_the_drives_cache_where_a_system_has_a_call_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_the_call: bool
) -> None:
    synced: list[str] = []

    def full_sync(_fd: int, command: int) -> None:
        assert command == 51
        synced.append("drive")
        if not has_the_call:
            raise OSError(errno.ENOTTY, "not on this file system")

    def fsync(fd: int) -> None:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            synced.append("file")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)  # macOS' call
    monkeypatch.setattr(fcntl, "fcntl", full_sync)
    monkeypatch.setattr(os, "fsync", fsync)
    PrivateFiles().write(tmp_path / "folder" / "document", b"precious")
    assert synced == (["drive"] if has_the_call else ["drive", "file"])
    synced.clear()
    write_private_file(tmp_path / "token", b"made again at every start")
    assert synced == ["file"]


# --- reading ------------------------------------------------------------------------------------------------


def test_a_file_of_ours_is_read(tmp_path: Path) -> None:
    write_private_file(tmp_path / "file", b"contents")
    assert read_private_file(tmp_path / "file", 8) == b"contents"


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    write_private_file(tmp_path / "file", b"contents!")
    with pytest.raises(UnsafePathError, match="longer than 8 bytes"):
        read_private_file(tmp_path / "file", 8)


def test_a_link_is_not_read(tmp_path: Path) -> None:
    write_private_file(tmp_path / "victim", b"secret")
    (tmp_path / "file").symlink_to(tmp_path / "victim")
    with pytest.raises(UnsafePathError, match="link"):
        read_private_file(tmp_path / "file", 100)


def test_a_fifo_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "file")
    with pytest.raises(UnsafePathError, match="regular"):
        read_private_file(tmp_path / "file", 100)


def test_a_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError):
        read_private_file(tmp_path / "file", 100)


def test_a_file_of_somebody_else_is_not_read(tmp_path: Path, give_away: Callable[[Path], None]) -> None:
    write_private_file(tmp_path / "file", b"bait")
    give_away(tmp_path / "file")
    with pytest.raises(UnsafePathError, match="somebody else"):
        read_private_file(tmp_path / "file", 100)


# --- the class that storage uses
# -----------------------------------------------------------------------------


def test_a_missing_file_reads_as_none(tmp_path: Path) -> None:
    assert PrivateFiles().read(tmp_path / "folder" / "file", 100) is None


def test_a_folder_that_has_gone_comes_back_with_the_next_write(tmp_path: Path) -> None:
    PrivateFiles().write(tmp_path / "folder" / "file", b"new")
    assert mode_of(tmp_path / "folder") == 0o700


def test_files_put_aside_get_free_names(tmp_path: Path) -> None:
    files = PrivateFiles()
    path = tmp_path / "settings.json"
    names: list[str] = []
    for contents in (b"first", b"second"):
        files.write(path, contents)
        names.append(files.set_aside(path, "broken").name)
    (tmp_path / "settings.json.broken-3").symlink_to(tmp_path / "nowhere")
    files.write(path, b"third")
    names.append(files.keep_copy(path, "broken", b"third").name)
    assert names == [f"settings.json.broken-{number}" for number in (1, 2, 4)]
    assert (tmp_path / "settings.json.broken-2").read_bytes() == b"second"
    assert path.read_bytes() == b"third"


def test_leftovers_of_other_files_stay(tmp_path: Path) -> None:
    for name in (".a.json.0f.tmp", ".b.json.0f.tmp", "a.json"):
        (tmp_path / name).write_bytes(b"")
    PrivateFiles().clear_leftovers(tmp_path / "a.json")
    assert names_in(tmp_path) == {".b.json.0f.tmp", "a.json"}


def test_leftovers_are_found_whatever_the_files_name_and_one_that_stays_keeps_no_other(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a[b]*?.json"
    names = [f".{path.name}.{number}.tmp" for number in ("0f", "1f", "2f")]
    for name in (names[0], names[2], ".ab.json.0f.tmp"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / names[1]).mkdir()  # which unlink refuses
    PrivateFiles().clear_leftovers(path)
    assert names_in(tmp_path) == {names[1], ".ab.json.0f.tmp"}


# --- a document that is a link of the user's ----------------------------------------------------------------


class LinkedDocument(NamedTuple):
    """``link`` in the data folder to ``target`` among the user's dotfiles."""

    link: Path
    target: Path


@pytest.fixture
def linked(tmp_path: Path) -> LinkedDocument:
    for name in ("data", "dotfiles"):
        (tmp_path / name).mkdir(mode=0o755)
    target, link = tmp_path / "dotfiles" / "orbtile.json", tmp_path / "data" / "settings.json"
    target.write_bytes(b"old")
    link.symlink_to(Path("..", "dotfiles", "orbtile.json"))
    return LinkedDocument(link, target)


def test_a_document_behind_a_link_of_ours_is_read_and_replaced_there(linked: LinkedDocument) -> None:
    files = PrivateFiles()
    assert files.read(linked.link, 99) == b"old"
    (linked.target.parent / f".{linked.target.name}.0f.tmp").write_bytes(b"unfinished")
    files.clear_leftovers(linked.link)
    files.write(linked.link, b"new")
    assert linked.link.is_symlink()
    assert linked.target.read_bytes() == b"new"
    assert names_in(linked.target.parent) == {linked.target.name}
    assert (mode_of(linked.target.parent), mode_of(linked.link.parent)) == (0o755, 0o700)


def test_a_document_behind_a_linked_folder_is_replaced_there(linked: LinkedDocument, tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(linked.target.parent)
    linked.link.unlink()
    linked.link.symlink_to(tmp_path / "home" / linked.target.name)
    PrivateFiles().write(linked.link, b"new")
    assert linked.target.read_bytes() == b"new"


@pytest.mark.parametrize("folder", ["data", "dotfiles"])
def test_a_link_on_whose_way_others_can_write_is_refused(
    linked: LinkedDocument, tmp_path: Path, folder: str
) -> None:
    (tmp_path / folder).chmod(0o777)
    with pytest.raises(UnsafePathError, match="link"):
        PrivateFiles().read(linked.link, 99)


def test_a_link_to_somebody_elses_document_is_refused(
    linked: LinkedDocument, give_away: Callable[[Path], None]
) -> None:
    give_away(linked.target)
    with pytest.raises(UnsafePathError):
        PrivateFiles().read(linked.link, 99)


@pytest.mark.parametrize("target", ["missing", "FIFO", "folder", "itself"])
def test_a_link_to_what_is_no_file_is_refused(linked: LinkedDocument, target: str) -> None:
    linked.target.unlink()
    match target:
        case "FIFO":
            os.mkfifo(linked.target)
        case "folder":
            linked.target.mkdir()
        case "itself":
            linked.target.symlink_to(linked.link)
        case _:
            pass
    with pytest.raises(UnsafePathError, match="link"):
        PrivateFiles().read(linked.link, 99)


def test_setting_a_linked_document_aside_leaves_what_it_leads_to(linked: LinkedDocument) -> None:
    aside = PrivateFiles().set_aside(linked.link, "broken")
    assert aside.is_symlink()
    assert linked.target.read_bytes() == b"old"
