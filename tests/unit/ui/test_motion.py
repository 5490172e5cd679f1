"""The clock that orbs move by: who makes it run, and when it stands still."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QExposeEvent, QRegion
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from shiboken6 import isValid

from orbtile.host.views import SessionView
from orbtile.palette.scheme import PaletteSource, make_scheme
from orbtile.palette.states import State
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import ExposureWatch, MotionClock, is_seen
from orbtile.ui.orb import DONE_S
from orbtile.ui.popover import Popover
from orbtile.ui.row import ROW_PX, SessionRow
from orbtile.ui.session_list import FoldRow, SessionList
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host, make_update
from tests.fakes.paints import Paints
from tests.fakes.qt import settle
from tests.fakes.views import EXAMPLE_SESSION, make_session


class Watch:
    """A clock whose hands are moved by the test."""

    def __init__(self, now_s: float = 1_000.0) -> None:
        self.now_s = now_s
        self.motion = MotionClock(lambda: self.now_s)

    def pass_s(self, seconds: float) -> None:
        """Time passes, and the timer comes due if it runs."""
        self.now_s += seconds
        if self.motion.is_running:
            self.motion.tick()
        settle()


@pytest.fixture
def watch(app: QApplication) -> Watch:
    return Watch()


class Dancer:
    """A mover that goes on until told otherwise."""

    def __init__(self) -> None:
        self.steps = 0
        self.goes_on = True

    def take_step(self) -> bool:
        self.steps += 1
        return self.goes_on


# the clock alone


def test_it_runs_while_somebody_holds_it(watch: Watch) -> None:
    dancer, other = Dancer(), Dancer()
    runs = [watch.motion.is_running]
    watch.motion.hold(dancer)
    watch.motion.hold(other)
    runs.append(watch.motion.is_running)
    watch.motion.release(dancer)
    runs.append(watch.motion.is_running)
    watch.motion.release(other)
    runs.append(watch.motion.is_running)
    assert runs == [False, True, True, False]


def test_who_moves_no_more_lets_go_at_the_next_tick(watch: Watch) -> None:
    dancer = Dancer()
    watch.motion.hold(dancer)
    watch.pass_s(0.033)
    dancer.goes_on = False
    watch.pass_s(0.033)
    assert (dancer.steps, watch.motion.is_running) == (2, False)


def test_a_mover_that_is_gone_is_forgotten(watch: Watch, theme: Theme) -> None:
    window = QWidget()
    row = SessionRow(theme, make_session(), lambda: 0.0, watch.motion, window)
    watch.motion.hold(row)
    window.deleteLater()
    settle()
    assert not isValid(row)
    watch.motion.tick()
    assert not watch.motion.is_running
    dancer = Dancer()
    watch.motion.hold(dancer)
    del dancer
    watch.motion.tick()
    assert not watch.motion.is_running


def test_all_orbs_of_one_picture_have_the_same_time(watch: Watch) -> None:
    dancer = Dancer()
    watch.motion.hold(dancer)
    begun_s = watch.motion.now_s
    watch.now_s += 0.02
    assert watch.motion.now_s == begun_s
    watch.motion.tick()
    assert watch.motion.now_s == watch.now_s
    watch.motion.release(dancer)
    watch.now_s += 5
    assert watch.motion.now_s == watch.now_s, "nothing is on the screen that it would have to agree with"


def test_it_ticks_for_others_after_every_step(watch: Watch) -> None:
    dancer = Dancer()
    ticks = QSignalSpy(watch.motion.ticked)
    watch.motion.hold(dancer)
    watch.pass_s(0.033)
    assert (dancer.steps, ticks.count()) == (1, 1)


def test_still_means_the_first_picture_for_everybody_at_once(watch: Watch) -> None:
    dancer = Dancer()
    watch.now_s = 1_000.3
    moving = watch.motion.frame(State.TOOL)
    watch.motion.hold(dancer)
    watch.motion.set_still(True)
    watch.motion.set_still(True)
    assert (moving > 0, watch.motion.frame(State.TOOL), dancer.steps) == (True, 0, 1)
    assert (watch.motion.is_still, watch.motion.is_running) == (True, False)
    watch.motion.hold(dancer)
    assert not watch.motion.is_running
    watch.motion.set_still(False)
    assert watch.motion.is_running, "who was there is still there"


# a row


@pytest.fixture
def window(app: QApplication) -> QWidget:
    holder = QWidget()
    holder.resize(418, ROW_PX)
    return holder


def shown_row(theme: Theme, watch: Watch, window: QWidget, view: SessionView) -> SessionRow:
    row = SessionRow(theme, view, lambda: watch.now_s, watch.motion, window)
    row.resize(418, ROW_PX)
    window.show()
    settle()
    return row


@pytest.mark.parametrize("state", [State.TOOL, State.THINKING, State.STREAMING, State.WAITING_QUESTION])
def test_a_tick_paints_the_orbs_part_of_a_row_and_only_when_the_picture_changes(
    theme: Theme, watch: Watch, window: QWidget, state: State
) -> None:
    row = shown_row(theme, watch, window, make_session(state=state, since_s=0.0))
    paints = Paints(row)
    watch.pass_s(0.001)
    assert not paints.regions
    watch.pass_s(0.25)
    assert [region.boundingRect() for region in paints.regions] == [QRect(13, 7, 38, 38)]


def test_the_orbs_part_is_painted_as_the_whole_row_would_be(
    theme: Theme, watch: Watch, window: QWidget
) -> None:
    view = replace(make_session(state=State.TOOL), background=True, title="A long title " * 9)
    row = shown_row(theme, watch, window, view)
    watch.pass_s(0.25)
    whole = window.grab().toImage()
    part = window.grab(QRect(13, 7, 38, 38)).toImage()
    assert part == whole.copy(13, 7, 38, 38)
    assert row.isVisible()


@pytest.mark.parametrize("state", [State.IDLE, State.ERROR, State.OFFLINE, State.DONE])
def test_a_row_that_stands_still_starts_no_timer(
    theme: Theme, watch: Watch, window: QWidget, state: State
) -> None:
    shown_row(theme, watch, window, make_session(state=state, since_s=0.0))
    assert not watch.motion.is_running


def test_a_tick_is_drawn_when_a_session_is_done_and_then_the_timer_stops(
    theme: Theme, watch: Watch, window: QWidget
) -> None:
    row = shown_row(theme, watch, window, make_session(state=State.IDLE, since_s=0.0))
    row.set_view(make_session(state=State.DONE, since_s=watch.now_s))
    settle()
    runs = [watch.motion.is_running]
    watch.pass_s(DONE_S / 2)
    runs.append(watch.motion.is_running)
    watch.pass_s(DONE_S)
    runs.append(watch.motion.is_running)
    assert runs == [True, True, False]
    assert window.grab().toImage() == window.grab().toImage()


def test_a_hidden_row_holds_nothing(theme: Theme, watch: Watch, window: QWidget) -> None:
    row = shown_row(theme, watch, window, make_session(state=State.TOOL))
    runs = [watch.motion.is_running]
    row.hide()
    runs.append(watch.motion.is_running)
    row.grab()  # a picture that nobody sees
    runs.append(watch.motion.is_running)
    assert runs == [True, False, False]


def test_a_session_that_is_gone_stands_still(theme: Theme, watch: Watch, window: QWidget) -> None:
    row = shown_row(theme, watch, window, make_session(state=State.THINKING))
    row.set_gone()
    watch.pass_s(0.5)
    assert not watch.motion.is_running


def test_a_row_out_of_view_lets_go_and_moves_again_when_scrolled_back(theme: Theme, watch: Watch) -> None:
    scroll, content = QScrollArea(), QWidget()
    content.resize(418, 3_000)
    row = SessionRow(theme, make_session(state=State.TOOL), lambda: watch.now_s, watch.motion, content)
    row.resize(418, ROW_PX)
    scroll.setWidget(content)
    scroll.resize(430, 200)
    scroll.show()
    settle()
    runs = [watch.motion.is_running]
    for top in (1_000, 0):
        scroll.verticalScrollBar().setValue(top)
        settle()
        watch.pass_s(0.2)
        runs.append(watch.motion.is_running)
    assert runs == [True, False, True]


# the window


def test_a_window_that_is_minimised_or_not_exposed_is_not_seen(
    window: QWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = [is_seen(window)]
    window.show()
    settle()
    seen.append(is_seen(window))
    monkeypatch.setattr(window, "isMinimized", lambda: True)
    seen.append(is_seen(window))
    monkeypatch.undo()
    window.hide()
    seen.append(is_seen(window))
    assert seen == [False, True, False, False]


def test_a_window_that_can_be_seen_again_says_so_once(window: QWidget) -> None:
    watch = ExposureWatch(window)
    returned = QSignalSpy(watch.returned)
    window.show()
    settle()
    watch.begin()
    watch.begin()
    for exposed in (True, False, False, True, True):
        watch.take(exposed=exposed)
    assert returned.count() == 1
    watch.take(exposed=False)
    QApplication.sendEvent(window.windowHandle(), QExposeEvent(QRegion(0, 0, 9, 9)))
    assert returned.count() == 2
    watch.end()
    watch.end()
    watch.take(exposed=False)
    QApplication.sendEvent(window.windowHandle(), QExposeEvent(QRegion(0, 0, 9, 9)))
    assert returned.count() == 2


class Stage:
    """A popover with sessions that move, on a clock of the test's."""

    def __init__(self, theme: Theme) -> None:
        self.host = Host()
        self.adapter = self.host.allowed()
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.motion = MotionClock(self.host.clock.monotonic_s)
        now_s = self.host.clock.monotonic_s
        self.popover = Popover(self.bridge, theme, self.model, now_s, motion=self.motion)

    def put(self, session_id: str, state: State, *, background: bool = False) -> None:
        self.adapter.update(session_id, replace(make_update(session_id, state), background=background))
        self.bridge.flush()
        settle()

    def open(self) -> None:
        self.popover.open_at(QPoint(400, 2))
        settle()

    def pass_s(self, seconds: float) -> None:
        self.host.advance(seconds)
        if self.motion.is_running:
            self.motion.tick()
        settle()

    @property
    def list(self) -> SessionList:
        found = self.popover.findChild(SessionList)
        assert isinstance(found, SessionList)
        return found

    @property
    def fold(self) -> FoldRow:
        found = self.popover.findChild(FoldRow)
        assert isinstance(found, FoldRow)
        return found


