"""Bodies that must be refused, each with the exact status, code and field; for parsers and for a real socket.

A case changes a valid body of ``bodies`` in one place and holds it as a JSON value (``bodies.encode`` makes
bytes of it). Bytes that are not JSON are in ``malformed_json``, heads in ``malformed_heads``.
"""

import json
import re
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from orbtile.protocol.fields import JsonObject, JsonValue
from tests.fakes.bodies import (
    ASKING,
    BATCH,
    POLL,
    QUESTION,
    REGISTRATION,
    UPDATE,
    base64_of,
    changed,
    chunk,
    png,
    without,
)
from tests.fakes.hostile_png import HOSTILE, Stage


class Malformed(NamedTuple):
    """``field`` is None where the error has none."""

    name: str
    body: JsonValue
    status: int
    code: str
    field: str | None


# --- Making cases -------------------------------------------------------------------------------------------

_SAMPLES: Final[dict[str, JsonValue]] = {
    "null": None,
    "true": True,
    "number": 1.5,
    "string": "text",
    "array": [],
    "object": {},
}


def invalid(base: JsonObject, path: str, value: JsonValue, *, field: str = "", name: str = "") -> Malformed:
    """422 ``invalid_field``; the field is the path unless another one is named."""
    label = name or json.dumps(value)[:40]
    return Malformed(f"{path} = {label}", changed(base, path, value), 422, "invalid_field", field or path)


def missing(base: JsonObject, path: str) -> Malformed:
    return Malformed(f"no {path}", without(base, path), 422, "invalid_field", path)


def wrong_types(base: JsonObject, path: str, *allowed: str) -> Iterator[Malformed]:
    """``path`` with a value of every JSON type but those allowed."""
    for kind, sample in _SAMPLES.items():
        if kind not in allowed:
            yield invalid(base, path, sample, name=kind)


def bad_texts(base: JsonObject, path: str, max_length: int, *, required: bool) -> Iterator[Malformed]:
    """What display text of one line must not be."""
    yield invalid(base, path, "x" * (max_length + 1), name="one character too long")
    yield invalid(base, path, "\N{GRINNING FACE}" * (max_length + 1), name="one emoji too long")
    yield invalid(base, path, "x" + "\x00" * max_length + "x", name="too long with its control characters")
    yield invalid(base, path, "a\ud800", name="a high surrogate alone")
    yield invalid(base, path, "\udc00", name="a low surrogate alone")
    if required:
        yield invalid(base, path, "", name="empty")
        yield invalid(base, path, " \u3000\u00a0"[:max_length], name="blanks")
        yield invalid(base, path, "\x00\x1f\x7f\x85"[:max_length], name="control characters")
        yield invalid(base, path, "\u202e\u2066\u200f\u061c", name="bidi characters")
        yield invalid(base, path, "\u200b", name="a zero-width space")


def _not_an_object() -> Iterator[Malformed]:
    for kind, sample in _SAMPLES.items():
        if kind != "object":
            yield Malformed(f"the body is a {kind}", sample, 422, "invalid_field", "body")


# --- Registrations ------------------------------------------------------------------------------------------


def _registrations() -> Iterator[Malformed]:
    base = REGISTRATION
    yield from _not_an_object()
    yield Malformed("empty object", {}, 422, "invalid_field", "name")
    for path in ("name", "palette", "palette.baseHue"):
        yield missing(base, path)
    for path in (
        "name",
        "version",
        "homepage",
        "glyph.symbol",
        "glyph.monogram",
        "icon.png",
        "icon.appBundleId",
    ):
        yield from wrong_types(base, path, "string")
    yield from wrong_types(base, "shortName", "string", "null")
    for path in ("palette", "glyph"):
        yield from wrong_types(base, path, "object")
    for path in ("palette.baseHue", "palette.attentionHue"):
        yield from wrong_types(base, path, "number")
    for path in ("palette.chroma", "palette.lightness"):
        yield from wrong_types(base, path, "number", "null")
    yield from wrong_types(base, "palette.states", "object", "null")
    yield from wrong_types(base, "palette.states.thinking")
    yield from wrong_types(base, "icon", "object", "null")
    yield from wrong_types(base, "urlSchemes", "array")
    yield from wrong_types(base, "capabilities", "array", "null")
    yield from wrong_types(base, "tapBehavior", "null")
    yield from bad_texts(base, "name", 32, required=True)
    yield from bad_texts(base, "shortName", 12, required=True)
    yield from bad_texts(base, "version", 32, required=False)
    yield from bad_texts(base, "glyph.monogram", 2, required=True)
    yield from _palettes(base)
    yield from _glyphs_and_icons(base)
    yield from _links_and_capabilities(base)


