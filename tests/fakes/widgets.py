"""Finding widgets as a screen reader would, and using them as a person would."""

from typing import TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

AnyWidget = TypeVar("AnyWidget", bound=QWidget)


def all_named(root: QWidget, name: str) -> list[QWidget]:
    """What is called ``name`` within ``root`` and not hidden, in no order."""
    return [
        widget
        for widget in root.findChildren(QWidget)
        if widget.accessibleName() == name and widget.isVisibleTo(root)
    ]


def named(root: QWidget, name: str, kind: type[AnyWidget]) -> AnyWidget:
    """The one widget called ``name`` that is not hidden."""
    (found,) = all_named(root, name)
    assert isinstance(found, kind)
    return found


def press(widget: QWidget) -> None:
    """Click with the mouse on its middle."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def press_down(widget: QWidget) -> None:
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(5, 5))


def let_go(widget: QWidget) -> None:
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(5, 5))


def key(widget: QWidget, code: Qt.Key) -> None:
    QTest.keyClick(widget, code)


def tab_order(window: QWidget) -> list[str]:
    """The accessible names, in the order in which Tab reaches them, once around."""
    names: list[str] = []
    window.activateWindow()
    start: QWidget | None = None
    for _ in range(200):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        if start is None:
            start = focused
        elif focused is start:
            return names
        names.append(focused.accessibleName())
    raise AssertionError(f"Tab does not come around: {names}")