@pytest.fixture
def stage(theme: Theme) -> Iterator[Stage]:
    stage = Stage(theme)
    yield stage
    stage.popover.close()


def test_no_timer_runs_while_the_popover_is_closed(stage: Stage) -> None:
    stage.put("a", State.TOOL)
    runs = [stage.motion.is_running]
    stage.open()
    runs.append(stage.motion.is_running)
    stage.popover.close()
    runs.append(stage.motion.is_running)
    stage.put("a", State.THINKING)
    runs.append(stage.motion.is_running)
    stage.open()
    runs.append(stage.motion.is_running)
    assert runs == [False, True, False, False, True]


def test_no_timer_runs_while_nothing_in_the_popover_moves(stage: Stage) -> None:
    stage.put("a", State.IDLE)
    stage.open()
    runs = [stage.motion.is_running]
    stage.put("a", State.TOOL)
    runs.append(stage.motion.is_running)
    stage.put("a", State.ERROR)
    stage.pass_s(0.1)
    runs.append(stage.motion.is_running)
    assert runs == [False, True, False]


def test_no_timer_runs_while_the_popover_is_covered(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.put("a", State.TOOL)
    stage.open()
    monkeypatch.setattr("orbtile.ui.row.is_seen", lambda _row: False)
    stage.pass_s(0.1)
    runs = [stage.motion.is_running]
    monkeypatch.undo()
    exposure = stage.popover.findChild(ExposureWatch)
    assert isinstance(exposure, ExposureWatch)
    exposure.returned.emit()
    settle()
    runs.append(stage.motion.is_running)
    assert runs == [False, True]


def test_a_popover_that_is_no_longer_minimised_moves_again(stage: Stage) -> None:
    stage.put("a", State.TOOL)
    stage.popover.set_windowed(True)
    stage.open()
    stage.popover.showMinimized()
    settle()
    stage.pass_s(0.1)
    runs = [stage.motion.is_running]
    stage.popover.showNormal()
    settle()
    runs.append(stage.motion.is_running)
    assert runs == [False, True]


def test_folded_orbs_move_too_and_only_they_are_painted(stage: Stage) -> None:
    stage.put("a", State.IDLE)
    stage.put("b", State.TOOL, background=True)
    stage.put("c", State.IDLE, background=True)
    stage.open()
    assert stage.motion.is_running
    paints = Paints(stage.fold)
    stage.pass_s(0.25)
    assert [region.boundingRect().size().width() for region in paints.regions] == [18]
    stage.fold.click()  # opened: the orb moves in its row
    settle()
    paints.regions.clear()
    stage.pass_s(0.25)
    assert not paints.regions


def test_folded_orbs_let_go_when_nobody_sees_them(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.put("b", State.TOOL, background=True)
    stage.open()
    monkeypatch.setattr("orbtile.ui.session_list.is_seen", lambda _fold: False)
    stage.pass_s(0.1)
    assert not stage.motion.is_running


# colours


def test_orbs_and_alarm_words_are_in_the_colours_of_their_own_session(
    theme: Theme, watch: Watch, window: QWidget
) -> None:
    def colours(hue_deg: float) -> set[str]:
        scheme = make_scheme(PaletteSource(hue_deg))
        view = replace(EXAMPLE_SESSION, state=State.WAITING_QUESTION, scheme=scheme)
        image = shown_row(theme, watch, window, view).grab().toImage()
        found = {image.pixelColor(x, y).name() for x in range(14, 200) for y in range(52)}
        mine = scheme[State.WAITING_QUESTION]
        assert mine.text_dark in found
        assert mine.ramp.deep in found
        return found & {mine.ramp.hi, mine.ramp.deep, mine.text_dark}

    assert not colours(150) & colours(270)
