from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.ui.settings.window import SIDEBAR_PX, open_with_browser, open_with_file_manager
from orbtile.ui.theme import Theme
from tests.fakes.qt import settle
from tests.fakes.settings_window import OpenSettings
from tests.fakes.widgets import key


def test_it_opens_with_agents(settings: OpenSettings) -> None:
    assert settings.window.page is settings.window.agents
    item = settings.window.findChild(QAbstractButton, "agentsItem")
    assert isinstance(item, QAbstractButton)
    assert item.isChecked()


def test_the_sidebar_leads_to_each_page(settings: OpenSettings) -> None:
    window = settings.window
    for name, page in (("General", window.general), ("About", window.about), ("Agents", window.agents)):
        item = window.findChild(QAbstractButton, f"{name.lower()}Item")
        assert isinstance(item, QAbstractButton)
        assert item.accessibleName() == name
        item.click()
        assert window.page is page
        assert item.isChecked()


def test_arrow_keys_go_through_the_sidebar(settings: OpenSettings) -> None:
    agents = settings.window.findChild(QAbstractButton, "agentsItem")
    assert isinstance(agents, QAbstractButton)
    agents.setFocus()
    pages = []
    for code in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up):
        key(QApplication.focusWidget() or agents, code)
        page = settings.window.page
        assert page is not None
        pages.append(page.accessibleName())
    assert pages == ["About", "Agents", "General"]


def test_it_is_as_large_as_the_design_says_and_no_smaller_than_that(theme: Theme) -> None:
    settings = OpenSettings(theme)
    assert (settings.window.minimumWidth(), settings.window.minimumHeight()) == (880, 600)
    (sidebar,) = [w for w in settings.window.findChildren(QWidget) if w.accessibleName() == "Pages"]
    assert sidebar.width() == SIDEBAR_PX == 168


def test_it_closes_by_the_key_of_the_system(settings: OpenSettings) -> None:
    QTest.keyClick(settings.window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert not settings.window.isVisible()


def test_it_can_be_destroyed_with_the_focus_in_it(settings: OpenSettings) -> None:
    settings.host.registered("dev.quill")
    settings.catch_up()
    banner = settings.window.agents.banners[0]
    banner.findChildren(QAbstractButton)[0].setFocus(Qt.FocusReason.TabFocusReason)
    settings.window.deleteLater()
    settle()


def test_another_theme_repaints_everything(settings: OpenSettings, theme: Theme) -> None:
    settings.host.allowed("dev.quill")
    settings.catch_up()
    dark = settings.window.grab().toImage()
    theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
    settle()
    light = settings.window.grab().toImage()
    assert light != dark
    corner = light.pixelColor(light.width() - 3, light.height() - 3)
    assert corner == theme.color("surface")


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_every_page_paints_itself_in_both_directions(
    settings: OpenSettings, direction: Qt.LayoutDirection
) -> None:
    settings.host.allowed("dev.quill")
    settings.host.registered("dev.other")
    settings.catch_up()
    settings.window.setLayoutDirection(direction)
    for page in (settings.window.general, settings.window.agents, settings.window.about):
        settings.window.show_page(page)
        settle()
        assert not settings.window.grab().isNull()


def test_addresses_and_folders_go_to_the_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def open_url(url: QUrl) -> bool:
        asked.append(url.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    assert open_with_browser("https://quill.dev")
    assert open_with_file_manager(Path("/srv/data"))
    assert asked == ["https://quill.dev", "file:///srv/data"]
