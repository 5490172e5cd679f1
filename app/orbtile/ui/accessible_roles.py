"""What assistive technology takes our own widgets for: groups, lists, items.

Owns the interfaces for widgets that name an ``accessible_role``, all others keep Qt's, and the order in which
widgets are gone through. Must not know any of these widgets. Qt has no role for a widget that paints itself,
and an item needs both Press and "selected".
"""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QWidget

_PRESS: Final = "Press"
_SET_FOCUS: Final = "SetFocus"


class _Item(QAccessibleWidget):
    """A button that stands in a list: pressed to be chosen, selected while it is."""

    def __init__(self, button: QAbstractButton, role: QAccessible.Role) -> None:
        super().__init__(button, role, "")
        self._button = button

    def state(self) -> QAccessible.State:
        state = super().state()
        state.selectable = True
        state.selected = self._button.isChecked()
        return state

    def actionNames(self) -> list[str]:
        return [_PRESS, _SET_FOCUS]

    def doAction(self, action_name: str) -> None:
        if action_name == _PRESS and self._button.isEnabled():
            self._button.click()
        elif action_name == _SET_FOCUS:
            self._button.setFocus()


def _interface_of(_class_name: str, widget: QObject) -> QAccessibleInterface | None:
    role: object = getattr(widget, "accessible_role", None)
    if not isinstance(role, QAccessible.Role) or not isinstance(widget, QWidget):
        return None
    if isinstance(widget, QAbstractButton):
        return _Item(widget, role)
    return QAccessibleWidget(widget, role, "")


def read_in_order(parent: QWidget, children: Sequence[QWidget]) -> None:
    """Have screen readers go through these ``children`` of ``parent`` in this order: Qt's stack has it."""
    wanted = set(children)
    stacked = [child for child in parent.children() if isinstance(child, QWidget) and child in wanted]
    for at, child in enumerate(children):
        if stacked[at] is not child:
            child.stackUnder(stacked[at])
            stacked.remove(child)
            stacked.insert(at, child)


def install_accessible_roles() -> None:
    """Once per process, before the first window; again does no harm."""
    QAccessible.installFactory(_interface_of)
