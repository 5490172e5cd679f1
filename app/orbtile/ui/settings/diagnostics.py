"""The report that a user may paste into a public place: what runs, on what, in which state.

Owns what is in it. Must never hold session text, a token, or the user's name: ids, counts and kinds only, and
the home folder as ``~``.
"""

import platform
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, qVersion
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from orbtile.host.service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutInfo:
    """What the composition root knows of this installation."""

    version: str
    data_dir: Path
    log_file: Path


def tilde(path: Path) -> str:
    """``path`` with the home folder shortened."""
    home = Path.home()
    return str(Path("~") / path.relative_to(home)) if path.is_relative_to(home) else str(path)


def report(info: AboutInfo, service: "Service") -> str:
    """Lines of ``name: value``, in English whatever the app's language is."""
    settings = service.settings
    # Whoever starts the application needs AboutInfo; the list and all that it draws with come with Settings.
    from orbtile.ui.settings.adapter_list import adapter_state

    adapters = Counter(adapter_state(view).name.lower().replace("_", " ") for view in service.adapters())
    notices = ", ".join(notice.kind.value for notice in service.notices())
    screens = ", ".join(
        f"{screen.size().width()}x{screen.size().height()} at {screen.devicePixelRatio():g}"
        for screen in QGuiApplication.screens()
    )
    lines = {
        "Orbtile": info.version,
        "Python": platform.python_version(),
        "Qt": qVersion(),
        "System": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Window system": QGuiApplication.platformName(),
        "Screens": screens,
        "Locale": QLocale().name(),
        "Data folder": tilde(info.data_dir),
        "Adapter API": "on" if service.api_enabled else "off",
        "Adapters": ", ".join(f"{count} {state}" for state, count in sorted(adapters.items())) or "none",
        "Sessions shown": str(len(service.sessions())),
        "Theme": settings.theme.value,
        "Reduce motion": "on" if settings.reduce_motion else "off",
        "Notices": notices or "none",
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items())
