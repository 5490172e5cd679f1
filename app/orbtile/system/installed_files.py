"""Files that programs have installed for others to read: opened with care, and never more of one than asked.

Owns what may be opened: a regular file of root or of this user. Links are followed, because Flatpak and Snap
install nothing else, and what is at their end is judged once it is open. Must not know what is in the files.
"""

import os
import stat
from pathlib import Path

from orbtile.system.machine import own_uid


class InstalledFiles:
    """Implements ``desktop_icons.FileView``."""

    def read(self, path: str, limit_bytes: int) -> bytes | None:
        try:
            # Looked at before it is opened: opening a device can do something, and a pipe would wait.
            if not _is_welcome(Path(path).stat(), limit_bytes):
                return None
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
            with open(os.open(path, flags), "rb") as file:  # noqa: PTH123 - a descriptor, not a path
                if not _is_welcome(os.fstat(file.fileno()), limit_bytes):
                    return None  # another file took its place
                data = file.read(limit_bytes + 1)
        except (OSError, ValueError):  # ValueError: the path holds NUL
            return None
        return data if len(data) <= limit_bytes else None

    def is_folder(self, path: str) -> bool:
        try:
            return Path(path).is_dir()
        except OSError:  # one that may not be looked at, or a name too long for the system
            return False


def _is_welcome(facts: os.stat_result, limit_bytes: int) -> bool:
    return stat.S_ISREG(facts.st_mode) and facts.st_uid in {0, own_uid()} and facts.st_size <= limit_bytes
