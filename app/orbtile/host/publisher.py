"""Telling listeners: one record after another, to all of them, in order.

Owns subscription and delivery. Must not know what changed or why.
"""

from collections import deque

from orbtile.host.changes import Changes, Listener, Unsubscribe


class Publisher:
    """Delivers records in order even when a listener causes the next one; (un)subscribing while it delivers
    is safe.
    """

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}
        self._waiting: deque[Changes] = deque()
        self._is_delivering = False

    def subscribe(self, listener: Listener) -> Unsubscribe:
        """Call ``listener`` with each record from now on, until the returned function is called (more than
        once is fine).
        """
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def publish(self, changes: Changes) -> None:
        """Deliver ``changes``; what a listener raises comes out of here after everybody has been told."""
        self._waiting.append(changes)
        if self._is_delivering:
            return
        self._is_delivering = True
        failures: list[Exception] = []
        try:
            while self._waiting:
                self._deliver(self._waiting.popleft(), failures)
        finally:
            self._is_delivering = False
        if failures:
            raise failures[0]

    def _deliver(self, changes: Changes, failures: list[Exception]) -> None:
        for key, listener in list(self._listeners.items()):
            if key not in self._listeners:  # unsubscribed by a listener before it
                continue
            try:
                listener(changes)
            except Exception as failure:  # noqa: BLE001  a broken view must not keep the others from being told
                failures.append(failure)
