"""The facts about this machine that the path rules ask for.

Owns the look-ups (platform, home, user id, privacy of a folder, edition). Must not decide where anything
lives.
"""

import os
import stat
import sys
from pathlib import Path
from typing import Final

from orbtile.system.paths import Edition, Machine, Platform

_NO_PACKAGE: Final = 15700  # APPMODEL_ERROR_NO_PACKAGE


def read_machine() -> Machine:
    """What ``resolve_paths`` wants to know; RuntimeError where the user has no home folder."""
    return Machine(
        platform=_platform(),
        home=str(Path.home()),
        cwd=str(Path.cwd()),
        uid=own_uid(),
        is_private_folder=is_private_folder,
    )


def read_edition() -> Edition:
    """Store when this process runs from a Microsoft Store package, else standard."""
    if sys.platform == "win32":
        import ctypes

        length = ctypes.c_uint32(0)
        code = ctypes.WinDLL("kernel32").GetCurrentPackageFullName(ctypes.byref(length), None)
        return Edition.STANDARD if code == _NO_PACKAGE else Edition.STORE
    else:  # noqa: RET505 - type checkers of other systems follow this form
        return Edition.STANDARD


def is_private_folder(path: str) -> bool:
    """Whether ``path`` is a folder (no symlink) of this user that nobody else can enter."""
    try:
        facts = Path(path).lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == own_uid() and not facts.st_mode & 0o077


def own_uid() -> int:
    """The numeric id that our files carry; 0 on Windows, where users are not numbers."""
    if sys.platform == "win32":
        return 0
    else:  # noqa: RET505 - as above
        return os.geteuid()


def _platform() -> Platform:
    if sys.platform == "win32":
        return Platform.WINDOWS
    elif sys.platform == "darwin":  # noqa: RET505 - as above
        return Platform.MACOS
    else:
        return Platform.LINUX
