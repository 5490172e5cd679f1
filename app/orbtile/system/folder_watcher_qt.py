"""Whether a file is still where we put it, and as we wrote it: the listener's socket, the discovery file.

Owns the watch on the file and its folder (inotify, kqueue or FSEvents through Qt; nothing polls). Must not
know what the file is for or how it comes back.
"""

import logging
from pathlib import Path
from typing import Final

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

SETTLE_MS: Final = 200
"""From the first sign of a change until it is told: whoever removes a whole folder, or writes a file piece by
piece, has finished by then and does not find a file come back in the middle.
"""

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
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self._say)
        self._path: Path | None = None
        self._identity: tuple[int, int] | None = None
        self._was_written_to = False
        self._unwatched: Path | None = None
        """What the log was told last."""

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
        if self._watcher.addPath(str(path.parent)):
            self._unwatched = None
            self._watch_contents()
        elif self._unwatched != path:
            # No such folder, or the system's watches are used up: the file works, its end is not noticed.
            self._unwatched = path
            _log.warning("%s is not watched", path.name)
        self._on_folder_changed()

    def stop(self) -> None:
        self._path = None
        self._was_written_to = False
        self._settling.stop()
        if watched := [*self._watcher.directories(), *self._watcher.files()]:
            self._watcher.removePaths(watched)

    def _watch_contents(self) -> None:
        if self._watches_contents and self._path is not None:
            self._watcher.addPath(str(self._path))

    def _on_folder_changed(self) -> None:
        if self._path is not None and not self._is_in_place(self._path):
            self._settle()

    def _on_file_changed(self) -> None:
        if self._path is not None:
            self._was_written_to = True
            self._settle()

    def _settle(self) -> None:
        if not self._settling.isActive():
            self._settling.start(SETTLE_MS)

    def _say(self) -> None:
        if self._path is None:
            return
        if not self._is_in_place(self._path):
            self.stop()
            self.vanished.emit()
        elif self._was_written_to:
            self._was_written_to = False
            if not self._watcher.files():  # Qt lets go of a file that was removed: one of its inode is back
                self._watch_contents()
            self.changed.emit()

    def _is_in_place(self, path: Path) -> bool:
        return self._identity is not None and _identity(path) == self._identity


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file itself, links not followed; None: it is not there."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
