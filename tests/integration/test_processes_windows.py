"""Who is alive and who started whom, on Windows."""

import os
import subprocess
import sys

import pytest

from orbtile.system import windows_api
from orbtile.system.foreground import bring_to_front, let_come_forward
from orbtile.system.processes import SystemProcesses, lineage

pytest.importorskip("msvcrt", reason="needs Windows")
assert sys.platform == "win32"  # for type checkers

WAITING = "import sys; sys.stdin.read()"


def test_a_child_is_alive_and_ours_until_it_ends_and_we_are_its_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITING], stdin=subprocess.PIPE) as child:
        assert SystemProcesses().is_own_live(child.pid)
        line = lineage(child.pid)
        # A venv's python.exe starts the real one, so that there may be a process between.
        assert line[0] == child.pid
        assert os.getpid() in line[:3]
        child.kill()
        child.wait()
        assert not SystemProcesses().is_own_live(child.pid)


def test_a_parent_is_older_than_its_child() -> None:
    born = windows_api.creation_time(os.getpid())
    parent_born = windows_api.creation_time(os.getppid())
    assert born is not None
    assert parent_born is not None
    assert parent_born <= born


def test_a_process_that_nobody_knows_has_no_age_and_no_line() -> None:
    assert windows_api.creation_time(0) is None
    assert lineage(0) == []
    assert not bring_to_front(0)


def test_leave_to_come_forward_is_given_without_complaint() -> None:
    let_come_forward(os.getpid())
