import hashlib
import hmac
import re
import subprocess
import sys

import pytest

from orbtile.system.tokens import SystemTokens

TOKENS = SystemTokens()


def test_a_token_is_256_bits_as_43_characters_of_base64url() -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", TOKENS.new_token())


def test_no_two_tokens_are_equal() -> None:
    assert len({TOKENS.new_token() for _ in range(200)}) == 200


@pytest.mark.parametrize("presented", ["", "toke", "tokenx", "Token", "tökén", "\ud800", "token\n", "\0"])
def test_any_text_may_be_presented_and_only_the_token_matches(presented: str) -> None:
    assert not TOKENS.matches(presented, "token")
    assert TOKENS.matches("token", "token")


def test_the_proof_is_the_hex_hmac_sha256_of_the_nonce_under_the_token() -> None:
    nonce = "00112233445566778899aabbccddeeff"
    expected = hmac.new(b"key", nonce.encode(), hashlib.sha256).hexdigest()
    assert TOKENS.prove("key", nonce) == expected


def test_the_nonce_is_taken_as_it_came() -> None:
    assert TOKENS.prove("key", "ABCDEF0123456789") != TOKENS.prove("key", "abcdef0123456789")


def test_cryptography_is_imported_only_for_a_proof() -> None:
    code = (
        "import sys; from orbtile.system.tokens import SystemTokens as T; T().new_token();"
        "before = 'cryptography' in sys.modules; T().prove('k', 'n');"
        "print(before, 'cryptography' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
