"""What the back ends tell about processes.

Pure: owns the values and the parsing of what the systems give, so that all of it is tested anywhere.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

BSD_SHORT_INFO: Final = struct.Struct("@4I16s8I")
"""macOS ``struct proc_bsdshortinfo`` (sys/proc_info.h), 64 bytes."""

MAX_ANCESTORS: Final = 64
"""Longer chains than any terminal, shell and agent make; also ends a loop made by reused ids."""

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


def parse_bsd_short_info(data: bytes) -> ProcessFacts | None:
    """From a macOS ``struct proc_bsdshortinfo``; None for the dead and for another size."""
    if len(data) != BSD_SHORT_INFO.size:
        return None
    _pid, parent, _group, status, _name, _flags, _uid, _gid, real_uid, *_ = BSD_SHORT_INFO.unpack(data)
    return None if status == _ZOMBIE_STATUS else ProcessFacts(uid=real_uid, parent=parent)


def unix_lineage(pid: int, read: Callable[[int], ProcessFacts | None]) -> list[int]:
    """``pid`` and its live ancestors, nearest first; ends before the system's first process."""
    line: list[int] = []
    while pid > 1 and pid not in line and len(line) < MAX_ANCESTORS:
        facts = read(pid)
        if facts is None:
            break
        line.append(pid)
        pid = facts.parent
    return line


def windows_lineage(pid: int, parents: Mapping[int, int], created: Callable[[int], int | None]) -> list[int]:
    """The same from a table of parents. ``created``: a process's moment of creation, None if nobody says.

    Windows gives the id of a parent that has ended to whoever starts next. Such a one is younger than the
    child and no ancestor.
    """
    line: list[int] = []
    born = created(pid) if pid in parents else None
    while born is not None and pid > 0 and pid not in line and len(line) < MAX_ANCESTORS:
        line.append(pid)
        pid = parents.get(pid, 0)
        parent_born = created(pid) if pid in parents else None
        born = parent_born if parent_born is not None and parent_born <= born else None
    return line
