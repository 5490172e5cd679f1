"""When a StatusNotifier host (the tray of KDE, Xfce, GNOME with its extension) comes or goes.

Owns the watch on the D-Bus name ``org.kde.StatusNotifierWatcher``: Qt looks for it only when an icon is made,
so an icon made before the tray must be made again. Linux only; inert where there is no session bus. Must not
know the icon.
"""

from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher

WATCHER_NAME: Final = "org.kde.StatusNotifierWatcher"


class StatusNotifierWatch(QObject):
    """Signals come from the loop, never from the constructor."""

    host_appeared = Signal()
    """A tray started, or was replaced by another: make the icon again."""
    host_vanished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus = QDBusConnection.sessionBus()
        self._watcher: QDBusServiceWatcher | None = None
        if self._bus.isConnected():
            self._watcher = QDBusServiceWatcher(
                WATCHER_NAME, self._bus, QDBusServiceWatcher.WatchModeFlag.WatchForOwnerChange, self
            )
            self._watcher.serviceOwnerChanged.connect(self._on_owner_changed)

    def _on_owner_changed(self, _name: str, _old_owner: str, new_owner: str) -> None:
        if new_owner:
            self.host_appeared.emit()
        else:
            self.host_vanished.emit()
