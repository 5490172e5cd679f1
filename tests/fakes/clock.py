"""A clock that stands still until a test moves it. Mirrors ``host.ports.Clock``."""


class FakeClock:
    """Both readings move together, except in :meth:`sleep_laptop`, where only the epoch goes on."""

    def __init__(self, monotonic_s: float = 1_000.0, epoch_s: float = 1_790_000_000.0) -> None:
        self._monotonic_s = monotonic_s
        self._epoch_s = epoch_s

    def monotonic_s(self) -> float:
        return self._monotonic_s

    def epoch_s(self) -> float:
        return self._epoch_s

    def advance(self, seconds: float) -> None:
        self._monotonic_s += seconds
        self._epoch_s += seconds

    def sleep_laptop(self, seconds: float) -> None:
        self._epoch_s += seconds
