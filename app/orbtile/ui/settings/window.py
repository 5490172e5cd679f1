"""The Settings window: a sidebar with General, Agents and About, the notices, and the page.

Owns which page is shown. Must not know a setting. The window's frame is the system's.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QCloseEvent,
    QDesktopServices,
    QFontMetrics,
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from orbtile.ui.accessible_roles import install_accessible_roles
from orbtile.ui.bridge import Bridge
from orbtile.ui.feedback import Feedback, keep_one_tab_stop, paint_inner_ring
from orbtile.ui.icons import IconName, paint_icon
from orbtile.ui.motion import ExposureWatch, MotionClock
from orbtile.ui.settings.about_page import AboutPage, OpenFolder
from orbtile.ui.settings.agents_page import AgentsPage
from orbtile.ui.settings.diagnostics import AboutInfo
from orbtile.ui.settings.general_page import GeneralPage
from orbtile.ui.settings.notices import NoticeStack
from orbtile.ui.settings.rows import Page
from orbtile.ui.settled_input import MonotonicClock
from orbtile.ui.surfaces import Hairline, Panel
from orbtile.ui.theme import Theme

SIDEBAR_PX: Final = 168
FIRST_SIZE: Final = QSize(960, 760)
SMALLEST_SIZE: Final = QSize(880, 600)
_ITEM_PX: Final = 32
_SCREEN_MARGIN_PX: Final = 48

OpenUrl = Callable[[str], object]


def open_with_browser(url: str) -> bool:
    """Whether the desktop took it."""
    return QDesktopServices.openUrl(QUrl(url))


def open_with_file_manager(folder: Path) -> bool:
    """Whether the desktop took it."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


class _SidebarItem(QAbstractButton):
    """The way to one page."""

    accessible_role = QAccessible.Role.PageTab

    def __init__(self, theme: Theme, icon_name: IconName, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon_name: IconName = icon_name
        self._feedback = Feedback(theme)
        self._feedback.serve(self)
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def event(self, event: QEvent) -> bool:
        self._feedback.observe(event)
        return super().event(event)

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self._theme.font(13, 500)).horizontalAdvance(self.text())
        return QSize(width + 46, _ITEM_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, rect = self._theme, QRectF(self.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = theme.color("selected")
        fill.setAlphaF(1.0 if self.isChecked() else 0.6 * self._feedback.hover)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, 8, 8)
        ink = theme.color("text1" if self.isChecked() else "text2")
        rtl = self.isRightToLeft()
        icon_left = rect.right() - 26 if rtl else 10
        paint_icon(painter, self._icon_name, QRectF(icon_left, 8, 16, 16), ink)
        painter.setPen(ink)
        painter.setFont(theme.font(13, 500))
        side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
        text = rect.adjusted(10, 0, -36, 0) if rtl else rect.adjusted(36, 0, -10, 0)
        painter.drawText(
            text, side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute, self.text()
        )
        if self._feedback.focus_visible:
            paint_inner_ring(painter, theme, rect, 0, 7)


class _Sidebar(Panel):
    """Holds the items, one below the other."""

    accessible_role = QAccessible.Role.PageTabList

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "well", parent=parent)
        self._theme = theme
        self.setAccessibleName(self.tr("Pages"))
        self.setFixedWidth(SIDEBAR_PX)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 12, 8, 12)
        self._column.setSpacing(2)
        self._column.addStretch(1)

    def add(self, icon_name: IconName, text: str, object_name: str) -> _SidebarItem:
        item = _SidebarItem(self._theme, icon_name, text, self)
        item.setObjectName(object_name)
        self._column.insertWidget(self._column.count() - 1, item)
        return item


class SettingsWindow(QWidget):
    """``motion``: what its orbs move by. ``open_url`` opens a homepage, ``open_folder`` a folder, with the
    desktop. It opens with Agents.
    """

    accessible_role = QAccessible.Role.Window
    window_closed = Signal()
    """The user closed it."""

    def __init__(
        self,
        bridge: Bridge,
        theme: Theme,
        about: AboutInfo,
        *,
        motion: MotionClock,
        open_url: OpenUrl = open_with_browser,
        open_folder: OpenFolder = open_with_file_manager,
        now_s: MonotonicClock = time.monotonic,
        platform: str = sys.platform,
    ) -> None:
        super().__init__()
        install_accessible_roles()
        self._theme = theme
        self.setObjectName("settingsWindow")
        self.setWindowTitle(self.tr("Settings"))
        self.setAccessibleName(self.tr("Settings"))
        self.setMinimumSize(SMALLEST_SIZE)
        self._sidebar = _Sidebar(theme, self)  # first: Tab and screen readers go in the order of making
        general = self._sidebar.add("gear", self.tr("General"), "generalItem")
        agents = self._sidebar.add("agents", self.tr("Agents"), "agentsItem")
        last = self._sidebar.add("info", self.tr("About"), "aboutItem")
        self.notices = NoticeStack(bridge, theme, last, self)
        self._pages = QStackedWidget(self)
        self.general = GeneralPage(bridge, theme, self, platform=platform)
        self.agents = AgentsPage(bridge, theme, open_url, self, motion=motion, now_s=now_s)
        self.about = AboutPage(bridge, theme, about, open_folder, self)
        self._items: dict[Page, _SidebarItem] = {self.general: general, self.agents: agents, self.about: last}
        for page, item in self._items.items():
            self._pages.addWidget(page)
            item.toggled.connect(lambda on, page=page: self._on_chosen(page) if on else None)
        self._lay_out()
        self.show_page(self.agents)
        self.resize(self._fitting_size())
        self._exposure = ExposureWatch(self)
        self._exposure.returned.connect(self._repaint)
        close = QShortcut(self)
        close.setKeys(QKeySequence.StandardKey.Close)
        close.activated.connect(self._on_close_wished)
        theme.themeChanged.connect(self._repaint)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.window_closed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._exposure.begin()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._exposure.end()

    def show_page(self, page: Page) -> None:
        """One of ``general``, ``agents`` and ``about``."""
        self._items[page].setChecked(True)

    @property
    def page(self) -> QWidget | None:
        return self._pages.currentWidget()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), self._theme.color("surface"))

    def _repaint(self) -> None:
        self.update()  # as in Panel

    def _on_close_wished(self) -> None:
        self.close()

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.notices)
        right.addWidget(self._pages, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._sidebar)
        row.addWidget(Hairline(self._theme, upright=True, parent=self))
        row.addLayout(right, 1)

    def _on_chosen(self, page: Page) -> None:
        self._pages.setCurrentWidget(page)
        keep_one_tab_stop(self._items.values())

    def _fitting_size(self) -> QSize:
        screen = QGuiApplication.primaryScreen()
        margin = QSize(_SCREEN_MARGIN_PX, _SCREEN_MARGIN_PX)
        room = (screen.availableGeometry().size() - margin).expandedTo(SMALLEST_SIZE)
        return FIRST_SIZE.boundedTo(room)
