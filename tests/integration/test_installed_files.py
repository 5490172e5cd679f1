"""What is opened of the files that programs have installed, on a real file system."""

import os
import socket
import sys
from pathlib import Path

import pytest

from orbtile.system import installed_files
from orbtile.system.bundles import SystemBundles
from orbtile.system.installed_files import InstalledFiles
from orbtile.system.paths import Platform
from tests.fakes.bodies import png

pytest.importorskip("fcntl", reason="nobody asks for installed files on Windows")
assert sys.platform != "win32"  # for type checkers

FILES = InstalledFiles()


def read(path: Path, limit_bytes: int = 100) -> bytes | None:
    return FILES.read(str(path), limit_bytes)


def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read(path) == b"x" * 100
    path.write_bytes(b"x" * 101)
    assert read(path) is None


def test_a_link_is_followed_to_what_is_behind_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"contents")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "nowhere").symlink_to("missing")
    (tmp_path / "ring").symlink_to("ring")
    (tmp_path / "device").symlink_to("/dev/zero")
    assert read(tmp_path / "link") == b"contents"
    for name in ("nowhere", "ring", "device"):
        assert read(tmp_path / name) is None


def test_nothing_but_a_regular_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "socket"))
        for path in (
            tmp_path,
            tmp_path / "pipe",
            tmp_path / "socket",
            Path("/dev/null"),
            tmp_path / "missing",
        ):
            assert read(path) is None
    assert FILES.read("nul\0", 100) is None


def test_a_pipe_that_takes_the_place_of_the_file_neither_waits_nor_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"contents")
    looked = path.stat()
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(Path, "stat", lambda _self: looked)
    assert read(path) is None


def test_a_file_that_grows_while_it_is_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1_000)
    monkeypatch.setattr(installed_files, "_is_welcome", lambda _facts, _limit: True)
    assert read(path) is None


def test_a_file_of_another_user_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"contents")
    monkeypatch.setattr(installed_files, "own_uid", lambda: path.stat().st_uid + 1)
    expected = b"contents" if path.stat().st_uid == 0 else None  # root's may always be
    assert read(path) == expected


def test_folders_are_told_from_files(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert FILES.is_folder(str(tmp_path))
    assert not FILES.is_folder(str(tmp_path / "file"))
    assert not FILES.is_folder(str(tmp_path / "missing"))


@pytest.mark.skipif(sys.platform != "linux", reason="desktop files are a matter of Linux")
def test_the_icon_of_an_application_that_flatpak_installed_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = tmp_path / "flatpak" / "app" / "com.example.agent"
    exported = tmp_path / "flatpak" / "exports" / "share"
    for folder, name, data in (
        (
            "applications",
            "com.example.agent.desktop",
            b"[Desktop Entry]\nType=Application\nIcon=com.example.agent\n",
        ),
        ("icons/hicolor/128x128/apps", "com.example.agent.png", png(128, 128)),
    ):
        (application / folder).mkdir(parents=True)
        (application / folder / name).write_bytes(data)
        (exported / folder).mkdir(parents=True)
        (exported / folder / name).symlink_to(application / folder / name)
    monkeypatch.setenv("XDG_DATA_DIRS", f"/nonexistent:{exported}")
    assert SystemBundles(Platform.LINUX).icon_png("com.example.agent") == png(128, 128)
    assert SystemBundles(Platform.LINUX).icon_png("com.example.other") is None


def test_a_folder_that_cannot_be_looked_at_is_none() -> None:
    """Only some of the errors are "not there" to pathlib; the others it raises."""
    assert not FILES.is_folder("/" + "a" * 300)
    assert not FILES.is_folder("/with a NUL \0")
