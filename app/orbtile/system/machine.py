"""The facts about this machine that the path rules ask for.

Owns the look-ups (platform, home, user id, privacy of a folder, edition). Must not decide where anything
lives.
"""

import os
import stat
import sys
from pathlib import Path
from typing import Final

from orbtile.system.own_links import follow_own_links
from orbtile.system.paths import Edition, Machine, Platform

_NO_PACKAGE: Final = 15700  # APPMODEL_ERROR_NO_PACKAGE


def read_machine() -> Machine:
    """What ``resolve_paths`` wants to know; RuntimeError where the user has no home folder."""
    home = _home()
    return Machine(
        platform=_platform(),
        home=str(home),
        cwd=str(_working_folder() or home),
        uid=own_uid(),
        is_private_folder=is_private_folder,
        may_be_private_folder=may_be_private_folder,
        behind_own_links=behind_own_links,
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


def may_be_private_folder(path: str) -> bool:
    """Whether ``path`` is a folder (no symlink) of this user, or can be made one in a folder that exists."""
    try:
        facts = Path(path).lstat()
    except FileNotFoundError:
        parent = Path(path).parent
        return parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == own_uid() and not facts.st_mode & stat.S_ISVTX


def behind_own_links(path: str) -> str:
    """The folder that ``path`` leads to, where it is a symlink that only this user can have made; else
    ``path``.
    """
    target = follow_own_links(Path(path))
    return str(target) if target != Path(path) and target.is_dir() else path


def own_uid() -> int:
    """The numeric id that our files carry; 0 on Windows, where users are not numbers."""
    if sys.platform == "win32":
        return 0
    else:  # noqa: RET505 - as above
        return os.geteuid()


def _home() -> Path:
    """HOME, or where that is missing or relative (to a folder that nobody knows) the user database's."""
    home = os.environ.get("HOME", "")
    if sys.platform == "win32":
        return Path.home()
    else:  # noqa: RET505 - as above
        import pwd

        if Path(home).is_absolute():
            return Path(home)
        try:
            return Path(pwd.getpwuid(os.getuid()).pw_dir)
        except KeyError as error:
            raise RuntimeError("this user has no home folder") from error


def _working_folder() -> Path | None:
    """None where it was removed (or may not be looked at) since this process, or its shell, went into it."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _platform() -> Platform:
    if sys.platform == "win32":
        return Platform.WINDOWS
    elif sys.platform == "darwin":  # noqa: RET505 - as above
        return Platform.MACOS
    else:
        return Platform.LINUX
