"""Whether a file is still where we put it, and as we wrote it: the listener's socket, the discovery file.

Owns the watch on the file and its folder (inotify, kqueue or FSEvents through Qt; nothing polls). Must not
know what the file is for or how it comes back.
"""

import logging
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

_log = logging.getLogger(__name__)


class FileWatch(QObject):
    """Watches one file at a time for being removed or replaced by another, and, with ``contents``, for being
    written to.
    """

    vanished = Signal()
    """The watched file is gone, or another one stands in its place. The watch has ended: watch again once it
    is back.
    """
    changed = Signal()
    """Something was written to the watched file, or its mode changed. The watch goes on."""

    def __init__(self, parent: QObject | None = None, *, contents: bool = False) -> None:
        super().__init__(parent)
        self._watches_contents = contents
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._on_folder_changed)
        self._watcher.fileChanged.connect(self._on_file_changed)
        self._path: Path | None = None
        self._identity: tuple[int, int] | None = None

    @property
    def is_watching(self) -> bool:
        """Not before the first ``watch``, nor after ``vanished`` or ``stop``."""
        return self._path is not None

    def watch(self, path: Path) -> None:
        """Watch ``path``, which exists, instead of any file before; if it is gone already, says so from the
        loop.
        """
        self.stop()
        self._path = path
        self._identity = _identity(path)
        if not self._watcher.addPath(str(path.parent)):
            # No such folder, or the system's watches are used up: the file works, its end is not noticed.
            _log.warning("%s is not watched", path.name)
        elif self._watches_contents:
            self._watcher.addPath(str(path))
        if self._identity is None or _identity(path) != self._identity:
            QTimer.singleShot(0, self, self._on_folder_changed)

    def stop(self) -> None:
        self._path = None
        if watched := [*self._watcher.directories(), *self._watcher.files()]:
            self._watcher.removePaths(watched)

    def _on_folder_changed(self) -> None:
        if self._path is None:
            return
        now = _identity(self._path)
        if now is None or now != self._identity:
            self.stop()
            self.vanished.emit()

    def _on_file_changed(self) -> None:
        self._on_folder_changed()
        if self._path is None:
            return
        if not self._watcher.files():  # Qt lets go of a file that was removed; one of the same inode is back
            self._watcher.addPath(str(self._path))
        self.changed.emit()


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file itself, links not followed; None: it is not there."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
