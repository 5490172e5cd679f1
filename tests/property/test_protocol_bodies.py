"""Laws of the parsers over arbitrary and nearly valid bodies."""

import copy
import random
from collections.abc import Callable
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from orbtile.palette.states import ACTIVITIES, SETTABLE_STATES
from orbtile.protocol.errors import ApiError
from orbtile.protocol.events import parse_events_poll
from orbtile.protocol.fields import JsonObject, JsonValue
from orbtile.protocol.registration import (
    Registration,
    changed_fields,
    encode_registration,
    fingerprint,
    parse_registration,
)
from orbtile.protocol.session import parse_batch, parse_session_update
from orbtile.protocol.wire import dump_json, encode_error, parse_json
from tests.fakes.bodies import ASKING, BATCH, POLL, REGISTRATION, UPDATE, base64_of, png

ABLE = parse_registration(REGISTRATION)[0]
PARSERS: dict[str, tuple[Callable[[JsonValue], object], JsonObject]] = {
    "registration": (parse_registration, REGISTRATION),
    "update": (lambda body: parse_session_update(body, ABLE), UPDATE),
    "question": (lambda body: parse_session_update(body, ABLE), ASKING),
    "batch": (lambda body: parse_batch(body, ABLE), BATCH),
    "poll": (parse_events_poll, POLL),
}

NAMES = st.sampled_from(
    "name palette baseHue states icon png glyph urlSchemes capabilities title activity message id text "
    "approval question questions options label sessions after ack waitSeconds ttlSeconds pid host".split()
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(), max_size=8),
    st.sampled_from(["thinking", "https", "tap", "#eab308", "local", "a.b", "", "\ud800", 10**400, 1e308]),
)
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.one_of(NAMES, st.text(st.characters(), max_size=8)), inner),
    ),
    max_leaves=20,
)


NEARLY_JSON = st.text(st.sampled_from('{}[]":,\\u0dtrue1e.-+9 \n'), max_size=60)
T = TypeVar("T")


def refusal_of(parse: Callable[[T], object], body: T) -> ApiError | None:
    try:
        parse(body)
    except ApiError as error:
        return error
    return None


def assert_is_a_refusal_in_order(error: ApiError) -> None:
    assert (error.status, error.code) in {(422, "invalid_field"), (422, "limit_exceeded")}
    assert error.field
    assert len(error.field) < 200
    assert len(error.message) < 400
    error.message.encode()
    dump_json(encode_error(error))


@given(st.sampled_from(sorted(PARSERS)), JSON)
def test_any_json_is_a_value_or_a_refusal(kind: str, body: JsonValue) -> None:
    error = refusal_of(PARSERS[kind][0], body)
    if error is not None:
        assert_is_a_refusal_in_order(error)


@given(st.sampled_from(sorted(PARSERS)), st.randoms(use_true_random=False), JSON)
@settings(max_examples=400)
def test_a_valid_body_with_one_part_replaced_is_a_value_or_a_refusal(
    kind: str, chance: random.Random, part: JsonValue
) -> None:
    parse, valid = PARSERS[kind]
    body = copy.deepcopy(valid)
    node: JsonValue = body
    while True:
        assert isinstance(node, dict | list)
        keys: list[object] = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = chance.choice(keys)
        below = node[str(key)] if isinstance(node, dict) else node[int(str(key))]
        if not isinstance(below, dict | list) or not below or chance.random() < 0.3:
            break
        node = below
    if isinstance(node, dict):
        node[str(key)] = part
    else:
        node[int(str(key))] = part
    error = refusal_of(parse, body)
    if error is not None:
        assert_is_a_refusal_in_order(error)


@given(st.one_of(st.binary(max_size=200), NEARLY_JSON.map(str.encode)))
def test_any_bytes_are_json_or_a_bad_request(body: bytes) -> None:
    error = refusal_of(parse_json, body)
    assert error is None or (error.status, error.code) == (400, "bad_request")


@given(st.dictionaries(st.text(st.characters()), JSON, max_size=5))
def test_what_was_dumped_is_read_back(value: JsonObject) -> None:
    assert parse_json(dump_json(value)) == value


# --- Valid registrations ------------------------------------------------------------------------------------

