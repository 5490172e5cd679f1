"""What the Unix back ends tell about a process.

Pure: owns the value and the parsing of what Linux and macOS give, so that both are tested anywhere.
"""

import struct
from dataclasses import dataclass
from typing import Final

BSD_INFO: Final = struct.Struct("@12I16s32s5Ii2Q")
"""macOS ``struct proc_bsdinfo`` (sys/proc_info.h), 136 bytes."""

_ZOMBIE_STATUS: Final = 5  # SZOMB


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """A live process: the real user id it runs as, and its parent's process id (0: none)."""

    uid: int
    parent: int


def parse_proc_status(text: str, pid: int) -> ProcessFacts | None:
    """From Linux ``/proc/<pid>/status`` (proc_pid_status(5)); None for the dead and for ids of mere threads.

    The Uid line is the owner also where the folder's owner is not: a process that is not dumpable has a
    root-owned folder.
    """
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    try:
        dead = fields["State"].split()[0] in {"Z", "X", "x"}
        facts = ProcessFacts(uid=int(fields["Uid"].split()[0]), parent=int(fields["PPid"]))
        is_process = int(fields["Tgid"]) == pid
    except (KeyError, ValueError, IndexError):
        return None
    return facts if is_process and not dead else None


def parse_bsd_info(data: bytes) -> ProcessFacts | None:
    """From a macOS ``struct proc_bsdinfo``; None for the dead and for another size."""
    if len(data) != BSD_INFO.size:
        return None
    _flags, status, _xstatus, _pid, parent, _uid, _gid, real_uid, *_ = BSD_INFO.unpack(data)
    return None if status == _ZOMBIE_STATUS else ProcessFacts(uid=real_uid, parent=parent)
