"""From the service's ``Changes`` to Qt signals, at most one round a frame; from intents to its methods.

Owns the merging of changes within 16 ms. Must not keep state of sessions or adapters, nor decide anything.
"""

from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from orbtile.host.changes import Changes
from orbtile.host.service import Service
from orbtile.host.settings import Settings
from orbtile.host.views import NoticeKind

FRAME_MS: Final = 16


class Bridge(QObject):
    """The one way between the surfaces and the service.

    Signals carry ids; whoever shows them asks ``service`` for these only.
    """

    sessionsChanged = Signal(frozenset)
    adaptersChanged = Signal(frozenset)
    apiChanged = Signal()
    settingsChanged = Signal()
    noticesChanged = Signal()

    def __init__(self, service: Service, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.service = service
        self._pending = Changes()
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setTimerType(Qt.TimerType.PreciseTimer)
        self._frame.setInterval(FRAME_MS)
        self._frame.timeout.connect(self.flush)
        self._unsubscribe = service.subscribe(self._collect)

    def close(self) -> None:
        """Stop listening; what is pending is dropped."""
        self._unsubscribe()
        self._frame.stop()
        self._pending = Changes()

    def flush(self) -> None:
        """Emit what has gathered, now."""
        self._frame.stop()
        changes, self._pending = self._pending, Changes()
        if changes.settings:
            self.settingsChanged.emit()
        if changes.api:
            self.apiChanged.emit()
        if changes.sessions:
            self.sessionsChanged.emit(changes.sessions)
        if changes.adapters:
            self.adaptersChanged.emit(changes.adapters)
        if changes.notices:
            self.noticesChanged.emit()

    def _collect(self, changes: Changes) -> None:
        self._pending = self._pending.merged(changes)
        if not self._frame.isActive():
            self._frame.start()

    @Slot(str, str)
    def allow(self, adapter_id: str, fingerprint: str) -> None:
        self.service.allow(adapter_id, fingerprint)

    @Slot(str, str)
    def deny(self, adapter_id: str, fingerprint: str) -> None:
        self.service.deny(adapter_id, fingerprint)

    @Slot(str)
    def turnOff(self, adapter_id: str) -> None:
        self.service.turn_off(adapter_id)

    @Slot(str)
    def forget(self, adapter_id: str) -> None:
        self.service.forget(adapter_id)

    @Slot(str, object)
    def setHue(self, adapter_id: str, hue_deg: float | None) -> None:
        """In degrees, 0..<360; None: the adapter's own colours again."""
        self.service.set_hue(adapter_id, hue_deg)

    @Slot(bool)
    def setApiEnabled(self, enabled: bool) -> None:
        self.service.set_api_enabled(enabled)

    @Slot()
    def regenerateToken(self) -> None:
        self.service.regenerate_token()

    def tap(self, uid: str) -> bool:
        """Open what the session belongs to. Whether something opened."""
        return self.service.tap(uid)

    def changeSettings(self, settings: Settings) -> None:
        self.service.change_settings(settings)

    def dismissNotice(self, kind: NoticeKind) -> None:
        self.service.dismiss_notice(kind)
