"""Who started whom, on macOS."""

import os
import subprocess
import sys

import pytest

from orbtile.system import processes_macos
from orbtile.system.processes import SystemProcesses, lineage

pytest.importorskip("_scproxy", reason="needs macOS")
assert sys.platform == "darwin"  # for type checkers


def test_a_process_of_another_user_is_read_too() -> None:
    first = processes_macos.read_process(1)
    assert first is not None
    assert first.uid == 0
    assert not SystemProcesses().is_own_live(1) or os.getuid() == 0


def test_ancestors_come_nearest_first() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        line = lineage(child.pid)
        child.kill()
    assert line[:2] == [child.pid, os.getpid()]
    assert 1 not in line


def test_the_line_leads_through_a_program_that_runs_as_root() -> None:
    # In a terminal that is login; top is another program with root's rights, which anybody may start.
    with subprocess.Popen(["/usr/bin/top", "-l", "0", "-s", "60"], stdout=subprocess.DEVNULL) as program:
        line = lineage(program.pid)
        program.terminate()
    assert line[:2] == [program.pid, os.getpid()]
