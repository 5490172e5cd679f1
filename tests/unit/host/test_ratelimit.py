import pytest

from orbtile.host.ratelimit import KeyedBuckets, TokenBucket


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


# --- a bucket per key ---------------------------------------------------------------------------------------


def test_every_key_has_a_bucket_of_its_own() -> None:
    buckets = KeyedBuckets(20, 2)
    for key in ("a", "a", "b"):
        assert buckets.wait_s(key, 5.0) == 0
        buckets.take(key, 5.0)
    assert (buckets.wait_s("a", 5.0), buckets.wait_s("b", 5.0)) == (1, 0)
    assert buckets.wait_s("a", 5.05) == 0


def test_asking_for_a_key_keeps_nothing() -> None:
    buckets = KeyedBuckets(20, 60)
    for number in range(1_000):
        buckets.wait_s(str(number), 0.0)
    assert len(buckets) == 0


def test_a_key_that_is_not_full_is_never_forgotten_for_others() -> None:
    buckets = KeyedBuckets(20, 2)
    buckets.take("a", 0.0)
    buckets.take("a", 0.0)
    for number in range(1_000):
        buckets.take(str(number), 0.0)
    assert buckets.wait_s("a", 0.0) == 1


def test_a_bucket_can_begin_full_and_only_once() -> None:
    buckets = KeyedBuckets(20, 2)
    buckets.start("a", 0.0)
    buckets.take("a", 0.0)
    assert buckets.wait_s("a", 0.0) == 0
    buckets.start("a", 0.0)
    assert buckets.wait_s("a", 0.0) == 1


def test_a_bucket_that_began_full_is_kept_while_it_is_used() -> None:
    buckets = KeyedBuckets(20, 2)
    buckets.start("a", 0.0)
    buckets.start("b", 0.0)
    for _ in range(2):
        buckets.start("a", 0.0)
    assert buckets.wait_s("a", 0.0) == 1


@pytest.mark.parametrize(("after_s", "expected"), [(0.09, 2), (0.1, 1)])
def test_a_bucket_is_kept_for_as_long_as_an_empty_one_takes_to_fill(after_s: float, expected: int) -> None:
    buckets = KeyedBuckets(20, 2)
    buckets.take("a", 0.0)
    buckets.take("b", after_s)
    assert len(buckets) == expected


def test_no_more_buckets_are_kept_than_were_used_while_one_fills() -> None:
    buckets = KeyedBuckets(20, 60)
    most = 0
    for number in range(10_000):  # a new id every 10 ms, 300 in 3 s
        buckets.take(str(number), number / 100)
        most = max(most, len(buckets))
    assert most <= 301
