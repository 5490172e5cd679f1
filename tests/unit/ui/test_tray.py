"""The tray item: look, tooltip, menu, clicks, rebirth."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QAction, QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from orbtile.host.settings import Settings, TrayInk
from orbtile.host.settings import Theme as ThemeChoice
from orbtile.palette.states import State
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from orbtile.ui.summary import Look
from orbtile.ui.theme import Theme
from orbtile.ui.tray import Tray
from orbtile.ui.tray_icon import tray_image
from tests.fakes.hosts import Host, make_update


class Corner:
    """A tray over a real service."""

    def __init__(self, theme: Theme, settings: Settings | None = None) -> None:
        self.host = Host(settings)
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.tray = Tray(self.bridge, theme, self.model)
        self.heard: list[str] = []
        self.tray.popoverRequested.connect(lambda _at: self.heard.append("popover"))
        self.tray.openRequested.connect(lambda _at: self.heard.append("open"))
        self.tray.settingsRequested.connect(lambda: self.heard.append("settings"))
        self.tray.quitRequested.connect(lambda: self.heard.append("quit"))

    def action(self, name: str) -> QAction:
        found = self.tray.menu.findChild(QAction, name)
        assert isinstance(found, QAction)
        return found

    @property
    def item(self) -> QSystemTrayIcon:
        """The youngest: an old one may not be deleted yet."""
        return self.tray.findChildren(QSystemTrayIcon)[-1]


@pytest.fixture
def palette(app: QApplication) -> Iterator[QPalette]:
    before = QPalette(app.palette())
    yield QPalette(before)
    app.setPalette(before)


@pytest.fixture
def corner(theme: Theme) -> Corner:
    return Corner(theme)


def test_it_shows_the_strongest_state_and_says_it_in_words(corner: Corner) -> None:
    assert (corner.tray.look, corner.tray.tooltip) == (Look.QUIET, "Nothing running")
    adapter = corner.host.registered()
    corner.bridge.flush()
    assert (corner.tray.look, corner.tray.tooltip) == (Look.WAITING, "1 agent asks to connect")
    adapter.allow()
    adapter.update("a", make_update(activity=State.THINKING))
    adapter.update("b", make_update(activity=State.WAITING_QUESTION))
    corner.bridge.flush()
    assert (corner.tray.look, corner.tray.tooltip) == (Look.WAITING, "1 waiting, 1 working")
    adapter.end("b")
    corner.bridge.flush()
    assert (corner.tray.look, corner.tray.tooltip) == (Look.WORKING, "1 working")


def test_a_second_waiting_session_changes_the_badge(corner: Corner) -> None:
    adapter = corner.host.allowed()
    keys = []
    for session_id in ("a", "b"):
        adapter.update(session_id, make_update(activity=State.WAITING_PERMISSION))
        corner.bridge.flush()
        keys.append(corner.item.icon().cacheKey())
    adapter.update("b", make_update("another title", State.WAITING_PERMISSION))
    corner.bridge.flush()
    keys.append(corner.item.icon().cacheKey())
    assert keys[0] != keys[1]
    assert keys[1] == keys[2], "an icon is handed to the system only when it looks different"


def test_the_badge_counts_who_asks_together_with_what_waits(corner: Corner) -> None:
    corner.host.allowed().update("a", make_update(activity=State.WAITING_QUESTION))
    corner.bridge.flush()
    one = corner.item.icon().pixmap(32, 32).toImage()
    corner.host.registered("dev.another")
    corner.bridge.flush()
    two = corner.item.icon().pixmap(32, 32).toImage()
    assert one == tray_image(Look.WAITING, 32, "light", count=1)
    assert two == tray_image(Look.WAITING, 32, "light", count=2)
    assert corner.tray.tooltip == "1 waiting, 1 agent asks to connect"


def test_the_menu_has_no_dead_entries(corner: Corner) -> None:
    texts = [action.text() for action in corner.tray.menu.actions() if not action.isSeparator()]
    assert texts == ["Open", "Settings…", "Adapter API", "Quit"]
    for name in ("trayOpen", "traySettings", "trayQuit"):
        corner.action(name).trigger()
    assert corner.heard == ["open", "settings", "quit"]


def test_the_menu_switches_the_api_and_shows_what_is_true(theme: Theme) -> None:
    corner = Corner(theme, Settings())
    action = corner.action("trayAdapterApi")
    assert corner.tray.look is Look.OFF
    checked = [action.isChecked()]
    action.trigger()
    corner.bridge.flush()
    checked.append(action.isChecked())
    assert corner.host.service.api_enabled
    corner.host.service.set_api_enabled(False)
    corner.bridge.flush()
    checked.append(action.isChecked())
    assert checked == [False, True, False]


def test_only_left_clicks_ask_for_the_popover_a_quick_second_one_too(corner: Corner) -> None:
    asked = []
    for reason in QSystemTrayIcon.ActivationReason:
        corner.heard.clear()
        corner.item.activated.emit(reason)
        if corner.heard:
            asked.append(reason.name)
    assert sorted(asked) == ["DoubleClick", "Trigger"]


def test_without_a_known_place_the_cursor_is_the_anchor(corner: Corner) -> None:
    anchors: list[QRect] = []
    corner.tray.popoverRequested.connect(anchors.append)
    corner.item.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert anchors == [QRect(799, 799, 1, 1)]


def test_a_tray_that_comes_back_gets_a_new_item_with_everything(
    corner: Corner, expect_log: Callable[[str], None]
) -> None:
    expect_log("systemTrayWindowChanged")  # the offscreen platform's, of no consequence
    corner.tray.show()
    adapter = corner.host.allowed()
    adapter.update("a", make_update(activity=State.ERROR))
    corner.bridge.flush()
    old = corner.item
    corner.tray.recreate()
    assert corner.item is not old
    assert corner.tray.tooltip == "1 error"
    assert not corner.item.icon().isNull()
    assert corner.item.contextMenu() is corner.tray.menu
    assert corner.item.isVisible()
    assert not old.isVisible()
    corner.item.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert corner.heard == ["popover"]
    corner.tray.close()
    assert not corner.item.isVisible()


def test_an_item_that_is_not_shown_stays_so_when_made_again(corner: Corner) -> None:
    corner.tray.recreate()
    assert not corner.item.isVisible()


@pytest.mark.parametrize(
    ("ink", "ground", "panel"),
    [
        (TrayInk.AUTO, "#202020", "dark"),
        (TrayInk.AUTO, "#efefef", "light"),
        (TrayInk.LIGHT, "#202020", "light"),
        (TrayInk.DARK, "#efefef", "dark"),
    ],
)
@pytest.mark.parametrize("choice", ThemeChoice)
def test_the_panels_shade_follows_the_desktop_or_the_users_word_and_not_orbtiles_own_theme(
    ink: TrayInk, ground: str, panel: str, choice: ThemeChoice, palette: QPalette
) -> None:
    palette.setColor(QPalette.ColorRole.Window, QColor(ground))
    QGuiApplication.setPalette(palette)
    theme = Theme(ThemeChoice.DARK)
    corner = Corner(theme, Settings(api_enabled=True))
    corner.host.service.change_settings(Settings(api_enabled=True, tray_panel=ink, theme=choice))
    theme.apply(choice, reduce_motion=False)
    corner.bridge.flush()
    middle_of_ring = corner.item.icon().pixmap(32, 32).toImage().pixelColor(16, 3)
    assert middle_of_ring.name() == {"dark": "#f1eeeb", "light": "#1a1816"}[panel]


def test_it_knows_whether_there_is_a_tray() -> None:
    assert Tray.is_available() is QSystemTrayIcon.isSystemTrayAvailable()
