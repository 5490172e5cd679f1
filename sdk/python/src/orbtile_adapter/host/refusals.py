"""What the host says no with (section 4): status, code, and the field that is at fault.

Owns the error's shape and the short constructors. The code does not settle the status: ``bad_request`` is
400 and 405, ``limit_exceeded`` is 422 and 503.
"""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818 - it is an answer of the protocol, not a fault of this program
    """One refusal, as it goes on the wire."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        field: str | None = None,
        retry_after: int | None = None,
        allow: tuple[str, ...] = (),
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.retry_after = retry_after
        self.allow = allow

    @property
    def body(self) -> dict[str, object]:
        """The JSON body."""
        error: dict[str, object] = {"code": self.code, "message": self.message}
        if self.field is not None:
            error["field"] = self.field
        return {"error": error}


def bad_request(why: str) -> Refusal:
    """400."""
    return Refusal(400, "bad_request", why)


def invalid(field: str, why: str) -> Refusal:
    """422 for a value; ``field`` is its exact path."""
    return Refusal(422, "invalid_field", f"{field}: {why}", field=field)


def too_many(field: str, why: str) -> Refusal:
    """422 for one too many of something."""
    return Refusal(422, "limit_exceeded", f"{field}: {why}", field=field)


def conflict(code: str, why: str, field: str | None = None) -> Refusal:
    """409."""
    return Refusal(409, code, why, field=field)


def unauthorized() -> Refusal:
    """401."""
    return Refusal(401, "unauthorized", "not the current bearer token: read the discovery file again")


def not_registered() -> Refusal:
    """404 for an adapter without a lease."""
    return Refusal(404, "adapter_not_registered", "no such registration: register, then send whole sessions")


def api_off() -> Refusal:
    """503 while the user has the API switched off."""
    return Refusal(503, "api_disabled", "the Adapter API is off")


def busy() -> Refusal:
    """503 for the ninth connection."""
    return Refusal(503, "limit_exceeded", "too many connections", retry_after=1)


def rate_limited(retry_after: int) -> Refusal:
    """429."""
    return Refusal(429, "rate_limited", "too many requests", retry_after=retry_after)
