import gc
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget

from orbtile.host.views import Notice, NoticeKind
from orbtile.palette.states import State
from orbtile.ui.bridge import Bridge
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import Choice, Switch
from orbtile.ui.empty import QuietState
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import MotionClock
from orbtile.ui.popover import Popover
from orbtile.ui.session_list import SessionList
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host, make_update
from tests.fakes.qt import settle, wait_until
from tests.fakes.settings_window import OpenSettings

Role = QAccessible.Role


def interface(widget: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None
    return found


@pytest.fixture
def opened(theme: Theme) -> OpenSettings:
    settings = OpenSettings(theme)
    settings.host.allowed("dev.one")
    settings.host.registered("dev.two")
    settings.catch_up()
    return settings


def test_a_banner_is_a_group_by_name(opened: OpenSettings) -> None:
    banner = interface(opened.window.agents.banners[0])
    assert banner.role() is Role.Grouping
    assert banner.text(QAccessible.Text.Name) == "Example Agent wants to show sessions"


def test_adapters_are_items_of_a_list_of_which_one_is_selected(opened: OpenSettings) -> None:
    assert interface(opened.window.agents.adapter_list).role() is Role.List
    items = [interface(item) for item in opened.window.agents.adapter_list.items]
    assert [item.role() for item in items] == [Role.ListItem, Role.ListItem]
    assert [bool(item.state().selected) for item in items] == [True, False]
    assert all(item.state().selectable for item in items)


def test_an_item_is_pressed_by_its_action(opened: OpenSettings) -> None:
    _first, second = opened.window.agents.adapter_list.items
    actions = interface(second).actionInterface()
    assert actions is not None
    assert actions.actionNames() == ["Press", "SetFocus"]
    actions.doAction("SetFocus")
    assert second.hasFocus()
    assert opened.pane.view.adapter_id != second.view.adapter_id
    actions.doAction("Press")
    assert opened.pane.view.adapter_id == second.view.adapter_id
    actions.doAction("Levitate")
    second.setEnabled(False)
    actions.doAction("Press")


def test_a_switch_is_a_check_box_with_toggle(theme: Theme) -> None:
    switch = interface(Switch(theme, "Adapter API"))
    assert switch.role() is Role.CheckBox
    actions = switch.actionInterface()
    assert actions is not None
    assert "Toggle" in actions.actionNames()


def test_a_choice_is_a_group_of_radio_buttons(theme: Theme, opened: OpenSettings) -> None:
    choice = Choice(theme, "Theme", (("a", "A"), ("b", "B")))
    group = interface(choice)
    assert group.role() is Role.Grouping
    children = [group.child(index) for index in range(group.childCount())]
    assert [child.role() for child in children] == [Role.RadioButton] * 2


def test_interfaces_go_with_their_widgets(theme: Theme, opened: OpenSettings) -> None:
    view = Host().registered().view()
    for _ in range(200):
        banner = ConsentBanner(theme, view)
        assert interface(banner).role() is Role.Grouping
        banner.deleteLater()
        settle()
    gc.collect()


def text_of(widget: QWidget, which: QAccessible.Text) -> str:
    return interface(widget).text(which)


def names_in(widget: QWidget) -> list[str]:
    """The names of what is shown within, in the order in which a screen reader goes through it."""
    within = interface(widget)
    children = [within.child(i) for i in range(within.childCount())]
    return [child.text(QAccessible.Text.Name) for child in children if not child.state().invisible]


class OpenPopover:
    """A popover over a real service, with an allowed adapter."""

    def __init__(self, theme: Theme) -> None:
        self.host = Host()
        self.adapter = self.host.allowed()
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.popover = Popover(
            self.bridge,
            theme,
            self.model,
            self.host.clock.monotonic_s,
            motion=MotionClock(self.host.clock.monotonic_s),
        )
        self.popover.open_at(QPoint(400, 2))

    def show(self, session_id: str, state: State, *, background: bool = False) -> None:
        update = replace(make_update(session_id, state), background=background)
        self.adapter.update(session_id, update)
        self.catch_up()

    def catch_up(self) -> None:
        self.bridge.flush()
        settle()
        assert wait_until(lambda: not self.rows.is_sliding)

    @property
    def rows(self) -> SessionList:
        found = self.popover.findChild(SessionList)
        assert isinstance(found, SessionList)
        return found


@pytest.fixture
def shown(theme: Theme) -> OpenPopover:
    return OpenPopover(theme)


def test_the_windows_are_told_apart_from_what_is_in_them(shown: OpenPopover, opened: OpenSettings) -> None:
    assert interface(shown.popover).role() is Role.Dialog
    assert interface(opened.window).role() is Role.Window


def test_an_opening_popover_says_what_needs_the_user(shown: OpenPopover) -> None:
    assert text_of(shown.popover, QAccessible.Text.Name) == "Orbtile"
    assert text_of(shown.popover, QAccessible.Text.Description) == "All quiet, 1 agent connected, no sessions"
    shown.show("a", State.WAITING_QUESTION)
    assert text_of(shown.popover, QAccessible.Text.Description) == "1 waiting for you, Nothing else running"


def test_rows_are_gone_through_as_they_stand(shown: OpenPopover) -> None:
    shown.show("idle", State.IDLE)
    shown.show("error", State.ERROR)
    shown.show("background", State.IDLE, background=True)
    assert names_in(shown.rows) == [
        "error, Error, Example Agent",
        "idle, Idle, Example Agent",
        "1 in the background",
    ]
    shown.show("idle", State.WAITING_QUESTION)
    assert names_in(shown.rows)[0] == "idle, Question, Example Agent"


def test_cards_are_gone_through_before_the_rows(shown: OpenPopover) -> None:
    shown.show("a", State.IDLE)
    shown.host.registered("dev.two")
    shown.host.service.report(Notice(kind=NoticeKind.LISTENER_DOWN))
    shown.catch_up()
    content = shown.rows.parentWidget()
    assert content is not None
    assert [name for name in names_in(content) if name] == [
        "Agents cannot reach Orbtile now. It keeps trying.",
        "Example Agent wants to show sessions",
        "Sessions",
    ]


def test_agents_at_rest_are_pictures_with_a_name(shown: OpenPopover) -> None:
    state = shown.popover.findChild(QuietState)
    assert isinstance(state, QuietState)
    assert "Example Agent" in names_in(state)


def test_adapters_are_gone_through_as_they_stand(opened: OpenSettings) -> None:
    window = opened.window
    views = opened.host.service.adapters()
    window.agents.adapter_list.set_views(list(reversed(views)), sort=True)
    assert names_in(window.agents.adapter_list) == opened.items()
