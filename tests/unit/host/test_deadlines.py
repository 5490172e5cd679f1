from collections.abc import Callable

from orbtile.host.deadlines import Deadlines, Timer


def recorder(log: list[float]) -> Callable[[float], None]:
    return log.append


def test_nothing_set_is_never_due() -> None:
    deadlines = Deadlines()
    assert deadlines.next_s() is None
    deadlines.run(1e9)


def test_timers_fire_in_order_of_time_with_the_time_they_were_set_to() -> None:
    deadlines, fired = Deadlines(), list[float]()
    for due_s in (3.0, 1.0, 2.0, 9.0):
        deadlines.set(Timer(recorder(fired)), due_s)
    deadlines.run(5.0)
    assert fired == [1.0, 2.0, 3.0]
    assert deadlines.next_s() == 9.0


def test_a_timer_is_due_at_its_time_and_not_before() -> None:
    deadlines, fired = Deadlines(), list[float]()
    deadlines.set(Timer(recorder(fired)), 2.0)
    deadlines.run(1.999)
    assert fired == []
    deadlines.run(2.0)
    assert fired == [2.0]


def test_a_postponed_timer_fires_once_and_later() -> None:
    deadlines, fired = Deadlines(), list[float]()
    timer = Timer(recorder(fired))
    deadlines.set(timer, 1.0)
    deadlines.set(timer, 4.0)
    deadlines.run(2.0)
    assert fired == []
    assert deadlines.next_s() == 4.0
    deadlines.run(4.0)
    assert fired == [4.0]


def test_a_postponed_timer_takes_its_turn_among_the_others() -> None:
    deadlines, fired = Deadlines(), list[float]()
    postponed = Timer(recorder(fired))
    deadlines.set(postponed, 1.0)
    deadlines.set(Timer(recorder(fired)), 2.0)
    deadlines.set(postponed, 3.0)
    deadlines.run(5.0)
    assert fired == [2.0, 3.0]


def test_a_timer_can_be_brought_forward() -> None:
    deadlines, fired = Deadlines(), list[float]()
    timer = Timer(recorder(fired))
    deadlines.set(timer, 9.0)
    deadlines.set(timer, 1.0)
    assert deadlines.next_s() == 1.0
    deadlines.run(20.0)
    assert fired == [1.0]


def test_a_cancelled_timer_does_not_fire_and_may_be_cancelled_again() -> None:
    deadlines, fired = Deadlines(), list[float]()
    timer = Timer(recorder(fired))
    deadlines.cancel(timer)
    deadlines.set(timer, 1.0)
    was_set = timer.is_set
    deadlines.cancel(timer)
    deadlines.cancel(timer)
    assert (was_set, timer.is_set) == (True, False)
    assert deadlines.next_s() is None
    deadlines.run(5.0)
    assert fired == []


def test_a_dead_entry_that_comes_up_is_dropped() -> None:
    deadlines, fired = Deadlines(), list[float]()
    timer = Timer(recorder(fired))
    deadlines.set(timer, 1.0)
    deadlines.cancel(timer)
    deadlines.run(5.0)
    assert fired == []
    assert len(deadlines) == 0


def test_what_firing_makes_due_fires_in_the_same_run() -> None:
    deadlines, fired = Deadlines(), list[float]()

    def again(due_s: float) -> None:
        fired.append(due_s)
        deadlines.set(timer, due_s + 1.0)

    timer = Timer(again)
    deadlines.set(timer, 1.0)
    deadlines.run(3.5)
    assert fired == [1.0, 2.0, 3.0]
    assert deadlines.next_s() == 4.0


def test_postponing_does_not_grow_the_heap() -> None:
    deadlines = Deadlines()
    timer = Timer(recorder([]))
    for step in range(10_000):
        deadlines.set(timer, float(step))
    assert len(deadlines) == 1
    for step in range(10_000):
        deadlines.set(timer, 20_000.0 + step)
        deadlines.next_s()
    assert len(deadlines) == 1


def test_cancelled_and_hastened_timers_leave_a_bounded_heap() -> None:
    deadlines = Deadlines()
    kept = [Timer(recorder([])) for _ in range(50)]
    for step in range(10_000):
        deadlines.set(kept[step % 50], 1e6 - step)
        gone = Timer(recorder([]))
        deadlines.set(gone, 2e6)
        deadlines.cancel(gone)
        assert len(deadlines) <= 2 * 50 + 18
    due = deadlines.next_s()
    assert due == min(timer.due_s for timer in kept)


def test_it_says_when_something_is_due_earlier_than_it_last_told() -> None:
    deadlines = Deadlines()
    early, late = Timer(recorder([])), Timer(recorder([]))
    said = [deadlines.moved_up]
    deadlines.set(late, 10.0)
    said.append(deadlines.moved_up)
    assert deadlines.next_s() == 10.0
    deadlines.set(late, 12.0)
    deadlines.set(Timer(recorder([])), 11.0)
    said.append(deadlines.moved_up)
    deadlines.set(early, 5.0)
    said.append(deadlines.moved_up)
    assert said == [False, True, False, True]
