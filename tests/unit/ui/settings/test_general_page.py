import pytest
from PySide6.QtWidgets import QRadioButton

from orbtile.host.settings import Settings, TrayInk
from orbtile.host.settings import Theme as ThemeChoice
from orbtile.ui.controls import Choice, Switch
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host
from tests.fakes.settings_window import OpenSettings
from tests.fakes.widgets import all_named, named


@pytest.fixture
def general(settings: OpenSettings) -> OpenSettings:
    settings.window.show_page(settings.window.general)
    return settings


@pytest.mark.parametrize(("text", "choice"), [("Light", ThemeChoice.LIGHT), ("Dark", ThemeChoice.DARK)])
def test_the_theme_is_chosen(general: OpenSettings, text: str, choice: ThemeChoice) -> None:
    row = general.find("Theme", Choice)
    named(row, text, QRadioButton).click()
    assert general.host.service.settings.theme is choice
    assert row.value == choice.value


def test_reduced_motion_is_switched(general: OpenSettings) -> None:
    general.press("Reduce motion", Switch)
    assert general.host.service.settings.reduce_motion
    assert general.find("Reduce motion", Switch).isChecked()


def test_the_shade_of_the_panel_is_chosen(general: OpenSettings) -> None:
    named(general.find("Tray panel", Choice), "Light", QRadioButton).click()
    assert general.host.service.settings.tray_panel is TrayInk.LIGHT


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_where_the_app_knows_the_panel_nothing_is_asked(theme: Theme, platform: str) -> None:
    settings = OpenSettings(theme, platform=platform)
    settings.window.show_page(settings.window.general)
    assert all_named(settings.window, "Tray panel") == []


def test_it_shows_what_the_settings_are(theme: Theme) -> None:
    kept = Settings(theme=ThemeChoice.DARK, reduce_motion=True, tray_panel=TrayInk.DARK, api_enabled=True)
    settings = OpenSettings(theme, Host(kept))
    settings.window.show_page(settings.window.general)
    assert settings.find("Theme", Choice).value == "dark"
    assert settings.find("Reduce motion", Switch).isChecked()
    assert settings.find("Tray panel", Choice).value == "dark"


def test_it_follows_a_change_elsewhere_and_keeps_the_other_settings(general: OpenSettings) -> None:
    general.host.service.change_settings(Settings(api_enabled=True, reduce_motion=True))
    general.catch_up()
    assert general.find("Reduce motion", Switch).isChecked()
    named(general.find("Theme", Choice), "Dark", QRadioButton).click()
    assert general.host.service.settings == Settings(
        api_enabled=True, reduce_motion=True, theme=ThemeChoice.DARK
    )


def test_a_setting_that_was_not_taken_is_not_shown(
    general: OpenSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(general.host.service, "change_settings", lambda _: None)
    general.press("Reduce motion", Switch)
    named(general.find("Theme", Choice), "Dark", QRadioButton).click()
    assert not general.find("Reduce motion", Switch).isChecked()
    assert general.find("Theme", Choice).value == "system"
