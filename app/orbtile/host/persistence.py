"""When to save: what the user did at once, what adapters caused at most once a second, heartbeats never.

Owns the policy. Must not know files nor how records look, nor whether a save succeeded: the store keeps what
it could not write and tries again.
"""

from collections.abc import Callable, Sequence
from typing import Final

from orbtile.host.deadlines import Deadlines, Timer
from orbtile.host.ports import Clock, Store
from orbtile.host.records import ConsentRecord
from orbtile.host.settings import Settings

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

    def save_settings(self, settings: Settings) -> None:
        """Save now: the user chose something."""
        self._store.save_settings(settings)

    def save_consents(self) -> None:
        """Save now: the user decided something."""
        self._deadlines.cancel(self._timer)
        self._saved_at_s = self._clock.monotonic_s()
        self._store.save_consents(self._records())

    def save_consents_soon(self) -> None:
        """Save within a second: an adapter came, changed or went."""
        if not self._timer.is_set:
            self._deadlines.set(
                self._timer, max(self._clock.monotonic_s(), self._saved_at_s + _ADAPTERS_EVERY_S)
            )

    def flush(self, *, is_anyone_live: bool) -> None:
        """Save what waits; a live adapter's last sign of life is always newer than what was saved."""
        if self._timer.is_set or is_anyone_live:
            self.save_consents()

    def _fire(self, _due_s: float) -> None:
        self.save_consents()
