"""JSON as the protocol takes it: UTF-8, no names twice, nothing that other parsers read differently.

Owns the 400 of a body. Must not know what a body means.
"""

from __future__ import annotations

import json
import math
from typing import Any

from orbtile_adapter.host import limits
from orbtile_adapter.host.refusals import bad_request


def parse(body: bytes) -> Any:
    """The value; raises 400 ``bad_request``, which says where or why and quotes nothing."""
    try:
        text = body.decode("utf-8")
        _refuse_depth(text)
        return json.loads(
            text, object_pairs_hook=_once, parse_int=_integer, parse_float=_finite, parse_constant=_constant
        )
    except UnicodeDecodeError as error:
        raise bad_request(f"the body is not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise bad_request(f"the body is not JSON at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise bad_request(f"the body is not JSON within the limits: {error}") from None


def _refuse_depth(text: str) -> None:
    depth, quoted, escaped = 0, False, False
    for char in text:
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "[{":
            depth += 1
            if depth > limits.JSON_DEPTH:
                raise ValueError("too deep")
        elif char in "]}":
            depth -= 1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = {name for name, _ in pairs}
    if len(names) != len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > limits.JSON_DIGITS:
        raise ValueError("too many digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("beyond a double")
    return value


def _constant(word: str) -> float:
    raise ValueError(f"{word} is not JSON")
