import io
import json
import sys
from pathlib import Path

import pytest

from orbtile.cli.palette import ExitCode, run
from orbtile.cli.parser import ShowPalette
from orbtile.palette.scheme import PaletteSource, StateColours, make_scheme
from orbtile.palette.states import State
from orbtile.palette.vision import confusions
from orbtile.protocol.errors import ApiError
from orbtile.protocol.fields import JsonObject
from orbtile.protocol.registration import parse_registration
from tests.fakes.bodies import REGISTRATION, encode
from tests.fakes.malformed import MALFORMED_REGISTRATIONS, Malformed
from tests.fakes.malformed_json import MALFORMED_BODIES

Output = pytest.CaptureFixture[bytes]

SIMPLE: JsonObject = {"name": "My tool", "palette": {"baseHue": 270}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "registration.json"


def printed(command: ShowPalette, output: Output) -> JsonObject:
    assert run(command) is ExitCode.DONE
    stdout, stderr = output.readouterr()
    assert stderr == b""
    value: JsonObject = json.loads(stdout.decode("utf-8"))
    return value


def refused(command: ShowPalette, output: Output) -> list[str]:
    assert run(command) is ExitCode.BAD_REGISTRATION
    stdout, stderr = output.readouterr()
    assert stdout == b""
    return stderr.decode("utf-8").splitlines()


def as_printed(colours: StateColours) -> JsonObject:
    deep, base, hi, hot, heart = colours.ramp
    return {
        "ramp": {"deep": deep, "base": base, "hi": hi, "hot": hot, "heart": heart},
        "textDark": colours.text_dark,
        "textLight": colours.text_light,
        "textKey": colours.text_key,
        "chipBackground": colours.chip_background,
        "chipText": colours.chip_text,
    }


# --- What is printed ----------------------------------------------------------------------------------------


def test_every_state_is_printed_with_all_its_colours(file: Path, capsysbinary: Output) -> None:
    file.write_bytes(encode(SIMPLE))
    value = printed(ShowPalette(file), capsysbinary)
    scheme = make_scheme(PaletteSource(270.0))
    assert value["name"] == "My tool"
    assert value["palette"] == {"baseHue": 270}
    assert value["resolvedBaseHue"] == 270
    assert value["states"] == {str(state): as_printed(scheme[state]) for state in State}


def test_states_that_look_alike_are_printed_with_numbers(file: Path, capsysbinary: Output) -> None:
    file.write_bytes(encode(SIMPLE))
    (confusion,) = confusions(make_scheme(PaletteSource(270.0)))
    assert printed(ShowPalette(file), capsysbinary)["colourVision"] == [
        {
            "vision": "deuteranopia",
            "states": ["waitingQuestion", "compacting"],
            "distance": round(confusion.distance, 1),
            "normalDistance": round(confusion.normal_distance, 1),
            "message": confusion.sentence,
        }
    ]


def test_the_warnings_are_those_of_the_palette_and_of_unknown_fields(
    file: Path, capsysbinary: Output
) -> None:
    file.write_bytes(encode({"name": "x", "palette": {"baseHue": 20, "hue": 1}, "colour": "red"}))
    value = printed(ShowPalette(file), capsysbinary)
    assert value["warnings"] == [
        *make_scheme(PaletteSource(20.0)).warnings,
        "unknown field 'palette.hue' ignored",
        "unknown field 'colour' ignored",
    ]
    assert value["resolvedBaseHue"] == 345.9


def test_a_users_hue_is_printed_as_the_palette_in_use(file: Path, capsysbinary: Output) -> None:
    file.write_bytes(encode(REGISTRATION))
    value = printed(ShowPalette(file, hue_deg=20.5), capsysbinary)
    assert value["palette"] == {"baseHue": 20.5, "chroma": 1.1, "lightness": 0.01}
    assert value["resolvedBaseHue"] == 345.9
    scheme = make_scheme(PaletteSource(20.5, 1.1, 0.01))
    assert value["states"] == {str(state): as_printed(scheme[state]) for state in State}


def test_one_alarm_colour_for_all_agents_recolours_what_waits(file: Path, capsysbinary: Output) -> None:
    file.write_bytes(encode(REGISTRATION))
    own = printed(ShowPalette(file), capsysbinary)["states"]
    shared = printed(ShowPalette(file, anchor_attention=True), capsysbinary)["states"]
    assert isinstance(own, dict)
    assert isinstance(shared, dict)
    changed = {name for name in own if own[name] != shared[name]}
    assert changed == {"waitingPermission", "waitingQuestion"}


def test_text_is_utf_8_whatever_the_console_is_set_to(
    file: Path, capsysbinary: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(encode({"name": "Ägent 日本", "palette": {"baseHue": 270}}))
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="cp1252", newline="\r\n"))
    assert run(ShowPalette(file)) is ExitCode.DONE
    assert '"name": "Ägent 日本"'.encode() in written.getvalue()
    assert b"\r" not in written.getvalue()


