import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.ui.controls import Button
from orbtile.ui.feedback import HOVER_MS, _OuterRing
from orbtile.ui.theme import Theme
from tests.fakes.qt import settle


class Pair:
    """Two buttons in a window."""

    def __init__(self, theme: Theme) -> None:
        self.window = QWidget()
        column = QVBoxLayout(self.window)
        self.first, self.second = Button(theme, "First"), Button(theme, "Second")
        column.addWidget(self.first)
        column.addWidget(self.second)
        self.window.show()
        self.window.activateWindow()
        settle()
        self.first.clearFocus()  # a window that opens gives its first control the focus, unringed

    def rings(self) -> list[_OuterRing]:
        settle()
        return self.window.findChildren(_OuterRing)


@pytest.fixture
def pair(theme: Theme) -> Pair:
    return Pair(theme)


def test_focus_that_came_by_tab_is_ringed_around_the_control(pair: Pair) -> None:
    pair.first.setFocus(Qt.FocusReason.TabFocusReason)
    (ring,) = pair.rings()
    assert ring.geometry() == pair.first.geometry().adjusted(-4, -4, 4, 4)
    assert ring.isVisible()
    assert ring.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


def test_focus_that_came_by_mouse_is_not_ringed(pair: Pair) -> None:
    QTest.mouseClick(pair.first, Qt.MouseButton.LeftButton)
    pair.second.setFocus(Qt.FocusReason.MouseFocusReason)
    assert pair.rings() == []


def test_a_key_after_the_mouse_rings_and_a_press_after_the_key_unrings(pair: Pair) -> None:
    pair.first.setFocus(Qt.FocusReason.MouseFocusReason)
    QTest.keyClick(pair.first, Qt.Key.Key_Shift)
    assert pair.rings() == []
    QTest.keyClick(pair.first, Qt.Key.Key_A)
    assert len(pair.rings()) == 1
    QTest.mouseClick(pair.first, Qt.MouseButton.LeftButton)
    assert pair.rings() == []


def test_the_ring_goes_with_the_focus(pair: Pair) -> None:
    pair.first.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(pair.first, Qt.Key.Key_Tab)
    (ring,) = pair.rings()
    assert ring.geometry().center() == pair.second.geometry().center()


def test_the_ring_follows_a_control_that_moves_and_hides(pair: Pair) -> None:
    pair.first.setFocus(Qt.FocusReason.TabFocusReason)
    pair.first.move(pair.first.x() + 7, pair.first.y())
    (ring,) = pair.rings()
    assert ring.x() == pair.first.x() - 4
    pair.first.hide()
    settle()
    assert all(ring.geometry().center() != pair.first.geometry().center() for ring in pair.rings())


def test_a_window_that_comes_back_rings_what_was_ringed(pair: Pair) -> None:
    pair.first.setFocus(Qt.FocusReason.TabFocusReason)
    for kind, rings in ((QEvent.Type.FocusOut, 0), (QEvent.Type.FocusIn, 1)):
        QApplication.sendEvent(pair.first, QFocusEvent(kind, Qt.FocusReason.ActiveWindowFocusReason))
        assert len(pair.rings()) == rings


def test_the_ring_goes_with_its_control(pair: Pair) -> None:
    pair.first.setFocus(Qt.FocusReason.TabFocusReason)
    assert len(pair.rings()) == 1
    pair.first.deleteLater()
    settle()
    assert all(ring.geometry().contains(pair.second.geometry()) for ring in pair.rings())


def test_a_control_destroyed_with_the_focus_of_the_keyboard_does_no_harm(pair: Pair) -> None:
    pair.first.setFocus(Qt.FocusReason.TabFocusReason)
    pair.window.deleteLater()
    settle()


def enter(widget: QWidget) -> None:
    point = QPointF(3, 3)
    QApplication.sendEvent(widget, QEnterEvent(point, point, point))


def test_hover_fades_in_80_ms_and_then_no_timer_runs(pair: Pair) -> None:
    feedback = pair.first.feedback
    enter(pair.first)
    assert feedback._fade.duration() == HOVER_MS == 80
    feedback._fade.setCurrentTime(40)
    assert 0 < feedback.hover < 1
    feedback._fade.setCurrentTime(80)
    assert feedback.hover == 1
    assert feedback._fade.state() is feedback._fade.State.Stopped


def test_hover_with_reduced_motion_is_there_at_once(theme: Theme, pair: Pair) -> None:
    theme.apply(ThemeChoice.DARK, reduce_motion=True)
    feedback = pair.first.feedback
    enter(pair.first)
    assert feedback.hover == 1
    QApplication.sendEvent(pair.first, QEvent(QEvent.Type.Leave))
    assert feedback.hover == 0


def test_what_cannot_be_pressed_does_not_light_up(theme: Theme, pair: Pair) -> None:
    theme.apply(ThemeChoice.DARK, reduce_motion=True)
    feedback = pair.first.feedback
    enter(pair.first)
    pair.first.setEnabled(False)
    assert feedback.hover == 0
    enter(pair.first)
    assert feedback.hover == 0
