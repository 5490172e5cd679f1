"""The one clock that everything on the screen moves by, and whether a widget can be seen at all.

Owns the timer, who it runs for and when motion is allowed. Must not know orbs' shapes or what a mover draws.
A surface that paints a moving orb holds the clock; at each tick it says whether it goes on moving where
somebody can see it. So nothing has to tell the clock about scrolling, closing or covering: what is out of
sight lets go, and what is painted holds again.
"""

import math
import weakref
from collections.abc import Callable
from typing import Final, Protocol

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from orbtile.palette.states import State
from orbtile.ui.orb import frame_of

TICK_MS: Final = 33
"""30 Hz: the finest step that a motion has is 40 ms."""


class Mover(Protocol):
    """A surface with something on it that may move."""

    def take_step(self) -> bool:
        """Ask for the picture of now, if it is another one. Whether anything goes on moving in sight."""
        ...


class MotionClock(QObject):
    """``now_s``: the clock that sessions' monotonic times are of. One per application."""

    ticked = Signal()
    """Every mover has taken its step."""

    def __init__(self, now_s: Callable[[], float], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read_s = now_s
        self._tick_s = now_s()
        self._is_still = False
        self._movers: weakref.WeakSet[Mover] = weakref.WeakSet()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.tick)

    @property
    def now_s(self) -> float:
        """The time of the picture that is on the screen: the last tick's while the clock runs."""
        return self._tick_s if self._timer.isActive() else self._read_s()

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    @property
    def is_still(self) -> bool:
        return self._is_still

    def set_still(self, still: bool) -> None:
        """``still``: nothing may move (reduced motion, battery saver); everybody shows the first picture."""
        if still == self._is_still:
            return
        self._is_still = still
        self._timer.stop()
        self.tick()

    def frame(self, state: State, happened_s: float = -math.inf) -> int:
        """The picture of ``state`` that is due. ``happened_s``: when something last happened to the session
        (see ``frame_of``), on this clock.
        """
        return 0 if self._is_still else frame_of(state, self.now_s, self.now_s - happened_s)

    def hold(self, mover: Mover) -> None:
        """``mover`` has just painted something that moves."""
        self._movers.add(mover)
        if not self._is_still and not self._timer.isActive():
            self._tick_s = self._read_s()
            self._timer.start()

    def release(self, mover: Mover) -> None:
        """``mover`` is out of sight."""
        self._movers.discard(mover)
        if not self._movers:
            self._timer.stop()

    def tick(self) -> None:
        """Let everybody take a step, and stop when nothing moves any more."""
        self._tick_s = self._read_s()
        for mover in list(self._movers):
            if not isValid(mover) or not mover.take_step():
                self._movers.discard(mover)
        if not self._movers:
            self._timer.stop()
        elif not self._is_still and not self._timer.isActive():
            self._timer.start()
        self.ticked.emit()


def is_seen(widget: QWidget) -> bool:
    """Whether any part of ``widget`` may be on the screen. A window under others counts as seen where the
    system does not tell (X11, Windows).
    """
    window = widget.window()
    handle: QWindow | None = window.windowHandle()
    if handle is None or not handle.isExposed() or window.isMinimized():
        return False
    return not widget.visibleRegion().isEmpty()


class ExposureWatch(QObject):
    """Tells when a window can be seen again, which by itself paints nothing: what moves on it must be painted
    to move again.
    """

    returned = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._watched: QWindow | None = None
        self._was_exposed = True

    def begin(self) -> None:
        """The window is shown."""
        self.end()
        self._watched = self._window.windowHandle()
        if self._watched is not None:
            self._was_exposed = True
            self._watched.installEventFilter(self)

    def end(self) -> None:
        """The window is hidden. No filter may stay on one that is being destroyed."""
        if self._watched is not None and isValid(self._watched):
            self._watched.removeEventFilter(self)
        self._watched = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Expose and isinstance(watched, QWindow):
            self.take(exposed=watched.isExposed())
        return False

    def take(self, *, exposed: bool) -> None:
        """The system says whether any part of the window is on the screen."""
        if exposed and not self._was_exposed:
            self.returned.emit()
        self._was_exposed = exposed
