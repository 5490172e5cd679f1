import dataclasses

import pytest

from orbtile.palette.states import SETTABLE_STATES, State
from orbtile.protocol.errors import ApiError
from orbtile.protocol.fields import JsonObject, JsonValue
from orbtile.protocol.registration import (
    Capability,
    Glyph,
    Icon,
    Palette,
    Registration,
    TapBehavior,
    changed_fields,
    encode_registration,
    fingerprint,
    parse_registration,
)
from tests.fakes.bodies import REGISTRATION, base64_of, changed, png, without
from tests.fakes.malformed import MALFORMED_REGISTRATIONS, Malformed

SMALL: JsonObject = {"name": "Aider", "palette": {"baseHue": 150}}


def parsed(body: JsonValue) -> Registration:
    return parse_registration(body)[0]


# --- Parsing ------------------------------------------------------------------------------------------------


def test_the_smallest_registration_has_every_default() -> None:
    registration, warnings = parse_registration(SMALL)
    assert registration == Registration(name="Aider", palette=Palette(base_hue=150.0))
    assert warnings == []
    assert registration.badge == "Aider"


def test_every_field_arrives() -> None:
    registration, warnings = parse_registration(changed(REGISTRATION, "palette.states", {"done": "#22C55E"}))
    assert registration == Registration(
        name="Example Agent",
        short_name="Example",
        palette=Palette(
            base_hue=270.0, chroma=1.1, lightness=0.01, attention_hue=330.0, states={State.DONE: "#22c55e"}
        ),
        glyph=Glyph(symbol="hammer.fill", monogram="EA"),
        icon=Icon(png=png(), app_bundle_id="com.example.agent"),
        version="1.0.0",
        homepage="https://example.com/agent",
        url_schemes=("https", "myagent"),
        capabilities=frozenset(Capability),
        tap_behavior=TapBehavior.EVENT_ONLY,
    )
    assert warnings == []
    assert registration.badge == "Example"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("palette.baseHue", 0), ("palette.baseHue", -0.0), ("palette.baseHue", 359.999), ("palette.chroma",
        0.5),
        ("palette.chroma", 1.3), ("palette.lightness", -0.05), ("palette.lightness", 0.05),
        ("palette.attentionHue", 0), ("name", "x" * 32), ("name", "👍" * 32), ("name", "\u202e" + "x" * 32),
        ("shortName", "x" * 12), ("version", ""), ("version", "x" * 32), ("glyph.monogram", "e\u0301"),
        ("glyph.symbol", "a" * 64), ("icon.appBundleId", "a." + "b" * 126), ("urlSchemes", []),
        ("urlSchemes", ["a", "b", "c", "d" * 32]), ("homepage", "https://" + "a" * 504),
        ("palette.states", dict.fromkeys(map(str, SETTABLE_STATES), "#123456")),
    ],
)  # fmt: skip
def test_a_value_at_its_edge_passes(path: str, value: JsonValue) -> None:
    parse_registration(changed(REGISTRATION, path, value))


@pytest.mark.parametrize(
    "path",
    [
        "icon",
        "shortName",
        "capabilities",
        "tapBehavior",
        "palette.states",
        "palette.chroma",
        "palette.lightness",
    ],
)
def test_null_means_absent_where_the_fingerprint_has_a_default(path: str) -> None:
    base = without(REGISTRATION, "tapBehavior")
    nulled = changed(base, path, None)
    absent = base if path == "tapBehavior" else without(base, path)
    assert parse_registration(nulled) == parse_registration(absent)


def test_text_is_cleaned_before_it_is_measured_and_kept() -> None:
    registration = parsed(
        {**SMALL, "name": "A\u202ei\nder", "shortName": "\u2066A\tB\u2069", "version": "1\x00"}
    )
    assert (registration.name, registration.short_name, registration.version) == ("Ai der", "A B", "1 ")


def test_an_icon_needs_one_of_its_two_fields_and_a_glyph_too() -> None:
    assert parsed({**SMALL, "icon": {"png": base64_of(png())}}).icon == Icon(png=png())
    assert parsed({**SMALL, "icon": {"appBundleId": "a.b"}}).icon == Icon(app_bundle_id="a.b")
    assert parsed({**SMALL, "glyph": {"symbol": "a"}}).glyph == Glyph(symbol="a")
    assert parsed({**SMALL, "glyph": {"monogram": "é"}}).glyph == Glyph(monogram="é")


