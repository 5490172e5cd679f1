"""Private folders and files on Linux and macOS: mode 0700 and 0600, this user's, no link followed.

Owns the system calls and their order. Folders are held open while something is done in them, so that nobody
can swap the folder in between. Must not know what is in the files.
"""

import sys

if sys.platform != "win32":
    import contextlib
    import errno
    import fcntl
    import os
    import secrets
    import stat
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Final

    from orbtile.system.unsafe_path import UnsafePathError

    FOLDER_MODE: Final = 0o700
    FILE_MODE: Final = 0o600

    _NO_SUCH_CALL: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF})
    """What fsync of a folder gives on file systems that cannot do it (some network and FUSE ones)."""

    def make_private_folder(path: Path) -> None:
        """Make ``path`` (and missing parents), or check that it is ours and close it to others.

        Raises UnsafePathError for a link, another owner, something that is no folder, or a shared folder like
        ``/tmp``.
        """
        _make_missing(path)
        with _open_folder(path) as (fd, facts):
            if facts.st_mode & stat.S_ISVTX:
                raise UnsafePathError(path, "a folder shared by several users cannot be made private")
            if stat.S_IMODE(facts.st_mode) != FOLDER_MODE:
                os.fchmod(fd, FOLDER_MODE)

    def require_safe_folder(path: Path, own_names: frozenset[str]) -> None:
        """Make ``path``, or check a folder that the user named and that may hold other things.

        One that holds nothing but ``own_names`` is treated as ours and made private. Any other keeps its
        mode, and is refused when others can put or replace files in it.
        """
        _make_missing(path)
        with _open_folder(path, owners=frozenset({os.geteuid(), 0})) as (fd, facts):
            shared = facts.st_mode & stat.S_ISVTX
            with os.scandir(fd) as entries:
                ours_alone = all(entry.name in own_names for entry in entries)
            if facts.st_uid == os.geteuid() and not shared and ours_alone:
                os.fchmod(fd, FOLDER_MODE)
            elif facts.st_mode & 0o022 and not shared:
                raise UnsafePathError(path, "others can replace files in this folder")

    def write_private_file(path: Path, data: bytes, *, durable: bool = False) -> None:
        """Replace ``path`` by ``data`` in one step: whoever reads sees the old contents or the new, never a
        part.

        ``durable``: it must survive a power cut once this returns, whatever the drive's cache costs. On any
        failure (full disk, read-only file system, ...) the old file is as it was and no temporary file
        stays.
        """
        with _open_folder(path.parent, owners=None) as (folder, _):
            temporary = f".{path.name}.{secrets.token_hex(8)}.tmp"
            fd = os.open(
                temporary,
                os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
                FILE_MODE,
                dir_fd=folder,
            )
            try:
                _fill(fd, data, durable=durable)
                os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            _sync_folder(folder)

    def remove_file(path: Path) -> None:
        """Remove ``path`` itself, be it a link."""
        path.unlink()

    def read_private_file(path: Path, limit_bytes: int) -> bytes:
        """The contents of a regular file of ours, at most ``limit_bytes`` long.

        Raises FileNotFoundError, or UnsafePathError for a link, another owner, a device, or a file over the
        limit.
        """
        try:
            # Opening a FIFO would wait for a writer, hence O_NONBLOCK; it changes nothing for regular files.
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise UnsafePathError(path, "a link where a file should be") from error
            raise
        with os.fdopen(fd, "rb") as stream:
            facts = os.fstat(fd)
            if not stat.S_ISREG(facts.st_mode):
                raise UnsafePathError(path, "not a regular file")
            if facts.st_uid != os.geteuid():
                raise UnsafePathError(path, "the file belongs to somebody else")
            data = stream.read(limit_bytes + 1)
        if len(data) > limit_bytes:
            raise UnsafePathError(path, f"the file is longer than {limit_bytes} bytes")
        return data

    @contextlib.contextmanager
    def _open_folder(
        path: Path, owners: frozenset[int] | None = frozenset()
    ) -> Iterator[tuple[int, os.stat_result]]:
        """Hold the folder open. ``owners``: the user ids it may have; empty means only ours, None leaves it
        unchecked.
        """
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            # Linux says ENOTDIR for a link opened as a folder, macOS ELOOP.
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise UnsafePathError(path, "a link or a file where a folder should be") from error
            raise
        try:
            facts = os.fstat(fd)
            if owners is not None and facts.st_uid not in (owners or {os.geteuid()}):
                raise UnsafePathError(path, "the folder belongs to somebody else")
            yield fd, facts
        finally:
            os.close(fd)

    def _make_missing(path: Path) -> None:
        """Make ``path`` and its missing parents, each 0700 as the XDG specification asks."""
        try:
            path.mkdir(FOLDER_MODE)
        except FileExistsError:
            return
        except FileNotFoundError:
            if path.parent == path:
                raise
            _make_missing(path.parent)
            with contextlib.suppress(FileExistsError):
                path.mkdir(FOLDER_MODE)

    def _fill(fd: int, data: bytes, *, durable: bool) -> None:
        """Write everything and make sure that it is on the disk; some file systems report a full disk only at
        close.
        """
        try:
            os.fchmod(fd, FILE_MODE)  # the umask may have taken our own bits away
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
            if not (durable and _sync_drive(fd)):
                os.fsync(fd)
        except BaseException:
            with contextlib.suppress(OSError):
                os.close(fd)
            raise
        os.close(fd)

    def _sync_drive(fd: int) -> bool:
        """False where that is not to be had: on macOS fsync leaves data in the drive's cache, and not every
        file system there knows this call; other systems do not need it.
        """
        full_sync: int | None = getattr(fcntl, "F_FULLFSYNC", None)
        if full_sync is None:
            return False
        try:
            fcntl.fcntl(fd, full_sync)
        except OSError:
            return False
        return True

    def _sync_folder(fd: int) -> None:
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno not in _NO_SUCH_CALL:
                raise
