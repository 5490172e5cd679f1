"""When an XEmbed tray (trayer, stalonetray, the trays of panels without D-Bus) comes or goes.

Owns the connection's place in Qt's loop; nothing polls. X11 only: inert under Wayland, on other systems and
without a display. Must not know the icon.
"""

import logging
import sys
from typing import Final, Protocol

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal
from PySide6.QtGui import QGuiApplication

CONNECT_AFTER_MS: Final = 500
"""Loading Xlib and connecting takes some 30 ms of the loop, which at the start belong to others."""

_log = logging.getLogger(__name__)


class _Tray(Protocol):
    """``XEmbedTray``, whose module is not loaded until it is needed."""

    def changes(self) -> list[bool]: ...
    def close(self) -> None: ...


class XEmbedTrayWatch(QObject):
    """Watches from soon after it was made until it ends, or ``close``. Signals come from the loop.

    ``has_tray``: a tray, of whatever kind, was there when the icon was made. Without, one that came before
    the watch began is told as well.
    """

    host_appeared = Signal()
    """A tray started, or was replaced by another: make the icon again."""
    host_vanished = Signal()

    def __init__(self, parent: QObject | None = None, *, has_tray: bool) -> None:
        super().__init__(parent)
        self._has_tray = has_tray
        self._tray: _Tray | None = None
        self._starting = QTimer(self, singleShot=True, interval=CONNECT_AFTER_MS)
        self._notifier: QSocketNotifier | None = None
        if sys.platform == "linux" and QGuiApplication.platformName() == "xcb":
            self._starting.timeout.connect(self._connect)
            self._starting.start()

    def close(self) -> None:
        """End it now and give the connection back. Never raises."""
        self._starting.stop()
        tray, self._tray = self._tray, None
        if self._notifier is not None:
            self._notifier.setEnabled(False)
        if tray is not None:
            tray.close()

    if sys.platform == "linux":

        def _connect(self) -> None:
            from orbtile.system.xembed_tray import X_ERRORS, XEmbedTray

            try:
                tray = XEmbedTray()
            except X_ERRORS as error:
                _log.warning("the tray is not watched: %s", type(error).__name__)
                return
            self._tray = tray
            self._notifier = QSocketNotifier(tray.fd, QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._read)
            self.destroyed.connect(tray.close)  # a method of its own: ours are not called any more by then
            if tray.is_present and not self._has_tray:
                self.host_appeared.emit()
            self._read()

        def _read(self) -> None:
            from orbtile.system.xembed_tray import X_ERRORS

            try:
                changes = [] if self._tray is None else self._tray.changes()
            except X_ERRORS:
                self.close()  # the server ends, and with it the application
                return
            for came in changes:
                (self.host_appeared if came else self.host_vanished).emit()
