"""The hue ring: by mouse, by keyboard, by assistive technology; never into the reserved arc."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor, QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from orbtile.palette.hues import resolve_base_hue
from orbtile.ui.controls import Button
from orbtile.ui.hue_ring import RING_PX, HueRing, degrees_text, stepped
from orbtile.ui.theme import Theme
from tests.fakes.qt import settle
from tests.fakes.widgets import key

FIRST, LAST = 75.9, 345.9


class Ring:
    """A ring on a window, at 150°, and what it said."""

    def __init__(self, theme: Theme) -> None:
        self.window = QWidget()
        self.other = Button(theme, "Other", parent=self.window)
        self.ring = HueRing(theme, "Hue of Quill", self.window)
        column = QVBoxLayout(self.window)
        column.addWidget(self.ring)
        column.addWidget(self.other)
        self.ring.set_hue(150)
        self.previewed = QSignalSpy(self.ring.hue_previewed)
        self.chosen = QSignalSpy(self.ring.hue_chosen)
        self.ended = QSignalSpy(self.ring.preview_ended)
        self.window.show()
        self.window.activateWindow()
        settle()

    def point(self, hue_deg: float, radius_px: float = 60) -> QPoint:
        angle = math.radians(hue_deg)
        middle = RING_PX / 2
        return QPoint(
            round(middle + math.sin(angle) * radius_px), round(middle - math.cos(angle) * radius_px)
        )

    def press(self, hue_deg: float, radius_px: float = 60) -> None:
        QTest.mousePress(self.ring, Qt.MouseButton.LeftButton, pos=self.point(hue_deg, radius_px))

    def move(self, hue_deg: float, radius_px: float = 60) -> None:
        QTest.mouseMove(self.ring, self.point(hue_deg, radius_px))

    def let_go(self, hue_deg: float) -> None:
        QTest.mouseRelease(self.ring, Qt.MouseButton.LeftButton, pos=self.point(hue_deg))

    def said(self, spy: QSignalSpy) -> list[float]:
        return [spy.at(i)[0] for i in range(spy.count())]


@pytest.fixture
def at(theme: Theme) -> Ring:
    return Ring(theme)


class TestMouse:
    def test_a_drag_previews_and_chooses_when_let_go(self, at: Ring) -> None:
        at.press(200)
        at.move(220)
        assert at.said(at.previewed) == pytest.approx([200, 220], abs=1)
        assert at.chosen.count() == 0
        assert at.ring.is_previewing
        at.let_go(220)
        assert at.said(at.chosen) == pytest.approx([220], abs=1)
        assert not at.ring.is_previewing

    def test_hues_are_whole_degrees(self, at: Ring) -> None:
        at.press(200)
        at.move(233)
        assert all(hue == round(hue) for hue in at.said(at.previewed))

    @pytest.mark.parametrize(("into", "edge"), [(50, FIRST), (32, FIRST), (28, LAST), (0, LAST), (350, LAST)])
    def test_a_drag_into_the_reserved_arc_stays_at_the_nearer_edge(
        self, at: Ring, into: float, edge: float
    ) -> None:
        at.press(200)
        at.move(into)
        assert at.ring.hue_deg == edge

    def test_taking_the_knob_does_not_move_it(self, at: Ring) -> None:
        at.press(153)
        at.let_go(153)
        assert at.previewed.count() == at.chosen.count() == 0
        at.press(153)
        at.move(163)
        assert at.ring.hue_deg == pytest.approx(160, abs=1)

    def test_a_drag_goes_on_wherever_the_pointer_is(self, at: Ring) -> None:
        at.press(200)
        at.move(250, radius_px=10)
        assert at.ring.hue_deg == pytest.approx(250, abs=6)

    @pytest.mark.parametrize("radius_px", [0, 40])
    def test_a_press_in_the_middle_means_nothing(self, at: Ring, radius_px: float) -> None:
        at.press(200, radius_px)
        at.move(250)
        at.let_go(250)
        assert at.previewed.count() == at.chosen.count() == 0

    def test_other_buttons_mean_nothing(self, at: Ring) -> None:
        QTest.mouseClick(at.ring, Qt.MouseButton.RightButton, pos=at.point(200))
        assert at.previewed.count() == at.chosen.count() == 0

    def test_dragged_back_to_where_it_was_is_chosen_all_the_same(self, at: Ring) -> None:
        at.press(200)
        at.move(150)
        at.let_go(150)
        assert at.said(at.chosen) == [150]

    def test_escape_takes_a_drag_back(self, at: Ring) -> None:
        at.press(200)
        key(at.ring, Qt.Key.Key_Escape)
        at.let_go(200)
        assert at.ring.hue_deg == 150
        assert (at.ended.count(), at.chosen.count()) == (1, 0)

    def test_the_wheel_scrolls_the_page(self, at: Ring) -> None:
        middle = QPointF(72, 72)
        event = QWheelEvent(
            middle,
            at.ring.mapToGlobal(middle),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(at.ring, event)
        assert not event.isAccepted()
        assert at.ring.hue_deg == 150

    def test_a_ring_that_hides_drops_its_preview(self, at: Ring) -> None:
        at.press(200)
        at.ring.hide()
        assert at.ring.hue_deg == 150
        assert (at.ended.count(), at.chosen.count()) == (1, 0)


class TestKeyboard:
    @pytest.mark.parametrize(
        ("code", "hue"),
        [
            (Qt.Key.Key_Right, 151),
            (Qt.Key.Key_Up, 151),
            (Qt.Key.Key_Plus, 151),
            (Qt.Key.Key_Left, 149),
            (Qt.Key.Key_Down, 149),
            (Qt.Key.Key_Minus, 149),
            (Qt.Key.Key_PageUp, 180),
            (Qt.Key.Key_PageDown, 120),
            (Qt.Key.Key_Home, FIRST),
            (Qt.Key.Key_End, LAST),
        ],
    )
    @pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
    def test_keys_turn_the_dial_the_same_way_in_every_language(
        self, at: Ring, code: Qt.Key, hue: float, direction: Qt.LayoutDirection
    ) -> None:
        at.window.setLayoutDirection(direction)
        key(at.ring, code)
        assert at.said(at.previewed) == at.said(at.chosen) == [hue]

    def test_shift_takes_ten_degrees(self, at: Ring) -> None:
        QTest.keyClick(at.ring, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        at.ring.set_hue(160)
        QTest.keyClick(at.ring, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        assert at.said(at.chosen) == [160, 150]

    def test_a_key_that_is_held_previews_until_it_is_let_go(self, at: Ring) -> None:
        for _ in range(5):
            QTest.keyPress(at.ring, Qt.Key.Key_Right)
        assert at.said(at.previewed) == [151, 152, 153, 154, 155]
        assert at.chosen.count() == 0
        QTest.keyRelease(at.ring, Qt.Key.Key_Right)
        assert at.said(at.chosen) == [155]

    def test_focus_that_leaves_while_a_key_is_down_chooses(self, at: Ring) -> None:
        at.ring.setFocus()
        QTest.keyPress(at.ring, Qt.Key.Key_Right)
        at.other.setFocus()
        assert at.said(at.chosen) == [151]

    def test_other_keys_go_to_the_window(self, at: Ring) -> None:
        for code in (Qt.Key.Key_A, Qt.Key.Key_Escape, Qt.Key.Key_Return):
            key(at.ring, code)
        assert at.previewed.count() == at.chosen.count() == at.ended.count() == 0

    def test_the_ring_of_focus_is_round(self, at: Ring, theme: Theme) -> None:
        at.ring.setFocus(Qt.FocusReason.TabFocusReason)
        settle()
        accent = theme.color("accent")
        picture = at.window.grab().toImage()

        def is_ringed(point: QPoint) -> bool:
            return abs(QColor(picture.pixel(point)).hue() - accent.hue()) < 5

        box = at.ring.geometry()
        assert is_ringed(box.center() - QPoint(0, RING_PX // 2 + 3))
        assert not is_ringed(box.topLeft() - QPoint(2, 2))


class TestSteps:
    def test_the_arc_is_left_out_after_a_stop_at_its_edge(self) -> None:
        assert [stepped(345, 1), stepped(LAST, 1), stepped(FIRST, 1)] == [LAST, FIRST, 76]
        assert [stepped(76, -1), stepped(FIRST, -1), stepped(LAST, -1)] == [FIRST, LAST, 345]
        assert [stepped(340, 10), stepped(80, -10)] == [LAST, FIRST]

    def test_steps_end_on_whole_degrees(self) -> None:
        assert [stepped(152.5, 1), stepped(152.5, -1), stepped(152.5, 10)] == [153, 152, 162]

    @given(st.floats(FIRST, LAST), st.sampled_from([1, -1, 10, -10, 30, -30]))
    def test_no_step_ends_in_the_reserved_arc_or_nowhere(self, hue_deg: float, by_deg: float) -> None:
        after = stepped(hue_deg, by_deg)
        assert resolve_base_hue(after) == after != hue_deg

    @pytest.mark.parametrize(("hue", "text"), [(150, "150°"), (75.9, "75.9°"), (152.526, "152.5°")])
    def test_degrees_are_written_short(self, hue: float, text: str) -> None:
        assert degrees_text(hue) == text


class TestOwner:
    def test_what_its_owner_says_is_shown_and_emits_nothing(self, at: Ring) -> None:
        at.ring.set_hue(210.4)
        assert (at.ring.hue_deg, at.ring.value()) == (210.4, 210)
        assert at.previewed.count() == at.chosen.count() == at.ended.count() == 0

    def test_it_does_not_disturb_a_drag(self, at: Ring) -> None:
        at.press(200)
        at.ring.set_hue(90)
        assert at.ring.hue_deg == pytest.approx(200, abs=1)
        at.ring.end_preview()
        assert at.ring.hue_deg == 90
        assert at.ended.count() == 1

    def test_ending_no_preview_says_nothing(self, at: Ring) -> None:
        at.ring.end_preview()
        assert at.ended.count() == 0


class TestAssistiveTechnology:
    def test_it_is_a_slider_with_a_name_and_a_value(self, at: Ring) -> None:
        interface = QAccessible.queryAccessibleInterface(at.ring)
        assert interface is not None
        assert interface.role() is QAccessible.Role.Slider
        assert interface.text(QAccessible.Text.Name) == "Hue of Quill"
        assert interface.state().focusable
        assert (at.ring.minimum(), at.ring.value(), at.ring.maximum()) == (76, 150, 346)

    @pytest.mark.parametrize(("value", "hue"), [(200, 200), (76, 76), (346, LAST), (1000, LAST)])
    def test_a_value_that_is_set_is_chosen(self, at: Ring, value: int, hue: float) -> None:
        at.ring.setValue(value)
        assert at.said(at.previewed) == at.said(at.chosen) == [hue]


class TestPicture:
    @pytest.mark.parametrize("is_dark", [True, False])
    def test_the_band_is_thin_where_nothing_can_be_chosen(self, at: Ring, is_dark: bool) -> None:
        picture = at.ring.grab().toImage()
        ground = QColor(picture.pixel(QPoint(2, 2)))

        def inked(hue_deg: float, radius_px: float) -> bool:
            return QColor(picture.pixel(at.point(hue_deg, radius_px))) != ground

        middles = [(step + 0.5) * 7.5 for step in range(48)]
        for hue in middles:
            if abs(hue - 150) > 15:
                assert inked(hue, 60), hue
                assert inked(hue, 65) is (resolve_base_hue(hue) == hue), hue

    def test_the_knob_is_where_the_hue_is(self, at: Ring) -> None:
        for hue in (FIRST, 150.0, 261.0, LAST):
            at.ring.set_hue(hue)
            picture = at.ring.grab().toImage()
            assert QColor(picture.pixel(at.point(hue, 60 + 9))).lightness() > 225

    def test_every_step_has_a_colour_of_its_own(self, at: Ring) -> None:
        picture = at.ring.grab().toImage()
        chosen = [(step + 0.5) * 7.5 for step in range(11, 45)]
        assert len({QColor(picture.pixel(at.point(hue))).name() for hue in chosen}) > 30
