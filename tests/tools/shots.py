"""``dev.py shots``: the pictures of the README and the docs, taken from the running application.

Development tooling. The application is started as users start it, on a desktop of its own, with the demo
adapter as a process beside it; Allow is pressed through the screen reader. Anyone can make them again. The
contact sheets of the orbs (``contact_sheet``) are made with them.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from Xlib import X
from Xlib.error import BadWindow

from tests.tools.desktop import Desktop, wait_for
from tests.tools.running_app import RunningApp

ROOT: Final = Path(__file__).resolve().parents[2]
ADAPTER: Final = ROOT / "adapters" / "examples" / "demo.py"
PICTURES: Final = ROOT / "docs" / "pictures"
SCREEN: Final = (2240, 1720)
MARGIN_PX: Final = 32
STORIES_BEGIN_S: Final = 13.0
"""How long the demo's sessions live before the picture: then all of them are doing something."""

ThemeName = Literal["dark", "light"]
DESK: Final = {"dark": "#2c2a28", "light": "#d9d5d0"}


@dataclass(frozen=True, slots=True)
class Shot:
    """One surface to take: the name that ``orbtile open`` knows it by, and how its title begins."""

    name: str
    surface: str
    window: str


SHOTS: Final = (Shot("popover", "popover", "Orbtile"), Shot("settings", "settings", "Settings"))


def take_all(theme: ThemeName) -> None:
    """Take each surface at 2x in one theme."""
    with Desktop("trayer", size=SCREEN, compositor=True) as desktop:
        desktop.env["QT_SCALE_FACTOR"] = "2"
        desktop.start("xsetroot", "-solid", DESK[theme]).process.wait()
        app = RunningApp(desktop, settings={"theme": theme})
        env = {"ORBTILE_API_FILE": str(app.discovery_file)}
        adapter = desktop.start(sys.executable, str(ADAPTER), "--quiet", env=env)
        _open(app, "popover")
        wait_for("the demo's sessions", lambda: _is_allowed(app))
        time.sleep(STORIES_BEGIN_S)
        for shot in SHOTS:
            _open(app, shot.surface)
            desktop.move_to(4, SCREEN[1] - 4)
            time.sleep(1.0)  # the compositor's, the hover's and the focus's last frame
            _save(_part(desktop, shot.window), f"{shot.name}-{theme}")
        adapter.stop()
        app.stop()


def _open(app: RunningApp, surface: str) -> None:
    env = {**app.desktop.env, "ORBTILE_DATA_DIR": str(app.data_dir)}
    subprocess.run([sys.executable, "-m", "orbtile", "open", surface], env=env, check=True, timeout=20)


def _is_allowed(app: RunningApp) -> bool:
    time.sleep(0.6)  # a banner takes no input in its first half second
    with contextlib.suppress(LookupError):  # taken: the banner is gone
        app.screen_reader.press("Allow Demo Agent", patience_s=1)
    consents = app.data_dir / "consents.json"
    if not consents.exists():
        return False
    adapters = json.loads(consents.read_text(encoding="utf-8"))["adapters"]
    return [record["decision"] for record in adapters.values()] == ["allowed"]


def _part(desktop: Desktop, title: str) -> QImage:
    around = wait_for(title, lambda: _place_of(desktop, title))
    around = around.adjusted(-MARGIN_PX, -MARGIN_PX, MARGIN_PX, MARGIN_PX)
    return desktop.screenshot().copy(around.intersected(QRect(0, 0, *SCREEN)))


def _place_of(desktop: Desktop, title: str) -> QRect | None:
    for window in desktop.windows():
        with contextlib.suppress(BadWindow):
            name = window.get_wm_name()
            is_showing = window.get_attributes().map_state == X.IsViewable
            if isinstance(name, str) and name.startswith(title) and is_showing:
                size = window.get_geometry()
                middle_x, middle_y = desktop.middle_of(window)
                return QRect(middle_x - size.width // 2, middle_y - size.height // 2, size.width, size.height)
    return None


def _save(picture: QImage, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    if not picture.save(str(path)):
        sys.exit(f"shots: {path} could not be written")
    print(f"shots: {path.relative_to(ROOT)} {picture.width()}x{picture.height()}")


def main() -> int:
    argparse.ArgumentParser(prog="dev.py shots", description=__doc__).parse_args()
    take_all("dark")
    take_all("light")
    subprocess.run([sys.executable, "-m", "tests.tools.contact_sheet", str(PICTURES)], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
