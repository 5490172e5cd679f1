"""The command line: which subcommand, and with which options.

Owns names, help texts and defaults. Must not do what a command says.
"""

import argparse
import math
from collections.abc import Callable, Sequence
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


@dataclass(frozen=True, slots=True)
class ShowPalette:
    """Print the colours of a registration, read from a file or from standard input (None).

    ``anchor_attention`` and ``hue_deg`` are what a user may have chosen. ``hue_deg`` is 0..<360 (None: the
    adapter's own colours).
    """

    registration: Path | None
    anchor_attention: bool = False
    hue_deg: float | None = None


Command = Run | Open | ShowPalette


def parse(arguments: Sequence[str]) -> Command:
    """The command, ``run`` when none is named.

    SystemExit: 2 for a usage error, 0 after ``--help`` or ``--version``.
    """
    parsed = _parser().parse_args(arguments)
    data_dir: Path | None = getattr(parsed, "data_dir", None)
    if parsed.command == "open":
        return Open(data_dir, Surface(parsed.surface))
    if parsed.command == "palette":
        file = None if parsed.registration == "-" else Path(parsed.registration)
        return ShowPalette(file, parsed.anchor_attention, parsed.hue)
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
    _add_palette(commands.add_parser)
    return parser


def _add_palette(add_parser: Callable[..., argparse.ArgumentParser]) -> None:
    # No ``shared``: what it prints depends on no folder.
    palette = add_parser(
        "palette",
        help="print the colours that an adapter's registration makes (for authors of adapters)",
        description=(
            "Prints, as JSON, the colours that Orbtile makes of an adapter's registration: the five stops "
            "of every state's orb from the darkest to the lightest, its text and chip colours, the "
            "warnings, the base hue in use, and which states look alike to somebody who lacks one kind of "
            "cone. Orbtile need not run."
        ),
        epilog=(
            "Exit code 0: done, also with warnings. 2: the command line, the file or the registration is "
            "wrong; where a field is, the last line on standard error is the error as the Adapter API "
            "answers it. docs/palette.md explains the colours and every warning."
        ),
        allow_abbrev=False,
    )
    palette.add_argument(
        "registration",
        metavar="REGISTRATION.json",
        help="the body of PUT /adapters/ID, at most 64 KiB; - reads standard input",
    )
    palette.add_argument(
        "--anchor-attention",
        action="store_true",
        help="as for users who chose one alarm colour for all agents",
    )
    palette.add_argument(
        "--hue",
        type=_hue,
        metavar="DEGREES",
        help="as for a user who dragged the agent's hue ring there (0 to below 360)",
    )


def _hue(text: str) -> float:
    """Raises ArgumentTypeError for anything but a number from 0 to below 360."""
    try:
        hue_deg = float(text)
    except ValueError:
        hue_deg = math.nan
    if not 0 <= hue_deg < 360:
        raise argparse.ArgumentTypeError("must be a number from 0 to below 360")
    return hue_deg
