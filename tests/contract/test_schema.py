"""The published schema and the parsers accept the same, but for the differences listed here.

Where the schema and the specification's text differ, the text wins; each difference has its reason beside it.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from orbtile.palette.states import ACTIVITIES, SETTABLE_STATES
from orbtile.protocol import errors, limits
from orbtile.protocol.errors import ApiError
from orbtile.protocol.events import parse_events_poll
from orbtile.protocol.fields import JsonObject, JsonValue
from orbtile.protocol.registration import parse_registration
from orbtile.protocol.replies import DisabledReason, Info, RegistrationReply, SessionReply
from orbtile.protocol.session import parse_batch, parse_session_update
from orbtile.protocol.text import LoneSurrogateError, clean_line, is_blank
from orbtile.protocol.wire import (
    dump_json,
    encode_error,
    encode_info,
    encode_registration_reply,
    encode_session_reply,
)
from tests.fakes.bodies import ASKING, BATCH, POLL, REGISTRATION, UPDATE, changed, without
from tests.fakes.malformed import (
    MALFORMED_BATCHES,
    MALFORMED_POLLS,
    MALFORMED_REGISTRATIONS,
    MALFORMED_UPDATES,
    Malformed,
)

SCHEMA_FILE = Path(__file__).parents[2] / "resources" / "adapter-protocol-v1.schema.json"
ABLE = parse_registration(REGISTRATION)[0]
PARSERS: dict[str, Callable[[JsonValue], object]] = {
    "AdapterRegistration": parse_registration,
    "SessionUpdate": lambda body: parse_session_update(body, ABLE),
    "SessionBatch": lambda body: parse_batch(body, ABLE),
    "EventsPoll": parse_events_poll,
}
VALID: list[tuple[str, JsonObject]] = [
    ("AdapterRegistration", REGISTRATION),
    ("SessionUpdate", UPDATE),
    ("SessionUpdate", ASKING),
    ("SessionBatch", BATCH),
    ("EventsPoll", POLL),
]
MALFORMED = {
    "AdapterRegistration": MALFORMED_REGISTRATIONS,
    "SessionUpdate": MALFORMED_UPDATES,
    "SessionBatch": MALFORMED_BATCHES,
    "EventsPoll": MALFORMED_POLLS,
}

STRICTER = {
    r"icon\.png": "signature, IHDR, decoded size and padding bits are beyond a pattern",
    r"homepage|(.+\.)?openURL": "'format' is only a note in JSON Schema; schemes belong to the registration",
    r"urlSchemes": "refused schemes are named in the schema's description only",
    r"(.+\.)?pid": "no system has a process id over 32 bits",
    r".+\.label": "labels are unique within their question",
    r"(.+\.)?question": "one request at a time",
    r"sessions\[\d\]\.id": "a batch lists a session once",
}
"""Fields where the parsers refuse more than the schema. Everywhere they also refuse lone surrogates and, in
required text, what is blank once it is clean.
"""

LOOSER_NULL = re.compile(
    r"(palette\.(chroma|lightness)|shortName|capabilities|tapBehavior)"
    r"|(sessions\[\d\]\.)?(subagentCount|host|background|liveText|ttlSeconds)"
)
"""Where ``null`` is the default, although the schema knows no null there."""


@cache
def validator(definition: str) -> Draft202012Validator:
    """Patterns as ECMA-262 means them: there ``$`` is the very end of the text."""
    text = SCHEMA_FILE.read_text(encoding="utf-8")
    schema = json.loads(re.sub(r'("pattern": ".*)\$"', r'\1\\\\Z"', text))
    return Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"})


def refusal(definition: str, body: JsonValue) -> ApiError | None:
    try:
        PARSERS[definition](body)
    except ApiError as error:
        return error
    return None


def value_at(body: JsonValue, path: str) -> JsonValue:
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(body, dict):
            body = body.get(step)
        elif isinstance(body, list):
            body = body[int(step)]
    return body


def is_stricter_on_purpose(body: JsonValue, field: str) -> bool:
    if any(re.fullmatch(pattern, field) for pattern in STRICTER):
        return True
    value = value_at(body, field)
    try:
        return isinstance(value, str) and is_blank(clean_line(value))
    except LoneSurrogateError:
        return True


def paths_of(value: JsonValue, prefix: str = "") -> Iterator[str]:
    """Every place in a body, outermost first."""
    if prefix:
        yield prefix
    if isinstance(value, dict):
        for name, below in value.items():
            yield from paths_of(below, f"{prefix}.{name}" if prefix else name)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from paths_of(below, f"{prefix}[{index}]")


@pytest.mark.parametrize(("definition", "body"), VALID)
def test_both_accept_what_is_valid(definition: str, body: JsonObject) -> None:
    validator(definition).validate(body)
    assert refusal(definition, body) is None


@pytest.mark.parametrize("definition", MALFORMED)
def test_the_schema_refuses_what_is_malformed_or_the_text_does(definition: str) -> None:
    def is_unexplained(case: Malformed) -> bool:
        accepted = validator(definition).is_valid(case.body)
        return accepted and not is_stricter_on_purpose(case.body, case.field or "")

    assert [case.name for case in MALFORMED[definition] if is_unexplained(case)] == []


SAMPLES: list[JsonValue] = [
    None, True, False, 0, 1, 2, 1.0, 0.5, 1.5, -1, 10, 99, 100, 128, 360, 3600, 10**6, 10**20, "", "x",
    "local", "tool", "thinking", "https", "com.example", "#a1B2c3", "x" * 13, "x" * 33, "x" * 65, "x" * 129,
    "x" * 1025, "x" * 17_000, "a b", "é", "x\n", [], ["x"], ["tap"], ["https", "https"], [{}], [None] * 40,
    {}, {"x": 1}, {"id": "x"}, {"label": "x"}, {"id": "x", "text": "x"}, {"baseHue": 1}, {"states": {}},
    {"png": "AAAA"}, {"monogram": "x"}, {"done": "#000000"},
]  # fmt: skip


@pytest.mark.parametrize(("definition", "valid"), VALID)
def test_both_agree_about_a_body_that_differs_in_one_place(definition: str, valid: JsonObject) -> None:
    unexplained: list[tuple[str, JsonValue]] = []
    for path in paths_of(valid):
        for sample in SAMPLES:
            body = changed(valid, path, sample)
            error = refusal(definition, body)
            if validator(definition).is_valid(body) == (error is None):
                continue
            if error is None and sample is None and LOOSER_NULL.fullmatch(path):
                continue
            if error is None and is_only_unknown_names(definition, body):
                continue
            if error is not None and is_stricter_on_purpose(body, error.field or ""):
                continue
            unexplained.append((path, sample))
    assert unexplained == []


@pytest.mark.parametrize(("definition", "valid"), VALID)
def test_both_agree_about_a_body_that_lacks_one_field(definition: str, valid: JsonObject) -> None:
    for path in paths_of(valid):
        if not path.endswith("]"):
            body = without(valid, path)
            assert validator(definition).is_valid(body) == (refusal(definition, body) is None), path


def is_only_unknown_names(definition: str, body: JsonObject) -> bool:
    """The schema closes ``palette``, ``glyph`` and ``message``; the text has unknown fields ignored at every
    level.
    """
    problems = list(validator(definition).iter_errors(body))
    return all(problem.validator in {"additionalProperties", "oneOf"} for problem in problems)


LOOSER: list[tuple[str, JsonObject]] = [
    ("AdapterRegistration", {"name": "A", "palette": {"baseHue": 1, "saturation": 2}}),
    (
        "AdapterRegistration",
        {"name": "A", "palette": {"baseHue": 1}, "glyph": {"monogram": "A", "emoji": "x"}},
    ),
    ("AdapterRegistration", {"name": "\u202e" * 40 + "A", "palette": {"baseHue": 1}}),
    ("SessionUpdate", {"message": {"id": "1", "text": "x", "html": "x"}}),
    ("SessionUpdate", {"title": "\u2066" * 200 + "t"}),
    ("SessionUpdate", {"project": " " * 200 + "t"}),
]


@pytest.mark.parametrize(("definition", "body"), LOOSER)
def test_the_text_accepts_what_the_schema_does_not(definition: str, body: JsonObject) -> None:
    assert not validator(definition).is_valid(body)
    assert refusal(definition, body) is None


# --- Replies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("proof", [None, "0f" * 32])
def test_info_is_as_published(proof: str | None) -> None:
    validator("Info").validate(encode_info(Info(version="1.0", proof=proof)))


@pytest.mark.parametrize("reason", [None, *DisabledReason])
def test_a_registration_reply_is_as_published(reason: DisabledReason | None) -> None:
    reply = RegistrationReply(
        adapter_id="dev.example",
        palette=ABLE.palette,
        resolved_base_hue=270.0,
        enabled=reason is None,
        reason=reason,
        keypad_decisions=False,
        warnings=("w",),
        adapter_token="t" * 43,
        created=True,
    )
    validator("RegistrationReply").validate(json.loads(dump_json(encode_registration_reply(reply))))


def test_session_replies_are_as_published() -> None:
    session = SessionReply(uid="dev.example/local/a", visible=True, warnings=("w",))
    validator("SessionReply").validate(encode_session_reply(session))


NOT_IN_THE_SCHEMA = {"adapter_token_required", "stale_request", "registration_changed", "poll_limit"}
"""Codes that the text has and the schema forgot."""


@pytest.mark.parametrize(
    "error",
    [
        errors.bad_request("x"), errors.unauthorized(), errors.forbidden_origin(), errors.internal(),
        errors.adapter_token_required(), errors.not_found(), errors.adapter_not_registered(), errors.busy(),
        errors.method_not_allowed(("GET",)), errors.reserved_id(), errors.stale_request("f", "x"),
        errors.registration_changed(), errors.invalid_cursor("ack", "x"), errors.events_not_supported(),
        errors.poll_pending(), errors.length_required(), errors.payload_too_large(1), errors.rate_limited(1),
        errors.unsupported_media_type(), errors.invalid_field("f", "x"), errors.limit_exceeded("f", "x"),
        errors.api_disabled(), errors.poll_limit(),
    ],
    ids=lambda error: error.code,
)  # fmt: skip
def test_an_error_is_as_published(error: ApiError) -> None:
    assert validator("Error").is_valid(encode_error(error)) == (error.code not in NOT_IN_THE_SCHEMA)


# --- Numbers ------------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_schema() -> None:
    defs = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))["$defs"]
    registration, update = defs["AdapterRegistration"]["properties"], defs["SessionUpdate"]["properties"]
    palette, question = defs["Palette"]["properties"], defs["Question"]["properties"]
    published = {
        "name": (registration["name"]["maxLength"], limits.MAX_NAME_LENGTH),
        "shortName": (registration["shortName"]["maxLength"], limits.MAX_SHORT_NAME_LENGTH),
        "version": (registration["version"]["maxLength"], limits.MAX_VERSION_LENGTH),
        "homepage": (registration["homepage"]["maxLength"], limits.MAX_HOMEPAGE_LENGTH),
        "urlSchemes": (registration["urlSchemes"]["maxItems"], limits.MAX_URL_SCHEMES),
        "capabilities": (registration["capabilities"]["maxItems"], limits.MAX_CAPABILITIES),
        "png": (defs["Icon"]["properties"]["png"]["maxLength"], limits.MAX_ICON_BASE64_LENGTH),
        "chroma": (
            (palette["chroma"]["minimum"], palette["chroma"]["maximum"]),
            (limits.MIN_CHROMA, limits.MAX_CHROMA),
        ),
        "lightness": (palette["lightness"]["maximum"], limits.MAX_LIGHTNESS_SHIFT),
        "hue": (palette["baseHue"]["exclusiveMaximum"], limits.HUE_END_DEG),
        "states": (set(defs["StateColours"]["propertyNames"]["enum"]), set(map(str, SETTABLE_STATES))),
        "activities": (defs["Activity"]["enum"], [str(activity) for activity in ACTIVITIES]),
        "title": (update["title"]["maxLength"], limits.MAX_TITLE_LENGTH),
        "cwd": (update["cwd"]["maxLength"], limits.MAX_CWD_LENGTH),
        "project": (update["project"]["maxLength"], limits.MAX_PROJECT_LENGTH),
        "model": (update["model"]["maxLength"], limits.MAX_MODEL_LENGTH),
        "toolLabel": (update["toolLabel"]["maxLength"], limits.MAX_TOOL_LABEL_LENGTH),
        "toolKind": (update["toolKind"]["maxLength"], limits.MAX_TOOL_KIND_LENGTH),
        "statusDetail": (update["statusDetail"]["maxLength"], limits.MAX_STATUS_DETAIL_LENGTH),
        "message.text": (defs["Message"]["properties"]["text"]["maxLength"], limits.MAX_MESSAGE_TEXT_LENGTH),
        "openURL": (update["openURL"]["maxLength"], limits.MAX_OPEN_URL_LENGTH),
        "subagentCount": (update["subagentCount"]["maximum"], limits.MAX_SUBAGENTS),
        "ttlSeconds": (
            (update["ttlSeconds"]["minimum"], update["ttlSeconds"]["maximum"]),
            (limits.MIN_TTL_S, limits.MAX_TTL_S),
        ),
        "sessions": (
            defs["SessionBatch"]["properties"]["sessions"]["maxItems"],
            limits.MAX_SESSIONS_PER_ADAPTER,
        ),
        "options": (
            (question["options"]["minItems"], question["options"]["maxItems"]),
            (limits.MIN_OPTIONS, limits.MAX_OPTIONS),
        ),
        "cursor": (defs["EventsPoll"]["properties"]["after"]["maximum"], limits.MAX_CURSOR),
        "wait": (defs["EventsPoll"]["properties"]["waitSeconds"]["maximum"], limits.MAX_WAIT_S),
    }
    assert {name: pair for name, pair in published.items() if pair[0] != pair[1]} == {}
