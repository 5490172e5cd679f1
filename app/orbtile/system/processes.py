"""Which processes are alive and this user's, and who started whom.

Chooses the back end. Must not look at what a process does, only at its state, owner and parent.
"""

import sys

from orbtile.system.machine import own_uid

if sys.platform == "linux":
    from orbtile.system.process_facts import unix_lineage
    from orbtile.system.processes_linux import read_process
elif sys.platform == "darwin":
    from orbtile.system.process_facts import unix_lineage
    from orbtile.system.processes_macos import read_process
elif sys.platform == "win32":
    from orbtile.system import windows_api
    from orbtile.system.process_facts import windows_lineage


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
    if sys.platform == "win32":
        return windows_lineage(pid, windows_api.parents(), windows_api.creation_time)
    else:  # noqa: RET505 - as above
        return unix_lineage(pid, read_process)
