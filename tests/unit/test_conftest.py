import logging
import re

from PySide6.QtCore import qWarning

from tests.conftest import ExpectLog, LogRecorder


def test_an_announced_record_is_no_complaint(expect_log: ExpectLog) -> None:
    expect_log(r"^disk: ERROR: full$")
    logging.getLogger("disk").error("full")


def test_a_warning_of_qt_is_a_record(expect_log: ExpectLog) -> None:
    expect_log(r"^qt: WARNING: lost its marbles$")
    qWarning("lost its marbles")


def test_an_unannounced_record_is_a_complaint() -> None:
    recorder = recorder_of("disk: full")
    assert list(recorder.complaints()) == ["unexpected log record: disk: WARNING: full"]


def test_a_record_that_never_came_is_a_complaint() -> None:
    recorder = recorder_of()
    recorder.expected.append(re.compile("full"))
    assert list(recorder.complaints()) == ["expected a log record that matches 'full', none came"]


def recorder_of(*records: str) -> LogRecorder:
    recorder = LogRecorder()
    for name, _, message in (record.partition(": ") for record in records):
        recorder.emit(logging.LogRecord(name, logging.WARNING, __file__, 1, message, None, None))
    return recorder
