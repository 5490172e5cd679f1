"""Who may speak at all: the API switch, the bearer token and its generation, and how often anyone may.

Owns the order in which an admitted head meets the buckets (ARCHITECTURE "order of refusals"). Must not know
what a request does. An admission stays valid only while the API is on and the token is the one it was
admitted with: a body may take 10 s.
"""

from typing import NamedTuple

from orbtile.host.ports import TokenSource
from orbtile.host.ratelimit import KeyedBuckets, TokenBucket
from orbtile.protocol.errors import api_disabled, rate_limited, unauthorized
from orbtile.protocol.gate import Admitted, GateState, Route
from orbtile.protocol.limits import (
    ADAPTER_BURST,
    ADAPTER_REQUESTS_PER_S,
    GLOBAL_BURST,
    GLOBAL_REQUESTS_PER_S,
)
from orbtile.protocol.registration import Registration


class Admission(NamedTuple):
    """A head that may proceed; every endpoint takes one and checks it again.

    ``over`` is for a registration that cannot be entered at once: what it is meant to replace (None inside:
    nothing). If that is replaced or ended meanwhile, the newer word stands.
    """

    head: Admitted
    generation: int
    over: tuple[Registration | None] | None = None


class Access:
    """The switch, the token and the buckets.

    A token is new whenever the API is turned on or the user regenerates it. An adapter's bucket goes by its
    id alone, so neither the end of a lease nor being forgotten gives it a new burst.
    """

    def __init__(self, tokens: TokenSource, now_s: float) -> None:
        self._tokens = tokens
        self._adapter_buckets = KeyedBuckets(ADAPTER_REQUESTS_PER_S, ADAPTER_BURST)
        self._global_bucket = TokenBucket(GLOBAL_REQUESTS_PER_S, GLOBAL_BURST, now_s)
        self._generation = 0
        self._token: str | None = None
        self.gate_state = GateState(api_enabled=False, token_matches=self._matches)

    @property
    def is_open(self) -> bool:
        return self._token is not None

    @property
    def token(self) -> str:
        """The current bearer token; empty while the API is off."""
        return self._token or ""

    def open(self) -> None:
        """Turn the API on, or replace the token of an API that is on."""
        self._generation += 1
        self._token = self._tokens.new_token()
        self.gate_state = GateState(api_enabled=True, token_matches=self._matches)

    def close(self) -> None:
        self._generation += 1
        self._token = None
        self.gate_state = GateState(api_enabled=False, token_matches=self._matches)

    def refuse_flood(self, head: Admitted, now_s: float) -> None:
        """Raise 429 where the adapter's bucket is empty or that of all, which is the only one that ``/info``
        meets; 503 while the API is off. Takes nothing: whether the request is admitted is not known yet.
        """
        if self._token is None:
            raise api_disabled()
        wait_s = 0 if head.route is Route.INFO else self._adapter_buckets.wait_s(head.adapter_id, now_s)
        wait_s = wait_s or self._global_bucket.wait_s(now_s)
        if wait_s:
            raise rate_limited(wait_s)

    def admit(self, head: Admitted, now_s: float) -> Admission:
        """Take from both buckets; ask :meth:`refuse_flood` first."""
        if head.route is Route.REGISTER:
            self._adapter_buckets.start(head.adapter_id, now_s)
        elif head.route is not Route.INFO:
            self._adapter_buckets.take(head.adapter_id, now_s)
        self._global_bucket.take()
        return Admission(head, self._generation)

    def check(self, admission: Admission) -> None:
        """503 when the API was turned off since, 401 when the token changed."""
        if self._token is None:
            raise api_disabled()
        if admission.generation != self._generation:
            raise unauthorized()

    def prove(self, nonce: str | None) -> str | None:
        """The proof for ``/info`` that this host knows the token (spec section 2)."""
        if nonce is None or self._token is None:
            return None
        return self._tokens.prove(self._token, nonce)

    def _matches(self, presented: str) -> bool:
        return self._token is not None and self._tokens.matches(presented, self._token)
