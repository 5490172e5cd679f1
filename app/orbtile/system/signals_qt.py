"""When the system wants this process to end: SIGTERM, SIGINT, SIGHUP, and the end of the user's session.

Owns the path from a signal to the Qt loop (a pair of sockets, so that nothing polls). Must not know what
ending means here.
"""

import contextlib
import signal
import socket
from types import FrameType
from typing import Final

from PySide6.QtCore import QObject, QSocketNotifier, Signal
from PySide6.QtGui import QGuiApplication, QSessionManager

_NAMES: Final = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


class EndWatcher(QObject):
    """Installs its handlers when made; ``close`` puts the former ones back. A signal that whoever started us
    had us ignore stays ignored: ``nohup`` means it.

    Made in the main thread, and after the event loop object, which may set the same wake-up descriptor.
    """

    end_requested = Signal()
    """A signal came: quit now."""
    save_requested = Signal()
    """The session may end (the user can still cancel it): save what is unsaved, and go on."""

    def __init__(self, application: QGuiApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._application = application
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._former_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        known = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        numbers = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]
        # Python's own handler must exist, or the signal's default action ends the process at once.
        self._former = {number: signal.signal(number, _noted) for number in numbers}
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_readable)
        application.commitDataRequest.connect(self._on_commit)

    def close(self) -> None:
        self._application.commitDataRequest.disconnect(self._on_commit)
        self._notifier.setEnabled(False)
        for number, handler in self._former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._former_fd)
        self._reader.close()
        self._writer.close()

    def _on_readable(self) -> None:
        arrived = b""
        with contextlib.suppress(BlockingIOError):
            arrived = self._reader.recv(4096)  # one byte a signal: its number
        if any(number in self._former for number in arrived):
            self.end_requested.emit()

    def _on_commit(self, manager: QSessionManager) -> None:
        # Autostart brings Orbtile back at the next login; the session manager must not start a second one.
        manager.setRestartHint(QSessionManager.RestartHint.RestartNever)
        self.save_requested.emit()


def _noted(_number: int, _frame: FrameType | None) -> None:
    """The wake-up descriptor has carried the number already."""
