"""``python -m orbtile``, the ``orbtile`` command and the ``orbtile-app`` program.

Owns the way from a command line to what it asks for. Must not load Qt for a command that needs none:
``orbtile open`` is bound to keys and answers at once.
"""

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from orbtile.cli import open as cli_open
from orbtile.cli.parser import Open, ShowPalette, parse
from orbtile.system.machine import read_edition, read_machine
from orbtile.system.paths import resolve_paths


def console(arguments: Sequence[str] | None = None) -> int:
    """The ``orbtile`` command; returns the exit code."""
    command = parse(sys.argv[1:] if arguments is None else arguments)
    if isinstance(command, Open):
        paths = resolve_paths(read_machine(), read_edition(), os.environ, data_dir=_text(command.data_dir))
        return cli_open.run(paths.here(), command.surface)
    if isinstance(command, ShowPalette):
        from orbtile.cli import palette as cli_palette  # the others need no parser of registrations

        return cli_palette.run(command)
    return _run(command.data_dir)


def gui() -> int:
    """The ``orbtile-app`` program: the application, without a console."""
    return _run(None)


def _run(data_dir: Path | None) -> int:
    # Next to nothing that starting makes is garbage. The collector is on again once the application is up.
    gc.disable()
    from orbtile.main import App

    machine = read_machine()
    return App(
        machine, resolve_paths(machine, read_edition(), os.environ, data_dir=_text(data_dir)).here()
    ).run()


def _text(folder: Path | None) -> str | None:
    return None if folder is None else str(folder)


if __name__ == "__main__":
    sys.exit(console())
