import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from orbtile.ui.controls import Button
from orbtile.ui.settled_input import SettledInput
from orbtile.ui.theme import Theme
from tests.fakes.clock import FakeClock
from tests.fakes.qt import settle
from tests.fakes.widgets import let_go, press, press_down


class Card:
    """A guarded card in a window; ``accepted`` counts the presses that did something."""

    def __init__(self, theme: Theme) -> None:
        self.clock = FakeClock()
        self.window = QWidget()
        self.window.resize(300, 300)
        self.holder = QWidget(self.window)
        self.holder.setGeometry(10, 10, 200, 200)
        self.card = QWidget(self.holder)
        self.card.setGeometry(10, 10, 150, 80)
        self.button = Button(theme, "Allow", parent=self.card)
        self.button.move(10, 10)
        self.settled = SettledInput(self.card, self.clock.monotonic_s)
        self.settled.add_button(self.button)
        self.accepted = 0
        self.button.clicked.connect(self._on_clicked)
        self.window.show()
        settle()

    def _on_clicked(self) -> None:
        self.accepted += self.settled.accept()

    def press_after(self, seconds: float) -> int:
        """Let so much time pass, press, and say how many presses counted by now."""
        self.clock.advance(seconds)
        press(self.button)
        return self.accepted


@pytest.fixture
def card(theme: Theme) -> Card:
    return Card(theme)


def test_a_press_counts_from_500_ms_after_the_card_appeared(card: Card) -> None:
    assert card.press_after(0.499) == 0
    assert card.press_after(0.001) == 1


def test_a_press_too_early_does_nothing_and_does_not_start_the_time_again(card: Card) -> None:
    assert card.press_after(0.3) == 0
    assert card.press_after(0.2) == 1


def test_a_press_that_began_too_early_does_nothing_however_long_it_is_held(card: Card) -> None:
    card.clock.advance(0.4)
    press_down(card.button)
    card.clock.advance(5)
    let_go(card.button)
    assert card.accepted == 0


def test_a_card_that_changes_under_a_held_button_takes_nothing(card: Card) -> None:
    card.clock.advance(1)
    press_down(card.button)
    card.settled.mark_changed()
    settle()
    card.clock.advance(1)
    let_go(card.button)
    assert card.accepted == 0


def test_a_change_starts_the_time_again(card: Card) -> None:
    card.clock.advance(1)
    card.settled.mark_changed()
    settle()
    assert card.press_after(0.4) == 0
    assert card.press_after(0.1) == 1


def test_the_time_of_a_change_runs_from_when_it_was_painted(card: Card) -> None:
    card.clock.advance(1)
    card.settled.mark_changed()
    card.clock.advance(1)
    press(card.button)  # the loop was busy: what is pressed has not been seen yet
    assert card.accepted == 0
    settle()
    assert card.press_after(0.5) == 1


def test_a_card_out_of_view_counts_from_its_change(card: Card) -> None:
    card.card.move(500, 500)
    settle()
    card.settled.mark_changed()
    settle()
    card.clock.advance(0.5)
    card.button.click()  # as a screen reader does
    assert card.accepted == 1


@pytest.mark.parametrize("what", ["button", "card", "holder", "window"])
def test_moving_anything_that_moves_the_button_starts_the_time_again(card: Card, what: str) -> None:
    moved: QWidget = {
        "button": card.button,
        "card": card.card,
        "holder": card.holder,
        "window": card.window,
    }[what]
    card.clock.advance(1)
    moved.move(moved.x() + 5, moved.y())
    settle()
    assert card.press_after(0.4) == 0
    assert card.press_after(0.1) == 1


def test_a_neighbour_that_resizes_does_not_start_it_again(card: Card) -> None:
    card.clock.advance(1)
    card.holder.resize(220, 260)
    settle()
    assert card.press_after(0) == 1


def test_a_card_that_is_hidden_and_shown_starts_again(card: Card) -> None:
    card.clock.advance(1)
    card.card.hide()
    card.card.show()
    settle()
    assert card.press_after(0.4) == 0
    assert card.press_after(0.1) == 1


def test_a_card_in_another_place_of_the_window_starts_again(card: Card, theme: Theme) -> None:
    card.clock.advance(1)
    other = QWidget(card.window)
    column = QVBoxLayout(other)
    other.show()
    column.addWidget(card.card)
    settle()
    assert card.press_after(0.4) == 0
    other.move(other.x() + 3, other.y())
    settle()
    assert card.press_after(0.1) == 0
    assert card.press_after(0.4) == 1
