"""Token buckets: how many requests an adapter, or all adapters together, may make (spec section 4 "Limits").

Owns the arithmetic of one bucket. Must not know adapters, routes, errors or what the time is.
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
