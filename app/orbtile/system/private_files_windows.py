"""Private folders and files on Windows: an access list that names the current user alone, nothing inherited.

Owns the order of the calls; the calls themselves are ``windows_api``'s, the rights' spelling
``windows_sddl``'s. Empty on other systems. Must not know what is in the files.
"""

import sys

if sys.platform == "win32":
    import contextlib
    import msvcrt
    import os
    import secrets
    import stat
    from pathlib import Path

    from orbtile.system import windows_api
    from orbtile.system.held_open import retry_while_held_open
    from orbtile.system.unsafe_path import UnsafePathError
    from orbtile.system.windows_sddl import file_sddl, folder_sddl

    def make_private_folder(path: Path) -> None:
        """Make ``path`` (and missing parents), or check that it is ours and close it to others.

        Raises UnsafePathError for a link (any reparse point), another owner, or something that is no folder.
        """
        sid = windows_api.own_sid()
        path.parent.mkdir(parents=True, exist_ok=True)
        if windows_api.create_folder(str(path), folder_sddl(sid)):
            return
        _require_own(path, sid, folder=True)
        windows_api.set_access(str(path), folder_sddl(sid))

    def require_safe_folder(path: Path, own_names: frozenset[str]) -> None:
        """Make ``path``, or check a folder that the user named and that may hold other things.

        One that holds nothing but ``own_names`` is treated as ours and made private; any other keeps its
        access list, and the file in it has one of its own.
        """
        sid = windows_api.own_sid()
        path.parent.mkdir(parents=True, exist_ok=True)
        if windows_api.create_folder(str(path), folder_sddl(sid)):
            return
        _require_own(path, sid, folder=True)
        if all(entry.name in own_names for entry in path.iterdir()):
            windows_api.set_access(str(path), folder_sddl(sid))

    def write_private_file(path: Path, data: bytes, *, durable: bool = False) -> None:
        """Replace ``path`` by ``data`` in one step; on any failure the old file is as it was.

        Waits up to half a second for a program that has the old file open. Every write is ``durable`` here.
        """
        del durable
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
        handle = windows_api.create_file(str(temporary), file_sddl(windows_api.own_sid()))
        try:
            _fill(handle, data)
            retry_while_held_open(lambda: windows_api.replace_file(str(temporary), str(path)))
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise

    def remove_file(path: Path) -> None:
        """Remove ``path``, waiting up to half a second for a program that has it open."""
        retry_while_held_open(path.unlink)

    def read_private_file(path: Path, limit_bytes: int) -> bytes:
        """The contents of a regular file of ours, at most ``limit_bytes`` long.

        Raises FileNotFoundError, or UnsafePathError for a link, another owner, or a file over the limit.
        """
        _require_own(path, windows_api.own_sid(), folder=False)
        with path.open("rb") as stream:
            data = stream.read(limit_bytes + 1)
        if len(data) > limit_bytes:
            raise UnsafePathError(path, f"the file is longer than {limit_bytes} bytes")
        return data

    def _require_own(path: Path, sid: str, *, folder: bool) -> None:
        facts = path.lstat()
        if facts.st_file_attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT:
            raise UnsafePathError(path, "a link where a folder or file should be")
        if not (stat.S_ISDIR(facts.st_mode) if folder else stat.S_ISREG(facts.st_mode)):
            raise UnsafePathError(path, "not a folder" if folder else "not a regular file")
        if windows_api.owner_sid(str(path)) != sid:
            raise UnsafePathError(path, "it belongs to somebody else")

    def _fill(handle: int, data: bytes) -> None:
        try:
            fd = msvcrt.open_osfhandle(handle, os.O_WRONLY | os.O_BINARY)
        except OSError:
            windows_api.close_handle(handle)
            raise
        with os.fdopen(fd, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(fd)
