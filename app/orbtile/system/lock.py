"""Who is the first instance: locks that the system drops when their holder dies.

``<data>/run/lock`` is the lock on every system. Where folders can be locked, too (not on Windows), the data
folder itself is a second one: ``run/`` may be removed under a running instance, the data folder hardly. Owns
the descriptors of both. Must not know how the first instance is talked to.
"""

import os
import stat
import sys
from enum import Enum
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_MODE: Final = 0o600
_TRIES: Final = 10


class LockResult(Enum):
    """What came of trying to be first."""

    HELD = "held"
    TAKEN = "taken"
    """Another instance of this user and data folder runs."""
    UNAVAILABLE = "unavailable"
    """Nothing could be locked (a file system without locks): nobody knows whether another runs."""


class InstanceLock:
    """Not inherited by child processes; released by ``release`` or by the system when this process ends."""

    def __init__(self, path: Path) -> None:
        """``path`` is ``run/lock`` in the data folder."""
        self._places = (path.parent.parent, path)
        self._held: dict[Path, int] = {}
        """The descriptors that hold the locks."""

    def acquire(self) -> LockResult:
        """Try once, without waiting. One of the two locks is enough to be first, and for not being it."""
        result = self._take_what_stands()
        if result is LockResult.TAKEN:
            self.release()
        return result

    def reacquire(self) -> LockResult:
        """Once what we had locked may have been removed: lock what stands there now.

        What is still there stays locked throughout. TAKEN: another instance was faster; we keep what we have.
        """
        for path, fd in list(self._held.items()):
            if not _is_at(path, fd):
                os.close(self._held.pop(path))
        return self._take_what_stands()

    def release(self) -> None:
        """The file stays: removing it would let two instances lock two different files of one name."""
        while self._held:
            _, fd = self._held.popitem()
            os.close(fd)

    def _take_what_stands(self) -> LockResult:
        for path in self._places:
            if path not in self._held and self._take(path) is LockResult.TAKEN:
                return LockResult.TAKEN
        return LockResult.HELD if self._held else LockResult.UNAVAILABLE

    def _take(self, path: Path) -> LockResult:
        for _ in range(_TRIES):
            try:
                fd = _open_file(path) if path is self._places[-1] else _open_folder(path)
            except OSError:
                return LockResult.UNAVAILABLE
            try:
                taken = not _lock(fd)
            except OSError:
                os.close(fd)
                return LockResult.UNAVAILABLE
            if taken:
                os.close(fd)
                return LockResult.TAKEN
            if _is_at(path, fd):
                self._held[path] = fd
                return LockResult.HELD
            os.close(fd)  # somebody removed it meanwhile, and the next instance would lock another one
        # What we open never is what stands there: a file system of its own kind.
        return LockResult.UNAVAILABLE


def _open_file(path: Path) -> int:
    if sys.platform == "win32":
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOINHERIT, _MODE)
    else:  # noqa: RET505 - type checkers of other systems follow this form
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, _MODE)


def _open_folder(path: Path) -> int:
    """OSError where folders cannot be locked, or for one that other programs may lock for their own ends."""
    if sys.platform == "win32":
        raise NotADirectoryError(path)
    else:  # noqa: RET506 - as above
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        facts = os.fstat(fd)
        if facts.st_uid != os.geteuid() or facts.st_mode & stat.S_ISVTX:
            os.close(fd)
            raise PermissionError(path)
        return fd


def _is_at(path: Path, fd: int) -> bool:
    try:
        named = path.stat()
    except OSError:
        return False
    return os.path.samestat(os.fstat(fd), named)


def _lock(fd: int) -> bool:
    """Take the lock, or say False when another holds it. OSError where the file system has no locks."""
    if sys.platform == "win32":
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    else:  # noqa: RET505 - as above
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
