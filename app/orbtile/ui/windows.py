"""What is on the screen: the tray icon, the popover and Settings, each made when it is first needed.

Owns which surface opens for which wish, and whether the popover hangs on a tray or is a normal window. Must
not know sockets, files or how a tray host is noticed (whoever knows calls ``tray_host_changed``).
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, Signal
from PySide6.QtGui import QCursor, QGuiApplication

from orbtile.ui.bridge import Bridge
from orbtile.ui.display import bring_forward, has_display
from orbtile.ui.models import SessionModel
from orbtile.ui.theme import Theme
from orbtile.ui.tray import Tray

if TYPE_CHECKING:
    from orbtile.ui.motion import MotionClock
    from orbtile.ui.popover import Popover
    from orbtile.ui.settings.diagnostics import AboutInfo
    from orbtile.ui.settings.window import SettingsWindow

_log = logging.getLogger(__name__)


class Windows(QObject):
    """``now_s``: the host's monotonic clock. ``example_command`` starts an example adapter when pasted.

    ``has_compositor`` is asked whenever the popover opens. ``open_url`` opens a homepage or a folder.
    ``icons``: the folder of the application's icon, which the first window with a frame puts on for all, and
    of the agents' symbols.
    """

    quit_requested = Signal()

    def __init__(
        self,
        bridge: Bridge,
        *,
        now_s: Callable[[], float],
        about: "AboutInfo",
        open_url: Callable[[str], bool],
        example_command: str | None,
        has_compositor: Callable[[], bool],
        icons: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._now_s = now_s
        self._about = about
        self._open_url = open_url
        self._example_command = example_command
        self._has_compositor = has_compositor
        self._icons = icons
        self._symbols = icons / "symbols" if icons is not None else None
        settings = bridge.service.settings
        self.theme = Theme(settings.theme, reduce_motion=settings.reduce_motion, parent=self)
        self.model = SessionModel(bridge, self)
        self._saves_battery = False
        self._motion: MotionClock | None = None
        self.tray = Tray(bridge, self.theme, self.model, self) if has_display() else None
        """None: nobody can see anything, which a server is content with."""
        self._popover: Popover | None = None
        self._settings: SettingsWindow | None = None
        bridge.settingsChanged.connect(self._on_settings_changed)
        if self.tray is not None:
            self.tray.popoverRequested.connect(self._on_tray_clicked)
            self.tray.openRequested.connect(self.open_popover)
            self.tray.settingsRequested.connect(self.open_settings)
            self.tray.quitRequested.connect(self.quit_requested)

    @property
    def motion(self) -> "MotionClock":
        """What every orb on the screen moves by; made with the first window, so that the app is up before."""
        if self._motion is None:
            from orbtile.ui.motion import MotionClock

            self._motion = MotionClock(self._now_s, self)
            self._set_motion()
        return self._motion

    @property
    def popover(self) -> "Popover":
        """The one popover; made by the first that asks, so that the app is up before it."""
        if self._popover is None:
            from orbtile.ui.popover import Popover

            self._find_symbols()
            self._popover = Popover(
                self._bridge,
                self.theme,
                self.model,
                self._now_s,
                motion=self.motion,
                example_command=self._example_command,
                has_compositor=self._has_compositor,
            )
            self._popover.settings_requested.connect(self.open_settings)
            self._popover.window_closed.connect(self._on_window_closed)
        return self._popover

    @property
    def settings(self) -> "SettingsWindow":
        """The one Settings window."""
        if self._settings is None:
            from orbtile.ui.settings.window import SettingsWindow

            self._put_on_icon()
            self._find_symbols()
            self._settings = SettingsWindow(
                self._bridge,
                self.theme,
                self._about,
                motion=self.motion,
                open_url=self._open_url,
                now_s=self._now_s,
            )
            self._settings.window_closed.connect(self._on_window_closed)
        return self._settings

    def start(self) -> None:
        """Show the tray icon; where there is no tray, a normal window takes the popover's place, and where
        there is no display, nothing does.
        """
        if self.tray is None:
            return
        self.tray.show()
        if not self.has_tray:
            _log.info("no system tray here: the popover is a normal window")
            self.open_popover()

    def tray_host_changed(self) -> None:
        """A tray host came, went or restarted."""
        if self.tray is None:
            return
        self.tray.recreate()
        if self.has_tray:
            if self._popover is not None:
                self._popover.set_windowed(False)
        else:
            self.open_popover()

    def open(self, surface: str) -> None:
        """Show ``popover`` or ``settings`` by name, where there is a display. KeyError for another."""
        show = {"popover": self.open_popover, "settings": self.open_settings}[surface]
        if self.tray is None:
            _log.info("there is no display: %s stays closed", surface)
        else:
            show()

    def open_popover(self, anchor: QPoint | None = None) -> None:
        self._fitting_popover().open_at(anchor if anchor is not None else QCursor.pos())

    def open_settings(self) -> None:
        window = self.settings
        window.show_page(window.agents)
        window.showNormal() if window.isMinimized() else window.show()
        bring_forward(window)

    def set_battery_saver(self, on: bool) -> None:
        """The system wants power saved: nothing moves then, as with reduced motion."""
        self._saves_battery = on
        self._set_motion()

    def close(self) -> None:
        """Take everything off the screen for good."""
        if self.tray is not None:
            self.tray.close()
        for window in (self._popover, self._settings):
            if window is not None:
                window.hide()
                window.deleteLater()
        self._popover = self._settings = None

    def _on_tray_clicked(self, anchor: QRect) -> None:
        self._fitting_popover().toggle_at(anchor)

    def _fitting_popover(self) -> "Popover":
        """The popover as what there is a place for now: not every tray says when it comes or goes."""
        has_tray = self.has_tray
        if not has_tray:
            self._put_on_icon()
        self.popover.set_windowed(not has_tray)
        return self.popover

    def _put_on_icon(self) -> None:
        """Not for the popover beside the tray, which shows no icon and opens at once."""
        if self._icons is not None:
            from orbtile.ui.app_icon import app_icon

            QGuiApplication.setWindowIcon(app_icon(self._icons))
            self._icons = None

    def _find_symbols(self) -> None:
        """Only windows show agents."""
        if self._symbols is not None:
            from orbtile.ui.symbols import find_symbols_in

            find_symbols_in(self._symbols)

    @property
    def has_tray(self) -> bool:
        """Whether the icon has a tray to stand in, now."""
        return self.tray is not None and self.tray.is_available()

    def _on_window_closed(self) -> None:
        """The user closed a window. Without a tray the last one leaves nothing on the screen: quit then."""
        others = (window for window in (self._popover, self._settings) if window is not self.sender())
        if not self.has_tray and not any(window and window.isVisible() for window in others):
            self.quit_requested.emit()

    def _on_settings_changed(self) -> None:
        settings = self._bridge.service.settings
        self.theme.apply(settings.theme, reduce_motion=settings.reduce_motion)
        self._set_motion()

    def _set_motion(self) -> None:
        if self._motion is not None:
            self._motion.set_still(self._saves_battery or self._bridge.service.settings.reduce_motion)
