"""Whether a file is still where we put it: the listener's socket, the discovery file.

Owns the watch on the file's folder (inotify, kqueue or FSEvents through Qt; nothing polls). Must not know
what the file is for or how it comes back.
"""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal


class FileWatch(QObject):
    """Watches one file at a time for being removed or replaced by another."""

    vanished = Signal()
    """The watched file is gone, or another one stands in its place. The watch has ended: watch again once it
    is back.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._on_folder_changed)
        self._path: Path | None = None
        self._identity: tuple[int, int] | None = None

    def watch(self, path: Path) -> None:
        """Watch ``path``, which exists, instead of any file before; if it is gone already, says so from the
        loop.
        """
        self.stop()
        self._path = path
        self._identity = _identity(path)
        self._watcher.addPath(str(path.parent))
        if self._identity is None or _identity(path) != self._identity:
            QTimer.singleShot(0, self, self._on_folder_changed)

    def stop(self) -> None:
        self._path = None
        if folders := self._watcher.directories():
            self._watcher.removePaths(folders)

    def _on_folder_changed(self) -> None:
        if self._path is None:
            return
        now = _identity(self._path)
        if now is None or now != self._identity:
            self.stop()
            self.vanished.emit()


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file itself, links not followed; None: it is not there."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
