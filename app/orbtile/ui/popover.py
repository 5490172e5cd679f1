"""The popover: what needs you, who asks to connect, what every session is doing.

Owns the window (frameless beside the tray, or a normal small one where there is no tray), its header and
what stands in its column. Must not draw rows, decide an order, or place itself by anything but the given
anchor.
"""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QElapsedTimer, QEvent, QMargins, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QCloseEvent,
    QCursor,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from orbtile.host.views import AdapterView, Consent
from orbtile.ui.accessible_roles import install_accessible_roles, read_in_order
from orbtile.ui.agent_icon import face_of
from orbtile.ui.bridge import Bridge
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import IconButton
from orbtile.ui.display import bring_forward
from orbtile.ui.empty import ApiOffState, DeniedState, NoAgentState, QuietState
from orbtile.ui.focus_watch import FocusWatch
from orbtile.ui.labels import ElidedLabel, isolated
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import ExposureWatch, MotionClock
from orbtile.ui.notice_bar import NoticeBar
from orbtile.ui.overlay_scroll import OverlayScroll
from orbtile.ui.paragraph import Paragraph
from orbtile.ui.placement import ScreenArea, largest_size, moved_inside, place, place_window, screen_at
from orbtile.ui.rounded_corners import RADIUS_PX, RoundedCorners
from orbtile.ui.session_list import SessionList
from orbtile.ui.status_text import last_finished_text
from orbtile.ui.summary import agents_of, headline
from orbtile.ui.surfaces import Hairline
from orbtile.ui.theme import Theme

WIDTH_PX: Final = 420
HEIGHT_MOST_PX: Final = 640
_MOST: Final = QSize(WIDTH_PX, HEIGHT_MOST_PX)
_FRAME: Final = QMargins(8, 40, 8, 8)
"""Room for the frame that a window manager puts around a normal window; known only once it is there."""

_HEADER_PX: Final = 60
_CLOSING_CLICK_MS: Final = 300
"""A click on the tray icon takes the focus away first, which hides the popover; the same click must not
open it again.
"""


