from pathlib import Path

import pytest

from orbtile import __version__
from orbtile.cli.parser import Command, Open, Run, ShowPalette, Surface, parse


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ([], Run(None)),
        (["run"], Run(None)),
        (["--data-dir", "/d"], Run(Path("/d"))),
        (["run", "--data-dir=/d"], Run(Path("/d"))),
        (["--data-dir", "/d", "run"], Run(Path("/d"))),
        (["open", "popover"], Open(None, Surface.POPOVER)),
        (["open", "settings"], Open(None, Surface.SETTINGS)),
        (["--data-dir", "/d", "open", "popover"], Open(Path("/d"), Surface.POPOVER)),
        (["open", "popover", "--data-dir", "/d"], Open(Path("/d"), Surface.POPOVER)),
        (["--data-dir", "/a", "open", "popover", "--data-dir", "/b"], Open(Path("/b"), Surface.POPOVER)),
        (["palette", "r.json"], ShowPalette(Path("r.json"))),
        (["palette", "-"], ShowPalette(None)),
        (["palette", "./-"], ShowPalette(Path("./-"))),
        (["palette", "-", "--hue", "0"], ShowPalette(None, hue_deg=0.0)),
        (["palette", "--hue=359.9", "r.json"], ShowPalette(Path("r.json"), hue_deg=359.9)),
        (["palette", "--anchor-attention", "-"], ShowPalette(None, anchor_attention=True)),
    ],
)
def test_a_command_line_says_what_to_do(arguments: list[str], command: Command) -> None:
    assert parse(arguments) == command


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["open"],
        ["open", "keypad"],
        ["open", "popover", "settings"],
        ["--data-dir"],
        ["--data", "/d"],
        ["-x"],
        ["palette"],
        ["palette", "a.json", "b.json"],
        ["palette", "-", "--hue"],
        ["palette", "-", "--hue", "red"],
        ["palette", "-", "--hue", "360"],
        ["palette", "-", "--hue=-1"],
        ["palette", "-", "--hue", "nan"],
        ["palette", "-", "--anchor"],
        ["palette", "-", "--data-dir", "/d"],
    ],
)
def test_a_wrong_command_line_ends_with_2_and_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(arguments)
    assert end.value.code == 2
    assert "usage: orbtile" in capsys.readouterr().err


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"orbtile {__version__}\n"


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("run", "open", "palette", "--data-dir", "--version"))


def test_help_on_palette_names_what_it_takes_and_how_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(["palette", "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert text.isascii()
    parts = ("REGISTRATION.json", "standard input", "--hue DEGREES", "--anchor-attention", "Exit code 0")
    assert all(part in text for part in parts)
