"""Where ``resources/`` and ``icons/`` are: beside the sources, inside the installed package, or inside the
bundle.

Owns the three places. Must not open what it finds.
"""

import sys
from pathlib import Path
from typing import Literal

import orbtile

Kind = Literal["resources", "icons"]


def resource_folder(kind: Kind, package: Path | None = None) -> Path:
    """The folder of that kind. FileNotFoundError: the installation is incomplete.

    ``package`` is the folder of the ``orbtile`` package (default: the running one's). A wheel and a
    PyInstaller bundle carry the folders in ``<package>/_resources``; in a source tree they are two levels
    above it.
    """
    root = package or _running_package()
    for home in (root / "_resources", root.parent.parent):
        if (home / kind).is_dir():
            return home / kind
    raise FileNotFoundError(f"{kind}: neither in {root / '_resources'} nor in {root.parent.parent}")


def _running_package() -> Path:
    """In a bundle the modules are in an archive; their files are under the folder that PyInstaller names."""
    bundle = getattr(sys, "_MEIPASS", None)
    if isinstance(bundle, str):
        return Path(bundle, "orbtile")
    return Path(orbtile.__file__).parent
