"""What is due happens first, then the body, then what changed is told once."""

from collections.abc import Callable

import pytest

from orbtile.host.changes import Changes
from orbtile.host.deadlines import Deadlines, Timer
from orbtile.host.step import Step
from tests.fakes.clock import FakeClock

VIEWS = Changes(sessions=frozenset({"a"}))


class Bench:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.deadlines = Deadlines()
        self.seen: Changes | None = None
        self.settled_s: list[float] = []
        self.step = Step(self.clock, self.deadlines, self.settle)
        self.heard: list[Changes] = []
        self.step.subscribe(self.heard.append)

    def settle(self, now_s: float) -> Changes | None:
        self.settled_s.append(now_s)
        return self.seen

    def due_in(self, seconds: float, fire: Callable[[float], None]) -> None:
        self.deadlines.set(Timer(fire), self.clock.monotonic_s() + seconds)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_what_is_due_has_happened_when_the_body_begins(bench: Bench) -> None:
    fired: list[float] = []
    bench.due_in(1.0, fired.append)
    bench.clock.advance(2.0)
    with bench.step as now_s:
        assert fired == [now_s - 1.0]
    assert bench.settled_s == [now_s]


def test_a_step_that_changes_nothing_says_nothing(bench: Bench) -> None:
    with bench.step:
        pass
    assert bench.heard == []


def test_views_and_what_the_body_tells_come_in_one_record(bench: Bench) -> None:
    bench.seen = VIEWS
    with bench.step:
        bench.step.tell(Changes(api=True))
        bench.step.tell(Changes(settings=True))
    assert bench.heard == [VIEWS.merged(Changes(api=True, settings=True))]


@pytest.mark.parametrize("seen", [None, VIEWS])
def test_what_was_told_is_told_once(bench: Bench, seen: Changes | None) -> None:
    with bench.step:
        bench.step.tell(Changes(api=True))
    bench.seen = seen
    with bench.step:
        pass
    assert bench.heard == [Changes(api=True), *([] if seen is None else [VIEWS])]


def test_a_step_that_is_refused_settles_too(bench: Bench) -> None:
    bench.seen = VIEWS
    with pytest.raises(ValueError, match="refused"), bench.step:
        raise ValueError("refused")
    assert bench.heard == [VIEWS]


def test_whoever_armed_a_timer_hears_of_an_earlier_deadline_before_the_listeners(bench: Bench) -> None:
    order: list[str] = []
    bench.step.watch_deadline(lambda: order.append(f"due {bench.deadlines.next_s() is not None}"))
    bench.step.subscribe(lambda _changes: order.append("changes"))
    with bench.step:
        bench.due_in(5.0, lambda _due_s: None)
        bench.step.tell(Changes(notices=True))
    assert order == ["due True", "changes"]
