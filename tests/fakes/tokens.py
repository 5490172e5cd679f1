"""Tokens that count up, in the real shape, so that a failing test shows which one it was. Mirrors
``host.ports.TokenSource``.
"""

import hashlib
import hmac


class FakeTokens:
    """``token-1``, ``token-2``, ... padded to 43 characters; the proof is the real one."""

    def __init__(self) -> None:
        self.issued: list[str] = []

    def new_token(self) -> str:
        self.issued.append(f"token-{len(self.issued) + 1}".ljust(43, "x"))
        return self.issued[-1]

    def matches(self, presented: str, expected: str) -> bool:
        return presented == expected

    def prove(self, token: str, nonce: str) -> str:
        return hmac.new(token.encode(), nonce.encode(), hashlib.sha256).hexdigest()
