import pytest

from orbtile.protocol import errors, grammar
from orbtile.protocol.errors import ApiError


@pytest.mark.parametrize(
    ("error", "status", "code", "field"),
    [
        (errors.bad_request("why"), 400, "bad_request", None),
        (errors.unauthorized(), 401, "unauthorized", None),
        (errors.forbidden_origin(), 403, "forbidden_origin", None),
        (errors.adapter_token_required(), 403, "adapter_token_required", None),
        (errors.not_found(), 404, "not_found", None),
        (errors.adapter_not_registered(), 404, "adapter_not_registered", None),
        (errors.method_not_allowed(("GET",)), 405, "bad_request", None),
        (errors.reserved_id(), 409, "reserved_id", "adapterId"),
        (errors.stale_request("approval.id", "used"), 409, "stale_request", "approval.id"),
        (errors.registration_changed(), 409, "registration_changed", None),
        (errors.invalid_cursor("ack", "went back"), 409, "invalid_cursor", "ack"),
        (errors.events_not_supported(), 409, "events_not_supported", None),
        (errors.poll_pending(), 409, "poll_pending", None),
        (errors.length_required(), 411, "length_required", None),
        (errors.payload_too_large(65_536), 413, "payload_too_large", None),
        (errors.unsupported_media_type(), 415, "unsupported_media_type", None),
        (errors.invalid_field("title", "blank"), 422, "invalid_field", "title"),
        (errors.limit_exceeded("sessions", "too many"), 422, "limit_exceeded", "sessions"),
        (errors.limit_exceeded(None, "too many"), 422, "limit_exceeded", None),
        (errors.rate_limited(2), 429, "rate_limited", None),
        (errors.internal(), 500, "internal", None),
        (errors.api_disabled(), 503, "api_disabled", None),
        (errors.poll_limit(), 503, "poll_limit", None),
        (errors.busy(), 503, "limit_exceeded", None),
        (errors.not_in_time(), 503, "limit_exceeded", None),
    ],
)
def test_every_error_has_the_status_of_the_specification(
    error: ApiError, status: int, code: str, field: str | None
) -> None:
    assert (error.status, error.code, error.field) == (status, code, field)
    assert str(error) == error.message != ""
    assert repr(error) == f"ApiError({status}, {code!r}, field={field!r})"


def test_a_field_error_says_the_field_first() -> None:
    assert (
        errors.invalid_field("activity", "unknown value 'busy'").message == "activity: unknown value 'busy'"
    )
    assert errors.limit_exceeded("sessions", "too many").message == "sessions: too many"


def test_refusals_that_pass_by_themselves_say_when_to_come_back() -> None:
    assert errors.rate_limited(3).retry_after_s == 3
    assert errors.poll_limit().retry_after_s == errors.busy().retry_after_s == 1
    assert errors.api_disabled().retry_after_s is None


def test_a_wrong_method_says_which_are_right() -> None:
    error = errors.method_not_allowed(("PUT", "DELETE"))
    assert error.allow == ("PUT", "DELETE")
    assert "PUT, DELETE" in error.message


def test_who_used_a_reserved_id_sees_one_that_is_not() -> None:
    message = errors.reserved_id().message
    example = message.rpartition(" ")[2]
    assert grammar.ADAPTER_ID.fullmatch(example)
    assert not grammar.is_reserved_id(example)
