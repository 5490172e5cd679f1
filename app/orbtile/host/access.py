"""Who may speak at all: the API switch, the bearer token and its generation, the bucket of all adapters.

Owns the order in which an admitted head meets the buckets (ARCHITECTURE "order of refusals"). Must not know
what a request does. An admission stays valid only while the API is on and the token is the one it was
admitted with: a body may take 10 s.
"""

from dataclasses import dataclass

from orbtile.host.ports import TokenSource
from orbtile.host.ratelimit import TokenBucket
from orbtile.protocol.errors import api_disabled, rate_limited, unauthorized
from orbtile.protocol.gate import Admitted, GateState
from orbtile.protocol.limits import GLOBAL_BURST, GLOBAL_REQUESTS_PER_S


@dataclass(frozen=True, slots=True)
class Admission:
    """A head that may proceed; every endpoint takes one and checks it again."""

    head: Admitted
    generation: int


class Access:
    """The switch and the token. A token is new whenever the API is turned on or the user regenerates it."""

    def __init__(self, tokens: TokenSource, now_s: float) -> None:
        self._tokens = tokens
        self._bucket = TokenBucket(GLOBAL_REQUESTS_PER_S, GLOBAL_BURST, now_s)
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

    def admit(self, head: Admitted, adapter_bucket: TokenBucket | None, now_s: float) -> Admission:
        """Take from both buckets, or from neither and raise 429: a flooding adapter starves no other."""
        if self._token is None:
            raise api_disabled()
        wait_s = adapter_bucket.wait_s(now_s) if adapter_bucket is not None else 0
        if wait_s == 0:
            wait_s = self._bucket.wait_s(now_s)
        if wait_s:
            raise rate_limited(wait_s)
        if adapter_bucket is not None:
            adapter_bucket.take()
        self._bucket.take()
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
