"""A screen and a tray for the programs that are measured: the tests' desktop, without a screen reader.

Where what it is made of is not installed, Qt's offscreen platform takes its place, and the report says so.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.tools.desktop import Desktop

NEEDED = ("Xvfb", "openbox", "trayer", "dbus-daemon")
UNWANTED = frozenset(
    {
        *("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "NO_AT_BRIDGE", "PYTHONDONTWRITEBYTECODE"),
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """``environment`` for what runs there; ``description`` for the report."""

    environment: Mapping[str, str]
    description: str


@contextlib.contextmanager
def desktop() -> Iterator[Place]:
    """A private desktop for as long as the block runs."""
    with contextlib.ExitStack() as stack:
        if all(shutil.which(program) for program in NEEDED):
            environment = stack.enter_context(Desktop("trayer")).env
            description = "Xvfb, openbox, trayer (XEmbed)"
        else:
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
            description = "Qt's offscreen platform, no tray"
        # Users start from compiled modules. The first start, which is discarded, compiles them.
        compiled = stack.enter_context(tempfile.TemporaryDirectory(prefix="orb-compiled-"))
        kept = {name: value for name, value in environment.items() if name not in UNWANTED}
        yield Place({**kept, "PYTHONPYCACHEPREFIX": compiled}, description)
