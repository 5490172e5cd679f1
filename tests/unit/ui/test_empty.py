"""Empty states and notices by themselves."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from orbtile.host.views import Notice, NoticeKind
from orbtile.ui.empty import NoAgentState, QuietState
from orbtile.ui.notice_bar import notice_text
from orbtile.ui.theme import Theme
from tests.fakes.qt import settle


def test_without_an_example_there_is_no_command(theme: Theme) -> None:
    state = NoAgentState(theme, None)
    assert state.findChild(QAbstractButton) is None
    assert any("documentation" in label.text() for label in state.findChildren(QLabel))


def test_quiet_agents_change_without_leaving_any_behind(theme: Theme) -> None:
    state = QuietState(theme)
    state.show_agents([("A", "Agent A"), ("B", "Agent B")])
    state.show_agents([("A", "Agent A"), ("B", "Agent B")])
    state.show_agents([("C", "Agent C")])
    settle()
    assert [w.toolTip() for w in state.findChildren(QWidget) if w.toolTip()] == ["Agent C"]


@pytest.mark.parametrize("kind", NoticeKind)
def test_every_notice_has_words(kind: NoticeKind) -> None:
    plain = notice_text(Notice(kind=kind))
    assert plain.endswith(".")
    assert notice_text(Notice(kind=kind, detail="why {0}")).startswith(plain)
    assert "why {0}" in notice_text(Notice(kind=kind, detail="why {0}"))
