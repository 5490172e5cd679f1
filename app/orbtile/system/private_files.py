"""Folders and files that only this user can read: the operations that every system offers.

Chooses the back end and holds what is the same on all: the class that storage and the token files use. All
functions raise ``OSError``; ``UnsafePathError`` is the one for a path that is somebody else's, a link, or not
what it should be.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import Final

from orbtile.system.unsafe_path import UnsafePathError

if sys.platform == "win32":
    from orbtile.system.private_files_windows import (
        make_private_folder,
        read_private_file,
        require_safe_folder,
        write_private_file,
    )
else:
    from orbtile.system.private_files_posix import (
        make_private_folder,
        read_private_file,
        require_safe_folder,
        write_private_file,
    )

__all__ = [
    "PrivateFiles",
    "UnsafePathError",
    "make_private_folder",
    "read_private_file",
    "require_safe_folder",
    "write_private_file",
]

_MAX_ASIDE: Final = 10_000


class PrivateFiles:
    """Whole small documents in private folders, for storage: read, replace, put out of the way."""

    def read(self, path: Path, limit_bytes: int) -> bytes | None:
        """The contents, or None where there is no such file."""
        try:
            return read_private_file(path, limit_bytes)
        except FileNotFoundError:
            return None

    def write(self, path: Path, data: bytes) -> None:
        """Replace the file's contents in one step, making its folder again if it has gone."""
        make_private_folder(path.parent)
        write_private_file(path, data)

    def set_aside(self, path: Path, label: str) -> Path:
        """Rename to ``<name>.<label>-N`` with the first free N, and return that path."""
        aside = _free_name(path, label)
        path.rename(aside)
        return aside

    def keep_copy(self, path: Path, label: str, data: bytes) -> Path:
        """Write ``data``, once read from ``path``, to ``<name>.<label>-N`` with the first free N."""
        aside = _free_name(path, label)
        write_private_file(aside, data)
        return aside

    def clear_leftovers(self, path: Path) -> None:
        """Remove the temporary files of writes to ``path`` that a killed process did not finish."""
        with contextlib.suppress(OSError):
            for leftover in path.parent.glob(f".{path.name}.*.tmp"):
                leftover.unlink()


def _free_name(path: Path, label: str) -> Path:
    """The instance lock keeps a second Orbtile from choosing at the same time."""
    for number in range(1, _MAX_ASIDE):
        candidate = path.with_name(f"{path.name}.{label}-{number}")
        if not os.path.lexists(candidate):
            return candidate
    raise FileExistsError(f"{_MAX_ASIDE} copies of {path.name} were set aside")
