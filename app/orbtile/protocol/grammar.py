"""The names and addresses of the wire: ids, hosts, schemes, URLs, as precompiled patterns and small
predicates.

Owns what is well formed and which ids and schemes are refused. Must not know fields, errors or who asks.
Every pattern is meant for ``fullmatch`` (``$`` would let a final newline through).
"""

import re
from collections.abc import Collection
from typing import Final

from orbtile.protocol import limits

ADAPTER_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+")
SESSION_ID: Final = re.compile(rf"[A-Za-z0-9._:-]{{1,{limits.MAX_SESSION_ID_LENGTH}}}")
REQUEST_ID: Final = re.compile(rf"[A-Za-z0-9._:-]{{1,{limits.MAX_REQUEST_ID_LENGTH}}}")
HOST: Final = re.compile(rf"[A-Za-z0-9._-]{{1,{limits.MAX_HOST_LENGTH}}}")
SYMBOL: Final = re.compile(rf"[a-z0-9.]{{1,{limits.MAX_SYMBOL_LENGTH}}}")
BUNDLE_ID: Final = re.compile(
    rf"(?=.{{{limits.MIN_BUNDLE_ID_BYTES},{limits.MAX_BUNDLE_ID_BYTES}}}\Z)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
URL_SCHEME: Final = re.compile(rf"[a-z][a-z0-9+.-]{{0,{limits.MAX_URL_SCHEME_LENGTH - 1}}}")
NONCE: Final = re.compile(rf"[0-9A-Fa-f]{{{limits.MIN_NONCE_DIGITS},{limits.MAX_NONCE_DIGITS}}}")

PLAIN_NAME: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{limits.MAX_ECHOED_NAME_LENGTH}}}")
"""A field name from outside that can stand in a path as it is."""

LOCAL_HOST: Final = "local"
"""The ``host`` of a session that names none."""

REFUSED_SCHEMES: Final = frozenset({"file", "javascript", "data", "orbtile", "x-apple.systempreferences"})
"""Spec section 3: never opened for an adapter, whatever it registered."""

# RFC 3986: scheme, then an authority with a path, or a path alone; then query and fragment. ASCII only, so no
# white space and no control character can hide in an address that a person is asked to trust.
_PCHAR: Final = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_REG_NAME: Final = r"(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})"
_IP_LITERAL: Final = r"\[[0-9A-Fa-fvV:.]+\]"
_USERINFO: Final = r"(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@"
_URI: Final = (
    rf"([A-Za-z][A-Za-z0-9+.-]{{0,{limits.MAX_URL_SCHEME_LENGTH - 1}}}):"
    rf"(?://(?:{_USERINFO})?({_IP_LITERAL}|{_REG_NAME}*)(?::[0-9]*)?(?:/{_PCHAR}*)*|(?!//)(?:{_PCHAR}|/)*)"
    rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:#(?:{_PCHAR}|[/?])*)?"
)
"""Not compiled yet: it takes a while, many runs never see an address, and ``re`` keeps what it compiled."""


def is_adapter_id(text: str) -> bool:
    """Whether this is a lowercase reverse-DNS id of 3 to 64 bytes with a dot. A reserved id may be one."""
    fits = limits.MIN_ADAPTER_ID_BYTES <= len(text) <= limits.MAX_ADAPTER_ID_BYTES
    return fits and ADAPTER_ID.fullmatch(text) is not None


def is_reserved_id(text: str) -> bool:
    """Whether adapters may not use this id: without a dot it belongs to a built-in one, and ``com.orbtile``
    is ours.
    """
    return "." not in text or text == "com.orbtile" or text.startswith("com.orbtile.")


def uri_scheme(text: str) -> str | None:
    """The lowercase scheme of an absolute RFC 3986 URI, or None where ``text`` is not one."""
    match = re.fullmatch(_URI, text)
    return None if match is None else match[1].lower()


def is_https_url(text: str) -> bool:
    """Whether this is a URI that begins with ``https://`` and names a host."""
    match = re.fullmatch(_URI, text) if text.startswith("https://") else None
    return match is not None and bool(match[2])


def is_openable(url: str, url_schemes: Collection[str]) -> bool:
    """Whether a tap may open ``url``: a URI whose scheme is listed and not one of those always refused."""
    scheme = uri_scheme(url)
    return scheme in url_schemes and scheme not in REFUSED_SCHEMES
