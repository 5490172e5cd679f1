"""Where nobody can see anything: no tray item, no window, and not a word on stderr."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from orbtile.ui import display
from orbtile.ui.bridge import Bridge
from orbtile.ui.settings.diagnostics import AboutInfo
from orbtile.ui.windows import Windows
from tests.fakes.hosts import Host

ICONS = Path(__file__).parents[3] / "icons"


@pytest.fixture
def windows() -> Windows:
    host = Host()
    return Windows(
        Bridge(host.service),
        now_s=host.clock.monotonic_s,
        about=AboutInfo(version="0.0.0", data_dir=Path("data"), log_file=Path("log")),
        open_url=host.desktop.open_url,
        example_command=None,
        has_compositor=lambda: True,
        icons=ICONS,
    )


def visible_windows(app: QApplication) -> list[QWidget]:
    return [window for window in app.topLevelWidgets() if window.isVisible()]


def test_the_platforms_of_a_server_have_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seen in (("offscreen", False), ("minimal", False), ("xcb", True), ("cocoa", True)):
        monkeypatch.setattr(QGuiApplication, "platformName", lambda name=name: name)
        assert display.has_display() is seen


def test_without_a_display_there_is_no_tray_item_and_nothing_opens(
    windows: Windows, app: QApplication
) -> None:
    windows.start()
    windows.tray_host_changed()
    windows.open("popover")
    windows.open("settings")
    assert windows.tray is None
    assert windows.findChildren(QSystemTrayIcon) == []
    assert visible_windows(app) == []
    windows.close()


def test_a_window_is_raised_only_where_there_is_something_to_raise_it_over(
    monkeypatch: pytest.MonkeyPatch, app: QApplication
) -> None:
    raised: list[bool] = []

    class Window(QWidget):
        def raise_(self) -> None:
            raised.append(True)

    window = Window()
    display.bring_forward(window)
    assert raised == []
    monkeypatch.setattr(display, "has_display", lambda: True)
    display.bring_forward(window)
    assert raised == [True]


def test_the_popover_beside_the_tray_does_not_wait_for_an_icon(
    monkeypatch: pytest.MonkeyPatch, windows: Windows, app: QApplication
) -> None:
    app.setWindowIcon(QIcon())
    monkeypatch.setattr(Windows, "has_tray", True)
    windows.open_popover(QPoint(1, 1))
    assert QGuiApplication.windowIcon().isNull()
    windows.open_settings()
    assert not QGuiApplication.windowIcon().isNull()
    windows.close()


def test_the_first_window_puts_the_icon_on(windows: Windows, app: QApplication) -> None:
    app.setWindowIcon(QIcon())
    assert QGuiApplication.windowIcon().isNull()
    windows.open_popover(QPoint(1, 1))
    icon = QGuiApplication.windowIcon()
    assert not icon.isNull()
    windows.open_settings()
    assert QGuiApplication.windowIcon().cacheKey() == icon.cacheKey()
    windows.close()