def _palettes(base: JsonObject) -> Iterator[Malformed]:
    out_of_range: dict[str, list[JsonValue]] = {
        "palette.baseHue": [-1, -0.001, 360, 360.0, 361, 1e308, 10**400],
        "palette.attentionHue": [-1, -1e-9, 360, 720, -(10**400)],
        "palette.chroma": [0, 0.49, 1.31, -1, 2, 10**400],
        "palette.lightness": [-0.051, 0.051, 1, -1, 1e308],
    }
    for path, values in out_of_range.items():
        for value in values:
            yield invalid(base, path, value)
    yield invalid(base, "palette.states", {})
    for name in ("error", "empty", "Thinking", "busy", "waiting_permission", "0"):
        yield invalid(base, f"palette.states.{name}", "#112233")
    # A name that is no identifier stays out of the path.
    for state in ("", " thinking", "a b", "\u202ethinking", "\ud800", "x" * 65, "a'b"):
        states: JsonObject = {state: "#112233"}
        yield invalid(base, "palette.states", states, name=f"the state {state[:9]!a}")
    for colour in (
        "",
        "#",
        "112233",
        "#12345",
        "#1234567",
        "#12345g",
        "#11223\n",
        "#112233 ",
        "red",
        "#１１２２３３",
        "\ud800",
    ):
        yield invalid(base, "palette.states.done", colour)
    every = (
        "starting idle thinking tool streaming waitingPermission waitingQuestion done compacting offline"
    ).split()
    yield invalid(
        base,
        "palette.states",
        dict.fromkeys([*every, "error"], "#112233"),
        name="eleven states",
        field="palette.states",
    )


def _glyphs_and_icons(base: JsonObject) -> Iterator[Malformed]:
    yield invalid(base, "glyph", {})
    yield invalid(base, "glyph", {"emoji": "x"}, name="only unknown fields")
    for symbol in ("", "Hammer", "hammer fill", "hammer-fill", "a" * 65, "hammer\n", "é", "\ud800"):
        yield invalid(base, "glyph.symbol", symbol)
    yield invalid(base, "icon", {})
    yield invalid(base, "icon", {"svg": "x"}, name="only unknown fields")
    for bundle in (
        "", "a", "ab", "agent", ".com", "com.", "com..agent", "../agent", "com/agent", "com.my agent",
        "com.agent\n",
        "com.é", "a." + "b" * 127, "com.my_agent", "\ud800.a",
    ):  # fmt: skip
        yield invalid(base, "icon.appBundleId", bundle)
    yield from _pngs(base)


