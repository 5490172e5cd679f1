"""What gets into the log, and what never does."""

import io
import logging
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orbtile.system.logs import BACKUPS, MAX_FILE_BYTES, PrivateFileHandler, start_logging

SECRET = "the user's prompt"
Expect = Callable[[str], None]


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "logs" / "orbtile.log"
    stop = start_logging(path)
    yield path
    stop()


def test_our_messages_are_kept_one_line_each(log_file: Path) -> None:
    logging.getLogger("orbtile.host").info("%s: %s", "com.example.agent", "invalid\nfield\u2028\x1b[31m")
    lines = log_file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1
    assert "INFO orbtile.host: com.example.agent: invalid field" in lines[0]
    assert "\x1b" not in lines[0]


def test_a_log_is_private(log_file: Path) -> None:
    logging.getLogger("orbtile").info("x")
    assert stat.S_IMODE(log_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(log_file.parent.stat().st_mode) == 0o700


def test_what_an_exception_says_is_not_kept_but_its_kind_and_place_are(
    log_file: Path, expect_log: Expect
) -> None:
    expect_log("it failed")
    try:
        int(SECRET)
    except ValueError:
        logging.getLogger("orbtile.server").exception("it failed")
    text = log_file.read_text(encoding="utf-8")
    assert SECRET not in text
    assert "it failed [ValueError at test_logs.py:" in text
    assert "in test_what_an_exception_says" in text


def test_the_causes_of_an_exception_are_not_kept_either(log_file: Path, expect_log: Expect) -> None:
    expect_log("it failed")
    try:
        try:
            int(SECRET)
        except ValueError as error:
            raise ValueError("outer") from error
    except ValueError:
        logging.getLogger("orbtile.server").exception("it failed")
    assert SECRET not in log_file.read_text(encoding="utf-8")


def test_what_other_packages_say_is_not_kept(log_file: Path, expect_log: Expect) -> None:
    expect_log("Exception in callback")
    logging.getLogger("asyncio").error("Exception in callback feed(%r)", SECRET)
    logging.getLogger("orbtilex").info(SECRET)
    text = log_file.read_text(encoding="utf-8")
    assert SECRET not in text
    assert "ERROR asyncio: (message not kept) test_logs.py:" in text


def test_only_warnings_reach_stderr_in_the_same_form(tmp_path: Path, expect_log: Expect) -> None:
    expect_log("trouble")
    stderr = io.StringIO()
    stop = start_logging(tmp_path / "orbtile.log", stderr=stderr)
    logging.getLogger("orbtile").info("all is well")
    logging.getLogger("orbtile").warning("trouble")
    stop()
    assert "all is well" not in stderr.getvalue()
    assert "WARNING orbtile: trouble" in stderr.getvalue()


def test_logs_stay_small(log_file: Path) -> None:
    line = "x" * 1000
    for _ in range((BACKUPS + 2) * MAX_FILE_BYTES // 1000):
        logging.getLogger("orbtile").info(line)
    files = sorted(path.name for path in log_file.parent.iterdir())
    assert files == ["orbtile.log", *(f"orbtile.log.{number + 1}" for number in range(BACKUPS))]
    assert all(path.stat().st_size <= MAX_FILE_BYTES for path in log_file.parent.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in log_file.parent.iterdir()} == {0o600}


def test_a_full_disk_silences_the_log_and_nothing_else(
    log_file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("orbtile").info("before")

    def full(_stream: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(PrivateFileHandler, "flush", full)
    logging.getLogger("orbtile").info("lost")
    monkeypatch.undo()
    assert capfd.readouterr().err == ""


def test_where_no_folder_can_be_made_stderr_says_so(tmp_path: Path, expect_log: Expect) -> None:
    expect_log("no log file")
    (tmp_path / "logs").write_bytes(b"")
    stderr = io.StringIO()
    stop = start_logging(tmp_path / "logs" / "orbtile.log", stderr=stderr)
    stop()
    assert "no log file" in stderr.getvalue()


UNCAUGHT = """
import sys, threading
from pathlib import Path
from orbtile.system.logs import log_uncaught_exceptions, start_logging
stop = start_logging(Path(sys.argv[1]), stderr=sys.stderr)
log_uncaught_exceptions()

class Cursed:
    def __del__(self):
        raise RuntimeError("the user's prompt")

def in_a_thread():
    raise LookupError("the user's prompt")

Cursed()
thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
raise ValueError("the user's prompt")
"""


def test_exceptions_that_nobody_catches_are_logged_without_their_words(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "orbtile.log"
    done = subprocess.run(
        [sys.executable, "-c", UNCAUGHT, str(path)], capture_output=True, text=True, check=False
    )
    text = path.read_text(encoding="utf-8")
    assert done.returncode == 1
    assert [kind in text for kind in ("RuntimeError", "LookupError", "ValueError")] == [True] * 3
    assert SECRET not in text + done.stderr
