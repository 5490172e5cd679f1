"""JSON at the edge of the protocol: bytes to a value (400 for what is not JSON), and replies to bytes.

Owns the JSON rules (ARCHITECTURE "JSON") and the form of every reply. Must not know HTTP or sockets.
"""

import json
import math
from itertools import accumulate
from typing import Final

from orbtile.palette.states import ACTIVITIES
from orbtile.protocol import limits
from orbtile.protocol.errors import ApiError, bad_request
from orbtile.protocol.fields import JsonObject, JsonValue
from orbtile.protocol.registration import encode_number, encode_palette
from orbtile.protocol.replies import BatchReply, Info, RegistrationReply, SessionReply

__all__ = [
    "JsonObject",
    "JsonValue",
    "dump_json",
    "encode_batch_reply",
    "encode_error",
    "encode_info",
    "encode_registration_reply",
    "encode_session_reply",
    "parse_json",
]


def parse_json(body: bytes) -> JsonValue:
    """The value of a JSON text in UTF-8.

    Raises 400 ``bad_request`` for anything else: also for a byte order mark, NaN and Infinity, numbers beyond
    a double, integers over 4300 digits, nesting over 32 and a name repeated in one object. A lone surrogate
    escape passes: it is refused where the text is read, with its field. The message says where or why, and
    quotes nothing.
    """
    try:
        text = body.decode()
        if body.count(b"{") + body.count(b"[") > limits.MAX_JSON_DEPTH:
            _refuse_depth(body)
        value: JsonValue = _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise bad_request(f"the body is not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise bad_request(f"the body is not JSON at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:  # the depth, or a hook below; their texts hold nothing of the body
        raise bad_request(f"the body is not JSON within the limits: {error}") from None
    return value


_STEPS: Final = bytes.maketrans(b"[{}]", b"\x01\x01\xff\xff")
"""A bracket as the step it makes in depth, one signed byte."""
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")


def _refuse_depth(body: bytes) -> None:
    """Before decoding, so that no recursion depends on the peer. Other faults are left to the decoder.

    No Python runs per bracket, of which a body can hold tens of thousands. A string may end with the body:
    what is open is left out whole.
    """
    unescaped = body.replace(rb"\\", b"").replace(rb"\"", b"")
    steps = b"".join(unescaped.split(b'"')[::2]).translate(_STEPS, _NOT_BRACKETS)
    if max(accumulate(memoryview(steps).cast("b")), default=0) > limits.MAX_JSON_DEPTH:
        raise ValueError(f"nested deeper than {limits.MAX_JSON_DEPTH}")


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name is repeated")
    return value


_MAX_DIGITS: Final = limits.MAX_JSON_INTEGER_DIGITS


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS and len(digits) - digits.startswith("-") > _MAX_DIGITS:
        raise ValueError(f"an integer has over {_MAX_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("a number is beyond a double")
    return value


def _constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def dump_json(value: JsonObject) -> bytes:
    """Compact JSON. Non-ASCII text is escaped, so every text that Python can hold has a form."""
    return _ENCODER.encode(value).encode("ascii")


# --- Replies ------------------------------------------------------------------------------------------------


def encode_error(error: ApiError) -> JsonObject:
    """Spec section 4."""
    body: JsonObject = {"code": error.code, "message": error.message}
    if error.field is not None:
        body["field"] = error.field
    return {"error": body}


def encode_info(info: Info) -> JsonObject:
    """Schema ``Info``."""
    body: JsonObject = {
        "server": "orbtile",
        "api": limits.API_MAJOR,
        "apiMinor": limits.API_MINOR,
        "version": info.version,
        "activities": [str(state) for state in ACTIVITIES],
        "limits": {
            "maxBodyBytes": limits.MAX_BODY_BYTES,
            "maxSessionsPerAdapter": limits.MAX_SESSIONS_PER_ADAPTER,
            "maxAdapters": limits.MAX_LIVE_ADAPTERS,
            "requestsPerSecond": limits.ADAPTER_REQUESTS_PER_S,
            "burst": limits.ADAPTER_BURST,
            "maxPendingRequestsPerAdapter": limits.MAX_PENDING_REQUESTS_PER_ADAPTER,
            "maxEvents": limits.MAX_QUEUED_EVENTS,
            "maxRequestIDs": limits.MAX_REQUEST_IDS,
            "maxLongPolls": limits.MAX_LONG_POLLS,
        },
    }
    if info.proof is not None:
        body["proof"] = info.proof
    return body


def encode_registration_reply(reply: RegistrationReply) -> JsonObject:
    """Schema ``RegistrationReply``."""
    body: JsonObject = {
        "adapter": {
            "id": reply.adapter_id,
            "palette": encode_palette(reply.palette),
            "resolvedBaseHue": encode_number(reply.resolved_base_hue),
        },
        "enabled": reply.enabled,
        "keypadDecisions": reply.keypad_decisions,
    }
    if reply.reason is not None:
        body["reason"] = reply.reason
    if reply.adapter_token is not None:
        body["adapterToken"] = reply.adapter_token
    return _with_warnings(body, reply.warnings)


def encode_session_reply(reply: SessionReply) -> JsonObject:
    """Schema ``SessionReply``."""
    return _with_warnings({"session": _session(reply)}, reply.warnings)


def encode_batch_reply(reply: BatchReply) -> JsonObject:
    """``{sessions:[{uid,visible}],warnings?}`` (ARCHITECTURE "PUT sessions")."""
    return _with_warnings({"sessions": [_session(session) for session in reply.sessions]}, reply.warnings)


def _session(reply: SessionReply) -> JsonObject:
    return {"uid": reply.uid, "visible": reply.visible}


def _with_warnings(body: JsonObject, warnings: tuple[str, ...]) -> JsonObject:
    if warnings:
        body["warnings"] = [*warnings]
    return body
