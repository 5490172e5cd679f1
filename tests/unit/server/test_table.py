import pytest

from orbtile.protocol.limits import MAX_CONNECTIONS, MAX_WAITING_REQUESTS
from orbtile.server.table import EXPENDABLE_LIMIT, ConnectionTable
from tests.fakes.scheduler import FakeScheduler


class Guest:
    """A connection as the table sees it."""

    def __init__(self, table: ConnectionTable, deadline: float = 105.0) -> None:
        self.table = table
        self.deadline = deadline
        self.holds_slot = True
        self.is_expendable = True
        self.expired_at: list[float] = []
        self.was_aborted = False
        self.leaves_when_expired = True
        table.add(self)

    def expire(self) -> None:
        self.expired_at.append(self.table.now())
        if self.leaves_when_expired:
            self.table.remove(self)

    def abort(self) -> None:
        self.was_aborted = True
        self.table.remove(self)


@pytest.fixture
def time() -> FakeScheduler:
    return FakeScheduler()


@pytest.fixture
def table(time: FakeScheduler) -> ConnectionTable:
    return ConnectionTable(time)


def test_the_first_eight_have_slots_and_the_ninth_has_none(table: ConnectionTable) -> None:
    guests = [Guest(table) for _ in range(MAX_CONNECTIONS + 2)]
    assert [table.has_slot(guest) for guest in guests] == [True] * 8 + [False] * 2


def test_a_slot_passes_to_the_next_in_the_order_of_acceptance(table: ConnectionTable) -> None:
    guests = [Guest(table) for _ in range(MAX_CONNECTIONS + 2)]
    table.remove(guests[3])
    assert table.has_slot(guests[8])
    assert not table.has_slot(guests[9])


def test_who_needs_no_slot_takes_none(table: ConnectionTable) -> None:
    guests = [Guest(table) for _ in range(MAX_CONNECTIONS + 2)]
    guests[0].holds_slot = False
    assert table.has_slot(guests[8])
    guests[1].holds_slot = False
    assert table.has_slot(guests[9])


def test_far_fewer_requests_wait_than_may_be_queued(table: ConnectionTable) -> None:
    """Only who has a slot waits, for the rest of its body; everybody else is answered with its head."""
    guests = [Guest(table) for _ in range(1_000)]
    waiting = [guest for guest in guests if not guest.was_aborted and table.has_slot(guest)]
    assert len(waiting) == MAX_CONNECTIONS
    assert len(waiting) <= MAX_WAITING_REQUESTS


def test_removing_twice_does_nothing(table: ConnectionTable) -> None:
    guest = Guest(table)
    table.remove(guest)
    table.remove(guest)
    assert len(table) == 0


def test_beyond_128_connections_without_a_head_the_oldest_goes(table: ConnectionTable) -> None:
    guests = [Guest(table) for _ in range(EXPENDABLE_LIMIT)]
    assert not any(guest.was_aborted for guest in guests)
    Guest(table)
    assert [guest.was_aborted for guest in guests] == [True] + [False] * 127
    assert len(table) == EXPENDABLE_LIMIT


def test_a_connection_with_a_head_is_not_in_the_way_of_those_without(table: ConnectionTable) -> None:
    served = Guest(table)
    served.is_expendable = False
    waiting = [Guest(table) for _ in range(EXPENDABLE_LIMIT)]
    assert not served.was_aborted
    assert not waiting[0].was_aborted
    Guest(table)
    assert not served.was_aborted
    assert waiting[0].was_aborted


def test_a_table_that_nobody_watches_arms_nothing(table: ConnectionTable, time: FakeScheduler) -> None:
    table.remove(Guest(table))
    assert time.is_idle


def test_a_connection_expires_soon_after_its_deadline_and_never_before(
    table: ConnectionTable, time: FakeScheduler
) -> None:
    guest = Guest(table, deadline=105.0)
    table.watch(105.0)
    time.advance(5.0)
    assert not guest.expired_at
    time.advance(0.5)
    assert len(guest.expired_at) == 1
    assert time.is_idle


def test_one_timer_serves_all(table: ConnectionTable, time: FakeScheduler) -> None:
    guests = [Guest(table, deadline=105.0 + at) for at in range(4)]
    for guest in guests:
        table.watch(guest.deadline)
    assert len(time.armed) == 1
    time.advance(20.0)
    assert all(guest.deadline <= guest.expired_at[0] <= guest.deadline * 1.01 for guest in guests)
    assert time.is_idle


def test_an_earlier_deadline_is_not_missed(table: ConnectionTable, time: FakeScheduler) -> None:
    late, early = Guest(table, deadline=110.0), Guest(table, deadline=103.0)
    table.watch(110.0)
    table.watch(103.0)
    time.advance(4.0)
    assert early.expired_at
    assert not late.expired_at
    time.advance(10.0)
    assert late.expired_at


def test_a_deadline_that_has_passed_is_due_at_once(table: ConnectionTable, time: FakeScheduler) -> None:
    guest = Guest(table, deadline=99.0)
    table.watch(99.0)
    time.advance(0.1)
    assert guest.expired_at


def test_who_stays_after_its_deadline_gets_the_next_one(table: ConnectionTable, time: FakeScheduler) -> None:
    guest = Guest(table, deadline=105.0)
    guest.leaves_when_expired = False
    table.watch(105.0)
    time.advance(5.4)
    guest.deadline = 108.0
    time.advance(10.0)
    assert len(guest.expired_at) >= 2


def test_a_timer_left_over_from_a_finished_connection_fires_once_and_is_the_last(
    table: ConnectionTable, time: FakeScheduler
) -> None:
    guest = Guest(table)
    table.watch(guest.deadline)
    table.remove(guest)
    time.advance(60.0)
    assert len(time.armed) == 1
    assert time.is_idle


def test_abort_all_drops_everybody_and_the_timer(table: ConnectionTable, time: FakeScheduler) -> None:
    guests = [Guest(table) for _ in range(3)]
    table.watch(105.0)
    table.abort_all()
    assert all(guest.was_aborted for guest in guests)
    assert len(table) == 0
    assert time.is_idle
    table.abort_all()
