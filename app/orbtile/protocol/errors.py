"""The one error of the protocol (spec section 4).

A code does not determine a status (``bad_request`` is 400 and 405, ``limit_exceeded`` 422 and 503), so an
error carries both and is built only by the named constructors below. Must not know sockets or how the reply
is written.
"""

from typing import Final

RETRY_SOON_S: Final = 1
"""``Retry-After`` of refusals that pass by themselves, in seconds."""


class ApiError(Exception):
    """A refusal: what the error body says and with which HTTP status.

    Attributes: ``status`` (HTTP), ``code`` (spec section 4), ``message`` (for the developer; never holds a
    token or session text), ``field`` (exact path, such as ``sessions[3].title``), ``retry_after_s``,
    ``allow`` (methods of a 405).
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        field: str | None = None,
        retry_after_s: int | None = None,
        allow: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.retry_after_s = retry_after_s
        self.allow = allow

    def __repr__(self) -> str:
        return f"ApiError({self.status}, {self.code!r}, field={self.field!r})"


def bad_request(message: str) -> ApiError:
    """400: not HTTP or not JSON as the specification wants it."""
    return ApiError(400, "bad_request", message)


def unauthorized() -> ApiError:
    """401: no bearer token, or not the current one."""
    message = "the bearer token is missing or not the current one; read the discovery file again"
    return ApiError(401, "unauthorized", message)


def forbidden_origin() -> ApiError:
    """403: a web page must never get here."""
    return ApiError(403, "forbidden_origin", "requests with an Origin header are refused")


def adapter_token_required() -> ApiError:
    """403: an interactive adapter's route without its owner token."""
    return ApiError(403, "adapter_token_required", "this adapter's routes need its X-Orbtile-Adapter-Token")


def not_found() -> ApiError:
    """404: no such path."""
    return ApiError(404, "not_found", "no such path")


def adapter_not_registered() -> ApiError:
    """404: the lease ended, or never began."""
    return ApiError(404, "adapter_not_registered", "register this adapter first")


def method_not_allowed(allow: tuple[str, ...]) -> ApiError:
    """405, which shares its code with 400; ``allow`` goes to the ``Allow`` header."""
    return ApiError(405, "bad_request", f"this path allows {', '.join(allow)}", allow=allow)


def reserved_id() -> ApiError:
    """409: an id of a built-in adapter, or one of ours."""
    return ApiError(
        409,
        "reserved_id",
        "adapterId: ids without a dot and com.orbtile.* are reserved; use one such as org.example.mytool",
        field="adapterId",
    )


def stale_request(field: str, reason: str) -> ApiError:
    """409: a request id that was used, or changed contents under a pending one (spec section 6)."""
    return ApiError(409, "stale_request", f"{field}: {reason}", field=field)


def registration_changed() -> ApiError:
    """409: for a held poll (spec section 6)."""
    return ApiError(409, "registration_changed", "the registration changed while the request was held")


def invalid_cursor(field: str, reason: str) -> ApiError:
    """409: ``ack <= after <= highest delivered`` does not hold, or ``ack`` went back (spec section 6)."""
    return ApiError(409, "invalid_cursor", f"{field}: {reason}", field=field)


def events_not_supported() -> ApiError:
    """409: this adapter declared no event capability (spec section 6)."""
    return ApiError(409, "events_not_supported", "this adapter has no event channel")


def poll_pending() -> ApiError:
    """409: one poll per adapter (spec section 6)."""
    return ApiError(409, "poll_pending", "another poll of this adapter is waiting")


def length_required() -> ApiError:
    """411: chunked, or a body without its length."""
    return ApiError(411, "length_required", "send the body with Content-Length; chunked bodies are refused")


def payload_too_large(limit_bytes: int) -> ApiError:
    """413, decided by the head alone."""
    return ApiError(413, "payload_too_large", f"the body is over {limit_bytes} bytes")


def unsupported_media_type() -> ApiError:
    """415: every request says that it is JSON."""
    return ApiError(415, "unsupported_media_type", "send Content-Type: application/json")


def invalid_field(field: str, reason: str) -> ApiError:
    """422 for a value out of type, range, length or grammar. ``field`` is the exact path."""
    return ApiError(422, "invalid_field", f"{field}: {reason}", field=field)


def limit_exceeded(field: str | None, reason: str) -> ApiError:
    """422 for one thing too many."""
    return ApiError(422, "limit_exceeded", f"{field}: {reason}" if field else reason, field=field)


def rate_limited(retry_after_s: int) -> ApiError:
    """429; ``retry_after_s`` in whole seconds, 1 or more."""
    return ApiError(429, "rate_limited", "too many requests", retry_after_s=retry_after_s)


def internal() -> ApiError:
    """500 without detail: what went wrong is for our log, never for the peer."""
    return ApiError(500, "internal", "internal error")


def api_disabled() -> ApiError:
    """503: the user switched the API off."""
    return ApiError(503, "api_disabled", "the Adapter API is turned off in Orbtile's settings")


def poll_limit() -> ApiError:
    """503: four polls wait already (spec section 6)."""
    return ApiError(503, "poll_limit", "too many waiting polls", retry_after_s=RETRY_SOON_S)


def busy() -> ApiError:
    """503 for more than 8 adapter connections, or a full queue."""
    return ApiError(503, "limit_exceeded", "too many connections at a time", retry_after_s=RETRY_SOON_S)


def not_in_time() -> ApiError:
    """503: what the answer waited for did not come about, and nothing of the request was done."""
    return ApiError(
        503, "limit_exceeded", "the answer was not ready in time; ask again", retry_after_s=RETRY_SOON_S
    )