def _pngs(base: JsonObject) -> Iterator[Malformed]:
    path = "icon.png"
    good = base64_of(png())
    texts = {
        "empty": "",
        "no padding": base64_of(png() + b"x" * 2).rstrip("="),
        "padding in the middle": f"{good[:8]}===={good[8:]}",
        "too much padding": f"{good}====",
        "a space": f"{good[:4]} {good[4:]}",
        "a final newline": f"{good}\n",
        "lines": "\r\n".join(re.findall(".{1,76}", good)),
        "the URL alphabet": base64_of(b"\xfb\xff" * 3).replace("+", "-").replace("/", "_"),
        "not ASCII": f"{good[:-1]}é",
        "a lone surrogate": "\ud800",
        "a data URL": f"data:image/png;base64,{good}",
        "bits behind the end": base64_of(png() + b"x").replace("eA==", "eB=="),
        "one character": "A",
    }
    for name, text in texts.items():
        yield invalid(base, path, text, name=name)
    header = png()[:33]

    def ihdr(**changes: int) -> bytes:
        values = {
            "width": 16,
            "height": 16,
            "depth": 8,
            "colour": 6,
            "compression": 0,
            "filter": 0,
            "interlace": 0,
        }
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *(values | changes).values()))

    images = {
        "text": b"hello",
        "a GIF": b"GIF89a" + bytes(40),
        "a JPEG": b"\xff\xd8\xff\xe0" + bytes(40),
        "the signature alone": header[:8],
        "a cut header": header[:32],
        "a broken signature": b"\x89PNG\n\n\x1a\n" + header[8:],
        "another first chunk": header[:12] + b"IDAT" + header[16:],
        "an IHDR of 14 bytes": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(14)),
        "a wrong CRC": header[:29] + b"\0\0\0\0",
        "no width": ihdr(width=0),
        "no size": ihdr(width=0, height=0),
        "not square": ihdr(height=17),
        "15 pixels": ihdr(width=15, height=15),
        "257 pixels": ihdr(width=257, height=257),
        "huge": ihdr(width=2**31, height=2**31),
        "bit depth 3": ihdr(depth=3),
        "bit depth 4 in colour": ihdr(depth=4, colour=2),
        "bit depth 16 with a palette": ihdr(depth=16, colour=3),
        "bit depth 0": ihdr(depth=0),
        "colour type 1": ihdr(colour=1),
        "colour type 5": ihdr(colour=5),
        "colour type 7": ihdr(colour=7),
        "compression 1": ihdr(compression=1),
        "filter 1": ihdr(filter=1),
        "interlace 2": ihdr(interlace=2),
    }
    for name, image in images.items():
        yield invalid(base, path, base64_of(image), name=name)
    for case in HOSTILE:
        if case.stage is Stage.WALK:
            yield invalid(base, path, base64_of(case.png), name=case.name)
    for name, text in {
        "43,697 characters": "A" * 43_697,
        "43,700 characters": "A" * 43_700,
        "32,769 bytes": base64_of(png().ljust(32_769, b"\0")),
        "32,772 bytes": base64_of(bytes(32_772)),
        "60,000 blanks": " " * 60_000,
    }.items():
        yield Malformed(f"icon.png = {name}", changed(base, path, text), 422, "limit_exceeded", path)


def _links_and_capabilities(base: JsonObject) -> Iterator[Malformed]:
    for homepage in (
        "", "http://example.com", "HTTPS://example.com", "https:example.com", "https://", "https:///path",
        "//example.com",
        "https://exa mple.com", "https://example.com/\n", "https://example.com/a b",
        "https://example.com/%zz",
        "https://example.com/é", "https://" + "a" * 505, "javascript:alert(1)", "example.com",
        "https://\ud800.com",
        "https://[::1", "https://example.com/<x>", " https://example.com",
    ):  # fmt: skip
        yield invalid(base, "homepage", homepage)
    schemes: list[list[JsonValue]] = [
        [""], ["HTTPS"], ["1a"], ["a b"], ["https:"], ["https\n"], ["é"], ["a" * 33], ["\ud800"], ["_a"],
        ["a/b"],
        ["https", "https"], ["a", "b", "c", "d", "e"], ["file"], ["javascript"], ["data"], ["orbtile"],
        ["x-apple.systempreferences"], ["https", "file"], [None], [True], [1], [[]], [{}],
    ]  # fmt: skip
    for names in schemes:
        yield invalid(base, "urlSchemes", names)
    capabilities: list[list[JsonValue]] = [
        ["Tap"], [""], ["tap", "tap"], ["events"], ["tap", "approvals", "questions", "tap"], [None], [1],
        [[]], [{}],
        ["approval"], ["\ud800"],
    ]  # fmt: skip
    for values in capabilities:
        yield invalid(base, "capabilities", values)
    for behavior in ("", "AlsoOpen", "none", "both ways", "\ud800"):
        yield invalid(base, "tapBehavior", behavior)
    for able in ([], ["approvals"], ["approvals", "questions"]):
        body = changed(base, "capabilities", list[JsonValue](able))
        yield Malformed(f"tapBehavior with {able}", body, 422, "invalid_field", "tapBehavior")
    yield Malformed("tapBehavior alone", without(base, "capabilities"), 422, "invalid_field", "tapBehavior")


