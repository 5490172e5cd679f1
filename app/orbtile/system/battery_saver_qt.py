"""The system's battery saver as an object with a signal.

Owns when it is asked again: macOS and Linux tell of changes, Windows is asked when the application comes to
the front. Nothing polls. Must not know what is done to save power.
"""

import contextlib
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from orbtile.system.battery_saver import is_battery_saver_on
from orbtile.system.paths import Platform


class BatterySaver(QObject):
    """``is_on`` is what is known so far; ``changed`` tells when that becomes another. The signal comes from
    the loop, never from the constructor.
    """

    changed = Signal(bool)

    def __init__(self, parent: QObject | None = None, *, is_on: bool = False) -> None:
        super().__init__(parent)
        self._is_on = is_on

    @property
    def is_on(self) -> bool:
        """Whether the system wants power saved."""
        return self._is_on

    def close(self) -> None:
        """Watch no longer. Never raises."""

    def _take(self, is_on: bool) -> None:
        if is_on != self._is_on:
            self._is_on = is_on
            self.changed.emit(is_on)


class AskedBatterySaver(BatterySaver):
    """Where one call tells: made now, whenever the application comes to the front, and by ``check``."""

    def __init__(
        self, parent: QObject | None = None, *, ask: Callable[[], bool] = is_battery_saver_on
    ) -> None:
        super().__init__(parent, is_on=ask())
        self._ask = ask
        self._ends = contextlib.ExitStack()
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._on_application_state)
            self._ends.callback(application.applicationStateChanged.disconnect, self._on_application_state)
        if sys.platform == "darwin":
            from orbtile.system.macos_power import PowerStateObserver

            self._ends.callback(PowerStateObserver(self.check).close)

    def check(self) -> None:
        """Ask the system again."""
        self._take(self._ask())

    def close(self) -> None:
        self._ends.close()

    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self.check()


def watch_battery_saver(platform: Platform, parent: QObject | None = None) -> BatterySaver:
    """The watch that fits the system. Returns at once; on Linux the answer comes later, by ``changed``."""
    if platform is Platform.LINUX:
        from orbtile.system.power_profiles_qt import ProfileBatterySaver

        return ProfileBatterySaver(parent)
    return AskedBatterySaver(parent)
