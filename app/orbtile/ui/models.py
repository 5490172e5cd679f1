"""The list of sessions in the order in which people read it, with its counts, kept up to date by small steps.

Owns the order (waiting, error, working, done, idle, offline; then the latest change of state), the counts
by group, what is folded as background, and what was done last. Must not know widgets or wording. Tray,
popover and later surfaces share one instance, so that they cannot disagree.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from PySide6.QtCore import QObject, Signal

from orbtile.host.views import Consent, SessionView
from orbtile.palette.states import WAITING_STATES, WORKING_STATES, State
from orbtile.ui.bridge import Bridge


class Group(IntEnum):
    """What a state means to somebody who glances at it; the value is its place in the list."""

    WAITING = 0
    ERROR = 1
    WORKING = 2
    DONE = 3
    IDLE = 4
    OFFLINE = 5


def group_of(state: State) -> Group:
    """The group of ``state``; the renderer's own "empty" counts as idle."""
    return _GROUPS[state]


_GROUPS: Final = {
    **dict.fromkeys(WAITING_STATES, Group.WAITING),
    **dict.fromkeys(WORKING_STATES, Group.WORKING),
    State.ERROR: Group.ERROR,
    State.DONE: Group.DONE,
    State.IDLE: Group.IDLE,
    State.OFFLINE: Group.OFFLINE,
    State.EMPTY: Group.IDLE,
}


class OrderKey(NamedTuple):
    """Sorts the list. ``folded``: a background session without an alarm, gathered at the end."""

    folded: bool
    group: Group
    minus_since_s: float
    uid: str


def order_key(view: SessionView) -> OrderKey:
    """Where ``view`` belongs.

    An alarm is never folded away. "Latest change" is that of the state: a streaming session changes many
    times a second, and rows that jump with every token cannot be read.
    """
    group = group_of(view.state)
    folded = view.background and group > Group.ERROR
    return OrderKey(folded, group, -view.since_monotonic_s, view.uid)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many sessions are in each group: those listed, and those folded as background."""

    listed: tuple[int, ...] = (0,) * len(Group)
    folded: tuple[int, ...] = (0,) * len(Group)

    def __getitem__(self, group: Group) -> int:
        return self.listed[group]

    @property
    def listed_total(self) -> int:
        return sum(self.listed)

    @property
    def folded_total(self) -> int:
        return sum(self.folded)


@dataclass(frozen=True, slots=True)
class Finished:
    """A session that was done, as it was then. Its title is the user's: in memory only, never written."""

    title: str
    adapter_id: str
    at_epoch_s: float
    at_monotonic_s: float


class SessionModel(QObject):
    """Every visible session in order. Reads the service for changed uids only."""

    viewsChanged = Signal(frozenset)
    """Uids that are still where they were but look different."""
    orderChanged = Signal()
    """Sessions came, went or moved."""
    countsChanged = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = bridge.service
        self._views: dict[str, SessionView] = {}
        self._order: list[OrderKey] = []
        self._tally = [[0] * len(Group), [0] * len(Group)]
        self._counts = Counts()
        self._last_finished: Finished | None = None
        for view in self._service.sessions():
            self._insert(view)
        self._count_again()
        bridge.sessionsChanged.connect(self.take)
        bridge.adaptersChanged.connect(self._on_adapters_changed)

    @property
    def counts(self) -> Counts:
        return self._counts

    @property
    def last_finished(self) -> Finished | None:
        """What was done last, also after it is gone; nothing of an agent that the user no longer allows."""
        return self._last_finished

    def keys(self) -> list[OrderKey]:
        """A copy of the order."""
        return list(self._order)

    def view(self, uid: str) -> SessionView | None:
        return self._views.get(uid)

    def take(self, uids: Iterable[str]) -> None:
        """Read these sessions again and announce what became of them."""
        in_place: set[str] = set()
        moved = False
        for uid in uids:
            old, new = self._views.get(uid), self._service.session(uid)
            if old is not None and new is not None and order_key(old) == order_key(new):
                if old != new:
                    self._views[uid] = new
                    self._note_finished(new)
                    in_place.add(uid)
                continue
            if old is not None:
                self._remove(old)
                moved = True
            if new is not None:
                self._insert(new)
                moved = True
                in_place.add(uid)
        if in_place:
            self.viewsChanged.emit(frozenset(in_place))
        if not moved:
            return
        recounted = self._count_again()  # before anybody hears of the move and asks for counts
        self.orderChanged.emit()
        if recounted:
            self.countsChanged.emit()

    def _insert(self, view: SessionView) -> None:
        key = order_key(view)
        self._order.insert(bisect_left(self._order, key), key)
        self._views[view.uid] = view
        self._tally[key.folded][key.group] += 1
        self._note_finished(view)

    def _remove(self, view: SessionView) -> None:
        key = order_key(view)
        del self._order[bisect_left(self._order, key)]
        del self._views[view.uid]
        self._tally[key.folded][key.group] -= 1

    def _note_finished(self, view: SessionView) -> None:
        last = self._last_finished
        if view.state is State.DONE and (last is None or view.since_monotonic_s >= last.at_monotonic_s):
            self._last_finished = Finished(
                view.title, view.adapter_id, view.since_epoch_s, view.since_monotonic_s
            )

    def _on_adapters_changed(self, adapter_ids: frozenset[str]) -> None:
        last = self._last_finished
        if last is None or last.adapter_id not in adapter_ids:
            return
        adapter = self._service.adapter(last.adapter_id)
        if adapter is None or adapter.consent is not Consent.ALLOWED:
            self._last_finished = None

    def _count_again(self) -> bool:
        before = self._counts
        self._counts = Counts(tuple(self._tally[False]), tuple(self._tally[True]))
        return before != self._counts