# --- Session updates ----------------------------------------------------------------------------------------


def _updates() -> Iterator[Malformed]:
    yield from _not_an_object()
    yield from update_cases(UPDATE, "")
    yield from question_cases(ASKING, "question")
    both = {**UPDATE, "question": QUESTION}
    yield Malformed("an approval and a question", both, 422, "invalid_field", "question")


def update_cases(base: JsonObject, prefix: str) -> Iterator[Malformed]:
    """Everything that is wrong with one session at ``prefix`` (such as ``sessions[0].``) of a body with an
    approval.
    """
    yield from wrong_types(base, f"{prefix}title", "string")
    yield from wrong_types(base, f"{prefix}activity")
    for name in ("cwd", "project", "model", "toolLabel", "toolKind", "statusDetail"):
        yield from wrong_types(base, f"{prefix}{name}", "string", "null")
    for name in ("openURL", "subagentCount", "pid", "ttlSeconds"):
        yield from wrong_types(base, prefix + name, "null")
    for name in ("message", "approval", "question"):
        yield from wrong_types(base, prefix + name, "object", "null")
    yield from wrong_types(base, f"{prefix}host", "string", "null")
    for name in ("background", "liveText"):
        yield from wrong_types(base, f"{prefix}{name}", "true", "null")
    for name, max_length, required in (
        ("title", 120, True),
        ("cwd", 1024, False),
        ("project", 128, True),
        ("model", 64, False),
        ("toolLabel", 80, False),
        ("statusDetail", 120, False),
    ):
        yield from bad_texts(base, prefix + name, max_length, required=required)
    values: dict[str, list[JsonValue]] = {
        "activity": ["", "busy", "empty", "Tool", "tool ", "waiting_permission", "\ud800", "x" * 100],
        "toolKind": ["x" * 33, "\ud800"],
        "subagentCount": [-1, 100, 1.5, 10**400, 1e300, "2"],
        "pid": [0, -1, 1.5, 4_294_967_296, 10**4000, 1e300, "4242"],
        "ttlSeconds": [9, 3601, 10.5, -1, 0, 10**400, "120"],
        "host": ["", "a b", "a/b", "x" * 65, "é", "vm\n", "vm:22", "user@vm", "\ud800"],
        "openURL": [
            "", "myagent", "myagent ://x", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x",
            "orbtile://x",
            "x-apple.systempreferences:a", "http://example.com", "mailto:a@example.com", "//example.com",
            "/run/7",
            "https://example.com/a b", "https://example.com/\n", "\thttps://example.com",
            " https://example.com",
            "https://example.com/é", "https://example.com/%2", "https://example.com/\u202e", "\ud800",
            "https://example.com/" + "a" * 2029, ":https", "1https://x", "https://exam\x00ple.com",
            "FILE:///x", "https://a\\b",
        ],
    }  # fmt: skip
    for name, bad in values.items():
        for value in bad:
            yield invalid(base, prefix + name, value)
    yield from _messages(base, f"{prefix}message")
    yield from _approvals(base, f"{prefix}approval")


def _messages(base: JsonObject, path: str) -> Iterator[Malformed]:
    for name in ("id", "text"):
        yield missing(base, f"{path}.{name}")
        yield from wrong_types(base, f"{path}.{name}", "string")
        yield invalid(base, f"{path}.{name}", "a\udfff", name="a lone surrogate")
    yield invalid(base, f"{path}.id", "")
    yield invalid(base, f"{path}.id", "x" * 129, name="129 characters")
    yield invalid(base, f"{path}.text", "x" * 16_385, name="16,385 characters")
    yield invalid(base, f"{path}.text", "\x00" * 16_385, name="16,385 control characters")


def _request_ids(base: JsonObject, path: str) -> Iterator[Malformed]:
    yield missing(base, path)
    yield from wrong_types(base, path, "string")
    for value in ("", "a b", "é", "x" * 129, "id\n", "a/b", "\ud800"):
        yield invalid(base, path, value)


