"""What every test gets: an environment away from the user's files and desktop, and logs that must stay quiet.

A record of level WARNING or above that a test did not announce fails it; so does a warning of Qt, which
arrives as a record of the logger ``qt``. A test that provokes one announces it: ``expect_log(r"disk full")``.
"""

import gc
import logging
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

# Before anything imports Qt: no test opens a window on the developer's screen. Desktop tests start an Xvfb.
for name in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(name, None)
if sys.platform == "linux":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")

ExpectLog = Callable[[str], None]

# Qt's own remarks about the platform the tests run on, which say nothing about the app.
QT_PLATFORM_NOISE = re.compile(r"This plugin does not support (propagateSizeHints|raise)\(\)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # On Linux dev.py installs the test desktop; there a missing one is a failure, not a skip.
    elsewhere = pytest.mark.skipif(sys.platform != "linux", reason="the test desktop is made of X11 programs")
    for item in items:
        if item.get_closest_marker("desktop"):
            item.add_marker(elsewhere)


@pytest.fixture(scope="module", autouse=True)
def no_garbage_of_former_modules() -> Iterator[None]:
    """Objects of Qt in reference cycles end here, on the main thread: on a later test's thread Qt crashes."""
    yield
    gc.collect()


@pytest.fixture(scope="session", autouse=True)
def _own_folders() -> Iterator[None]:
    """The app's folders are temporary for the whole run; a test that looks into them sets its own."""
    with (
        tempfile.TemporaryDirectory(prefix="orbtile-tests-") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("ORBTILE_DATA_DIR", str(Path(folder) / "data"))
        patch.delenv("ORBTILE_API_FILE", raising=False)
        yield


class LogRecorder(logging.Handler):
    """Keeps what was logged, at WARNING and above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []
        self.expected: list[re.Pattern[str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def complaints(self) -> Iterator[str]:
        texts = [f"{record.name}: {record.levelname}: {record.getMessage()}" for record in self.records]
        for record, text in zip(self.records, texts, strict=True):
            if not any(pattern.search(text) for pattern in self.expected):
                trace = logging.Formatter().formatException(record.exc_info) if record.exc_info else ""
                yield f"unexpected log record: {text}\n{trace}".rstrip()
        for pattern in self.expected:
            if not any(pattern.search(text) for text in texts):
                yield f"expected a log record that matches {pattern.pattern!r}, none came"


@pytest.fixture(autouse=True)
def _quiet_logs() -> Iterator[LogRecorder]:
    handler = LogRecorder()
    root = logging.getLogger()
    root.addHandler(handler)
    _listen_to_qt()
    yield handler
    root.removeHandler(handler)
    if complaints := list(handler.complaints()):
        pytest.fail("\n".join(complaints), pytrace=False)


@pytest.fixture
def expect_log(_quiet_logs: LogRecorder) -> ExpectLog:
    """``expect_log(pattern)``: the test will cause at least one record of WARNING or above whose
    ``name: LEVEL: message`` matches; without one the test fails."""

    def announce(pattern: str) -> None:
        _quiet_logs.expected.append(re.compile(pattern))

    return announce


def _listen_to_qt() -> None:
    """Send Qt's messages to the logger ``qt`` once a test module has imported Qt."""
    if "PySide6.QtCore" not in sys.modules:
        return
    from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

    levels = {QtMsgType.QtDebugMsg: logging.DEBUG, QtMsgType.QtInfoMsg: logging.INFO}

    def log(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        noise = QT_PLATFORM_NOISE.search(text)
        logging.getLogger("qt").log(logging.DEBUG if noise else levels.get(kind, logging.WARNING), "%s", text)

    qInstallMessageHandler(log)
