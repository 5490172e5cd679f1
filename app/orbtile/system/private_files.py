"""Folders and files that only this user can read: the operations that every system offers.

Chooses the back end and holds what is the same on all: the class that storage and the token files use. All
functions raise ``OSError``; ``UnsafePathError`` is the one for a path that is somebody else's, a link, or not
what it should be.
"""

import contextlib
import glob
import os
import sys
from pathlib import Path
from typing import Final

from orbtile.system.own_links import follow_own_links, is_safe_to_replace_in
from orbtile.system.unsafe_path import UnsafePathError

if sys.platform == "win32":
    from orbtile.system.private_files_windows import (
        make_private_folder,
        read_private_file,
        remove_file,
        require_safe_folder,
        write_private_file,
    )
else:
    from orbtile.system.private_files_posix import (
        make_private_folder,
        read_private_file,
        remove_file,
        require_safe_folder,
        write_private_file,
    )

__all__ = [
    "PrivateFiles",
    "UnsafePathError",
    "clear_leftovers",
    "make_private_folder",
    "read_private_file",
    "remove_file",
    "require_safe_folder",
    "write_private_file",
]

_MAX_ASIDE: Final = 10_000


class PrivateFiles:
    """Whole small documents in private folders, for storage: read, replace, put out of the way.

    A document may be a symlink of the user's to a regular file of theirs (people keep such files among their
    dotfiles). It is read and replaced behind the link then, if nobody else can write in the folders on the
    way; any other link is refused.
    """

    def read(self, path: Path, limit_bytes: int) -> bytes | None:
        """The contents, or None where there is no such file."""
        try:
            return read_private_file(_behind_own_links(path), limit_bytes)
        except FileNotFoundError:
            return None

    def write(self, path: Path, data: bytes) -> None:
        """Replace the file's contents in one step, making its folder again if it has gone."""
        make_private_folder(path.parent)
        write_private_file(_behind_own_links(path), data, durable=True)

    def set_aside(self, path: Path, label: str) -> Path:
        """Rename to ``<name>.<label>-N`` with the first free N, and return that path."""
        aside = _free_name(path, label)
        path.rename(aside)
        return aside

    def keep_copy(self, path: Path, label: str, data: bytes) -> Path:
        """Write ``data``, once read from ``path``, to ``<name>.<label>-N`` with the first free N."""
        aside = _free_name(path, label)
        write_private_file(aside, data, durable=True)
        return aside

    def clear_leftovers(self, path: Path) -> None:
        """Remove the temporary files of writes to ``path`` that a killed process did not finish."""
        clear_leftovers(_behind_own_links(path))


def clear_leftovers(path: Path) -> None:
    """Remove the temporary files of writes to ``path`` that a killed process did not finish. Never raises.

    They may hold a token. Only whoever alone writes ``path`` may call this.
    """
    try:
        leftovers = list(path.parent.glob(f".{glob.escape(path.name)}.*.tmp"))
    except OSError:
        return
    for leftover in leftovers:
        with contextlib.suppress(OSError):
            remove_file(leftover)


def _behind_own_links(path: Path) -> Path:
    """The regular file that ``path`` leads to through links of ours, in a folder that we may replace it in;
    else ``path``.
    """
    target = follow_own_links(path)
    if target == path or not target.is_file() or not is_safe_to_replace_in(target.parent):
        return path
    return target


def _free_name(path: Path, label: str) -> Path:
    """The instance lock keeps a second Orbtile from choosing at the same time."""
    for number in range(1, _MAX_ASIDE):
        candidate = path.with_name(f"{path.name}.{label}-{number}")
        if not os.path.lexists(candidate):
            return candidate
    raise FileExistsError(f"{_MAX_ASIDE} copies of {path.name} were set aside")
