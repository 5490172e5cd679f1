"""Bodies: JSON in and out, and what an answer means (protocol section 4).

Owns the size limit and the reading of errors. Must not know what requests are for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from orbtile_adapter._errors import APIError, PayloadTooLargeError, TransportError
from orbtile_adapter._http import Reply

MAX_BODY_BYTES: Final = 65_536

JsonObject = dict[str, Any]

NOTHING: Final[Mapping[str, Any]] = {}


def encode_body(value: Mapping[str, Any]) -> bytes:
    """JSON in UTF-8. Halves of a character, which no encoding can carry, become question marks.

    Raises PayloadTooLargeError.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    body = text.encode("utf-8", "replace")
    require_size(body)
    return body


def require_size(body: bytes) -> None:
    if len(body) > MAX_BODY_BYTES:
        raise PayloadTooLargeError(f"the body has {len(body)} bytes, more than {MAX_BODY_BYTES}")


def _content(answer: Reply) -> JsonObject | None:
    try:
        content = json.loads(answer.body)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def error_of(answer: Reply) -> APIError:
    error = (_content(answer) or {}).get("error")
    code, field = (error.get("code"), error.get("field")) if isinstance(error, dict) else (None, None)
    return APIError(
        answer.status,
        code if isinstance(code, str) else "",
        field if isinstance(field, str) else None,
        answer.retry_after_s,
    )


def code_of(answer: Reply) -> str:
    return "" if answer.status < 400 else error_of(answer).code


def require_success(answer: Reply) -> JsonObject:
    if not 200 <= answer.status < 300:
        raise error_of(answer)
    if answer.status == 204:
        return {}
    content = _content(answer)
    if content is None:
        raise TransportError("the answer is not a JSON object")
    return content


def is_refusal(error: APIError) -> bool:
    """Orbtile looked at the request and will not do it; what it had before still stands."""
    passes = error.status in {401, 403, 429} or error.code in {"adapter_not_registered", "poll_pending"}
    return 400 <= error.status < 500 and not passes
