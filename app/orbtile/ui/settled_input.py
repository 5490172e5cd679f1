"""The rule that a decision needs a settled picture: input counts only 500 ms after what it is about appeared,
changed or moved.

Owns when that was. Must not know what is decided. A press that began before the picture settled does nothing,
however long it is held.
"""

import time
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from orbtile.ui.controls import Button, Switch

SETTLE_S: Final = 0.5

MonotonicClock = Callable[[], float]
"""Seconds that never go back."""


class SettledInput(QObject):
    """Guards the buttons of one card.

    The time starts again when the card is shown, when ``mark_changed`` says so, when a changed card is first
    painted, and when a guarded button moves on the screen: by itself, with the card, by scrolling or with the
    window.
    """

    def __init__(self, card: QWidget, now_s: MonotonicClock = time.monotonic) -> None:
        super().__init__(card)
        self._card = card
        self._now_s = now_s
        self._since_s = now_s()
        self._pressed_s: float | None = None
        self._is_painted = False
        self._watch_ancestors()

    def add_button(self, button: Button | Switch) -> None:
        """Watch where it is and when its presses begin."""
        button.pressed.connect(self._on_pressed)
        button.feedback.moved.connect(self._start_again)

    def mark_changed(self) -> None:
        """What the card shows is about to be something else."""
        self._since_s = self._now_s()
        self._is_painted = False
        self._card.update()

    def accept(self) -> bool:
        """Whether the press that just ended counts. Ask once a press."""
        pressed_s, self._pressed_s = self._pressed_s, None
        began_s = self._now_s() if pressed_s is None else pressed_s
        # a card that is out of view cannot be painted; a screen reader may still have read it
        is_seen = self._is_painted or self._card.visibleRegion().isEmpty()
        return is_seen and began_s - self._since_s >= SETTLE_S

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.Move:
            self._start_again()
        elif kind is QEvent.Type.ParentChange:
            self._watch_ancestors()
            self._start_again()
        elif watched is self._card:
            if kind is QEvent.Type.Show:
                self._watch_ancestors()
                self.mark_changed()
            elif kind is QEvent.Type.Paint and not self._is_painted:
                self._is_painted = True
                self._start_again()
        return False

    def _start_again(self) -> None:
        self._since_s = self._now_s()

    def _on_pressed(self) -> None:
        self._pressed_s = self._now_s()

    def _watch_ancestors(self) -> None:
        """Follow the card and everything up to its window. None of them has the focus (see ``Feedback``)."""
        widget: QWidget | None = self._card
        while widget is not None:
            widget.installEventFilter(self)  # again does no harm
            widget = None if widget.isWindow() else widget.parentWidget()
