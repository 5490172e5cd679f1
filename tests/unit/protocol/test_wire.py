import json

import pytest

from orbtile.palette.states import ACTIVITIES, State
from orbtile.protocol import errors
from orbtile.protocol.errors import ApiError
from orbtile.protocol.fields import JsonValue
from orbtile.protocol.registration import Palette
from orbtile.protocol.replies import BatchReply, DisabledReason, Info, RegistrationReply, SessionReply
from orbtile.protocol.wire import (
    dump_json,
    encode_batch_reply,
    encode_error,
    encode_info,
    encode_registration_reply,
    encode_session_reply,
    parse_json,
)
from tests.fakes.malformed_json import MALFORMED_BODIES


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"{}", {}),
        (
            b' \r\n\t{"a" : [1, 2.5, -0, true, false, null, "x"]}\n',
            {"a": [1, 2.5, 0, True, False, None, "x"]},
        ),
        ('{"é":"日本 👍"}'.encode(), {"é": "日本 👍"}),
        (b'"\\ud83d\\udc4d\\u0000"', "👍\x00"),
        (b'"\\ud800"', "\ud800"),
        (b'{"\\udc00":1}', {"\udc00": 1}),
        (b"1e308", 1e308),
        (b"1e-999", 0.0),
        (b"[" * 32 + b"]" * 32, None),
        (b"[" + b"[]," * 5000 + b"[]]", None),
        (b'{"a":"' + b"[" * 5000 + b'\\"[", "b":["]"]}', None),
        (b'["\\\\",' + b"[" * 31 + b"]" * 31 + b"]", None),
        (b'["[\\\\\\"[",' + b"[]," * 40 + b'"]"]', None),
        (b'{"[":"' + b"]" * 5000 + b'","a":' + b"[" * 31 + b"]" * 31 + b"}", None),
        (b"9" * 4300, None),
        (b"-" + b"9" * 4300, None),
        (b"null", None),
    ],
)
def test_what_is_json_passes(body: bytes, value: JsonValue) -> None:
    parsed = parse_json(body)
    assert value is None or parsed == value


@pytest.mark.parametrize("body", MALFORMED_BODIES.values(), ids=MALFORMED_BODIES)
def test_what_is_not_json_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_json(body)
    assert (refusal.value.status, refusal.value.code, refusal.value.field) == (400, "bad_request", None)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"title": "secret",\n  "activity": busy}', "the body is not JSON at line 2, column 15"),
        (b"", "the body is not JSON at line 1, column 1"),
        (b'{"title":"\xff"}', "the body is not UTF-8 at byte 11"),
        (b'{"secret":1,"secret":2}', "the body is not JSON within the limits: a name is repeated"),
        (b"[" * 33 + b"]" * 33, "the body is not JSON within the limits: nested deeper than 32"),
        (b"9" * 4301, "the body is not JSON within the limits: an integer has over 4300 digits"),
        (b"1e999", "the body is not JSON within the limits: a number is beyond a double"),
        (b"NaN", "the body is not JSON within the limits: NaN is not JSON"),
    ],
)
def test_a_refused_body_is_told_where_or_why(body: bytes, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_json(body)
    assert refusal.value.message == message


@pytest.mark.parametrize(
    "body", [b'{"secret": "\\x41"}', b'"secret\x00"', b"secret", b'{"secret":1,"secret":1}', b"\xffsecret"]
)
def test_a_refused_body_is_not_quoted(body: bytes) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_json(body)
    assert "secret" not in refusal.value.message


def test_json_is_compact_and_holds_every_text() -> None:
    text = "é \ud800 \x00 \u2028 \U0010ffff"
    data = dump_json({"a": [1, text]})
    assert data.startswith(b'{"a":[1,"')
    assert json.loads(data) == {"a": [1, text]}


def test_json_never_holds_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dump_json({"a": float("nan")})


def test_an_error_has_a_field_only_where_one_is_known() -> None:
    assert encode_error(errors.invalid_field("activity", "unknown value 'busy'")) == {
        "error": {"code": "invalid_field", "message": "activity: unknown value 'busy'", "field": "activity"}
    }
    assert "field" not in str(encode_error(errors.not_found()))


def test_info_tells_versions_activities_and_limits() -> None:
    info = encode_info(Info(version="1.2.3", proof=None))
    assert info == {
        "server": "orbtile",
        "api": 1,
        "apiMinor": 2,
        "version": "1.2.3",
        "activities": [state.value for state in ACTIVITIES],
        "limits": {
            "maxBodyBytes": 65536,
            "maxSessionsPerAdapter": 32,
            "maxAdapters": 8,
            "requestsPerSecond": 20,
            "burst": 60,
            "maxPendingRequestsPerAdapter": 32,
            "maxEvents": 128,
            "maxRequestIDs": 4096,
            "maxLongPolls": 4,
        },
    }
    assert encode_info(Info(version="1", proof="0f"))["proof"] == "0f"


def test_a_registration_reply_says_why_it_is_not_enabled() -> None:
    reply = RegistrationReply(
        adapter_id="dev.example",
        palette=Palette(base_hue=10.0, chroma=1.2, states={State.DONE: "#22c55e"}),
        resolved_base_hue=345.9,
        enabled=False,
        reason=DisabledReason.AWAITING_USER,
        keypad_decisions=False,
        warnings=("a", "b"),
        adapter_token="t" * 43,
        created=True,
    )
    assert json.loads(dump_json(encode_registration_reply(reply))) == {
        "adapter": {
            "id": "dev.example",
            "palette": {"baseHue": 10, "chroma": 1.2, "states": {"done": "#22c55e"}},
            "resolvedBaseHue": 345.9,
        },
        "enabled": False,
        "reason": "awaiting_user",
        "keypadDecisions": False,
        "adapterToken": "t" * 43,
        "warnings": ["a", "b"],
    }


def test_a_registration_reply_leaves_out_what_is_not_so() -> None:
    reply = RegistrationReply(
        adapter_id="dev.example",
        palette=Palette(base_hue=150.0),
        resolved_base_hue=150.0,
        enabled=True,
        reason=None,
        keypad_decisions=True,
        warnings=(),
        adapter_token=None,
        created=False,
    )
    assert dump_json(encode_registration_reply(reply)) == (
        b'{"adapter":{"id":"dev.example","palette":{"baseHue":150},"resolvedBaseHue":150},'
        b'"enabled":true,"keypadDecisions":true}'
    )


def test_session_replies() -> None:
    one = SessionReply(uid="dev.example/local/a", visible=True)
    other = SessionReply(uid="dev.example/vm/b", visible=False, warnings=("w",))
    assert encode_session_reply(one) == {"session": {"uid": "dev.example/local/a", "visible": True}}
    assert encode_session_reply(other) == {
        "session": {"uid": "dev.example/vm/b", "visible": False},
        "warnings": ["w"],
    }
    assert encode_batch_reply(BatchReply(sessions=(one, other))) == {
        "sessions": [
            {"uid": "dev.example/local/a", "visible": True},
            {"uid": "dev.example/vm/b", "visible": False},
        ]
    }
    assert encode_batch_reply(BatchReply(sessions=(), warnings=("w",))) == {"sessions": [], "warnings": ["w"]}
