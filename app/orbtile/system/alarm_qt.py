"""One moment at which something is to be done, by a timer of Qt.

Owns the timer. Must not know what is done.
"""

from collections.abc import Callable

from PySide6.QtCore import QTimer


class QtAlarm:
    """Implements ``publication.Alarm``. Not the loop's ``call_later``: qasync wakes up for cancelled ones."""

    def __init__(self) -> None:
        self._timer = QTimer()
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._ring)
        self._action: Callable[[], None] | None = None

    def set(self, delay_s: float, action: Callable[[], None]) -> None:
        """Do ``action`` once, ``delay_s`` from now, instead of what was to be done before."""
        self._action = action
        self._timer.start(round(delay_s * 1000))

    def cancel(self) -> None:
        self._action = None
        self._timer.stop()

    def _ring(self) -> None:
        action, self._action = self._action, None
        if action is not None:
            action()