def test_unknown_fields_are_named_at_every_level_and_ignored() -> None:
    body: JsonObject = {
        **SMALL,
        "emptyKeyURL": "https://example.com",
        "palette": {"baseHue": 150, "saturation": {"deep": 1}},
        "glyph": {"monogram": "A", "emoji": "\ud800"},
        "icon": {"appBundleId": "a.b", "svg": None},
    }
    registration, warnings = parse_registration(body)
    assert registration == parsed({**SMALL, "glyph": {"monogram": "A"}, "icon": {"appBundleId": "a.b"}})
    assert warnings == [
        "unknown field 'palette.saturation' ignored",
        "unknown field 'glyph.emoji' ignored",
        "unknown field 'icon.svg' ignored",
        "unknown field 'emptyKeyURL' ignored",
    ]


def test_hues_are_kept_as_they_were_sent_and_not_judged_here() -> None:
    registration, warnings = parse_registration({"name": "A", "palette": {"baseHue": 10, "attentionHue": 40}})
    assert (registration.palette.base_hue, registration.palette.attention_hue) == (10, 40)
    assert warnings == []


def test_a_flood_of_unknown_fields_is_cut_short() -> None:
    body: JsonObject = {"name": "A", "palette": {"baseHue": 10}, **{f"x{at}": 1 for at in range(2000)}}
    warnings = parse_registration(body)[1]
    assert len(warnings) == 33


@pytest.mark.parametrize("case", MALFORMED_REGISTRATIONS, ids=lambda case: case.name)
def test_a_malformed_registration_is_refused_at_its_field(case: Malformed) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_registration(case.body)
    assert (refusal.value.status, refusal.value.code, refusal.value.field) == (
        case.status,
        case.code,
        case.field,
    )
    assert len(refusal.value.message) < 200


# --- Fingerprint --------------------------------------------------------------------------------------------


def test_fingerprints_stay_what_they_were_in_earlier_versions() -> None:
    """Stored consents carry these: a change here asks every user again about every adapter."""
    v1_0 = parsed({**SMALL, "urlSchemes": ["aider", "https"], "homepage": "https://aider.example"})
    assert fingerprint(parsed(SMALL)) == "26fb9da505cb0291ca1f270fb4865cab9a5c63080765dae6e2a78b342d422391"
    assert fingerprint(v1_0) == "fd9ac347778bd61914176d141096a1fef03a3233c6bf1d47c388ed21dbc85c47"
    assert (
        fingerprint(parsed(REGISTRATION))
        == "49625dca643286dd37c440755bbb3cd650188caf6dcac882805ab3779e8c753b"
    )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("palette.baseHue", 270.0), ("palette.states", {"waitingPermission": "#EF4444",
        "thinking": "#EAB308"}),
        ("urlSchemes", ["myagent", "https"]), ("capabilities", ["questions", "tap", "approvals"]),
        ("name", "Example\u202e Agent"), ("shortName", "\u2068Example"), ("version", "2"), ("glyph",
        {"monogram": "Z"}),
        ("anything", [1]), ("palette.saturation", 3), ("icon.svg", "x"),
    ],
)  # fmt: skip
def test_what_means_the_same_has_the_same_fingerprint(path: str, value: JsonValue) -> None:
    before, after = parsed(REGISTRATION), parsed(changed(REGISTRATION, path, value))
    assert fingerprint(after) == fingerprint(before)
    assert changed_fields(before, after) == ()


@pytest.mark.parametrize("path", ["version", "glyph"])
def test_version_and_glyph_may_go(path: str) -> None:
    assert fingerprint(parsed(without(REGISTRATION, path))) == fingerprint(parsed(REGISTRATION))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("icon", None), ("shortName", None), ("shortName", "Aider"), ("capabilities", None), ("capabilities",
        []),
        ("palette.states", None), ("palette.chroma", None), ("palette.chroma", 1), ("palette.lightness",
        None),
        ("palette.lightness", -0.0), ("urlSchemes", []), ("tapBehavior", None), ("palette.baseHue", 150.0),
    ],
)  # fmt: skip
def test_a_default_said_aloud_has_the_fingerprint_of_one_left_out(path: str, value: JsonValue) -> None:
    assert fingerprint(parsed(changed(SMALL, path, value))) == fingerprint(parsed(SMALL))


