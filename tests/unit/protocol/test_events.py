import pytest

from orbtile.protocol.errors import ApiError
from orbtile.protocol.events import EventsPoll, parse_events_poll
from orbtile.protocol.fields import JsonValue
from tests.fakes.bodies import POLL
from tests.fakes.malformed import MALFORMED_POLLS, Malformed


def test_an_empty_poll_starts_at_the_beginning_and_does_not_wait() -> None:
    assert parse_events_poll({}) == EventsPoll(after=0, ack=0, wait_s=0)


def test_a_full_poll() -> None:
    assert parse_events_poll(POLL) == EventsPoll(after=3, ack=2, wait_s=1)


@pytest.mark.parametrize(
    ("body", "poll"),
    [
        ({"after": 9_007_199_254_740_991}, EventsPoll(after=9_007_199_254_740_991)),
        ({"after": 7.0, "ack": 7.0, "waitSeconds": 2.0}, EventsPoll(after=7, ack=7, wait_s=2)),
        ({"later": True, "after": 1}, EventsPoll(after=1)),
    ],
)
def test_edges_whole_fractions_and_unknown_fields_pass(body: JsonValue, poll: EventsPoll) -> None:
    assert parse_events_poll(body) == poll


@pytest.mark.parametrize("case", MALFORMED_POLLS, ids=lambda case: case.name)
def test_a_malformed_poll_is_refused_at_its_field(case: Malformed) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_events_poll(case.body)
    assert (refusal.value.status, refusal.value.code, refusal.value.field) == (
        case.status,
        case.code,
        case.field,
    )
