"""``python -m orbtile palette`` as a program, and what its page in the docs says about it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from orbtile.palette.scheme import make_scheme
from orbtile.palette.states import State
from orbtile.protocol.registration import parse_registration
from tests.fakes.bodies import REGISTRATION, encode

PAGE = Path(__file__).parents[2] / "docs" / "palette.md"
COMMAND = (sys.executable, "-m", "orbtile", "palette")
PATIENCE_S = 30.0


def palette(*arguments: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Under an encoding that can say next to nothing, as some consoles have it."""
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    return subprocess.run(
        [*COMMAND, *arguments], input=given, env=env, capture_output=True, timeout=PATIENCE_S, check=False
    )


def test_a_registration_in_a_file_is_printed_as_json(tmp_path: Path) -> None:
    file = tmp_path / "registration.json"
    file.write_bytes(encode({**REGISTRATION, "name": "Ägent"}))
    done = palette(file)
    assert (done.returncode, done.stderr) == (0, b"")
    value = json.loads(done.stdout.decode("utf-8"))
    assert value["name"] == "Ägent"
    assert list(value["states"]) == [str(state) for state in State]
    assert any("15° of the error hue" in warning for warning in value["warnings"])


def test_a_registration_on_standard_input_is_printed_for_the_users_choices() -> None:
    done = palette("-", "--hue", "140", "--anchor-attention", given=encode(REGISTRATION))
    assert (done.returncode, done.stderr) == (0, b"")
    value = json.loads(done.stdout)
    assert value["resolvedBaseHue"] == 140
    assert "states" not in value["palette"]


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        pytest.param(b"", ["is not JSON as the Adapter API takes it: line 1, column 1: "], id="nothing"),
        pytest.param(b"\xff", ["is not JSON as the Adapter API takes it: byte 1 is not UTF-8"], id="bytes"),
        pytest.param(b" " * 70_000, ["is over 65536 bytes: the Adapter API refuses it"], id="too long"),
        pytest.param(b"[]", ["body: must be an object", '"field":"body"'], id="an array"),
        pytest.param(b"{}", ["name: is required", '"field":"name"'], id="no name"),
        pytest.param(
            encode({"name": "x", "palette": {"baseHue": "red"}}),
            ["palette.baseHue: must be a number", '"code":"invalid_field"'],
            id="a hue in words",
        ),
        pytest.param(
            encode({"name": "x", "palette": {"baseHue": 1, "states": {"error": "#ff0000"}}}),
            ["palette.states.error: ", '"field":"palette.states.error"'],
            id="the error's colour",
        ),
        pytest.param(
            encode({"name": "x", "palette": {"baseHue": 1}, "icon": {"png": "AAAA"}}),
            ["icon.png: ", '"field":"icon.png"'],
            id="no PNG",
        ),
    ],
)
def test_what_is_wrong_is_said_on_standard_error_and_ends_with_2(given: bytes, lines: list[str]) -> None:
    done = palette("-", given=given)
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode("utf-8").splitlines()
    assert len(said) == len(lines)
    assert said[0].startswith(f"orbtile: standard input: {lines[0]}")
    for line, part in zip(said[1:], lines[1:], strict=True):
        assert part in line
        assert json.loads(line)["error"]["message"] == said[0].removeprefix("orbtile: standard input: ")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Windows break in another way")
def test_a_reader_that_has_seen_enough_is_no_trouble() -> None:
    with subprocess.Popen(
        [*COMMAND, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(encode(REGISTRATION))
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    "arguments", [(), ("a", "b"), ("-", "--hue"), ("-", "--hue", "360"), ("--data-dir", "d", "-")]
)
def test_a_wrong_command_line_ends_with_2_and_the_usage(arguments: tuple[str, ...]) -> None:
    done = palette(*arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"usage: orbtile" in done.stderr


def test_a_file_that_is_not_there_ends_with_2_and_one_line(tmp_path: Path) -> None:
    done = palette(tmp_path / "nowhere.json")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_nothing_is_loaded_that_colours_do_not_need(tmp_path: Path) -> None:
    file = tmp_path / "registration.json"
    file.write_bytes(encode(REGISTRATION))
    program = (
        "import sys\n"
        "from orbtile.__main__ import console\n"
        "assert console(sys.argv[1:]) == 0\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "palette", file], capture_output=True, timeout=PATIENCE_S, check=True
    )
    loaded = set(done.stderr.decode().split())
    assert "orbtile" in loaded
    assert not loaded & {"PySide6", "shiboken6", "qasync", "PIL", "asyncio", "httptools", "cryptography"}


# --- docs/palette.md ----------------------------------------------------------------------------------------


def blocks_of_the_page() -> list[tuple[str, str]]:
    return re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def piped(command: str) -> tuple[str, ...]:
    """What a line of the page pipes into ``orbtile palette``, and with which arguments."""
    match = re.fullmatch(r"echo '(.*)' \| \.venv/bin/orbtile palette (.*)\n", command)
    assert match is not None
    return match[1], *match[2].split()


def test_the_examples_of_the_page_are_what_the_program_prints() -> None:
    (sh, good), (_, printed), (sh_again, bad), (_, refusal) = blocks_of_the_page()
    assert (sh, sh_again) == ("sh", "sh")

    given, *arguments = piped(good)
    output = palette(*arguments, given=given.encode()).stdout.decode("utf-8")
    parts = re.split(r"^ *\.\.\.\n", printed, flags=re.MULTILINE)
    assert len(parts) == 3
    at = 0
    for part in parts:
        assert part in output[at:]
        at = output.index(part, at) + len(part)
    assert output.startswith(parts[0])
    assert output.endswith(parts[-1])

    given, *arguments = piped(bad)
    done = palette(*arguments, given=given.encode())
    assert done.returncode == 2
    assert done.stderr.decode("utf-8").replace("\r\n", "\n") == refusal


def test_every_warning_of_the_page_is_one_that_its_palette_gets() -> None:
    rows = re.findall(r"^\| `(\{.*?\})` \| `(.*?)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 10
    for body, warning in rows:
        registration, unknown = parse_registration({"name": "x", "palette": json.loads(body)})
        assert warning in [*make_scheme(registration.palette.source).warnings, *unknown]
