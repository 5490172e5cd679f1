"""Which processes are alive and this user's, and who started whom.

Chooses the back end. Must not look at what a process does, only at its state, owner and parent.
"""

import sys
from typing import Final

from orbtile.system.machine import own_uid

if sys.platform == "linux":
    from orbtile.system.processes_linux import read_process
elif sys.platform == "darwin":
    from orbtile.system.processes_macos import read_process
elif sys.platform == "win32":
    from orbtile.system import windows_api

MAX_ANCESTORS: Final = 64
"""Longer chains than any terminal, shell and agent make; also ends a loop made by reused ids."""


class SystemProcesses:
    """Implements ``host.ports.Processes``."""

    def is_own_live(self, pid: int) -> bool:
        if not 0 < pid <= 0xFFFF_FFFF:
            return False
        if sys.platform == "win32":
            sid = windows_api.live_process_sid(pid)
            return sid is not None and sid == windows_api.own_sid()
        else:  # noqa: RET505 - type checkers of other systems follow this form
            facts = read_process(pid)
            return facts is not None and facts.uid == own_uid()


def lineage(pid: int) -> list[int]:
    """``pid`` and its ancestors, nearest first; ends before the system's first process."""
    line: list[int] = []
    if sys.platform == "win32":
        table = windows_api.parents()
        current = pid if pid in table else 0
        while current > 0 and current not in line and len(line) < MAX_ANCESTORS:
            line.append(current)
            current = table.get(current, 0)
    else:
        facts = read_process(pid)
        current = pid
        while facts is not None and current > 1 and current not in line and len(line) < MAX_ANCESTORS:
            line.append(current)
            current = facts.parent
            facts = read_process(current)
    return line
