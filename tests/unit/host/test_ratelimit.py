import pytest

from orbtile.host.ratelimit import TokenBucket


def take(bucket: TokenBucket, now_s: float) -> bool:
    if bucket.wait_s(now_s):
        return False
    bucket.take()
    return True


def test_a_bucket_starts_with_its_whole_burst_and_no_more() -> None:
    bucket = TokenBucket(20, 60, now_s=5.0)
    assert [take(bucket, 5.0) for _ in range(61)] == [True] * 60 + [False]


def test_an_empty_bucket_gives_exactly_its_rate() -> None:
    bucket = TokenBucket(20, 60, now_s=0.0)
    for _ in range(60):
        take(bucket, 0.0)
    granted = sum(take(bucket, step / 1000) for step in range(1, 10_001))
    assert granted == 200


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    bucket = TokenBucket(20, 60, now_s=0.0)
    assert sum(take(bucket, 3600.0) for _ in range(100)) == 60


@pytest.mark.parametrize(("rate_per_s", "expected_s"), [(20.0, 1), (1.0, 1), (0.4, 3)])
def test_the_wait_is_whole_seconds_and_at_least_one(rate_per_s: float, expected_s: int) -> None:
    bucket = TokenBucket(rate_per_s, 1, now_s=0.0)
    bucket.take()
    assert bucket.wait_s(0.0) == expected_s


def test_asking_takes_nothing() -> None:
    bucket = TokenBucket(20, 1, now_s=0.0)
    assert [bucket.wait_s(0.0) for _ in range(5)] == [0] * 5