# --- Where it comes from ------------------------------------------------------------------------------------


def give(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body), encoding="cp1252"))


def test_a_dash_reads_standard_input(capsysbinary: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    give(encode(SIMPLE), monkeypatch)
    assert printed(ShowPalette(None), capsysbinary)["resolvedBaseHue"] == 270


def test_errors_about_standard_input_name_it(capsysbinary: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    give(b"{", monkeypatch)
    (line,) = refused(ShowPalette(None), capsysbinary)
    assert line.startswith(
        "orbtile: standard input: is not JSON as the Adapter API takes it: line 1, column 2: "
    )


def test_a_closed_standard_input_is_no_registration(
    capsysbinary: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert refused(ShowPalette(None), capsysbinary) == ["orbtile: standard input: is closed"]


def test_a_body_may_be_as_long_as_on_the_wire_and_no_longer(file: Path, capsysbinary: Output) -> None:
    body = encode(SIMPLE)
    file.write_bytes(body + b" " * (65_536 - len(body)))
    assert run(ShowPalette(file)) is ExitCode.DONE
    capsysbinary.readouterr()
    file.write_bytes(body + b" " * (65_537 - len(body)))
    assert refused(ShowPalette(file), capsysbinary) == [
        f"orbtile: {file}: is over 65536 bytes: the Adapter API refuses it"
    ]


def test_what_cannot_be_read_is_said_in_one_line(tmp_path: Path, capsysbinary: Output) -> None:
    (line,) = refused(ShowPalette(tmp_path / "nowhere.json"), capsysbinary)
    assert line == f"orbtile: {tmp_path / 'nowhere.json'}: No such file or directory"
    (line,) = refused(ShowPalette(tmp_path), capsysbinary)
    assert line.startswith(f"orbtile: {tmp_path}: ")


# --- What is wrong with it ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "line 1, column 1: "),
        (b'{"name": "x",\n "palette" {}}', "line 2, column 12: "),
        ('{"name": "x"}'.encode("utf-16"), "it is UTF-16; save it as UTF-8"),
        (b'\xfe\xff\x00"', "it is UTF-16; save it as UTF-8"),
        (b"\xef\xbb\xbf{}", "it begins with a byte order mark; save it as UTF-8 without one"),
        (b'{"name": "\xe4"}', "byte 11 is not UTF-8"),
        (b'{"a": 1, "a": 2}', "a name twice in one object, too deep a nesting, or a number out of range"),
        (b"[" * 60_000, "a name twice in one object, too deep a nesting, or a number out of range"),
        (b'{"palette": {"baseHue": 1e999}}', "a name twice in one object, too deep a nesting, or a number"),
    ],
)
def test_what_is_not_json_is_said_with_its_place(
    body: bytes, reason: str, file: Path, capsysbinary: Output
) -> None:
    file.write_bytes(body)
    (line,) = refused(ShowPalette(file), capsysbinary)
    assert line.startswith(f"orbtile: {file}: is not JSON as the Adapter API takes it: {reason}")


@pytest.mark.parametrize("body", MALFORMED_BODIES.values(), ids=MALFORMED_BODIES)
def test_no_malformed_body_gets_more_than_a_line(body: bytes, file: Path, capsysbinary: Output) -> None:
    file.write_bytes(body)
    (line,) = refused(ShowPalette(file), capsysbinary)
    assert line.startswith(f"orbtile: {file}: is ")


@pytest.mark.parametrize("case", MALFORMED_REGISTRATIONS, ids=lambda case: case.name)
def test_a_bad_registration_gets_the_error_of_the_api(
    case: Malformed, file: Path, capsysbinary: Output
) -> None:
    file.write_bytes(encode(case.body))
    with pytest.raises(ApiError) as expected:
        parse_registration(case.body)
    message = expected.value.message
    line, last = refused(ShowPalette(file), capsysbinary)
    assert line == f"orbtile: {file}: {message}"
    assert json.loads(last) == {"error": {"code": case.code, "message": message, "field": case.field}}
