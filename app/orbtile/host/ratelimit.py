"""Token buckets: how many requests an adapter, or all adapters together, may make (spec section 4 "Limits").

Owns the arithmetic of one bucket, and for how long a bucket of one among many is kept. Must not know leases,
routes, errors or what the time is.
"""

import math
from typing import Final

_WHOLE_TOKEN: Final = 1.0 - 1e-9
"""What counts as one token: refilling in small steps must not lose a request to rounding."""


class TokenBucket:
    """A bucket that holds ``burst`` tokens and refills by ``rate_per_s``; it starts full. Times are monotonic
    seconds.
    """

    __slots__ = ("_burst", "_filled_at_s", "_rate_per_s", "_tokens")

    def __init__(self, rate_per_s: float, burst: int, now_s: float) -> None:
        self._rate_per_s = rate_per_s
        self._burst = float(burst)
        self._tokens = float(burst)
        self._filled_at_s = now_s

    def wait_s(self, now_s: float) -> int:
        """0 when a token is there, else the whole seconds (at least 1) until there is one. Takes nothing."""
        self._tokens = min(self._burst, self._tokens + (now_s - self._filled_at_s) * self._rate_per_s)
        self._filled_at_s = now_s
        if self._tokens >= _WHOLE_TOKEN:
            return 0
        return max(1, math.ceil((1.0 - self._tokens) / self._rate_per_s))

    def take(self) -> None:
        """Take one token; ask :meth:`wait_s` first."""
        self._tokens -= 1.0


class KeyedBuckets:
    """A bucket per key, all alike, each kept until it has rested for as long as an empty one takes to fill:
    from then on it is as good as none.

    So nothing that a key's owner does gives it a new burst, and how many are kept is bounded by how often
    :meth:`start` and :meth:`take` are called within ``burst / rate_per_s`` seconds.
    """

    def __init__(self, rate_per_s: float, burst: int) -> None:
        self._rate_per_s = rate_per_s
        self._burst = burst
        self._fills_in_s = burst / rate_per_s
        self._kept: dict[str, _Kept] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def wait_s(self, key: str, now_s: float) -> int:
        """As :meth:`TokenBucket.wait_s`; keeps nothing."""
        kept = self._find(key, now_s)
        return 0 if kept is None else kept.bucket.wait_s(now_s)

    def start(self, key: str, now_s: float) -> None:
        """As :meth:`take`, but a bucket that begins with this call begins full."""
        if self._find(key, now_s) is None:
            self._begin(key, now_s)
        else:
            self.take(key, now_s)

    def take(self, key: str, now_s: float) -> None:
        """Take one token of the key's; ask :meth:`wait_s` first."""
        kept = self._find(key, now_s) or self._begin(key, now_s)
        kept.used_at_s = now_s
        kept.bucket.take()

    def _find(self, key: str, now_s: float) -> "_Kept | None":
        kept = self._kept.get(key)
        return kept if kept is not None and self._is_in_use(kept, now_s) else None

    def _begin(self, key: str, now_s: float) -> "_Kept":
        self._kept = {other: kept for other, kept in self._kept.items() if self._is_in_use(kept, now_s)}
        kept = self._kept[key] = _Kept(TokenBucket(self._rate_per_s, self._burst, now_s), now_s)
        return kept

    def _is_in_use(self, kept: "_Kept", now_s: float) -> bool:
        return now_s - kept.used_at_s < self._fills_in_s


class _Kept:
    __slots__ = ("bucket", "used_at_s")

    def __init__(self, bucket: TokenBucket, used_at_s: float) -> None:
        self.bucket = bucket
        self.used_at_s = used_at_s
