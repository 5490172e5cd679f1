"""How names, ids, schemes and URLs are spelled.

Owns spelling. Must not know which field asks. All patterns are for ``fullmatch``.
"""

from __future__ import annotations

import re
from typing import Final

_WORD = "[a-z0-9]+(?:-[a-z0-9]+)*"
ADAPTER_ID: Final = re.compile(rf"(?=[a-z0-9.-]{{3,64}}\Z){_WORD}(?:\.{_WORD})+")
SESSION_ID: Final = re.compile("[A-Za-z0-9._:-]{1,128}")
REQUEST_ID: Final = SESSION_ID
HOST: Final = re.compile("[A-Za-z0-9._-]{1,64}")
SYMBOL: Final = re.compile("[a-z0-9.]{1,64}")
BUNDLE_ID: Final = re.compile(r"(?=[^\n]{3,128}\Z)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
SCHEME: Final = re.compile("[a-z][a-z0-9+.-]{0,31}")
COLOUR: Final = re.compile("#[0-9A-Fa-f]{6}")
NONCE: Final = re.compile("[0-9A-Fa-f]{16,64}")
PLAIN_NAME: Final = re.compile("[A-Za-z0-9_-]{1,64}")

REFUSED_SCHEMES: Final = frozenset(["file", "javascript", "data", "orbtile", "x-apple.systempreferences"])

_SPLIT = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]{0,31}):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL
)
_ESCAPE = "%[0-9A-Fa-f]{2}"
_PATH = re.compile(rf"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|{_ESCAPE})*")
_TAIL = re.compile(rf"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|{_ESCAPE})*")
_AUTHORITY = re.compile(
    rf"(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|{_ESCAPE})*@)?"
    rf"(\[[0-9A-Fa-fvV:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|{_ESCAPE})*)(?::[0-9]*)?"
)


def is_reserved(adapter_id: str) -> bool:
    """Section 3: ids without a dot are the built-in adapters', ``com.orbtile`` is Orbtile's."""
    return "." not in adapter_id or f"{adapter_id}.".startswith("com.orbtile.")


def split_url(text: str) -> tuple[str, str | None] | None:
    """Lowercase scheme and host of an absolute RFC 3986 URI (no authority: None); None for anything else."""
    parts = _SPLIT.fullmatch(text)
    if parts is None:
        return None
    scheme, authority, path, query, fragment = parts.groups()
    host = None
    if authority is not None:
        match = _AUTHORITY.fullmatch(authority)
        if match is None:
            return None
        host = match[1]
    is_spelled = _PATH.fullmatch(path) and _TAIL.fullmatch(query or "") and _TAIL.fullmatch(fragment or "")
    return (scheme.lower(), host) if is_spelled else None