WORD = st.text(st.characters(categories=["L", "N"]), min_size=1)
HUE = st.one_of(st.integers(0, 359), st.floats(0, 360, exclude_max=True))
COLOUR = st.text("0123456789abcdefABCDEF", min_size=6, max_size=6).map(lambda digits: f"#{digits}")
SCHEME = st.from_regex(r"[a-z][a-z0-9+.-]{0,31}", fullmatch=True).filter(
    lambda scheme: scheme not in {"file", "javascript", "data", "orbtile", "x-apple.systempreferences"}
)


@st.composite
def registrations(draw: st.DrawFn) -> JsonObject:
    """Valid bodies, with any of the optional fields."""
    palette: JsonObject = draw(
        st.fixed_dictionaries(
            {"baseHue": HUE},
            optional={
                "chroma": st.floats(0.5, 1.3),
                "lightness": st.floats(-0.05, 0.05),
                "attentionHue": HUE,
                "states": st.dictionaries(
                    st.sampled_from([str(s) for s in SETTABLE_STATES]), COLOUR, min_size=1
                ),
            },
        )
    )
    body: JsonObject = draw(
        st.fixed_dictionaries(
            {"name": WORD.map(lambda text: text[:32])},
            optional={
                "shortName": WORD.map(lambda text: text[:12]),
                "version": WORD.map(lambda text: text[:32]),
                "glyph": st.just({"monogram": "A"}),
                "homepage": st.just("https://example.com"),
                "icon": st.sampled_from([{"png": base64_of(png())}, {"appBundleId": "a.b"}]),
                "urlSchemes": st.lists(SCHEME, max_size=4, unique=True),
                "capabilities": st.lists(st.sampled_from(["tap", "approvals", "questions"]), unique=True),
            },
        )
    )
    body["palette"] = palette
    capabilities = body.get("capabilities")
    if isinstance(capabilities, list) and "tap" in capabilities:
        body["tapBehavior"] = draw(st.sampled_from(["alsoOpen", "eventOnly"]))
    return body


def parsed(body: JsonValue) -> Registration:
    return parse_registration(body)[0]


@given(registrations())
def test_a_registration_survives_its_wire_form_and_keeps_its_fingerprint(body: JsonObject) -> None:
    registration = parsed(body)
    again = parsed(parse_json(dump_json(encode_registration(registration))))
    assert again == registration
    assert fingerprint(again) == fingerprint(registration)


@given(registrations(), st.text(max_size=30), JSON)
def test_the_fingerprint_does_not_see_version_glyph_and_unknown_fields(
    body: JsonObject, name: str, value: JsonValue
) -> None:
    other: JsonObject = {**body, "version": "9", "glyph": {"symbol": "star"}, f"x-{name}": value}
    assert fingerprint(parsed(other)) == fingerprint(parsed(body))


@given(registrations(), st.randoms(use_true_random=False))
def test_the_fingerprint_does_not_see_order_and_spelling(body: JsonObject, chance: random.Random) -> None:
    other = copy.deepcopy(body)
    for name in ("urlSchemes", "capabilities"):
        listed = other.get(name)
        if isinstance(listed, list):
            chance.shuffle(listed)
    palette = other["palette"]
    assert isinstance(palette, dict)
    states = palette.get("states")
    if isinstance(states, dict):
        palette["states"] = {name: str(colour).upper() for name, colour in reversed(states.items())}
    if isinstance(palette["baseHue"], int):
        palette["baseHue"] = float(palette["baseHue"])
    assert fingerprint(parsed(other)) == fingerprint(parsed(body))


@given(registrations(), registrations())
def test_fingerprints_are_equal_exactly_when_no_field_changed(one: JsonObject, other: JsonObject) -> None:
    before, after = parsed(one), parsed(other)
    assert (fingerprint(before) == fingerprint(after)) == (changed_fields(before, after) == ())


# --- Valid updates ------------------------------------------------------------------------------------------


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6000),
    st.sampled_from([str(activity) for activity in ACTIVITIES]),
)
def test_message_text_is_at_most_4096_bytes_and_any_activity_may_carry_it(text: str, activity: str) -> None:
    body: JsonObject = {"activity": activity, "message": {"id": "1", "text": text}}
    message = parse_session_update(body, ABLE)[0].message
    assert message
    assert len(message.text.encode()) <= 4096
