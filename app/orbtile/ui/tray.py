"""The tray icon at work: its look, tooltip and menu, and the clicks on it.

Owns the system tray item and its rebirth when a tray host comes later or restarts. Must not draw
(``tray_icon``), count (``models``) or open windows: it emits.
"""

import sys
from typing import Final

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Signal, Slot
from PySide6.QtGui import QAction, QCursor
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from orbtile.host.settings import TrayInk
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from orbtile.ui.summary import Look, agents_of, look_of, needs_user, tray_tooltip
from orbtile.ui.theme import Theme
from orbtile.ui.tray_icon import Panel, tray_icon

_CLICKS: Final = frozenset(
    {QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick}
)
"""Qt calls a quick second click a double one, and sends nothing else for it: it is a second click."""

_IS_MACOS: Final = sys.platform == "darwin"


class Tray(QObject):
    """One item in the system tray. ``show`` it when the application is ready."""

    popoverRequested = Signal(QRect)
    """A left click: open or close. Carries the icon's place where the system tells it, else the cursor's."""
    openRequested = Signal(QPoint)
    """The menu's "Open": never closes."""
    settingsRequested = Signal()
    quitRequested = Signal()

    def __init__(
        self, bridge: Bridge, theme: Theme, model: SessionModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._theme = theme
        self._model = model
        self._shown: tuple[Look, int, Panel] | None = None
        self._is_on = False
        self._menu = self._build_menu()
        self._item = self._build_item()
        model.countsChanged.connect(self.refresh)
        bridge.adaptersChanged.connect(self.refresh)
        bridge.apiChanged.connect(self.refresh)
        bridge.settingsChanged.connect(self.refresh)
        theme.themeChanged.connect(self.refresh)
        self.refresh()

    @property
    def menu(self) -> QMenu:
        return self._menu

    @property
    def look(self) -> Look:
        return self._shown[0] if self._shown else Look.OFF

    @property
    def tooltip(self) -> str:
        return self._item.toolTip()

    @staticmethod
    def is_available() -> bool:
        """Whether a tray is there to show an icon in."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def show(self) -> None:
        self._is_on = True
        self._item.show()

    def close(self) -> None:
        """Leave the tray for good."""
        self._is_on = False
        self._item.hide()
        self._menu.close()

    @Slot()
    def recreate(self) -> None:
        """A tray host has come (back): Qt does not offer a living item to it, a new one does."""
        old, self._item = self._item, self._build_item()
        old.hide()
        old.deleteLater()
        self._shown = None
        self.refresh()
        if self._is_on:
            self._item.show()

    @Slot()
    def refresh(self) -> None:
        """Take over look, tooltip and menu from the service; touches the system only for what changed."""
        service, counts = self._bridge.service, self._model.counts
        enabled = service.api_enabled
        agents = agents_of(service.adapters())
        needed = needs_user(counts, agents)
        shown = (look_of(counts, agents, api_enabled=enabled), needed, self._panel())
        if shown != self._shown:
            self._shown = shown
            self._item.setIcon(tray_icon(shown[0], needed, shown[2], template=_IS_MACOS))
        words = tray_tooltip(counts, agents, api_enabled=enabled)
        if words != self._item.toolTip():
            self._item.setToolTip(words)
        self._api_action.setChecked(enabled)

    def _panel(self) -> Panel:
        match self._bridge.service.settings.tray_panel:
            case TrayInk.LIGHT:
                return "light"
            case TrayInk.DARK:
                return "dark"
            case _:
                return "dark" if self._theme.is_system_dark else "light"

    def _build_item(self) -> QSystemTrayIcon:
        item = QSystemTrayIcon(self)
        if not _IS_MACOS:  # there a menu would take the left click too
            item.setContextMenu(self._menu)
        item.activated.connect(self._on_activated)
        return item

    def _build_menu(self) -> QMenu:
        menu = QMenu()
        menu.setObjectName("trayMenu")
        opens = self._action(menu, self.tr("Open"), "trayOpen")
        opens.triggered.connect(lambda: self.openRequested.emit(QCursor.pos()))
        settings = self._action(menu, self.tr("Settings…"), "traySettings")
        settings.triggered.connect(self.settingsRequested)
        menu.addSeparator()
        self._api_action = self._action(menu, self.tr("Adapter API"), "trayAdapterApi")
        self._api_action.setCheckable(True)
        self._api_action.triggered.connect(self._on_api_triggered)
        menu.addSeparator()
        quits = self._action(menu, self.tr("Quit"), "trayQuit")
        quits.triggered.connect(self.quitRequested)
        return menu

    def _action(self, menu: QMenu, text: str, name: str) -> QAction:
        action = menu.addAction(text)
        action.setObjectName(name)
        action.setMenuRole(QAction.MenuRole.NoRole)
        return action

    def _on_api_triggered(self, checked: bool) -> None:
        self._bridge.setApiEnabled(checked)
        self._api_action.setChecked(self._bridge.service.api_enabled)

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _CLICKS:
            self.popoverRequested.emit(self._anchor())
        elif reason is QSystemTrayIcon.ActivationReason.Context and _IS_MACOS:
            self._menu.popup(QCursor.pos())  # never exec: a nested loop would hold the server's

    def _anchor(self) -> QRect:
        icon, cursor = self._item.geometry(), QCursor.pos()
        # empty under StatusNotifierItem, and stale under XEmbed until the icon has docked
        return icon if icon.isValid() and icon.contains(cursor) else QRect(cursor, QSize(1, 1))
