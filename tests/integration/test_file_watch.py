"""The watch on one file, on a real file system and a real Qt loop."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtTest import QSignalSpy

from orbtile.system.folder_watcher_qt import SETTLE_MS, FileWatch
from tests.conftest import ExpectLog
from tests.fakes.qt import application

WAIT_MS = 5000
QUIET_MS = 2 * SETTLE_MS


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


def test_a_folder_may_be_removed_at_leisure_before_it_is_said(watch: FileWatch, path: Path) -> None:
    spy = QSignalSpy(watch.vanished)
    watch.watch(path)
    path.unlink()
    assert not spy.wait(SETTLE_MS // 2)
    path.parent.rmdir()
    assert spy.wait(WAIT_MS)
    assert spy.count() == 1


def test_a_folder_that_cannot_be_watched_is_told_in_the_log(
    watch: FileWatch, path: Path, monkeypatch: pytest.MonkeyPatch, expect_log: ExpectLog
) -> None:
    expect_log("WARNING: file is not watched")
    monkeypatch.setattr(
        watch._watcher, "addPath", lambda _path: False
    )  # as when inotify's watches are used up
    watch.watch(path)
    monkeypatch.setattr(logging.getLogger("orbtile.system.folder_watcher_qt"), "warning", pytest.fail)
    watch.watch(path)  # once is enough
    watch.stop()


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


@pytest.fixture
def contents_watch() -> Iterator[FileWatch]:
    application()
    watch = FileWatch(contents=True)
    yield watch
    watch.stop()
    watch.deleteLater()
    QCoreApplication.processEvents()


def test_what_is_written_to_the_file_is_noticed_and_the_watch_goes_on(
    contents_watch: FileWatch, path: Path
) -> None:
    changed, vanished = QSignalSpy(contents_watch.changed), QSignalSpy(contents_watch.vanished)
    contents_watch.watch(path)
    for text in ("x", "y"):
        before = changed.count()
        path.write_text(text, encoding="ascii")
        assert changed.wait(WAIT_MS)
        while changed.wait(QUIET_MS):
            pass
        assert changed.count() > before
    assert vanished.count() == 0
    assert contents_watch.is_watching
    path.unlink()
    assert vanished.wait(WAIT_MS)
    assert not contents_watch.is_watching


def test_a_file_that_goes_and_is_back_at_once_is_noticed_again_and_again(
    contents_watch: FileWatch, path: Path
) -> None:
    noticed = QSignalSpy(contents_watch.changed), QSignalSpy(contents_watch.vanished)
    contents_watch.watch(path)
    for _ in range(3):
        before = sum(spy.count() for spy in noticed)
        path.unlink()
        path.write_bytes(b"")  # with the same inode, on many file systems
        while sum(spy.count() for spy in noticed) == before:
            QCoreApplication.processEvents()
        if not contents_watch.is_watching:
            contents_watch.watch(path)
