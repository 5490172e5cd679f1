"""The log: a small private file in the data folder, and warnings on stderr.

Owns where records go and what may be in them. A log names adapters, sessions, activities and error codes, and
must never hold a token or what a session says. Our own messages keep to that; what other packages and
exceptions say cannot be trusted to, so of those only the place and the kind are written.
"""

import logging
import os
import stat
import sys
import threading
import traceback
from collections.abc import Callable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Final, TextIO

from orbtile.system.machine import own_uid
from orbtile.system.private_files import UnsafePathError, make_private_folder

MAX_FILE_BYTES: Final = 256 * 1024
BACKUPS: Final = 2

_OWN: Final = "orbtile"
_CONTROLS: Final = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")
_INNERMOST_FRAMES: Final = 12

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class PrivateFormatter(logging.Formatter):
    """One line a record. Exceptions become their type and the code they passed, without their message: it may
    quote a body.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        own = record.name == _OWN or record.name.startswith(f"{_OWN}.")
        message = record.getMessage() if own else f"(message not kept) {record.filename}:{record.lineno}"
        parts = [self.formatTime(record), record.levelname, f"{record.name}:", message]
        if record.exc_info and record.exc_info[0] is not None:
            parts.append(describe_exception(record.exc_info[0], record.exc_info[2]))
        return " ".join(parts).translate(_CONTROLS)


def describe_exception(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Type and places, no values: ``[ValueError at dispatch.py:17 in answer < connection.py:80 in feed]``."""
    frames = traceback.extract_tb(trace)[-_INNERMOST_FRAMES:]
    places = [f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in reversed(frames)]
    return f"[{kind.__qualname__} at {' < '.join(places) or 'an unknown place'}]"


class PrivateFileHandler(RotatingFileHandler):
    """A rotating file, 0600 from its first byte. What cannot be written (full disk) is silently lost."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MAX_FILE_BYTES, backupCount=BACKUPS, encoding="utf-8", delay=True)
        self.setFormatter(PrivateFormatter())

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=_open_private)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """The default prints the record's arguments on stderr."""


def _open_private(path: str, flags: int) -> int:
    """Raises UnsafePathError for what is no regular file of ours. Opening a FIFO would wait for a reader,
    hence O_NONBLOCK; it changes nothing for regular files.
    """
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    fd = os.open(path, flags, 0o600)
    try:
        _require_own_file(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _require_own_file(path: str, facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise UnsafePathError(path, "not a regular file")
    if facts.st_uid != own_uid():
        raise UnsafePathError(path, "the file belongs to somebody else")


def start_logging(log_file: Path, *, stderr: TextIO | None = None) -> Callable[[], None]:
    """Send INFO and above to the file and WARNING and above to ``stderr`` (None where there is no console).

    Returns what ends it. A folder that cannot be made, or something at the file's place that is no file of
    ours, leaves stderr alone in use; nothing is raised.
    """
    root = logging.getLogger()
    handlers: list[logging.Handler] = []
    try:
        make_private_folder(log_file.parent)
        if os.path.lexists(log_file):
            _require_own_file(str(log_file), log_file.lstat())
    except OSError as error:
        trouble: OSError | None = error
    else:
        trouble = None
        handlers.append(PrivateFileHandler(log_file))
    if stderr is not None:
        console = logging.StreamHandler(stderr)
        console.setFormatter(PrivateFormatter())
        console.setLevel(logging.WARNING)
        handlers.append(console)
    for handler in handlers:
        root.addHandler(handler)
    level = root.level
    root.setLevel(logging.INFO)
    if trouble is not None:
        logging.getLogger(__name__).warning("no log file: %s", trouble.strerror)

    def stop() -> None:
        root.setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()

    return stop


def log_uncaught_exceptions() -> None:
    """Exceptions that nobody caught (in Qt slots, threads, destructors) go to the log instead of raw to
    stderr.
    """
    logger = logging.getLogger(f"{_OWN}.uncaught")

    def uncaught(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, value, trace)
        else:
            logger.error("uncaught exception", exc_info=(kind, value, trace))

    def uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    def unraisable(args: "sys.UnraisableHookArgs") -> None:
        if args.exc_value is not None:
            uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    sys.excepthook = uncaught
    threading.excepthook = uncaught_in_thread
    sys.unraisablehook = unraisable
