"""Who is the first instance: a lock on ``<data>/run/lock`` that the system drops when its holder dies.

Owns the lock file and its descriptor. Must not know how the first instance is talked to.
"""

import os
import sys
from enum import Enum
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt
else:
    import errno
    import fcntl

_MODE: Final = 0o600


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
        self._path = path
        self._fd: int | None = None

    def acquire(self) -> LockResult:
        """Try once, without waiting. Where the file cannot be made, its folder (or the one above) is the
        lock.
        """
        while True:
            try:
                fd = self._open()
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
            if self._is_still_there(fd):
                self._fd = fd
                return LockResult.HELD
            os.close(fd)  # somebody removed the file meanwhile, and the next instance would lock another one

    def release(self) -> None:
        """The file stays: removing it would let two instances lock two different files of one name."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self) -> int:
        if sys.platform == "win32":
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOINHERIT, _MODE)
        else:  # noqa: RET505 - type checkers of other systems follow this form
            try:
                return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
            except OSError as error:
                if error.errno not in {errno.EROFS, errno.EACCES, errno.ENOSPC, errno.ENOENT}:
                    raise
            return os.open(_nearest_folder(self._path), os.O_RDONLY | os.O_CLOEXEC)

    def _is_still_there(self, fd: int) -> bool:
        held = os.fstat(fd)
        for path in (self._path, _nearest_folder(self._path)):
            try:
                named = path.stat()
            except OSError:
                continue
            if os.path.samestat(held, named):
                return True
        return False


def _nearest_folder(path: Path) -> Path:
    """``run/``, or the data folder where that could not be made. Never one that other programs share."""
    return path.parent if path.parent.is_dir() else path.parent.parent


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
