"""The frame around everything that happens in the host: first what is due, then the body, then what changed
is told.

Owns that order, and the promise that one ``Changes`` record follows each step, after the state is consistent.
Must not know what a step does.
"""

from collections.abc import Callable
from typing import Final

from orbtile.host.changes import Changes, Listener, Unsubscribe
from orbtile.host.deadlines import Deadlines
from orbtile.host.ports import Clock
from orbtile.host.publisher import Publisher

_NOTHING: Final = Changes()


class Step:
    """``with step as now_s:`` (monotonic seconds). ``settle`` says which views changed, None for none; what
    else changed is :meth:`tell`'s. A step that raises is told like any other: what was due has happened.
    """

    def __init__(self, clock: Clock, deadlines: Deadlines, settle: Callable[[float], Changes | None]) -> None:
        self._clock = clock
        self._deadlines = deadlines
        self._settle = settle
        self._publisher = Publisher()
        self._told = _NOTHING
        self._now_s = clock.monotonic_s()
        self._on_deadline: Callable[[], None] | None = None

    def subscribe(self, listener: Listener) -> Unsubscribe:
        """Call ``listener`` after each step that changed something; it may begin steps of its own."""
        return self._publisher.subscribe(listener)

    def watch_deadline(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` after a step that made something due earlier than the deadlines last said."""
        self._on_deadline = callback

    def tell(self, changes: Changes) -> None:
        """Inside a step: these changed, beside the views."""
        self._told = self._told.merged(changes)

    def __enter__(self) -> float:
        self._now_s = self._clock.monotonic_s()
        self._deadlines.run(self._now_s)
        return self._now_s

    def __exit__(self, *_failure: object) -> None:
        seen = self._settle(self._now_s)
        told, self._told = self._told, _NOTHING
        if self._on_deadline is not None and self._deadlines.moved_up:
            self._on_deadline()
        if seen is not None:
            self._publisher.publish(seen.merged(told) if told else seen)
        elif told:
            self._publisher.publish(told)
