"""What Linux counts about a process: CPU time, voluntary switches, memory.

Owns the reading of ``/proc``. Only processes that the benchmarks started themselves are looked at.
"""

import re
from dataclasses import dataclass
from pathlib import Path

KIB = 1024


@dataclass(frozen=True, slots=True)
class Counters:
    """Totals over the threads that live now. After each voluntary switch, a sleep, comes a wake-up."""

    cpu_ns: int
    voluntary_switches: int

    def since(self, before: "Counters") -> "Counters":
        return Counters(self.cpu_ns - before.cpu_ns, self.voluntary_switches - before.voluntary_switches)


def read_counters(pid: int) -> Counters:
    """Read both counters of ``pid``. CPU time comes in nanoseconds (schedstat), not in ticks of 10 ms."""
    cpu_ns = switches = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        cpu_ns += int((task / "schedstat").read_text().split()[0])
        switches += _number(task / "status", "voluntary_ctxt_switches")
    return Counters(cpu_ns, switches)


@dataclass(frozen=True, slots=True)
class Memory:
    """``rss_bytes`` counts pages shared with others too, ``own_bytes`` (USS) only those nobody else has."""

    rss_bytes: int
    own_bytes: int


def read_memory(pid: int) -> Memory:
    rollup = Path(f"/proc/{pid}/smaps_rollup")
    own = sum(_number(rollup, name) for name in ("Private_Clean", "Private_Dirty"))
    return Memory(_number(rollup, "Rss") * KIB, own * KIB)


def _number(file: Path, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", file.read_text(), re.MULTILINE)
    assert found, f"{file} has no {name}"
    return int(found[1])
