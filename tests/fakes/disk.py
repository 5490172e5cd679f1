"""Disks that are full or read-only: a real small one where we may mount, and one with injected refusals."""

import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

_MS_RDONLY = 1
_MS_REMOUNT = 32
_MNT_DETACH = 2
SIZE_BYTES = 256 * 1024


class Disk(Protocol):
    """``root`` is a folder on it."""

    root: Path

    def fill(self) -> None: ...
    def free(self) -> None: ...
    def make_read_only(self) -> None: ...
    def make_writable(self) -> None: ...


class InjectedDisk:
    """An ordinary folder in which the calls of ``os`` fail as they would on such a disk."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self._refusal: OSError | None = None
        self._is_read_only = False
        self._wrap(patch, "write", reads=False)
        self._wrap(patch, "replace", reads=True)
        self._wrap(patch, "rename", reads=True)
        self._wrap(patch, "unlink", reads=True)
        self._wrap(patch, "mkdir", reads=True)
        self._open = os.open
        patch.setattr(os, "open", self._checked_open)

    def fill(self) -> None:
        self._refusal = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def free(self) -> None:
        self._refusal = None

    def make_read_only(self) -> None:
        self._is_read_only = True
        self._refusal = OSError(errno.EROFS, os.strerror(errno.EROFS))

    def make_writable(self) -> None:
        self._is_read_only = False
        self._refusal = None

    def _wrap(self, patch: pytest.MonkeyPatch, name: str, *, reads: bool) -> None:
        """``reads``: a full disk allows the call, a read-only one does not."""
        original: Callable[..., object] = getattr(os, name)

        def checked(*args: object, **kwargs: object) -> object:
            if self._refusal is not None and (self._is_read_only or not reads):
                raise self._refusal
            return original(*args, **kwargs)

        patch.setattr(os, name, checked)

    def _checked_open(self, path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if (
            self._refusal is not None
            and self._is_read_only
            and flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR)
        ):
            raise self._refusal
        return self._open(path, flags, mode, dir_fd=dir_fd)


class MountedDisk:
    """A file system in memory of 256 KiB."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._ballast = root / "ballast"

    def fill(self) -> None:
        with self._ballast.open("wb", buffering=0) as stream:
            try:
                while True:
                    stream.write(b"x" * 4096)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self) -> None:
        self._ballast.unlink()

    def make_read_only(self) -> None:
        _mount(self.root, _MS_REMOUNT | _MS_RDONLY)

    def make_writable(self) -> None:
        _mount(self.root, _MS_REMOUNT)


@contextmanager
def mounted_disk(root: Path) -> Iterator[MountedDisk]:
    """Mount at ``root``, which exists; OSError where we may not."""
    _mount(root, 0)
    try:
        yield MountedDisk(root)
    finally:
        _libc().umount2(os.fsencode(root), _MNT_DETACH)


def can_mount() -> bool:
    """Whether this process has the right to mount (CAP_SYS_ADMIN, bit 21)."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return False
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> 21 & 1)


def _mount(root: Path, flags: int) -> None:
    options = f"size={SIZE_BYTES},mode=0700".encode()
    if _libc().mount(b"tmpfs", os.fsencode(root), b"tmpfs", flags, options):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(root))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
