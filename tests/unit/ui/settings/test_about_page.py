from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from orbtile.host.views import Notice, NoticeKind
from orbtile.ui.controls import Button, CopyButton
from orbtile.ui.settings.diagnostics import report, tilde
from tests.fakes.hosts import make_update
from tests.fakes.settings_window import ABOUT, OpenSettings


@pytest.fixture
def about(settings: OpenSettings) -> OpenSettings:
    settings.window.show_page(settings.window.about)
    return settings


def test_it_says_the_version_and_the_licence(about: OpenSettings) -> None:
    texts = [label.text() for label in about.window.about.findChildren(QLabel)]
    assert "Orbtile 1.2.3" in texts
    assert any("MIT licence" in text for text in texts)


def test_folders_open_with_the_desktop(about: OpenSettings) -> None:
    about.press("Open folder of Data folder", Button)
    about.press("Open folder of Log file", Button)
    assert about.opened == ["/srv/data", "/srv/data/logs"]


def test_paths_are_copied_whole(about: OpenSettings) -> None:
    about.press("Copy Data folder", CopyButton)
    assert QGuiApplication.clipboard().text() == "/srv/data"
    about.press("Copy Log file", CopyButton)
    assert QGuiApplication.clipboard().text() == "/srv/data/logs/orbtile.log"


def test_the_report_is_copied_as_it_is_shown(about: OpenSettings) -> None:
    about.press("Copy Diagnostics", CopyButton)
    assert QGuiApplication.clipboard().text() == about.window.about.report.code
    assert "Orbtile: 1.2.3" in QGuiApplication.clipboard().text()


def test_the_report_is_made_anew_when_the_page_is_shown(about: OpenSettings) -> None:
    assert "Adapter API: on" in about.window.about.report.code
    about.host.service.set_api_enabled(False)
    about.window.show_page(about.window.agents)
    about.window.show_page(about.window.about)
    assert "Adapter API: off" in about.window.about.report.code


def test_the_report_holds_counts_and_kinds_but_no_session_text_and_no_token(about: OpenSettings) -> None:
    secret = "the-words-of-a-session"
    client = about.host.allowed("dev.quill")
    client.update(update=replace(make_update(title=secret), cwd=f"/home/{secret}", status_detail=secret))
    about.host.registered("dev.other")
    about.host.service.report(Notice(kind=NoticeKind.LISTENER_DOWN, detail=secret))
    text = report(ABOUT, about.host.service)
    assert secret not in text
    assert about.host.service.api_token not in text
    assert "Adapters: 1 asks to connect, 1 connected" in text
    assert "Sessions shown: 1" in text
    assert "Notices: listener_down" in text


def test_without_adapters_and_notices_the_report_says_none(about: OpenSettings) -> None:
    text = report(ABOUT, about.host.service)
    assert "Adapters: none" in text
    assert "Notices: none" in text


def test_the_home_folder_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    assert tilde(Path("/home/ada/.local/share/Orbtile")) == "~/.local/share/Orbtile"
    assert tilde(Path("/srv/data")) == "/srv/data"
