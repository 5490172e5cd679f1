import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget

from orbtile.ui.controls import Button
from orbtile.ui.settings.rows import ConfirmRow, Group, Page, Row
from orbtile.ui.surfaces import Hairline
from orbtile.ui.theme import Theme
from tests.fakes.clock import FakeClock
from tests.fakes.qt import settle
from tests.fakes.widgets import key, press


class Asking:
    """A row that asks twice, in a window."""

    def __init__(self, theme: Theme) -> None:
        self.clock = FakeClock()
        self.window = QWidget()
        self.row = ConfirmRow(theme, self.window, now_s=self.clock.monotonic_s)
        self.row.set_texts("Access token", "It lets agents in.", "Regenerate it?", "All agents go.")
        self.row.set_buttons("Regenerate token", "Regenerate")
        self.row.setGeometry(0, 0, 500, 60)
        self.window.resize(520, 80)
        self.window.show()
        self.window.activateWindow()
        settle()
        self.confirmed = QSignalSpy(self.row.confirmed)
        self.opened = QSignalSpy(self.row.opened)
        self.closed = QSignalSpy(self.row.closed)

    def ask(self) -> tuple[Button, Button]:
        """Open the question with the mouse, and let the time of a double click pass."""
        press(self.row.button)
        self.clock.advance(QGuiApplication.styleHints().mouseDoubleClickInterval() / 1000 + 0.01)
        return self.answers()

    def answers(self) -> tuple[Button, Button]:
        answers = self.row.answers
        assert answers is not None
        settle()
        return answers

    def texts(self) -> tuple[str, str]:
        return self.row.text.title.text(), self.row.text.description.text()


@pytest.fixture
def asking(theme: Theme) -> Asking:
    return Asking(theme)


def test_the_row_turns_into_the_question_and_back(asking: Asking) -> None:
    assert asking.texts() == ("Access token", "It lets agents in.")
    cancel, confirm = asking.ask()
    assert asking.texts() == ("Regenerate it?", "All agents go.")
    assert (cancel.accessibleName(), confirm.accessibleName()) == ("Cancel", "Regenerate")
    assert asking.row.button.isHidden()
    press(cancel)
    assert asking.texts() == ("Access token", "It lets agents in.")
    assert asking.row.answers is None
    assert asking.row.button.isVisible()
    assert (asking.opened.count(), asking.closed.count(), asking.confirmed.count()) == (1, 1, 0)


def test_the_second_press_confirms_once(asking: Asking) -> None:
    _cancel, confirm = asking.ask()
    press(confirm)
    assert asking.confirmed.count() == 1
    assert asking.row.answers is None


def test_the_second_half_of_a_double_click_confirms_nothing(asking: Asking) -> None:
    press(asking.row.button)
    _cancel, confirm = asking.answers()
    asking.clock.advance(0.1)
    press(confirm)
    assert asking.confirmed.count() == 0
    assert asking.row.answers is not None


