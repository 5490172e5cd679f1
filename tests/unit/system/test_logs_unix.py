"""Things in place of the log file that are no file of ours."""

import io
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from orbtile.system import logs
from orbtile.system.logs import start_logging

pytest.importorskip("fcntl", reason="pipes, links and owners are those of Unix")
assert sys.platform != "win32"  # for type checkers

Expect = Callable[[str], None]


@pytest.mark.parametrize("kind", ["link", "dangling link", "FIFO", "folder"])
def test_what_is_no_file_in_place_of_the_log_is_left_alone_and_stderr_says_so(
    tmp_path: Path, expect_log: Expect, kind: str
) -> None:
    expect_log("no log file: not a regular file")
    path, victim = tmp_path / "orbtile.log", tmp_path / "victim"
    match kind:
        case "link":
            victim.write_bytes(b"precious")
            path.symlink_to(victim)
        case "dangling link":
            path.symlink_to(victim)
        case "FIFO":
            os.mkfifo(path)
        case _:
            path.mkdir()
    stderr = io.StringIO()
    stop = start_logging(path, stderr=stderr)
    logging.getLogger("orbtile").info("x")
    stop()
    assert "no log file" in stderr.getvalue()
    assert victim.read_bytes() == b"precious" if kind == "link" else not victim.exists()


def test_a_log_file_of_somebody_else_is_left_alone(
    tmp_path: Path, expect_log: Expect, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect_log("no log file: the file belongs to somebody else")
    path = tmp_path / "orbtile.log"
    path.write_bytes(b"precious")
    monkeypatch.setattr(logs, "own_uid", lambda: os.geteuid() + 1)
    stop = start_logging(path)
    logging.getLogger("orbtile").info("x")
    stop()
    assert path.read_bytes() == b"precious"


def test_a_pipe_that_takes_the_place_of_the_log_later_neither_blocks_nor_gets_anything(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "orbtile.log"
    stop = start_logging(path)
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    logging.getLogger("orbtile").info("x")
    stop()
    assert os.read(reader, 100) == b""
    os.close(reader)
    assert capfd.readouterr().err == ""
