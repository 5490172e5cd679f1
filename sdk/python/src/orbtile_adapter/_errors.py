"""The errors that users of this package see.

Owns their names, attributes and texts. A text never holds a token or anything the other side wrote: a
listener may be anybody, and texts end up in logs.
"""

from __future__ import annotations

import re
from typing import Final

KNOWN_CODES: Final = frozenset(
    {
        "adapter_not_registered",
        "adapter_token_required",
        "api_disabled",
        "bad_request",
        "events_not_supported",
        "forbidden_origin",
        "internal",
        "invalid_cursor",
        "invalid_field",
        "length_required",
        "limit_exceeded",
        "not_found",
        "payload_too_large",
        "poll_limit",
        "poll_pending",
        "rate_limited",
        "registration_changed",
        "reserved_id",
        "stale_request",
        "unauthorized",
        "unsupported_media_type",
    }
)
"""Protocol section 4. Only these get into a text."""

_SAFE_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z-]{0,31}(?:\.[A-Za-z]{1,32}|\[\d{1,3}\])*")


class AdapterError(Exception):
    """What every error of this package is."""


class DiscoveryError(AdapterError):
    """The discovery file is missing, not safe to use, or does not say where Orbtile listens.

    ``missing`` is True when there is no file at all: Orbtile is not running or its Adapter API is off. That
    may change by itself; the other troubles do not.
    """

    def __init__(self, text: str, *, missing: bool = False) -> None:
        super().__init__(text)
        self.missing = missing


class ProofError(AdapterError):
    """Who listens there did not prove that it knows the token. Nothing but the question was sent to it."""


class PayloadTooLargeError(AdapterError):
    """The body has more than 64 KiB. No connection was made."""


class TransportError(AdapterError):
    """No whole answer came: refused, closed, too slow, or not HTTP. The request may have been carried out."""


class LeaseLostError(AdapterError):
    """Orbtile had forgotten this adapter; it is registered again, but every earlier prompt is void.

    Look at what your own dialogs still ask, call ``reconcile()``, and publish what is open under new ids.
    """


class APIError(AdapterError):
    """Orbtile refused the request.

    ``status`` is HTTP's, ``code`` the protocol's (section 4) or "" where none came, ``field`` the exact path
    of the field at fault, ``retry_after`` seconds to wait, each None where the answer did not say.
    """

    def __init__(
        self, status: int, code: str = "", field: str | None = None, retry_after: float | None = None
    ) -> None:
        text = f"Orbtile answered with HTTP {status}"
        if code in KNOWN_CODES:
            text += f", {code}"
            if field is not None and len(field) <= 128 and _SAFE_FIELD.fullmatch(field):
                text += f" at {field}"
        super().__init__(text)
        self.status = status
        self.code = code
        self.field = field
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[APIError], tuple[int, str, str | None, float | None]]:
        return APIError, (self.status, self.code, self.field, self.retry_after)

    @property
    def field_name(self) -> str:
        """The first part of ``field``: ``message`` for ``message.text``."""
        return re.split(r"[.\[]", self.field or "", maxsplit=1)[0]

    @property
    def is_overload(self) -> bool:
        """Waiting is the remedy: too many requests, connections or polls, or the API is off for now."""
        return self.status in {429, 503} or self.code == "poll_pending"
