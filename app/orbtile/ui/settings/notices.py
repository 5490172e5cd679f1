"""The notices above every page of Settings.

Owns which bars stand there. Must not know their wording.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from orbtile.host.views import NoticeKind
from orbtile.ui.bridge import Bridge
from orbtile.ui.controls import IconButton
from orbtile.ui.notice_bar import NoticeBar
from orbtile.ui.theme import Theme


class NoticeStack(QWidget):
    """All notices there are, in the order in which they came. Tab reaches them after ``before``."""

    def __init__(self, bridge: Bridge, theme: Theme, before: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._theme = theme
        self._before = before
        self._bars: dict[NoticeKind, NoticeBar] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 12, 24, 0)
        self._column.setSpacing(8)
        bridge.noticesChanged.connect(self.refresh)
        self.refresh()

    @property
    def bars(self) -> list[NoticeBar]:
        return list(self._bars.values())

    def refresh(self) -> None:
        notices = {notice.kind: notice for notice in self._bridge.service.notices()}
        for kind in [gone for gone in self._bars if gone not in notices]:
            bar = self._bars.pop(kind)
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        for kind, notice in notices.items():
            if kind in self._bars:
                self._bars[kind].set_notice(notice)
                continue
            bar = NoticeBar(self._theme, notice, self)
            bar.dismissed.connect(self._on_dismissed, Qt.ConnectionType.QueuedConnection)
            self._bars[kind] = bar
            self._column.addWidget(bar)
        self.setVisible(bool(self._bars))
        self._order_tabs()

    def _order_tabs(self) -> None:
        previous = self._before
        for bar in self._bars.values():
            for button in bar.findChildren(IconButton):
                QWidget.setTabOrder(previous, button)
                previous = button

    def _on_dismissed(self, kind: NoticeKind) -> None:
        self._bridge.dismissNotice(kind)
        self.refresh()
