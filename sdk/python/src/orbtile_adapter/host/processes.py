"""Whether a process is alive and ours (section 3, ``pid``).

Owns that one question. Where the system cannot tell, the answer is yes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def is_own_live(pid: int) -> bool:
    """Whether ``pid`` is a live process of this user."""
    if sys.platform == "win32":
        return True
    else:  # noqa: RET505 - a type checker for Windows skips what stands in an else
        if pid >= 2**31:
            return False
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        try:
            return Path(f"/proc/{pid}").stat().st_uid == os.getuid()
        except OSError:
            return True
