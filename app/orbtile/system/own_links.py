"""Symlinks that the user made: a data folder on another disk, a settings file kept among other dotfiles.

Owns which links may be followed: those that nobody but this user (or root) can have put there or can change.
Must not know what is behind them.
"""

import os
import stat
import sys
from pathlib import Path
from typing import Final

_MOST_LINKS: Final = 8


def follow_own_links(path: Path) -> Path:
    """Where ``path`` leads: through links of ours, each in a folder that only we or root can write in.

    ``path`` itself where it is no link, where one on the way is somebody else's or may be replaced by others,
    or where nothing stands at the end. What stands there, and whose it is, has still to be checked. On
    Windows no link is followed.
    """
    target = path
    for _ in range(_MOST_LINKS):
        try:
            facts = target.lstat()
            if not stat.S_ISLNK(facts.st_mode):
                return target
            if not _is_ours_alone(target, facts):
                return path
            there = target.parent / target.readlink()
            target = there.resolve() if there.name in {"", ".."} else there.parent.resolve() / there.name
        except (OSError, RuntimeError):
            return path
    return path


def is_safe_to_replace_in(folder: Path) -> bool:
    """Whether nobody but this user and root can put files there."""
    if sys.platform == "win32":
        return False
    else:  # noqa: RET505 - type checkers of other systems follow this form
        try:
            facts = folder.stat()
        except OSError:
            return False
        return facts.st_uid in {os.geteuid(), 0} and not facts.st_mode & 0o022


def _is_ours_alone(link: Path, facts: os.stat_result) -> bool:
    if sys.platform == "win32":
        return False
    else:  # noqa: RET505 - as above
        return facts.st_uid == os.geteuid() and is_safe_to_replace_in(link.parent)
