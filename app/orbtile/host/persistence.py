"""When to save: what the user did at once, what adapters caused at most once a second, heartbeats never.

Owns the policy. Must not know files (the store's) nor how records look. A failed save is tried again with the
next one and at ``flush``, not by a timer of its own: a full disk should not be hammered.
"""

from collections.abc import Callable, Sequence
from typing import Final

from orbtile.host.deadlines import Deadlines, Timer
from orbtile.host.ports import Clock, Store
from orbtile.host.records import ConsentRecord
from orbtile.host.settings import Settings
from orbtile.host.views import NoticeKind

_ADAPTERS_EVERY_S: Final = 1.0


class Persistence:
    """Saves through ``store``; ``records`` makes the consents as they are now."""

    def __init__(
        self, store: Store, clock: Clock, deadlines: Deadlines, records: Callable[[], Sequence[ConsentRecord]]
    ) -> None:
        self._store = store
        self._clock = clock
        self._deadlines = deadlines
        self._records = records
        self._saved_at_s = float("-inf")
        self._timer = Timer(self._fire)
        self._failed_settings = False
        self._failed_consents = False

    def save_settings(self, settings: Settings) -> None:
        self._failed_settings = False
        self._store.save_settings(settings)

    def save_consents(self) -> None:
        """Save now: the user decided something."""
        self._deadlines.cancel(self._timer)
        self._failed_consents = False
        self._saved_at_s = self._clock.monotonic_s()
        self._store.save_consents(self._records())

    def save_consents_soon(self) -> None:
        """Save within a second: an adapter came, changed or went."""
        if not self._timer.is_set:
            self._deadlines.set(
                self._timer, max(self._clock.monotonic_s(), self._saved_at_s + _ADAPTERS_EVERY_S)
            )

    def note(self, trouble: NoticeKind) -> None:
        """Some edge reported ``trouble``; if it is a failed save, remember to try again."""
        if trouble is NoticeKind.SETTINGS_NOT_SAVED:
            self._failed_settings = True
        elif trouble is NoticeKind.CONSENTS_NOT_SAVED:
            self._failed_consents = True

    def flush(self, settings: Settings, *, is_anyone_live: bool) -> None:
        """Save what is not saved yet; a live adapter's last sign of life is always newer than the file."""
        if self._failed_settings:
            self.save_settings(settings)
        if self._failed_consents or self._timer.is_set or is_anyone_live:
            self.save_consents()

    def _fire(self, _due_s: float) -> None:
        self.save_consents()
