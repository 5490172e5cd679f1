"""The popover: header, banners, bodies, keys, and what it does when it loses the focus."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QGuiApplication, QImage, QKeyEvent, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from orbtile.host.settings import Settings
from orbtile.host.settings import Theme as ThemeChoice
from orbtile.host.views import Consent, Notice, NoticeKind
from orbtile.palette.states import State
from orbtile.protocol.session import SessionUpdate
from orbtile.ui.bridge import Bridge
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import MotionClock
from orbtile.ui.notice_bar import NoticeBar
from orbtile.ui.overlay_scroll import OverlayScroll
from orbtile.ui.popover import HEIGHT_MOST_PX, WIDTH_PX, Popover
from orbtile.ui.row import ROW_PX, SessionRow
from orbtile.ui.session_list import SessionList
from orbtile.ui.theme import Theme
from tests.fakes.hosts import ADAPTER_ID, Host, make_registration, make_update
from tests.fakes.qt import settle, wait_until

BODIES = ("sessionList", "apiOffState", "noAgentState", "deniedState", "quietState")


class Scene:
    """A popover over a real service."""

    def __init__(
        self, theme: Theme, settings: Settings | None = None, command: str | None = "run it"
    ) -> None:
        self.host = Host(settings)
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.rounded = True
        self.popover = Popover(
            self.bridge,
            theme,
            self.model,
            self.host.clock.monotonic_s,
            motion=MotionClock(self.host.clock.monotonic_s),
            example_command=command,
            has_compositor=lambda: self.rounded,
        )

    def open(self) -> None:
        self.catch_up()
        self.popover.open_at(QPoint(400, 2))
        settle()

    def catch_up(self) -> None:
        self.bridge.flush()
        settle()

    def label(self, name: str) -> str:
        found = self.popover.findChild(QLabel, name)
        assert isinstance(found, QLabel)
        return found.text()

    @property
    def header(self) -> tuple[str, str]:
        return self.label("popoverTitle"), self.label("popoverDetail")

    @property
    def body(self) -> list[str]:
        return [name for name in BODIES if self.child(name).isVisible()]

    def child(self, name: str) -> QWidget:
        found = self.popover.findChild(QWidget, name)
        assert isinstance(found, QWidget), name
        return found

    def button(self, name: str) -> QAbstractButton:
        found = self.popover.findChild(QAbstractButton, name)
        assert isinstance(found, QAbstractButton), name
        return found

    @property
    def titles(self) -> list[str]:
        rows = self.popover.findChild(SessionList)
        assert isinstance(rows, SessionList)
        return [row.view.title for row in rows.rows]

    @property
    def focused(self) -> QWidget:
        found: QWidget | None = self.popover.focusWidget()
        return self.popover if found is None else found

    def press(self, key: Qt.Key) -> None:
        target = self.focused
        QApplication.sendEvent(target, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))


@pytest.fixture
def make_scene(theme: Theme) -> Callable[..., Scene]:
    def make(settings: Settings | None = None, command: str | None = "run it") -> Scene:
        return Scene(theme, settings, command)

    return make


@pytest.fixture
def scene(theme: Theme) -> Scene:
    return Scene(theme)


@pytest.fixture
def busy(scene: Scene) -> Scene:
    """One allowed adapter with three sessions, opened."""
    adapter = scene.host.allowed()
    update = replace(make_update(), open_url="example://1")
    adapter.update("a", replace(update, title="asks", activity=State.WAITING_PERMISSION))
    adapter.update("b", replace(update, title="works", activity=State.THINKING))
    adapter.update("c", replace(update, title="rests", activity=State.IDLE))
    scene.open()
    return scene


# what it shows


def test_with_the_api_off_its_switch_is_right_there(make_scene: Callable[..., Scene]) -> None:
    scene = make_scene(Settings())
    scene.open()
    assert scene.header == ("Adapter API is off", "No agent can show here")
    assert scene.body == ["apiOffState"]
    switch = scene.button("adapterApiSwitch")
    assert switch.accessibleName() == "Adapter API"
    switch.click()
    assert scene.host.service.api_enabled
    scene.catch_up()
    assert scene.body == ["noAgentState"]


def test_without_an_agent_it_says_how_to_add_one(scene: Scene) -> None:
    scene.open()
    assert scene.header[0] == "No agents yet"
    scene.button("copyButton").click()
    assert QGuiApplication.clipboard().text() == "run it"


def test_agents_without_sessions_are_shown_at_rest(scene: Scene) -> None:
    scene.host.allowed()
    scene.open()
    assert scene.body == ["quietState"]
    assert scene.header == ("All quiet", "1 agent connected, no sessions")
    icons = scene.child("quietState").findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert [icon.toolTip() for icon in icons if icon.toolTip()] == ["Example Agent"]


def test_at_rest_it_tells_what_was_done_last(scene: Scene) -> None:
    adapter = scene.host.allowed()
    adapter.update("a", make_update("Update dependencies", State.DONE))
    scene.open()
    assert scene.body == ["sessionList"]
    adapter.end("a")
    scene.catch_up()
    assert scene.body == ["quietState"]
    assert scene.label("lastFinished").startswith("Last: \u2068Update dependencies\u2069, done ")
    scene.host.service.forget(ADAPTER_ID)
    scene.catch_up()
    assert scene.body == ["noAgentState"]
    assert "Update dependencies" not in str(scene.host.store.__dict__), "it is never written"


def test_disconnected_agents_are_still_known(scene: Scene) -> None:
    scene.host.allowed().unregister()
    scene.open()
    assert scene.header == ("All quiet", "No agent is connected")


def test_an_agent_that_asks_has_its_banner_and_nothing_else(scene: Scene) -> None:
    scene.host.registered()
    scene.open()
    assert scene.header == ("1 agent asks to connect", "No sessions")
    assert scene.body == []
    texts = [label.text() for label in scene.popover.findChildren(QLabel) if label.isVisible()]
    assert "Example Agent shows nothing until you allow it." in texts


def test_two_agents_that_ask_have_a_banner_each(scene: Scene) -> None:
    scene.host.registered()
    scene.host.registered("dev.second", make_registration("Second"))
    scene.open()
    assert scene.header[0] == "2 agents ask to connect"
    assert len(scene.popover.findChildren(ConsentBanner)) == 2
    texts = [label.text() for label in scene.popover.findChildren(QLabel) if label.isVisible()]
    assert "They show nothing until you allow them." in texts


@pytest.mark.parametrize(
    ("name", "consent"), [("allowButton", Consent.ALLOWED), ("denyButton", Consent.DENIED)]
)
def test_a_banner_decides(scene: Scene, name: str, consent: Consent) -> None:
    adapter = scene.host.registered()
    scene.open()
    QTest.qWait(600)  # a banner takes no input before it has stood still for half a second
    scene.button(name).click()
    assert adapter.view().consent is consent
    scene.catch_up()
    assert scene.popover.findChildren(ConsentBanner) == []


def test_a_banner_shows_the_registration_of_now(scene: Scene) -> None:
    adapter = scene.host.registered()
    scene.open()
    adapter.register(make_registration("Another name"))
    scene.catch_up()
    assert [banner.accessibleName() for banner in scene.popover.findChildren(ConsentBanner)] == [
        "Another name wants to show sessions"
    ]


def test_rows_show_the_sessions_in_order(busy: Scene) -> None:
    assert busy.body == ["sessionList"]
    assert busy.titles == ["asks", "works", "rests"]
    assert busy.header == ("1 waiting for you", "1 working")


def test_updates_arrive_while_it_is_open(busy: Scene) -> None:
    busy.host.adapter().update("c", SessionUpdate(activity=State.ERROR))
    busy.catch_up()
    assert busy.titles == ["asks", "rests", "works"]
    assert busy.header == ("1 waiting for you", "1 error, 1 working")


def test_nothing_moves_under_the_pointer(busy: Scene) -> None:
    rows = busy.child("sessionList")
    middle = QPointF(rows.rect().center())
    QApplication.sendEvent(rows, QEnterEvent(middle, middle, middle))
    busy.host.registered("dev.second", make_registration("Second"))
    busy.host.adapter().update("c", SessionUpdate(activity=State.ERROR))
    busy.catch_up()
    assert busy.titles == ["asks", "works", "rests"]
    assert busy.popover.findChildren(ConsentBanner) == []
    assert busy.header == ("1 waiting for you", "1 agent asks to connect, 1 error, 1 working"), (
        "but it is said"
    )
    QApplication.sendEvent(rows, QEvent(QEvent.Type.Leave))
    settle()
    assert busy.titles == ["asks", "rests", "works"]
    assert len(busy.popover.findChildren(ConsentBanner)) == 1


def test_notices_stand_on_top_and_can_be_put_away(busy: Scene) -> None:
    for detail in ("No space left on device", "Read-only file system"):
        busy.host.service.report(Notice(kind=NoticeKind.SETTINGS_NOT_SAVED, detail=detail))
        busy.catch_up()
    (bar,) = busy.popover.findChildren(NoticeBar)
    assert "Read-only file system" in bar.accessibleName()
    busy.button("dismissNotice").click()
    busy.catch_up()
    assert busy.popover.findChildren(NoticeBar) == []
    assert busy.host.service.notices() == []


# its size and place


def test_it_is_as_high_as_its_content_up_to_a_limit(busy: Scene) -> None:
    assert busy.popover.size() == QSize(WIDTH_PX, 2 + 60 + 1 + 3 * ROW_PX + 8)
    adapter = busy.host.adapter()
    for i in range(20):
        adapter.update(f"more{i}", make_update(f"more {i}", State.DONE))
        busy.host.advance(0.2)
        busy.catch_up()
    room = busy.popover.screen().availableGeometry().height() - 24
    assert busy.popover.height() == min(HEIGHT_MOST_PX, room)


def test_a_banner_that_leaves_takes_its_margins_with_it(scene: Scene) -> None:
    scene.host.allowed()
    scene.open()
    before = scene.popover.height()
    second = scene.host.registered("dev.second", make_registration("Second"))
    scene.catch_up()
    second.deny()
    scene.catch_up()
    assert scene.popover.height() == before


def test_nothing_scrolls_while_there_is_room(busy: Scene) -> None:
    scroll = busy.popover.findChild(OverlayScroll)
    assert isinstance(scroll, OverlayScroll)
    busy.host.registered("dev.second", make_registration("Second"))
    busy.catch_up()
    assert busy.popover.height() < HEIGHT_MOST_PX
    assert scroll.verticalScrollBar().maximum() == 0


def test_it_stays_beside_its_anchor_when_it_grows(busy: Scene) -> None:
    bottom = busy.popover.screen().availableGeometry().bottom()
    busy.popover.open_at(QPoint(300, bottom - 4))
    settle()
    low = busy.popover.geometry().bottom()
    busy.host.adapter().update("d", make_update("one more", State.DONE))
    busy.catch_up()
    assert busy.popover.geometry().bottom() == low


def test_without_a_compositor_it_is_square(scene: Scene) -> None:
    scene.rounded = False
    scene.open()
    square = scene.popover.grab().toImage()
    scene.popover.hide()
    scene.rounded = True
    scene.open()
    rounded = scene.popover.grab().toImage()
    last = square.height() - 1
    for x, y in ((0, 0), (WIDTH_PX - 1, 0), (0, last), (WIDTH_PX - 1, last)):
        assert square.pixelColor(x, y).alpha() == 255
        assert rounded.pixelColor(x, y).alpha() < 128


def test_hovered_last_row_does_not_paint_over_the_rounded_corner(busy: Scene) -> None:
    for row in busy.popover.findChildren(SessionRow):
        middle = QPointF(row.rect().center())
        QApplication.sendEvent(row, QEnterEvent(middle, middle, middle))
    image = busy.popover.grab().toImage()
    assert image.pixelColor(0, image.height() - 1).alpha() < 128
    assert image.pixelColor(1, image.height() - 3).alpha() < 200


def test_a_tall_column_scrolls_under_a_bar_that_can_be_dragged(busy: Scene) -> None:
    adapter = busy.host.adapter()
    for i in range(28):
        adapter.update(f"more{i}", make_update(f"more {i}", State.DONE))
        busy.host.advance(0.2)
        busy.catch_up()
    scroll = busy.popover.findChild(OverlayScroll)
    assert isinstance(scroll, OverlayScroll)
    bar, edge = scroll.overlay, busy.child("scrolledEdge")
    assert bar.isVisible()
    assert not edge.isVisible()
    top = QPoint(bar.width() - 5, 10)
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=top)
    QTest.mouseMove(bar, QPoint(top.x(), bar.height()))
    assert scroll.verticalScrollBar().value() == scroll.verticalScrollBar().maximum()
    assert edge.isVisible(), "the header stands apart from rows that are cut"
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=top)
    QTest.mouseMove(bar, top)
    assert scroll.verticalScrollBar().value() == scroll.verticalScrollBar().maximum()
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(top.x(), 2))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton)
    assert scroll.verticalScrollBar().value() < 5
    bar.grab()


# keys, presses, focus


def test_escape_closes(busy: Scene) -> None:
    closed: list[str] = []
    busy.popover.closed.connect(lambda: closed.append("closed"))
    busy.press(Qt.Key.Key_Escape)
    assert not busy.popover.isVisible()
    assert closed == ["closed"]


def test_arrow_keys_enter_the_rows_and_enter_taps(busy: Scene) -> None:
    busy.popover.activateWindow()
    busy.press(Qt.Key.Key_Down)
    busy.press(Qt.Key.Key_Down)
    busy.press(Qt.Key.Key_Return)
    assert busy.host.desktop.opened == ["example://1"]
    assert not busy.popover.isVisible(), "what was opened comes to the front"


def test_up_enters_the_rows_from_below(busy: Scene) -> None:
    busy.popover.activateWindow()
    busy.press(Qt.Key.Key_Up)
    focused = busy.popover.focusWidget()
    assert isinstance(focused, SessionRow)
    assert focused.view.title == "rests"


def test_a_tap_that_opens_nothing_leaves_it_open(busy: Scene) -> None:
    busy.host.desktop.opens = False
    busy.popover.findChildren(SessionRow)[0].click()
    assert busy.popover.isVisible()


def test_the_tab_key_reaches_header_banner_and_rows(busy: Scene) -> None:
    busy.host.registered("dev.second", make_registration("Second"))
    busy.catch_up()
    busy.popover.activateWindow()
    seen: list[str] = []
    for _ in range(7):
        QTest.keyClick(busy.focused, Qt.Key.Key_Tab)
        focused = busy.popover.focusWidget()
        assert isinstance(focused, QWidget)
        seen.append(focused.accessibleName())
    assert seen[:3] == ["Settings", "Deny Second", "Allow Second"]
    assert [name.split(",")[0] for name in seen[3:6]] == ["asks", "works", "rests"]
    assert seen[6] == "Settings"


def test_the_settings_button_asks_for_settings_and_gives_way(busy: Scene) -> None:
    asked: list[str] = []
    busy.popover.settings_requested.connect(lambda: asked.append("settings"))
    busy.button("settingsButton").click()
    assert asked == ["settings"]
    assert not busy.popover.isVisible()


def test_it_hides_when_it_loses_the_focus_and_the_same_click_does_not_open_it_again(busy: Scene) -> None:
    other = QWidget()
    busy.popover.activateWindow()
    settle()
    other.show()
    other.activateWindow()
    assert wait_until(lambda: not busy.popover.isVisible())
    busy.popover.toggle_at(QPoint(400, 2))
    assert not busy.popover.isVisible()
    busy.popover.toggle_at(QPoint(400, 2))
    assert busy.popover.isVisible()
    busy.popover.toggle_at(QPoint(400, 2))
    assert not busy.popover.isVisible()


def test_it_hides_when_another_window_gets_the_keyboard_before_it_did(
    busy: Scene, app: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy.popover.hide()
    before, other = QWindow(), QWindow()
    focused = [before]

    def give_the_keyboard_to(window: QWindow) -> None:
        focused[:] = [window]
        app.focusWindowChanged.emit(window)

    # A desktop that gives the keyboard to whom it likes; the offscreen one gives it to what opens.
    monkeypatch.setattr(QGuiApplication, "focusWindow", lambda: focused[0])
    app.blockSignals(True)
    busy.open()
    app.blockSignals(False)
    give_the_keyboard_to(before)
    QTest.qWait(300)
    assert busy.popover.isVisible(), "nothing has happened"
    give_the_keyboard_to(other)
    give_the_keyboard_to(before)
    QTest.qWait(300)
    assert busy.popover.isVisible(), "it was only handed around"
    give_the_keyboard_to(other)
    assert wait_until(lambda: not busy.popover.isVisible())


def test_late_word_of_an_earlier_loss_does_not_close_what_has_just_opened(
    busy: Scene, app: QApplication
) -> None:
    busy.press(Qt.Key.Key_Escape)
    busy.open()
    app.focusWindowChanged.emit(None)
    QTest.qWait(300)
    assert busy.popover.isVisible(), "it has the keyboard"


def test_nothing_runs_while_it_is_hidden(busy: Scene) -> None:
    busy.popover.hide()
    busy.host.service.report(Notice(kind=NoticeKind.LISTENER_DOWN))
    busy.host.adapter().update("c", SessionUpdate(title="new title"))
    busy.catch_up()
    assert busy.popover.findChildren(NoticeBar) == []
    rows = busy.popover.findChild(SessionList)
    assert isinstance(rows, SessionList)
    assert not rows.is_ticking
    busy.open()
    assert "new title" in busy.titles
    assert len(busy.popover.findChildren(NoticeBar)) == 1


# the window that stands in for it


def test_after_the_only_agent_was_denied_it_says_so_and_leads_to_settings(scene: Scene) -> None:
    adapter = scene.host.registered()
    scene.open()
    scene.host.service.deny(adapter.adapter_id, adapter.view().fingerprint)
    scene.catch_up()
    assert scene.header == ("1 agent denied", "No agent is allowed to show here")
    assert scene.body == ["deniedState"]
    heard: list[str] = []
    scene.popover.settings_requested.connect(lambda: heard.append("settings"))
    scene.button("deniedSettingsButton").click()
    assert heard == ["settings"]
    assert not scene.popover.isVisible()


def test_without_a_tray_it_is_a_normal_window_that_stays(busy: Scene) -> None:
    busy.popover.set_windowed(True)
    busy.popover.set_windowed(True)
    settle()
    assert busy.popover.isVisible()
    assert not busy.popover.windowFlags() & Qt.WindowType.FramelessWindowHint
    other = QWidget()
    other.show()
    other.activateWindow()
    settle()
    assert busy.popover.isVisible()
    busy.popover.findChildren(SessionRow)[0].click()
    assert busy.popover.isVisible()
    busy.button("settingsButton").click()
    assert busy.popover.isVisible()
    assert busy.popover.grab().toImage().pixelColor(0, 0).alpha() == 255
    busy.popover.open_at()
    busy.popover.close()
    assert not busy.popover.isVisible()
    busy.popover.set_windowed(False)
    assert busy.popover.windowFlags() & Qt.WindowType.FramelessWindowHint


def test_the_normal_window_stays_on_the_screen_when_it_grows_wherever_the_user_moved_it(
    scene: Scene,
) -> None:
    adapter = scene.host.allowed()
    scene.popover.set_windowed(True)
    scene.open()
    area = scene.popover.screen().availableGeometry()
    assert area.contains(scene.popover.frameGeometry())
    scene.popover.move(20, area.bottom() - scene.popover.height() + 1)
    for number in range(24):
        adapter.update(f"s{number}")
    scene.catch_up()
    assert scene.popover.height() > 400
    assert scene.popover.x() == 20
    assert area.contains(scene.popover.frameGeometry())


def test_opened_without_an_anchor_it_comes_where_it_was(busy: Scene) -> None:
    place = busy.popover.pos()
    busy.popover.hide()
    busy.popover.open_at()
    assert busy.popover.pos() == place


def test_it_follows_the_theme(busy: Scene, theme: Theme) -> None:
    theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
    settle()
    assert busy.popover.grab().toImage().pixelColor(WIDTH_PX // 2, 8).name() == "#fbfaf8"


def test_a_wheel_over_rows_scrolls_without_thawing_them(busy: Scene) -> None:
    rows = busy.child("sessionList")
    middle = QPointF(rows.rect().center())
    QApplication.sendEvent(rows, QEnterEvent(middle, middle, middle))
    wheel = QWheelEvent(
        middle,
        QPointF(rows.mapToGlobal(middle.toPoint())),
        QPoint(0, -40),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(rows, wheel)
    busy.host.adapter().end("a")
    busy.catch_up()
    assert busy.titles[0] == "asks"
    assert ADAPTER_ID in busy.popover.findChildren(SessionRow)[0].uid


def test_rows_show_icons_as_the_setting_says(busy: Scene) -> None:
    def pictures() -> list[QImage]:
        return [row.grab().toImage() for row in busy.popover.findChildren(SessionRow)]

    before = pictures()
    service = busy.host.service
    service.change_settings(replace(service.settings, key_glyph=False))
    busy.catch_up()
    without = pictures()
    busy.popover.close()
    service.change_settings(replace(service.settings, key_glyph=True))
    busy.open()
    assert all(one != other for one, other in zip(before, without, strict=True))
    assert all(one != other for one, other in zip(pictures(), without, strict=True))
