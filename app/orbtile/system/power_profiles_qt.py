"""The power profile of a Linux desktop, from the system bus.

Owns the conversation with whoever serves power profiles: asked once, and again after each sign of a change.
Without a system bus or such a service the battery saver is off, in silence; nobody is started for us. Must
not know what is done to save power.
"""

from typing import Any, Final

from PySide6.QtCore import SLOT, QObject, QTimer, Slot
from PySide6.QtDBus import (
    QDBusConnection,
    QDBusMessage,
    QDBusPendingCallWatcher,
    QDBusServiceWatcher,
    QDBusVariant,
)

from orbtile.system.battery_saver import (
    ACTIVE_PROFILE,
    PROFILE_SERVICES,
    ProfileService,
    is_saver_profile,
)
from orbtile.system.battery_saver_qt import BatterySaver

CONNECT_AFTER_MS: Final = 700
"""Connecting to the bus takes the loop's time, which at the start belongs to others."""

ANSWER_WITHIN_MS: Final = 10_000

_PROPERTIES: Final = "org.freedesktop.DBus.Properties"
_ON_CHANGED: Final[Any] = SLOT("on_changed(QDBusMessage)")
"""Text, as ``connect`` takes it; its stub says bytes, which it refuses."""

_BY_NAME: Final = {service.name: service for service in PROFILE_SERVICES}
_BY_INTERFACE: Final = {service.interface: service for service in PROFILE_SERVICES}


class ProfileBatterySaver(BatterySaver):
    """On while any of ``PROFILE_SERVICES`` says so; most systems have none or one, under two names."""

    def __init__(self, parent: QObject | None = None, *, connect_after_ms: int = CONNECT_AFTER_MS) -> None:
        super().__init__(parent)
        self._bus: QDBusConnection | None = None
        self._saving: set[ProfileService] = set()
        self._starting = QTimer(self, singleShot=True, interval=connect_after_ms)
        self._starting.timeout.connect(self._connect)
        self._starting.start()

    def close(self) -> None:
        self._starting.stop()
        self._bus = None

    def _connect(self) -> None:
        bus = QDBusConnection.systemBus()
        if not bus.isConnected():
            return
        self._bus = bus
        for service in PROFILE_SERVICES:
            # Only in its constructor: QDBusServiceWatcher's setters wait for QtDBus' thread while they hold
            # Python's lock, which that thread wants as well.
            watcher = QDBusServiceWatcher(
                service.name, bus, QDBusServiceWatcher.WatchModeFlag.WatchForOwnerChange, self
            )
            watcher.serviceOwnerChanged.connect(self._on_owner_changed)
            bus.connect(service.name, service.path, _PROPERTIES, "PropertiesChanged", self, _ON_CHANGED)
            self._ask(service)

    def _on_owner_changed(self, name: str, _old_owner: str, _new_owner: str) -> None:
        self._ask(_BY_NAME[name])

    @Slot(QDBusMessage)
    def on_changed(self, message: QDBusMessage) -> None:
        """Some property of a service changed, or of another interface of its object."""
        interface, *_ = [*message.arguments(), None]
        service = _BY_INTERFACE.get(interface) if isinstance(interface, str) else None
        if service is not None:
            self._ask(service)

    def _ask(self, service: ProfileService) -> None:
        if self._bus is None:
            return
        question = QDBusMessage.createMethodCall(service.name, service.path, _PROPERTIES, "Get")
        question.setArguments([service.interface, ACTIVE_PROFILE])
        question.setAutoStartService(False)
        pending = QDBusPendingCallWatcher(self._bus.asyncCall(question, ANSWER_WITHIN_MS), self)
        pending.finished.connect(lambda answered: self._on_answer(service, answered))

    def _on_answer(self, service: ProfileService, pending: QDBusPendingCallWatcher) -> None:
        values = [] if pending.isError() else pending.reply().arguments()
        pending.deleteLater()
        if self._bus is None:
            return
        if any(isinstance(each, QDBusVariant) and is_saver_profile(each.variant()) for each in values):
            self._saving.add(service)
        else:
            self._saving.discard(service)
        self._take(bool(self._saving))
