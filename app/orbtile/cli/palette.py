"""``orbtile palette REGISTRATION.json``: the colours that Orbtile would draw an adapter with, as JSON.

Owns the reading of the file, the form of what is printed, and the exit code. Must not import Qt or an image
decoder, and asks no running instance: what is printed follows from the file alone.
"""

import json
import os
import sys
from enum import IntEnum
from pathlib import Path

from orbtile.cli.parser import ShowPalette
from orbtile.host.appearance import effective_palette
from orbtile.palette.scheme import StateColours, make_scheme
from orbtile.palette.states import State
from orbtile.palette.vision import Confusion, confusions
from orbtile.protocol import limits
from orbtile.protocol.errors import ApiError
from orbtile.protocol.registration import Registration, encode_number, encode_palette, parse_registration
from orbtile.protocol.wire import JsonObject, JsonValue, dump_json, encode_error, parse_json


class ExitCode(IntEnum):
    """Of ``orbtile palette``. 2 is the parser's for a wrong command line, too."""

    DONE = 0
    BAD_REGISTRATION = 2


class UnusableFileError(Exception):
    """There is no JSON to be had there; the text says why."""


def run(command: ShowPalette) -> ExitCode:
    """The command: 0 and the colours on stdout; else 2, and on stderr a line that says what is wrong. A
    reader of stdout that has seen enough (``head``) is no trouble.

    Where a field is wrong, a second line is the error as the Adapter API answers it.
    """
    name = "standard input" if command.registration is None else str(command.registration)
    try:
        registration, unknown_fields = parse_registration(_json(_body(command.registration)))
    except UnusableFileError as error:
        _print_error(f"orbtile: {name}: {error}")
        return ExitCode.BAD_REGISTRATION
    except ApiError as error:
        _print_error(f"orbtile: {name}: {error.message}")
        _print_error(dump_json(encode_error(error)).decode("ascii"))
        return ExitCode.BAD_REGISTRATION
    _print(_described(registration, unknown_fields, command))
    return ExitCode.DONE


# --- Reading ------------------------------------------------------------------------------------------------


def _body(file: Path | None) -> bytes:
    """All of the file, or of standard input. Raises UnusableFileError; also for more than the wire takes."""
    if file is None and sys.stdin is None:
        raise UnusableFileError("is closed")
    try:
        if file is None:
            body = sys.stdin.buffer.read(limits.MAX_BODY_BYTES + 1)
        else:
            with file.open("rb") as stream:
                body = stream.read(limits.MAX_BODY_BYTES + 1)
    except OSError as error:
        raise UnusableFileError(error.strerror or "cannot be read") from error
    if len(body) > limits.MAX_BODY_BYTES:
        raise UnusableFileError(f"is over {limits.MAX_BODY_BYTES} bytes: the Adapter API refuses it")
    return body


def _json(body: bytes) -> JsonValue:
    try:
        return parse_json(body)
    except ApiError:
        raise UnusableFileError(f"is not JSON as the Adapter API takes it: {_what_is_wrong(body)}") from None


def _what_is_wrong(body: bytes) -> str:
    """Where, if it can be said: the API only says that, but an author sits in front of an editor here."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is UTF-16; save it as UTF-8"
    if body.startswith(b"\xef\xbb\xbf"):
        return "it begins with a byte order mark; save it as UTF-8 without one"
    try:
        json.loads(body.decode())
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} is not UTF-8"
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError):
        pass
    return "a name twice in one object, too deep a nesting, or a number out of range"


# --- Printing -----------------------------------------------------------------------------------------------


def _described(registration: Registration, unknown_fields: list[str], command: ShowPalette) -> JsonObject:
    palette = effective_palette(registration.palette, command.hue_deg)
    scheme = make_scheme(palette.source, anchor_attention=command.anchor_attention)
    return {
        "name": registration.name,
        "palette": encode_palette(palette),
        "resolvedBaseHue": encode_number(scheme.resolved_base_hue_deg),
        "states": {str(state): _state(scheme[state]) for state in State},
        "warnings": [*scheme.warnings, *unknown_fields],
        "colourVision": [_confusion(confusion) for confusion in confusions(scheme)],
    }


def _state(colours: StateColours) -> JsonObject:
    return {
        "ramp": dict(colours.ramp._asdict()),
        "textDark": colours.text_dark,
        "textLight": colours.text_light,
        "textKey": colours.text_key,
        "chipBackground": colours.chip_background,
        "chipText": colours.chip_text,
    }


def _confusion(confusion: Confusion) -> JsonObject:
    return {
        "vision": str(confusion.vision),
        "states": [str(confusion.first), str(confusion.second)],
        "distance": round(confusion.distance, 1),
        "normalDistance": round(confusion.normal_distance, 1),
        "message": confusion.sentence,
    }


def _print(value: JsonObject) -> None:
    """In UTF-8, as JSON is, whatever the console's code page. A lone surrogate comes out escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # What is left in the buffer must go somewhere: the interpreter flushes once more when it exits.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _print_error(line: str) -> None:
    sys.stderr.buffer.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    sys.stderr.buffer.flush()
