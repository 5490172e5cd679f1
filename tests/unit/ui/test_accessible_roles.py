import gc

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget

from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import Choice, Switch
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host
from tests.fakes.qt import settle
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
