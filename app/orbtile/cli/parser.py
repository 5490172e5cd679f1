"""The command line: which subcommand, and with which options.

Owns names, help texts and defaults. Must not do what a command says.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from orbtile import __version__


class Surface(StrEnum):
    """What ``orbtile open`` can show; the value is the last part of ``/control/open/...``."""

    POPOVER = "popover"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Run:
    """Start the application, or open the popover of the one that runs."""

    data_dir: Path | None


@dataclass(frozen=True, slots=True)
class Open:
    """Show a surface of the running application."""

    data_dir: Path | None
    surface: Surface


Command = Run | Open


def parse(arguments: Sequence[str]) -> Command:
    """The command, ``run`` when none is named.

    SystemExit: 2 for a usage error, 0 after ``--help`` or ``--version``.
    """
    parsed = _parser().parse_args(arguments)
    data_dir: Path | None = getattr(parsed, "data_dir", None)
    if parsed.command == "open":
        return Open(data_dir, Surface(parsed.surface))
    return Run(data_dir)


def _parser() -> argparse.ArgumentParser:
    # Accepted before and after the subcommand; SUPPRESS keeps the second parser from undoing the first's
    # value.
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument(
        "--data-dir",
        type=Path,
        metavar="FOLDER",
        help="keep settings, consents, logs and the discovery file there (or set ORBTILE_DATA_DIR)",
    )
    parser = argparse.ArgumentParser(
        prog="orbtile",
        parents=[shared],
        description="Shows what your coding agents are doing, in the system tray.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"orbtile {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    commands.add_parser("run", parents=[shared], help="start Orbtile (what happens without a command)")
    opening = commands.add_parser(
        "open",
        parents=[shared],
        help="show a part of the running Orbtile",
        description="Shows a part of the running Orbtile; bind a key to it.",
        epilog="Exit code 0: done. 1: Orbtile is not running. 2: the command line is wrong.",
    )
    opening.add_argument("surface", choices=[surface.value for surface in Surface], help="what to show")
    return parser
