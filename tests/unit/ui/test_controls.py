from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QGuiApplication, QImage, QKeyEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.ui.controls import (
    Button,
    ButtonKind,
    Choice,
    CopyButton,
    CopyField,
    IconButton,
    LinkButton,
    Switch,
    mixed,
)
from orbtile.ui.theme import Theme
from tests.fakes.qt import settle
from tests.fakes.widgets import key, named, press


def shown(widget: QWidget) -> QWidget:
    """In a window of its own, with room for focus rings."""
    window = QWidget()
    row = QHBoxLayout(window)
    row.addWidget(widget)
    window.show()
    window.activateWindow()
    settle()
    return window


def image(widget: QWidget) -> QImage:
    return widget.grab().toImage()


class TestSwitch:
    def test_a_press_asks_and_changes_nothing_by_itself(self, theme: Theme) -> None:
        switch = Switch(theme, "Adapter API")
        window = shown(switch)
        asked = QSignalSpy(switch.switch_requested)
        press(switch)
        assert [asked.at(i) for i in range(asked.count())] == [[True]]
        assert not switch.isChecked()
        press(switch)
        assert asked.at(1) == [True]
        assert window.isVisible()

    def test_it_shows_what_its_owner_says_and_says_nothing_itself(self, theme: Theme) -> None:
        switch = Switch(theme, "Adapter API")
        asked = QSignalSpy(switch.switch_requested)
        switch.set_on(True)
        assert switch.isChecked()
        switch.set_on(False)
        assert not switch.isChecked()
        assert asked.count() == 0

    @pytest.mark.parametrize("code", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
    def test_space_and_enter_ask(self, theme: Theme, code: Qt.Key) -> None:
        switch = Switch(theme, "Adapter API")
        window = shown(switch)
        switch.set_on(True)
        asked = QSignalSpy(switch.switch_requested)
        switch.setFocus()
        key(switch, code)
        assert asked.count() == 1
        assert asked.at(0) == [False]
        assert window.isVisible()

    def test_a_toggle_of_a_screen_reader_asks_too(self, theme: Theme) -> None:
        switch = Switch(theme, "Adapter API")
        asked = QSignalSpy(switch.switch_requested)
        switch.toggle()
        assert asked.count() == 1
        assert not switch.isChecked()

    def test_its_whole_face_takes_the_press(self, theme: Theme) -> None:
        switch = Switch(theme, "Adapter API")
        window = shown(switch)
        asked = QSignalSpy(switch.switch_requested)
        QTest.mouseClick(switch, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(34, 18))
        assert asked.count() == 1
        assert window.isVisible()

    def test_on_and_off_differ_in_the_place_of_the_knob_not_only_in_colour(self, theme: Theme) -> None:
        switch = Switch(theme, "Adapter API")
        switch.resize(switch.sizeHint())
        off = image(switch)
        switch.set_on(True)
        on = image(switch)
        assert off.pixelColor(10, 10) == theme.color("knob")
        assert on.pixelColor(26, 10) == theme.color("on_fill")
        assert on.pixelColor(10, 10) == theme.color("fill")

    def test_the_knob_moves_the_other_way_where_one_reads_from_the_right(self, theme: Theme) -> None:
        switch = Switch(theme, "Adapter API")
        switch.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        switch.resize(switch.sizeHint())
        switch.set_on(True)
        assert image(switch).pixelColor(10, 10) == theme.color("on_fill")


class TestButton:
    @pytest.mark.parametrize(("size", "height"), [(28, 28), (32, 32)])
    def test_it_is_as_high_as_asked(self, theme: Theme, size: int, height: int) -> None:
        button = Button(theme, "Deny", size=28 if size == 28 else 32)
        assert button.sizeHint().height() == height
        assert button.minimumSizeHint() == button.sizeHint()

    def test_its_text_is_its_accessible_name_until_another_is_given(self, theme: Theme) -> None:
        button = Button(theme, "Deny")
        assert button.accessibleName() == "Deny"
        button.setAccessibleName("Deny Quill")
        assert button.accessibleName() == "Deny Quill"

    @pytest.mark.parametrize("code", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
    def test_space_and_enter_press_it(self, theme: Theme, code: Qt.Key) -> None:
        button = Button(theme, "Deny")
        window = shown(button)
        pressed, clicked = QSignalSpy(button.pressed), QSignalSpy(button.clicked)
        key(button, code)
        assert (pressed.count(), clicked.count()) == (1, 1)
        assert window.isVisible()

    def test_an_enter_that_repeats_presses_once(self, theme: Theme) -> None:
        button = Button(theme, "Deny")
        window = shown(button)
        clicked = QSignalSpy(button.clicked)
        for repeats in (False, True, True):
            event = QKeyEvent(
                QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", repeats
            )
            QApplication.sendEvent(button, event)
        assert clicked.count() == 1
        assert window.isVisible()

    def test_another_key_is_not_its_business(self, theme: Theme) -> None:
        button = Button(theme, "Deny")
        window = shown(button)
        clicked = QSignalSpy(button.clicked)
        key(button, Qt.Key.Key_A)
        assert clicked.count() == 0
        assert window.isVisible()

    @pytest.mark.parametrize("kind", ["normal", "primary", "flat"])
    def test_it_shows_that_it_is_held_and_that_it_cannot_be(self, theme: Theme, kind: ButtonKind) -> None:
        button = Button(theme, "Deny", kind, icon_name="copy")
        button.resize(button.sizeHint())
        rest = image(button)
        button.setDown(True)
        held = image(button)
        button.setDown(False)
        button.setEnabled(False)
        assert len({rest.cacheKey(), held.cacheKey()}) == 2
        assert rest != held
        assert image(button) != rest

    def test_an_icon_makes_it_wider_and_stands_behind_the_text_where_one_reads_from_the_right(
        self, theme: Theme
    ) -> None:
        plain, with_icon = Button(theme, "Copy"), Button(theme, "Copy", icon_name="copy")
        assert with_icon.sizeHint().width() == plain.sizeHint().width() + 22
        with_icon.resize(with_icon.sizeHint())
        left_to_right = image(with_icon)
        with_icon.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        assert image(with_icon) != left_to_right

    def test_another_theme_repaints_it(self, theme: Theme) -> None:
        button = Button(theme, "Deny", "primary")
        button.resize(button.sizeHint())
        dark = image(button)
        theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
        assert image(button) != dark
        assert image(button).pixelColor(20, 4) == theme.color("fill")


class TestLinkButton:
    def test_a_long_address_is_cut_and_keeps_its_name(self, theme: Theme) -> None:
        link = LinkButton(theme)
        link.setText("https://example.com/" + "a" * 400)
        link.setAccessibleName("Open it")
        assert link.minimumSizeHint().width() < link.sizeHint().width()
        link.resize(120, 18)
        assert not image(link).isNull()
        link.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        assert not image(link).isNull()
        assert link.accessibleName() == "Open it"


class TestIconButton:
    def test_its_name_is_read_out_and_is_its_tooltip(self, theme: Theme) -> None:
        button = IconButton(theme, "sliders", "Settings")
        assert button.accessibleName() == button.toolTip() == "Settings"
        assert button.sizeHint() == button.size()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus

    def test_enter_presses_it(self, theme: Theme) -> None:
        button = IconButton(theme, "sliders", "Settings")
        window = shown(button)
        clicked = QSignalSpy(button.clicked)
        key(button, Qt.Key.Key_Return)
        key(button, Qt.Key.Key_Space)
        assert clicked.count() == 2
        assert window.isVisible()

    def test_it_fills_while_it_is_held(self, theme: Theme) -> None:
        button = IconButton(theme, "sliders", "Settings")
        rest = image(button)
        button.setDown(True)
        assert image(button) != rest


THEMES = (("system", "System"), ("light", "Light"), ("dark", "Dark"))


class TestChoice:
    def test_a_press_asks_and_changes_nothing_by_itself(self, theme: Theme) -> None:
        choice = Choice(theme, "Theme", THEMES)
        window = shown(choice)
        asked = QSignalSpy(choice.chosen)
        press(named(choice, "Dark", QWidget))
        assert [asked.at(i) for i in range(asked.count())] == [["dark"]]
        assert choice.value == "system"
        assert window.isVisible()

    def test_its_owner_sets_it_without_an_echo(self, theme: Theme) -> None:
        choice = Choice(theme, "Theme", THEMES)
        asked = QSignalSpy(choice.chosen)
        choice.set_value("dark")
        assert choice.value == "dark"
        assert asked.count() == 0

    def test_arrow_keys_choose(self, theme: Theme) -> None:
        choice = Choice(theme, "Theme", THEMES)
        window = shown(choice)
        choice.chosen.connect(choice.set_value)
        choice.setFocus()
        key(QApplication.focusWidget() or choice, Qt.Key.Key_Right)
        assert choice.value == "light"
        key(QApplication.focusWidget() or choice, Qt.Key.Key_Right)
        assert choice.value == "dark"
        assert window.isVisible()

    def test_the_segment_with_the_focus_of_the_keyboard_is_ringed(self, theme: Theme) -> None:
        choice = Choice(theme, "Theme", THEMES)
        window = shown(choice)
        segment = named(choice, "System", QWidget)
        segment.clearFocus()
        rest = image(segment)
        segment.setFocus(Qt.FocusReason.TabFocusReason)
        assert image(segment) != rest
        assert window.isVisible()


class TestCopying:
    def test_the_field_copies_the_whole_text_though_it_shows_less(self, theme: Theme) -> None:
        field = CopyField(theme, "/home/ada/.local/share", "Data folder", shown="~/.local/share")
        window = shown(field)
        press(named(field, "Copy Data folder", CopyButton))
        assert QGuiApplication.clipboard().text() == "/home/ada/.local/share"
        assert field.text == "/home/ada/.local/share"
        assert window.isVisible()

    def test_the_button_says_so_for_a_moment_and_does_not_change_its_width(self, theme: Theme) -> None:
        button = CopyButton(theme, "Diagnostics", lambda: "report")
        window = shown(button)
        width = button.width()
        copied = QSignalSpy(button.copied)
        press(button)
        assert (button.text(), copied.count()) == ("Copied", 1)
        settle()
        assert button.width() == width
        button._restore.timeout.emit()
        assert button.text() == "Copy"
        assert window.isVisible()


@pytest.mark.parametrize(
    "make",
    [
        lambda theme: Switch(theme, "Some switch"),
        lambda theme: Button(theme, "Some button"),
        lambda theme: IconButton(theme, "gear", "Some icon"),
        lambda theme: Choice(theme, "Some choice", THEMES),
        lambda theme: CopyButton(theme, "something", str),
    ],
)
def test_every_control_has_an_accessible_name_and_takes_the_focus_by_tab(
    theme: Theme, make: Callable[[Theme], QWidget]
) -> None:
    control = make(theme)
    assert control.accessibleName()
    focusable = control.focusProxy() or control
    assert focusable.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_hover_shows_at_once_with_reduced_motion(theme: Theme) -> None:
    theme.apply(ThemeChoice.DARK, reduce_motion=True)
    button = Button(theme, "Deny")
    window = shown(button)
    rest = image(button)
    point = QPointF(5, 5)
    QApplication.sendEvent(button, QEnterEvent(point, point, point))
    hovered = image(button)
    assert hovered != rest
    QApplication.sendEvent(button, QEvent(QEvent.Type.Leave))
    assert image(button) == rest
    assert window.isVisible()


def test_colours_mix_from_one_end_to_the_other() -> None:
    black, white = QColor("#000000"), QColor("#ffffff")
    assert mixed(black, white, 0).name() == "#000000"
    assert mixed(black, white, 1).name() == "#ffffff"
    assert mixed(black, white, 0.5).lightness() in {127, 128}
