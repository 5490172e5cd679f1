from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from orbtile.host.views import AdapterView
from orbtile.palette.scheme import make_scheme
from orbtile.palette.states import State
from orbtile.protocol.registration import Palette, Registration
from orbtile.ui.motion import MotionClock
from orbtile.ui.settings.colours import AdapterColours
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host
from tests.fakes.qt import settle
from tests.fakes.widgets import key, press

QUILL = Registration(
    name="Quill", palette=Palette(base_hue=150, chroma=0.9, states={State.THINKING: "#eab308"})
)
LEFTMOST = QPoint(12, 72)
"""On the ring, at 270°."""


class Coloured:
    """The colours of an adapter on a window."""

    def __init__(self, theme: Theme) -> None:
        self.host = Host()
        self.client = self.host.allowed("dev.quill", QUILL)
        self.window = QWidget()
        motion = MotionClock(self.host.clock.monotonic_s)
        self.colours = AdapterColours(theme, self.view(), motion, self.window)
        QVBoxLayout(self.window).addWidget(self.colours)
        self.window.resize(500, 260)
        self.chosen = QSignalSpy(self.colours.hue_chosen)
        self.reset = QSignalSpy(self.colours.hue_reset)
        self.window.show()
        self.window.activateWindow()
        settle()

    def view(self) -> AdapterView:
        return self.client.view()

    def drag(self) -> None:
        QTest.mousePress(self.colours.ring, Qt.MouseButton.LeftButton, pos=LEFTMOST)

    def let_go(self) -> None:
        QTest.mouseRelease(self.colours.ring, Qt.MouseButton.LeftButton, pos=LEFTMOST)


@pytest.fixture
def at(theme: Theme) -> Coloured:
    return Coloured(theme)


def test_the_ring_stands_at_the_hue_in_use(at: Coloured) -> None:
    assert at.colours.ring.hue_deg == 150
    at.host.service.set_hue("dev.quill", 261.0)
    at.colours.set_view(at.view(), one_alarm=False)
    assert at.colours.ring.hue_deg == 261
    assert at.colours.ring.accessibleName() == "Hue of Quill"


def test_a_drag_shows_all_states_in_that_one_hue_and_keeps_nothing(at: Coloured) -> None:
    at.drag()
    source = QUILL.palette.source.with_user_hue(270.0)
    assert at.colours.previews.scheme is make_scheme(source)
    assert at.chosen.count() == 0
    at.let_go()
    assert at.chosen.at(0) == ["dev.quill", 270.0]


def test_a_drag_keeps_the_one_alarm_colour_of_all(at: Coloured) -> None:
    at.colours.set_view(at.view(), one_alarm=True)
    at.drag()
    source = QUILL.palette.source.with_user_hue(270.0)
    assert at.colours.previews.scheme is make_scheme(source, anchor_attention=True)


def test_news_of_the_adapter_do_not_disturb_a_drag(at: Coloured) -> None:
    at.drag()
    shown = at.colours.previews.scheme
    at.colours.set_view(replace(at.view(), session_count=3), one_alarm=False)
    assert at.colours.previews.scheme is shown
    key(at.colours.ring, Qt.Key.Key_Escape)
    assert at.colours.previews.scheme is at.view().scheme
    assert at.chosen.count() == 0


def test_another_adapter_ends_a_drag(at: Coloured) -> None:
    at.drag()
    other = at.host.allowed("dev.other", replace(QUILL, name="Other", palette=Palette(base_hue=200)))
    at.colours.set_view(other.view(), one_alarm=False)
    assert at.colours.ring.hue_deg == 200
    assert at.colours.previews.scheme is other.view().scheme
    at.let_go()
    assert at.chosen.count() == 0


def test_there_is_something_to_reset_only_with_a_hue_of_the_users(at: Coloured) -> None:
    assert not at.colours.reset.isEnabled()
    at.host.service.set_hue("dev.quill", 150.0)  # also the adapter's: its other colours are gone all the same
    at.colours.set_view(at.view(), one_alarm=False)
    assert at.colours.reset.isEnabled()
    assert at.colours.reset.accessibleName() == "Reset hue of Quill"
    press(at.colours.reset)
    assert at.reset.at(0) == ["dev.quill"]


@pytest.mark.parametrize("reason", [Qt.FocusReason.TabFocusReason, Qt.FocusReason.MouseFocusReason])
def test_after_a_reset_the_focus_is_on_the_ring(at: Coloured, reason: Qt.FocusReason) -> None:
    at.host.service.set_hue("dev.quill", 261.0)
    at.colours.set_view(at.view(), one_alarm=False)
    at.colours.reset.setFocus(reason)
    at.host.service.set_hue("dev.quill", None)
    at.colours.set_view(at.view(), one_alarm=False)
    assert at.colours.ring.hasFocus()
