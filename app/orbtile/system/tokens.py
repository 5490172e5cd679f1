"""Tokens and proofs from the system's random source and the ``cryptography`` package.

Owns how a secret is made, compared and proved. Must not know where one is stored.
"""

import hmac
import secrets

TOKEN_BYTES = 32


class SystemTokens:
    """Implements ``host.ports.TokenSource``."""

    def new_token(self) -> str:
        return secrets.token_urlsafe(TOKEN_BYTES)

    def matches(self, presented: str, expected: str) -> bool:
        # Over bytes: compare_digest refuses text that is not ASCII, and a header may hold any; lone
        # surrogates too.
        return hmac.compare_digest(_bytes(presented), _bytes(expected))

    def prove(self, token: str, nonce: str) -> str:
        # Imported here because only an adapter that asks for the proof needs the 20 ms that it takes.
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.hmac import HMAC

        proof = HMAC(_bytes(token), SHA256())
        proof.update(_bytes(nonce))
        return proof.finalize().hex()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