def _approvals(base: JsonObject, path: str) -> Iterator[Malformed]:
    yield from _request_ids(base, f"{path}.id")
    for name, max_length in (("toolName", 80), ("commandSummary", 512)):
        yield missing(base, f"{path}.{name}")
        yield from wrong_types(base, f"{path}.{name}", "string")
        yield from bad_texts(base, f"{path}.{name}", max_length, required=True)


def question_cases(base: JsonObject, path: str) -> Iterator[Malformed]:
    """Everything that is wrong with the question at ``path``."""
    yield from _request_ids(base, f"{path}.id")
    questions = f"{path}.questions"
    yield missing(base, questions)
    yield from wrong_types(base, questions)
    yield invalid(base, questions, [QUESTION] * 5, name="five questions")
    first = f"{questions}[0]"
    yield from (
        invalid(base, first, sample, name=kind) for kind, sample in _SAMPLES.items() if kind != "object"
    )
    for name, max_length, required in (("text", 1024, True), ("header", 12, False)):
        yield from wrong_types(base, f"{first}.{name}", "string")
        yield from bad_texts(base, f"{first}.{name}", max_length, required=required)
    yield missing(base, f"{first}.text")
    yield from wrong_types(base, f"{first}.multiSelect", "true")
    yield missing(base, f"{first}.options")
    yield from wrong_types(base, f"{first}.options")
    yield invalid(base, f"{first}.options", [{"label": "A"}], name="one option")
    five: list[JsonValue] = [{"label": letter} for letter in "ABCDE"]
    yield invalid(base, f"{first}.options", five, name="five options")
    option = f"{first}.options[1]"
    yield from wrong_types(base, option, "object")
    yield missing(base, f"{option}.label")
    for name, max_length, required in (("label", 120, True), ("description", 512, False)):
        yield from wrong_types(base, f"{option}.{name}", "string")
        yield from bad_texts(base, f"{option}.{name}", max_length, required=required)
    yield invalid(base, f"{option}.label", "README", name="the first one's label")
    yield invalid(base, f"{option}.label", "\u202eREADME", name="the first one's label once cleaned")


# --- Batches and polls --------------------------------------------------------------------------------------


def _batches() -> Iterator[Malformed]:
    yield from _not_an_object()
    yield missing(BATCH, "sessions")
    yield from wrong_types(BATCH, "sessions", "array")
    yield from wrong_types(BATCH, "sessions[1]", "object")
    many: list[JsonValue] = [{"id": f"s{at}", "title": "t", "activity": "idle"} for at in range(33)]
    yield Malformed("33 sessions", {"sessions": many}, 422, "limit_exceeded", "sessions")
    yield Malformed("10,000 nulls", {"sessions": [None] * 10_000}, 422, "limit_exceeded", "sessions")
    for name in ("id", "title", "activity"):
        yield missing(BATCH, f"sessions[1].{name}")
    yield from wrong_types(BATCH, "sessions[1].id", "string")
    for value in ("", "a b", "a/b", "é", "x" * 129, "run\n", "\ud800"):
        yield invalid(BATCH, "sessions[1].id", value)
    plain: JsonObject = {"id": "a", "title": "t", "activity": "idle"}
    for name, other in {
        "twice": plain,
        "local said once": {**plain, "host": "local"},
        "local by null": {**plain, "host": None},
    }.items():
        twins: JsonObject = {"sessions": [plain, {**plain, "id": "b"}, other]}
        yield Malformed(f"the same session: {name}", twins, 422, "invalid_field", "sessions[2].id")
    yield from update_cases(BATCH, "sessions[0].")
    yield from question_cases(BATCH, "sessions[1].question")


def _polls() -> Iterator[Malformed]:
    yield from _not_an_object()
    for name, too_much in (
        ("after", 9_007_199_254_740_992),
        ("ack", 9_007_199_254_740_992),
        ("waitSeconds", 3),
    ):
        yield from wrong_types(POLL, name)
        for value in (-1, 0.5, too_much, 10**400, 1e300, "1", False):
            yield invalid(POLL, name, value)


MALFORMED_REGISTRATIONS: Final = tuple(_registrations())
MALFORMED_UPDATES: Final = tuple(_updates())
MALFORMED_BATCHES: Final = tuple(_batches())
MALFORMED_POLLS: Final = tuple(_polls())
