import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from orbtile.palette.scheme import HOUSE, PaletteSource, make_scheme
from orbtile.palette.states import ACTIVITIES, State
from orbtile.ui.motion import MotionClock
from orbtile.ui.orb import moves
from orbtile.ui.settings.state_previews import SHOWN, StatePreviews
from orbtile.ui.theme import Theme
from tests.fakes.clock import FakeClock
from tests.fakes.qt import settle

GREEN = make_scheme(PaletteSource(150.0))


class Shown:
    """The previews on a window, and the clock that they move by."""

    def __init__(self, theme: Theme, width: int = 330) -> None:
        self.clock = FakeClock()
        self.motion = MotionClock(self.clock.monotonic_s)
        self.window = QWidget()
        self.previews = StatePreviews(theme, HOUSE, self.motion, self.window)
        column = QVBoxLayout(self.window)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.previews)
        self.window.resize(width, 400)
        self.window.show()
        settle()


@pytest.fixture
def shown(theme: Theme) -> Shown:
    return Shown(theme)


def test_every_state_is_there_once_by_name(shown: Shown) -> None:
    assert sorted(SHOWN) == sorted(ACTIVITIES)
    names = [preview.accessibleName() for preview in shown.previews.previews]
    assert names[:4] == ["Permission", "Question", "Error", "Tool"]
    assert len(set(names)) == 11
    assert {preview.objectName() for preview in shown.previews.previews} == {
        f"{state.value}Preview" for state in ACTIVITIES
    }


def test_other_colours_are_drawn_and_told(shown: Shown) -> None:
    before = shown.previews.grab().toImage()
    shown.previews.set_scheme(GREEN)
    assert shown.previews.scheme is GREEN
    assert shown.previews.grab().toImage() != before
    told = [preview.accessibleDescription() for preview in shown.previews.previews]
    assert told == [GREEN[state].ramp.hi for state in SHOWN]


@pytest.mark.parametrize(("width", "columns"), [(330, 4), (240, 3), (60, 1)])
def test_names_are_never_cut_while_there_is_room_below(theme: Theme, width: int, columns: int) -> None:
    shown = Shown(theme, width)
    previews = shown.previews
    assert len({preview.x() for preview in previews.previews}) == columns
    assert previews.heightForWidth(width) == -(-11 // columns) * 60
    assert previews.hasHeightForWidth()


def test_reading_goes_from_the_side_where_lines_begin(shown: Shown) -> None:
    first, second = shown.previews.previews[:2]
    assert first.x() < second.x()
    shown.window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    shown.window.resize(331, 400)
    settle()
    assert first.x() > second.x()


def test_what_works_or_waits_moves_while_it_is_seen(shown: Shown) -> None:
    shown.previews.grab()
    assert shown.motion.is_running
    before = {p.objectName(): p.grab().toImage() for p in shown.previews.previews}
    shown.clock.advance(0.5)
    shown.motion.tick()
    after = {p.objectName(): p.grab().toImage() for p in shown.previews.previews}
    changed = {State(name.removesuffix("Preview")) for name in before if before[name] != after[name]}
    assert changed <= {state for state in SHOWN if moves(state)}
    assert State.THINKING in changed
    shown.window.hide()
    assert not shown.motion.is_running


def test_with_reduced_motion_nothing_moves(shown: Shown) -> None:
    shown.motion.set_still(True)
    before = shown.previews.grab().toImage()
    shown.clock.advance(0.5)
    shown.motion.tick()
    assert not shown.motion.is_running
    assert shown.previews.grab().toImage() == before