def test_a_double_click_that_is_held_confirms_nothing(asking: Asking) -> None:
    press(asking.row.button)
    _cancel, confirm = asking.answers()
    middle = QPoint(confirm.width() // 2, confirm.height() // 2)
    QTest.mousePress(confirm, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, middle)
    asking.clock.advance(2)
    QTest.mouseRelease(confirm, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, middle)
    assert asking.confirmed.count() == 0


def test_a_screen_reader_or_the_keyboard_need_not_wait(asking: Asking) -> None:
    asking.row.button.click()
    _cancel, confirm = asking.answers()
    confirm.click()
    assert asking.confirmed.count() == 1
    asking.row.button.click()
    key(asking.answers()[1], Qt.Key.Key_Return)
    assert asking.confirmed.count() == 2


def test_escape_cancels(asking: Asking) -> None:
    cancel, _confirm = asking.ask()
    key(cancel, Qt.Key.Key_Escape)
    assert asking.row.answers is None
    assert asking.confirmed.count() == 0
    key(asking.row.button, Qt.Key.Key_Escape)
    assert asking.closed.count() == 1


def test_the_focus_goes_to_cancel_and_comes_back(asking: Asking) -> None:
    asking.row.button.setFocus(Qt.FocusReason.TabFocusReason)
    key(asking.row.button, Qt.Key.Key_Space)
    cancel, _confirm = asking.answers()
    assert QApplication.focusWidget() is cancel
    assert cancel.focus_visible
    key(cancel, Qt.Key.Key_Space)
    assert QApplication.focusWidget() is asking.row.button
    assert asking.row.button.focus_visible


def test_after_the_mouse_the_focus_goes_the_same_way_without_a_ring(asking: Asking) -> None:
    cancel, _confirm = asking.ask()
    assert QApplication.focusWidget() is cancel
    assert not cancel.focus_visible


def test_opening_and_closing_twice_does_nothing_more(asking: Asking) -> None:
    asking.row.close_question()
    asking.row.open()
    asking.row.open()
    assert (asking.opened.count(), asking.closed.count()) == (1, 0)


def test_other_texts_show_at_once_whichever_face_is_up(asking: Asking) -> None:
    asking.row.set_texts("A", "B", "C", "D")
    assert asking.texts() == ("A", "B")
    asking.row.open()
    asking.row.set_texts("1", "2", "3", "4")
    assert asking.texts() == ("3", "4")


def test_answered_questions_leave_nothing_behind(asking: Asking) -> None:
    settle()
    before = len(asking.window.findChildren(QWidget))
    for _ in range(5):
        asking.row.open()
        asking.row.close_question()
    settle()
    assert len(asking.window.findChildren(QWidget)) == before


def test_a_group_has_a_line_between_rows_and_none_around(theme: Theme) -> None:
    group = Group(theme)
    parts = [
        group.add(Row(theme, name, "What it is", Button(theme, name), group))
        for name in ("One", "Two", "Three")
    ]
    group.resize(400, group.heightForWidth(400))
    group.show()
    settle()
    assert [len(part.findChildren(Hairline)) for part in parts] == [0, 1, 1]
    assert all(line.y() == 0 for part in parts for line in part.findChildren(Hairline))


def test_a_row_that_is_hidden_takes_its_line_with_it(theme: Theme) -> None:
    group = Group(theme)
    group.add(Row(theme, "One", "What it is", Button(theme, "One"), group))
    part = group.add(Row(theme, "Two", "What it is", Button(theme, "Two"), group))
    group.resize(400, 300)
    group.show()
    settle()
    before = group.heightForWidth(400)
    part.hide()
    settle()
    assert before - group.heightForWidth(400) == part.heightForWidth(398) > 20


def test_a_page_never_scrolls_sideways(theme: Theme) -> None:
    page = Page(theme, "General")
    page.column.addWidget(Row(theme, "A title " * 30, "A description " * 40, Button(theme, "Do it")))
    page.resize(500, 300)
    page.show()
    settle()
    content = page.widget()
    assert content is not None
    assert content.width() <= 500


def test_the_ring_of_a_control_at_the_edge_of_its_row_is_whole_and_goes_with_the_row(theme: Theme) -> None:
    window = QWidget()
    button = Button(theme, "Do it")
    row = Row(theme, "Title", "Description", button, window)
    row.setGeometry(10, 10, 300, 60)
    window.resize(400, 200)
    window.show()
    window.activateWindow()
    settle()
    button.clearFocus()  # which it got with the window, unringed
    button.setFocus(Qt.FocusReason.TabFocusReason)
    ring = window.children()[-1]
    assert isinstance(ring, QWidget)

    def around_the_button() -> QRect:
        return QRect(button.mapTo(window, QPoint()), button.size()).adjusted(-4, -4, 4, 4)

    assert ring.geometry() == around_the_button()
    assert ring.visibleRegion().boundingRect() == ring.rect(), "nothing of it is cut off"
    row.move(10, 40)
    assert ring.geometry() == around_the_button()
    row.hide()
    assert not ring.isVisible()
