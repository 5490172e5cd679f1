"""The watch on one file, on a real file system and a real Qt loop."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtTest import QSignalSpy

from orbtile.system.folder_watcher_qt import FileWatch
from tests.fakes.qt import application

WAIT_MS = 5000
QUIET_MS = 150


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(b"")
    return path


@pytest.fixture
def watch() -> Iterator[FileWatch]:
    application()
    watch = FileWatch()
    yield watch
    watch.stop()
    watch.deleteLater()
    QCoreApplication.processEvents()


def test_a_file_that_is_removed_has_vanished(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    watch.watch(path)
    path.unlink()
    assert spy.wait(WAIT_MS)


def test_a_file_in_whose_place_another_stands_has_vanished(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    watch.watch(path)
    other = path.with_name("other")
    other.write_bytes(b"")
    other.replace(path)
    assert spy.wait(WAIT_MS)


def test_a_file_whose_folder_is_removed_has_vanished(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    watch.watch(path)
    path.unlink()
    path.parent.rmdir()
    assert spy.wait(WAIT_MS)


def test_a_file_that_was_gone_already_has_vanished(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    path.unlink()
    watch.watch(path)
    assert spy.count() == 0  # never from inside the call
    assert spy.wait(WAIT_MS)


def test_what_happens_to_other_files_does_not_matter(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    watch.watch(path)
    path.with_name("other").write_bytes(b"")
    path.with_name("other").unlink()
    assert not spy.wait(QUIET_MS)


def test_it_is_said_once_and_again_only_after_watching_again(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    watch.watch(path)
    path.unlink()
    assert spy.wait(WAIT_MS)
    path.write_bytes(b"")
    path.unlink()
    assert not spy.wait(QUIET_MS)
    path.write_bytes(b"")
    watch.watch(path)
    path.unlink()
    assert spy.wait(WAIT_MS)
    assert spy.count() == 2


def test_a_stopped_watch_is_silent(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    watch.watch(path)
    watch.stop()
    path.unlink()
    assert not spy.wait(QUIET_MS)


def test_another_file_may_be_watched_instead(watch: FileWatch, path: Path, tmp_path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    second = tmp_path / "second"
    second.write_bytes(b"")
    watch.watch(path)
    watch.watch(second)
    path.unlink()
    assert not spy.wait(QUIET_MS)
    second.unlink()
    assert spy.wait(WAIT_MS)
