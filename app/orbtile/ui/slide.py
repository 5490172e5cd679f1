"""Rows that take their new places by sliding there.

Owns the time it takes and where things are meanwhile. Must not know why they move, nor whether they may.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

SLIDE_MS: Final = 160


class Way(NamedTuple):
    """From where to where the top of ``widget`` goes, in its parent's px."""

    widget: QWidget
    from_px: int
    to_px: int


class Slide(QObject):
    """One slide at a time; its timer runs only as long as that. Who goes farthest passes over the others."""

    ended = Signal()
    """Everybody is in place: they may be stacked as before."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._ways: tuple[Way, ...] = ()
        self._course = QVariantAnimation(self)
        self._course.setStartValue(0.0)
        self._course.setEndValue(1.0)
        self._course.setDuration(SLIDE_MS)
        self._course.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._course.valueChanged.connect(self._on_advanced)
        self._course.finished.connect(self.finish)

    @property
    def is_running(self) -> bool:
        return bool(self._ways)

    def begin(self, ways: Sequence[Way]) -> None:
        """Slide these, from where they are; whatever slid before stays where it is."""
        self._course.stop()
        self._ways = tuple(ways)
        for way in sorted(ways, key=lambda way: abs(way.to_px - way.from_px)):
            way.widget.raise_()
        if ways:
            self._course.start()

    def finish(self) -> None:
        """Be there at once."""
        self._course.stop()
        if self._ways:
            self._on_advanced(1.0)
            self._ways = ()
            self.ended.emit()

    def _on_advanced(self, share: float) -> None:
        for widget, from_px, to_px in self._ways:
            if isValid(widget):
                widget.move(widget.x(), round(from_px + share * (to_px - from_px)))
