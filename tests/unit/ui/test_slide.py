"""Rows slide to their new places: when, from where, and what ends it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPointF, QVariantAnimation
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication

from orbtile.palette.states import State
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import MotionClock
from orbtile.ui.row import ROW_PX, SessionRow
from orbtile.ui.session_list import PADDING_PX, SessionList
from orbtile.ui.slide import SLIDE_MS
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host, make_update
from tests.fakes.qt import settle


class Stand:
    """A list of sessions ``a``, ``b`` and ``c``, from top to bottom, that work."""

    def __init__(self, theme: Theme) -> None:
        self.host = Host()
        self.bridge = Bridge(self.host.service)
        self.motion = MotionClock(self.host.clock.monotonic_s)
        model = SessionModel(self.bridge)
        self.list = SessionList(theme, model, self.host.clock.monotonic_s, self.motion)
        self.list.resize(418, 4 * ROW_PX)
        self.adapter = self.host.allowed()
        for name in ("c", "b", "a"):
            self.put(name, State.THINKING)
        self.bridge.flush()
        self.list.show()
        settle()

    def put(self, name: str, state: State) -> None:
        self.adapter.update(name, make_update(name, state))
        self.host.advance(1)

    def raise_c(self) -> None:
        """It has an error now, and comes first."""
        self.put("c", State.ERROR)
        self.bridge.flush()

    def tops(self) -> dict[str, float]:
        """How many rows down each stands."""
        return {row.view.title: (row.y() - PADDING_PX) / ROW_PX for row in self.list.rows}

    def pass_ms(self, at_ms: int) -> None:
        """The slide is at ``at_ms`` now."""
        course = self.list.findChild(QVariantAnimation)
        assert isinstance(course, QVariantAnimation)
        course.setCurrentTime(at_ms)


BEFORE = {"a": 0, "b": 1, "c": 2}
AFTER = {"c": 0, "a": 1, "b": 2}


@pytest.fixture
def stand(theme: Theme) -> Stand:
    return Stand(theme)


def test_rows_slide_to_their_new_places(stand: Stand) -> None:
    assert (stand.tops(), stand.list.is_sliding) == (BEFORE, False)
    stand.raise_c()
    assert (stand.tops(), stand.list.is_sliding) == (BEFORE, True)
    stand.pass_ms(SLIDE_MS // 2)
    half = stand.tops()
    assert 0 < half["c"] < 1 < half["b"] < 2, "more than half of the way: it starts fast"
    stand.pass_ms(SLIDE_MS)
    assert (stand.tops(), stand.list.is_sliding) == (AFTER, False)


def test_the_row_that_goes_farthest_passes_over_the_others_and_is_read_in_its_place_afterwards(
    stand: Stand,
) -> None:
    def stacked() -> list[str]:
        return [child.view.title for child in stand.list.children() if isinstance(child, SessionRow)]

    assert stacked() == ["a", "b", "c"]
    stand.raise_c()
    assert stacked() == ["a", "b", "c"]
    stand.pass_ms(SLIDE_MS)
    assert stacked() == ["c", "a", "b"]


def test_a_row_that_changes_its_mind_goes_on_from_where_it_is(stand: Stand) -> None:
    stand.raise_c()
    stand.pass_ms(SLIDE_MS // 2)
    half = stand.tops()
    stand.put("b", State.WAITING_QUESTION)
    stand.bridge.flush()
    assert stand.tops() == half
    stand.pass_ms(SLIDE_MS)
    assert stand.tops() == {"b": 0, "c": 1, "a": 2}


def test_a_new_row_is_where_it_belongs_and_one_that_went_holds_up_nobody(stand: Stand) -> None:
    stand.put("new", State.ERROR)
    stand.bridge.flush()
    assert stand.tops() == {"new": 0, "a": 0, "b": 1, "c": 2}
    stand.adapter.end("a")
    stand.bridge.flush()
    settle()
    stand.pass_ms(SLIDE_MS)
    assert stand.tops() == {"new": 0, "b": 1, "c": 2}


def point_at(stand: Stand) -> None:
    middle = QPointF(stand.list.rect().center())
    QApplication.sendEvent(stand.list, QEnterEvent(middle, middle, middle))


@pytest.mark.parametrize("end", [point_at, lambda stand: stand.list.hide()])
def test_a_slide_ends_at_once_when_the_pointer_comes_or_the_list_goes(
    stand: Stand, end: Callable[[Stand], None]
) -> None:
    stand.raise_c()
    end(stand)
    assert (stand.tops(), stand.list.is_sliding) == (AFTER, False)


def test_what_waited_for_the_pointer_to_leave_slides_then(stand: Stand) -> None:
    point_at(stand)
    stand.raise_c()
    assert (stand.tops(), stand.list.is_sliding) == (BEFORE, False)
    QApplication.sendEvent(stand.list, QEvent(QEvent.Type.Leave))
    assert stand.list.is_sliding
    stand.pass_ms(SLIDE_MS)
    assert stand.tops() == AFTER


def test_where_motion_is_not_wanted_rows_are_there_at_once(stand: Stand) -> None:
    stand.motion.set_still(True)
    stand.raise_c()
    assert (stand.tops(), stand.list.is_sliding) == (AFTER, False)


def test_rows_that_nobody_sees_do_not_slide(stand: Stand) -> None:
    stand.list.resize(418, ROW_PX // 2)
    settle()
    stand.put("b", State.DONE)
    stand.bridge.flush()
    assert (stand.tops(), stand.list.is_sliding) == ({"a": 0, "c": 1, "b": 2}, False)


def test_rows_that_are_in_place_when_the_list_opens_do_not_slide(stand: Stand) -> None:
    stand.list.hide()
    stand.raise_c()
    stand.list.show()
    assert (stand.tops(), stand.list.is_sliding) == (AFTER, False)