def test_the_default_tap_behavior_said_aloud_changes_nothing() -> None:
    taps: JsonObject = {**SMALL, "capabilities": ["tap"]}
    assert fingerprint(parsed({**taps, "tapBehavior": "alsoOpen"})) == fingerprint(parsed(taps))


CHANGES: list[tuple[str, JsonValue, str]] = [
    ("name", "Another", "name"),
    ("shortName", "Other", "shortName"),
    ("palette.baseHue", 271, "palette.baseHue"),
    ("palette.chroma", 1.2, "palette.chroma"),
    ("palette.lightness", 0.02, "palette.lightness"),
    ("palette.attentionHue", 0, "palette.attentionHue"),
    ("palette.states", {"thinking": "#eab308"}, "palette.states"),
    ("palette.states", None, "palette.states"),
    ("icon.png", base64_of(png(32, 32)), "icon"),
    ("icon.appBundleId", "com.example.other", "icon"),
    ("icon", None, "icon"),
    ("urlSchemes", ["https"], "urlSchemes"),
    ("homepage", "https://example.com/other", "homepage"),
    ("capabilities", ["tap"], "capabilities"),
    ("tapBehavior", "alsoOpen", "tapBehavior"),
]


@pytest.mark.parametrize(("path", "value", "named"), CHANGES)
def test_a_changed_field_needs_a_new_allow_and_is_named(path: str, value: JsonValue, named: str) -> None:
    before, after = parsed(REGISTRATION), parsed(changed(REGISTRATION, path, value))
    assert fingerprint(after) != fingerprint(before)
    assert changed_fields(before, after) == changed_fields(after, before) == (named,)


@pytest.mark.parametrize("end", [" ", "\u200b", "\u00ad", "\u200d", "\ufe0f", "\U000e007f"])
def test_a_name_that_ends_in_what_has_no_ink_is_another_name(end: str) -> None:
    """It may look the same or not: what follows from joiners, selectors and tags is the font's."""
    before, after = parsed(REGISTRATION), parsed(changed(REGISTRATION, "name", f"Example Agent{end}"))
    assert fingerprint(after) != fingerprint(before)
    assert changed_fields(before, after) == ("name",)


def test_changed_fields_come_in_the_order_of_the_specification() -> None:
    everything = {named: None for _, _, named in CHANGES}
    assert changed_fields(parsed(SMALL), parsed(REGISTRATION)) == tuple(everything)


def test_every_field_of_a_registration_is_bound_to_consent_or_free_on_purpose() -> None:
    """A new field fails here until somebody decides."""
    bound = {
        "name",
        "short_name",
        "palette",
        "icon",
        "url_schemes",
        "homepage",
        "capabilities",
        "tap_behavior",
    }
    assert {field.name for field in dataclasses.fields(Registration)} == bound | {"version", "glyph"}
    bound_colours = {"base_hue", "chroma", "lightness", "attention_hue", "states"}
    assert {field.name for field in dataclasses.fields(Palette)} == bound_colours
    assert set(Icon._fields) == {"png", "app_bundle_id"}


# --- Encoding -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [SMALL, REGISTRATION], ids=["smallest", "full"])
def test_the_wire_form_is_the_shortest_one(body: JsonObject) -> None:
    encoded = encode_registration(parsed(body))
    assert encoded == {
        **body,
        **({"capabilities": ["approvals", "questions", "tap"]} if body is REGISTRATION else {}),
    }


def test_a_whole_hue_has_no_fraction() -> None:
    assert str(encode_registration(parsed(SMALL))["palette"]) == "{'baseHue': 150}"


@pytest.mark.parametrize(
    "change",
    [
        {"glyph": {"symbol": "a"}},
        {"glyph": {"monogram": "A"}},
        {"icon": {"png": base64_of(png())}},
        {"icon": {"appBundleId": "a.b"}},
        {"capabilities": ["tap"], "tapBehavior": "eventOnly"},
        {"palette": {"baseHue": 0.125, "lightness": -0.05, "states": {"offline": "#000000"}}},
        {"version": ""},
    ],
)
def test_a_registration_survives_its_wire_form(change: JsonObject) -> None:
    registration = parsed({**SMALL, **change})
    assert parse_registration(encode_registration(registration))[0] == registration
