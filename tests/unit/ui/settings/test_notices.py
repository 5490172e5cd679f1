import pytest

from orbtile.host.views import Notice, NoticeKind
from orbtile.ui.controls import IconButton
from orbtile.ui.notice_bar import NoticeBar
from tests.fakes.qt import settle
from tests.fakes.settings_window import OpenSettings

FULL = Notice(kind=NoticeKind.SETTINGS_NOT_SAVED, detail="No space left on device")


@pytest.mark.parametrize("kind", list(NoticeKind))
def test_every_kind_of_trouble_is_shown(settings: OpenSettings, kind: NoticeKind) -> None:
    settings.host.service.report(Notice(kind=kind, detail="detail"))
    settings.catch_up()
    (bar,) = settings.window.notices.bars
    assert "detail" in bar.accessibleName()
    assert bar.isVisible()


def test_without_trouble_there_is_no_bar_and_no_gap(settings: OpenSettings) -> None:
    assert settings.window.notices.bars == []
    assert settings.window.notices.isHidden()


def test_it_stands_above_every_page(settings: OpenSettings) -> None:
    settings.host.service.report(FULL)
    settings.catch_up()
    for page in (settings.window.general, settings.window.agents, settings.window.about):
        settings.window.show_page(page)
        assert settings.window.notices.isVisible()


def test_dismiss_puts_it_away(settings: OpenSettings) -> None:
    settings.host.service.report(FULL)
    settings.press("Dismiss", IconButton)
    assert settings.host.service.notices() == []
    assert settings.window.notices.isHidden()
    settle()
    assert settings.window.findChildren(NoticeBar) == []


def test_it_goes_when_the_trouble_does(settings: OpenSettings) -> None:
    settings.host.service.report(FULL)
    settings.catch_up()
    settings.host.service.clear(FULL.kind)
    settings.catch_up()
    assert settings.window.notices.bars == []


def test_another_detail_changes_the_bar_that_is_there(settings: OpenSettings) -> None:
    settings.host.service.report(FULL)
    settings.catch_up()
    (bar,) = settings.window.notices.bars
    settings.host.service.report(Notice(kind=FULL.kind, detail="Read-only file system"))
    settings.catch_up()
    assert settings.window.notices.bars == [bar]
    assert "Read-only file system" in bar.accessibleName()
