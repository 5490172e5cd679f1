"""Processes on Linux, from ``/proc``.

Owns the file that is read; its parsing is ``process_facts``'s.
"""

from pathlib import Path

from orbtile.system.process_facts import ProcessFacts, parse_proc_status


def read_process(pid: int) -> ProcessFacts | None:
    """The live process ``pid``, or None."""
    try:
        text = Path("/proc", str(pid), "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return parse_proc_status(text, pid)
