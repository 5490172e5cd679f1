"""What is painted of a widget, seen by an event filter that is gone before the widget is.

A widget that is destroyed still sends events, and a filter in Python cannot take one of a half-destroyed
widget: Qt crashes, now or at the next collection of garbage. So whoever watches is kept here with the window,
until ``stop_watching_paints`` at the end of the test.
"""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

_watching: list["Paints"] = []


class Paints(QObject):
    """Collects the regions of a widget that are painted from now on."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__()
        self.regions: list[QRegion] = []
        self._watched = watched
        self._window = watched.window()  # lives as long: a child does not keep its window alive
        watched.installEventFilter(self)
        _watching.append(self)

    @property
    def count(self) -> int:
        return len(self.regions)

    def stop(self) -> None:
        if isValid(self._watched):
            self._watched.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.regions.append(QRegion(event.region()))
        return False


def stop_watching_paints() -> None:
    """Before any window of the test goes."""
    while _watching:
        _watching.pop().stop()
