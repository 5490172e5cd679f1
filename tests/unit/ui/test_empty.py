"""Empty states and notices by themselves."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from orbtile.host.views import Notice, NoticeKind
from orbtile.ui.agent_icon import AgentFace
from orbtile.ui.controls import CopyField
from orbtile.ui.empty import NoAgentState, QuietState
from orbtile.ui.notice_bar import NoticeBar, notice_text
from orbtile.ui.theme import Theme
from tests.fakes.qt import settle


def test_without_an_example_there_is_no_command(theme: Theme) -> None:
    state = NoAgentState(theme, None)
    assert state.findChild(QAbstractButton) is None
    assert any("documentation" in label.text() for label in state.findChildren(QLabel))


def test_quiet_agents_change_without_leaving_any_behind(theme: Theme) -> None:
    state = QuietState(theme)
    state.show_agents([(AgentFace("A"), "Agent A"), (AgentFace("B"), "Agent B")])
    state.show_agents([(AgentFace("A"), "Agent A"), (AgentFace("B"), "Agent B")])
    state.show_agents([(AgentFace("C"), "Agent C")])
    settle()
    assert [w.toolTip() for w in state.findChildren(QWidget) if w.toolTip()] == ["Agent C"]


def test_what_was_done_last_takes_room_only_while_there_is_something(theme: Theme) -> None:
    state = QuietState(theme)
    before = state.sizeHint().height()
    state.show_last("Last: Release, done at 13:20")
    label = state.findChild(QLabel, "lastFinished")
    assert isinstance(label, QLabel)
    assert label.text() == "Last: Release, done at 13:20"
    assert state.sizeHint().height() == before + 16 + label.sizeHint().height()
    state.show_last("")
    assert label.isHidden()
    assert state.sizeHint().height() == before


def insets(field: QWidget) -> list[tuple[int, int]]:
    """Of each child, in the order of making: how far it stands from the sides."""
    field.resize(400, 60)
    field.show()
    settle()
    children = field.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    boxes = [child.geometry() for child in children]
    return [(box.left(), field.width() - box.right() - 1) for box in boxes]


@pytest.mark.parametrize("kind", ["notice", "command"])
def test_from_right_to_left_everything_stands_mirrored(kind: str, theme: Theme) -> None:
    def make() -> QWidget:
        if kind == "notice":
            return NoticeBar(theme, Notice(kind=NoticeKind.SETTINGS_NOT_SAVED))
        return CopyField(theme, "run it", "command")

    mirrored = make()
    mirrored.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert insets(mirrored) == [(right, left) for left, right in insets(make())]


@pytest.mark.parametrize("kind", NoticeKind)
def test_every_notice_has_words(kind: NoticeKind) -> None:
    plain = notice_text(Notice(kind=kind))
    assert plain.endswith(".")
    assert notice_text(Notice(kind=kind, detail="why {0}")).startswith(plain)
    assert "why {0}" in notice_text(Notice(kind=kind, detail="why {0}"))
