"""When a window that closes with the loss of the keyboard has lost it.

Owns the judgement; the platforms' word of it comes late, twice, or for a time before the window was opened.
Must not hide anything.
"""

from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QWidget

SETTLING_MS: Final = 200
"""For this long after opening, word of the keyboard may be about the time before (X11), or a menu that closes
hands it around; what counts is who has it then.
"""


class FocusWatch(QObject):
    """Watches from ``begin``, before the window is shown, to ``end``.

    Not by ``ActivationChange``: Qt leaves it out for a window that is opened again within a blink.
    """

    lost = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._had_focus = False
        self._before: QWindow | None = None
        self._since_begin = QElapsedTimer()
        self._settling = QTimer(self, singleShot=True, interval=SETTLING_MS)
        self._settling.timeout.connect(self._on_settled)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self.observe)

    def begin(self) -> None:
        self._before = QGuiApplication.focusWindow()
        self._since_begin.start()

    def end(self) -> None:
        """Losing it is now of no account."""
        self._had_focus = False
        self._settling.stop()
        self._since_begin.invalidate()

    def observe(self, window: QWindow | None) -> None:
        """``window`` of this application has the keyboard now; None: none of them."""
        if not self._since_begin.isValid():
            return
        if self._is_watched(window):
            self._had_focus = True
        elif QApplication.activePopupWidget() is not None:
            pass  # the tray's menu would go with its parent, which is the window
        elif self._had_focus and self._since_begin.hasExpired(SETTLING_MS):
            self.lost.emit()
        else:
            self._settling.start()

    def _on_settled(self) -> None:
        window = QGuiApplication.focusWindow()
        went_by = window not in {None, self._before}  # to another window of ours, before it came here
        if not self._is_watched(window) and (self._had_focus or went_by):
            self.lost.emit()

    def _is_watched(self, window: QWindow | None) -> bool:
        return window is not None and window.winId() == self._window.effectiveWinId()
