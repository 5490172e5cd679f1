"""The Settings window on a real service with fake ports, and a person at it."""

from pathlib import Path

from orbtile.host.settings import Settings
from orbtile.ui.bridge import Bridge
from orbtile.ui.motion import MotionClock
from orbtile.ui.settings.adapter_list import AdapterItem
from orbtile.ui.settings.adapter_pane import AdapterPane
from orbtile.ui.settings.diagnostics import AboutInfo
from orbtile.ui.settings.window import SettingsWindow
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host
from tests.fakes.qt import settle
from tests.fakes.widgets import AnyWidget, named, press

ABOUT = AboutInfo(version="1.2.3", data_dir=Path("/srv/data"), log_file=Path("/srv/data/logs/orbtile.log"))


class OpenSettings:
    """``opened`` holds the addresses and folders that the desktop was asked to open."""

    def __init__(self, theme: Theme, host: Host | None = None, *, platform: str = "linux") -> None:
        self.host = host or Host(Settings(api_enabled=True))
        self.opened: list[str] = []
        self.bridge = Bridge(self.host.service)
        self.motion = MotionClock(self.host.clock.monotonic_s)
        self.window = SettingsWindow(
            self.bridge,
            theme,
            ABOUT,
            motion=self.motion,
            open_url=self.opened.append,
            open_folder=lambda folder: self.opened.append(str(folder)),
            now_s=self.host.clock.monotonic_s,
            platform=platform,
        )
        self.window.resize(960, 2000)
        self.window.show()
        self.window.activateWindow()
        settle()

    def catch_up(self) -> None:
        """Let the bridge say what changed, and half a second pass."""
        self.bridge.flush()
        settle()
        self.host.clock.advance(0.5)

    def find(self, name: str, kind: type[AnyWidget]) -> AnyWidget:
        return named(self.window, name, kind)

    def press(self, name: str, kind: type[AnyWidget]) -> None:
        """Press what is called ``name``, after the time that a careful reader takes."""
        self.catch_up()
        press(self.find(name, kind))
        self.catch_up()

    def items(self) -> list[str]:
        return [item.accessibleName() for item in self.window.agents.adapter_list.items]

    def select(self, name: str) -> None:
        self.press(name, AdapterItem)

    @property
    def pane(self) -> AdapterPane:
        pane = self.window.agents.pane
        assert pane is not None
        return pane