class Popover(QWidget):
    """The one popover. ``toggle_at`` is what a click on the tray icon does."""

    accessible_role = QAccessible.Role.Dialog
    settings_requested = Signal()
    closed = Signal()
    """It was closed or hidden, by the user or by losing the focus."""
    window_closed = Signal()
    """The user closed it as the normal window that it is where there is no tray."""

    def __init__(
        self,
        bridge: Bridge,
        theme: Theme,
        model: SessionModel,
        now_s: Callable[[], float],
        *,
        motion: MotionClock,
        example_command: str | None = None,
        has_compositor: Callable[[], bool] = lambda: True,
    ) -> None:
        """``now_s``: the host's monotonic clock; ``motion`` is what the orbs move by. ``example_command``:
        starts an example adapter when pasted.

        ``has_compositor`` is asked whenever the window opens; without one it is square, since it could not
        be clear.
        """
        super().__init__(None)
        install_accessible_roles()
        self._bridge = bridge
        self._service = bridge.service
        self._theme = theme
        self._model = model
        self._has_compositor = has_compositor
        self._is_windowed = False
        self._is_rounded = False
        self._anchor: QRect | None = None
        self._focus_watch = FocusWatch(self)
        self._focus_watch.lost.connect(self._on_focus_lost)
        self._exposure = ExposureWatch(self)
        self._exposure.returned.connect(self._on_seen_again)
        self._since_focus_lost = QElapsedTimer()
        self._banners: dict[str, ConsentBanner] = {}
        self._notices: dict[str, NoticeBar] = {}

        self.setObjectName("popover")
        self.setWindowTitle("Orbtile")
        self.setAccessibleName("Orbtile")
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._build(example_command, now_s, motion)
        self._corners = RoundedCorners(theme, self)
        self._apply_window_kind()

        model.countsChanged.connect(self._refresh)
        bridge.adaptersChanged.connect(self._refresh)
        bridge.apiChanged.connect(self._refresh)
        bridge.noticesChanged.connect(self._refresh)
        bridge.settingsChanged.connect(self._on_settings_changed)
        theme.themeChanged.connect(self._on_theme_changed)

    # opening and closing

    def toggle_at(self, anchor: QPoint | QRect) -> None:
        """Open beside ``anchor`` (global, logical px), or close."""
        if self.isVisible():
            self._leave()
        elif not self._was_just_closed_by_this_click():
            self.open_at(anchor)

    def open_at(self, anchor: QPoint | QRect | None = None) -> None:
        """Open beside ``anchor``; without one, where it was opened last, or in the corner of the cursor's
        screen.
        """
        if anchor is not None:
            self._anchor = anchor if isinstance(anchor, QRect) else QRect(anchor, QSize(1, 1))
        if self._is_windowed and self.isVisible():
            self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self._is_rounded = not self._is_windowed and self._has_compositor()
        self._corners.setVisible(self._is_rounded)
        self._on_settings_changed()
        self._refresh_now()
        self._scroll.verticalScrollBar().setValue(0)
        if self._is_windowed and not self.testAttribute(Qt.WidgetAttribute.WA_Moved):
            # No window manager is asked for a place: it would give one that fits what is shown now.
            inside = place_window(_MOST, _FRAME, self._screen())
            self.move(inside.marginsAdded(_FRAME).topLeft())
        self._focus_watch.begin()
        self.setFocus()  # else Qt picks the first button, and a typed space would press it
        self.show()
        self._fit()
        bring_forward(self)
        self._focus_watch.observe(QGuiApplication.focusWindow())

    def _leave(self) -> None:
        self._focus_watch.end()
        self.hide()

    def set_windowed(self, windowed: bool) -> None:
        """``windowed``: there is no tray, be a normal window."""
        if windowed == self._is_windowed:
            return
        was_visible = self.isVisible()
        self._is_windowed = windowed
        self._leave()
        self._apply_window_kind()
        if was_visible:
            self.open_at()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        match event.type():
            case QEvent.Type.ApplicationPaletteChange | QEvent.Type.ApplicationFontChange:
                self._theme.refresh()
            case QEvent.Type.WindowStateChange:
                self._on_seen_again()
            case _:
                pass

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        if self._is_windowed:
            self.window_closed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._exposure.begin()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._exposure.end()
        self._focus_watch.end()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if not self._is_windowed:  # nothing would be left on the screen then
                self._leave()
            case Qt.Key.Key_Down if self._list.isVisible():
                self._list.focus_first()
            case Qt.Key.Key_Up if self._list.isVisible():
                self._list.focus_last()
            case _:
                super().keyPressEvent(event)

    # drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        surface, line = self._theme.color("surface"), self._theme.color("line")
        if self._is_rounded:
            painter.fillRect(event.rect(), Qt.GlobalColor.transparent)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
            painter.setPen(QPen(line, 1))
            painter.setBrush(surface)
            radius = RADIUS_PX - 0.5
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            return
        painter.fillRect(event.rect(), surface)
        if not self._is_windowed:
            painter.setPen(QPen(line, 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._corners.setGeometry(0, self.height() - RADIUS_PX, self.width(), RADIUS_PX)
        self._corners.raise_()

    # building

    def _build(self, example_command: str | None, now_s: Callable[[], float], motion: MotionClock) -> None:
        theme = self._theme
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self._build_header())

        content = self._content = QWidget(self)
        content.setObjectName("popoverContent")
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(8)
        self._column.addLayout(self._cards)
        self._hairline = Hairline(theme, parent=content)
        self._column.addWidget(self._hairline)

        self._list = SessionList(theme, self._model, now_s, motion, content)
        self._list.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._list.tapped.connect(self._on_tapped)
        self._list.heightChanged.connect(self._fit)
        self._list.thawed.connect(self._refresh)
        self._api_off = ApiOffState(theme, content)
        self._api_off.api_requested.connect(self._bridge.setApiEnabled)
        self._no_agent = NoAgentState(theme, example_command, content)
        self._denied = DeniedState(theme, content)
        self._denied.settings_requested.connect(self._on_settings_clicked)
        self._quiet = QuietState(theme, content)
        self._until_allowed = Paragraph(theme, "", 12, parent=content)
        self._until_allowed.setContentsMargins(20, 12, 20, 14)
        self._bodies: tuple[QWidget, ...] = (
            self._list,
            self._api_off,
            self._no_agent,
            self._denied,
            self._quiet,
            self._until_allowed,
        )
        for body in self._bodies:
            self._column.addWidget(body)
            body.hide()
        self._column.addStretch(1)

        self._scroll = OverlayScroll(theme, content, self)
        self._list.focusMoved.connect(self._scroll.show_focused)
        column.addWidget(self._scroll, 1)

    def _build_header(self) -> QWidget:
        header = QWidget(self)
        header.setFixedHeight(_HEADER_PX)
        self._title = ElidedLabel(self._theme, "", 15, 600, parent=header)
        self._title.setObjectName("popoverTitle")
        self._detail = ElidedLabel(self._theme, "", 12, 400, "text2", parent=header)
        self._detail.setObjectName("popoverDetail")
        settings = IconButton(self._theme, "sliders", self.tr("Settings"), header)
        settings.setObjectName("settingsButton")
        settings.clicked.connect(self._on_settings_clicked)
        self._settings_button = settings
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(self._title)
        names.addWidget(self._detail)
        line = QHBoxLayout(header)
        line.setContentsMargins(0, 12, 0, 12)
        line.setSpacing(0)
        line.addSpacing(20)  # spacing is mirrored from right to left, margins are not
        line.addLayout(names, 1)
        line.addSpacing(4)
        line.addWidget(settings, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addSpacing(12)
        return header

    def _apply_window_kind(self) -> None:
        if self._is_windowed:
            self.setWindowFlags(Qt.WindowType.Window)
        else:
            self.setWindowFlags(
                Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
            )
        self.setFixedWidth(WIDTH_PX)

    # keeping up

    def _refresh(self) -> None:
        if self.isVisible():
            self._refresh_now()

    def _refresh_now(self) -> None:
        adapters = self._service.adapters()
        agents = agents_of(adapters)
        words = headline(self._model.counts, agents, api_enabled=self._service.api_enabled)
        self._title.setText(words.title)
        self._detail.setText(words.detail)
        spoken = self.tr("{title}, {detail}").format(title=words.title, detail=words.detail)
        if spoken != self.accessibleDescription():
            self.setAccessibleDescription(spoken)  # read out when the popover opens
        if self._list.isVisible() and self._list.is_frozen:
            return  # nothing may move under the pointer; ``thawed`` comes back here
        asking = [view for view in adapters if view.consent is Consent.AWAITING and view.connected]
        self._refresh_notices()
        self._refresh_banners(asking)
        self._refresh_body(adapters, asking)
        has_cards = bool(self._banners or self._notices)
        self._cards.setContentsMargins(12, 0, 12, 12 if has_cards else 0)
        self._order_tabs()
        self._fit()

    def _order_tabs(self) -> None:
        """Header, notices, banners, then the rows, which keep their own order."""
        previous: QWidget = self._settings_button
        cards: tuple[QWidget, ...] = (*self._notices.values(), *self._banners.values())
        read_in_order(self._content, (*cards, *self._bodies))
        for card in cards:
            for button in card.findChildren(QAbstractButton):
                self.setTabOrder(previous, button)
                previous = button

    def _refresh_notices(self) -> None:
        notices = {notice.kind.value: notice for notice in self._service.notices()}
        for kind in [kind for kind in self._notices if kind not in notices]:
            self._discard(self._notices.pop(kind))
        for at, (kind, notice) in enumerate(notices.items()):
            bar = self._notices.get(kind)
            if bar is None:
                bar = NoticeBar(self._theme, notice, self._content)
                bar.dismissed.connect(self._bridge.dismissNotice)
                self._cards.insertWidget(at, bar)
                self._notices[kind] = bar
                bar.show()
            else:
                bar.set_notice(notice)

    def _refresh_banners(self, asking: list[AdapterView]) -> None:
        wanted = {view.adapter_id: view for view in asking}
        for adapter_id in [adapter_id for adapter_id in self._banners if adapter_id not in wanted]:
            self._discard(self._banners.pop(adapter_id))
        for adapter_id, view in wanted.items():
            banner = self._banners.get(adapter_id)
            if banner is None:
                banner = ConsentBanner(self._theme, view, self._content, compact=True)
                banner.allow_requested.connect(self._bridge.allow)
                banner.deny_requested.connect(self._bridge.deny)
                self._cards.addWidget(banner)
                self._banners[adapter_id] = banner
                banner.show()
            elif banner.view != view:
                banner.set_view(view)

    def _refresh_body(self, adapters: list[AdapterView], asking: list[AdapterView]) -> None:
        known = [view for view in adapters if view.consent is Consent.ALLOWED]
        counts = self._model.counts
        if not self._service.api_enabled:
            body: QWidget = self._api_off
        elif counts.listed_total or counts.folded_total:
            body = self._list
        elif asking:
            self._until_allowed.setText(self._until_allowed_text(asking))
            body = self._until_allowed
        elif known:
            shown = [view for view in known if view.connected] or known
            self._quiet.show_agents([(face_of(view), view.registration.name) for view in shown])
            last = self._model.last_finished
            self._quiet.show_last(last_finished_text(isolated(last.title), last.at_epoch_s) if last else "")
            body = self._quiet
        elif any(view.consent is Consent.DENIED for view in adapters):
            body = self._denied
        else:
            body = self._no_agent
        for other in self._bodies:
            if other is not body:
                other.hide()
        body.show()

    def _until_allowed_text(self, asking: list[AdapterView]) -> str:
        if len(asking) == 1:
            return self.tr("{name} shows nothing until you allow it.").format(
                name=asking[0].registration.name
            )
        return self.tr("They show nothing until you allow them.")

    def _discard(self, widget: QWidget) -> None:
        self._cards.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _fit(self) -> None:
        """Take the height of the content, and stay beside the anchor."""
        if not self.isVisible():
            return
        self._column.invalidate()  # margins of a layout within it do not do so by themselves
        content = self._column.totalHeightForWidth(WIDTH_PX - 2) if self._column.hasHeightForWidth() else -1
        if content < 0:
            content = self._column.totalSizeHint().height()
        screen, wanted = self._screen(), QSize(WIDTH_PX, _HEADER_PX + content + 2)
        if self._is_windowed:
            self.setFixedHeight(min(wanted.height(), place_window(_MOST, _FRAME, screen).height()))
            self._stay_inside()
        else:
            size = largest_size(wanted, screen, HEIGHT_MOST_PX)
            self.setFixedHeight(size.height())
            self.move(place(size, self._anchor or QRect(QCursor.pos(), QSize(1, 1)), screen))

    def _screen(self) -> ScreenArea:
        """The one to be on, or where the normal window is."""
        screens = [ScreenArea(s.geometry(), s.availableGeometry()) for s in QGuiApplication.screens()]
        if self._is_windowed and self.testAttribute(Qt.WidgetAttribute.WA_Moved):
            return screen_at(self.geometry().center(), screens)
        return screen_at(self._anchor.center() if self._anchor else QCursor.pos(), screens)

    def _stay_inside(self) -> None:
        """A normal window has grown: not beyond the edge of the screen, wherever the user moved it."""
        outer = self.frameGeometry()
        inside = moved_inside(outer, self._screen())
        if inside != outer.topLeft():
            self.move(inside)

    # what the user does

    def _on_tapped(self, uid: str) -> None:
        if self._bridge.tap(uid) and not self._is_windowed:
            self._leave()

    def _on_settings_clicked(self) -> None:
        if not self._is_windowed:
            self._leave()
        self.settings_requested.emit()

    def _on_focus_lost(self) -> None:
        if self.isVisible() and not self._is_windowed:
            self._since_focus_lost.start()
            self._leave()

    def _was_just_closed_by_this_click(self) -> bool:
        timer = self._since_focus_lost
        was_it = timer.isValid() and timer.elapsed() < _CLOSING_CLICK_MS
        timer.invalidate()  # the next click is another one
        return was_it

    def _on_settings_changed(self) -> None:
        self._list.set_shows_icons(self._service.settings.key_glyph)

    def _on_seen_again(self) -> None:
        """It was covered or minimised: what moves in it starts again by being painted."""
        self._list.update()

    def _on_theme_changed(self) -> None:
        self.update()
        self._refresh()
