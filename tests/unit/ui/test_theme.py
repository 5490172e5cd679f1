"""Tokens, contrast and which theme is in force."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.palette.scheme import HOUSE
from orbtile.palette.states import WAITING_STATES, State
from orbtile.ui.theme import DARK, FILLS, LIGHT, Theme, Token, contrast_ratio

CHOICES = [ThemeChoice.DARK, ThemeChoice.LIGHT]
TEXTS: list[Token] = ["text1", "text2", "text3", "error_text"]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("ground", FILLS)
def test_text_reads_on_every_fill(choice: ThemeChoice, text: Token, ground: Token) -> None:
    theme = Theme(choice)
    assert contrast_ratio(theme.color(text), theme.color(ground)) >= 4.5


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("state", [*WAITING_STATES, State.ERROR])
@pytest.mark.parametrize("ground", FILLS)
def test_alarm_text_reads_on_every_fill(choice: ThemeChoice, state: State, ground: Token) -> None:
    theme, colours = Theme(choice), HOUSE[state]
    text = QColor(colours.text_dark if theme.is_dark else colours.text_light)
    assert contrast_ratio(text, theme.color(ground)) >= 4.5


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("ground", FILLS)
def test_controls_and_focus_rings_stand_out_from_every_fill(choice: ThemeChoice, ground: Token) -> None:
    theme = Theme(choice)
    assert contrast_ratio(theme.color("control"), theme.color(ground)) >= 3
    assert contrast_ratio(theme.color("accent"), theme.color(ground)) >= 3


@pytest.mark.parametrize("choice", CHOICES)
def test_a_filled_control_can_be_read(choice: ThemeChoice) -> None:
    theme = Theme(choice)
    assert contrast_ratio(theme.color("on_fill"), theme.color("fill")) >= 4.5


def test_both_themes_name_the_same_tokens() -> None:
    assert DARK.keys() == LIGHT.keys()


def test_contrast_runs_from_one_to_twentyone() -> None:
    black, white = QColor("#000000"), QColor("#ffffff")
    assert contrast_ratio(black, white) == pytest.approx(21)
    assert contrast_ratio(white, black) == pytest.approx(21)
    assert contrast_ratio(white, white) == 1


def test_the_users_choice_wins_and_is_announced_once() -> None:
    theme = Theme(ThemeChoice.DARK)
    heard: list[bool] = []
    theme.themeChanged.connect(lambda: heard.append(theme.is_dark))
    theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
    theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
    assert heard == [False]
    assert theme.color("surface").name() == LIGHT["surface"]


def test_a_wish_for_less_motion_is_announced() -> None:
    theme = Theme(ThemeChoice.DARK)
    heard: list[bool] = []
    theme.themeChanged.connect(lambda: heard.append(theme.reduce_motion))
    theme.apply(ThemeChoice.DARK, reduce_motion=True)
    assert heard == [True]


def test_it_follows_the_systems_scheme(app: QApplication) -> None:
    theme = Theme(ThemeChoice.SYSTEM)
    hints = QGuiApplication.styleHints()
    try:
        for scheme, is_dark in ((Qt.ColorScheme.Light, False), (Qt.ColorScheme.Dark, True)):
            hints.setColorScheme(scheme)
            app.processEvents()
            if hints.colorScheme() is scheme:  # the offscreen platform may not care
                assert theme.is_dark is is_dark
    finally:
        hints.unsetColorScheme()


@pytest.mark.parametrize(("ground", "is_dark"), [("#202020", True), ("#efefef", False)])
def test_where_the_system_has_no_scheme_its_palette_decides(
    app: QApplication, accent: QPalette, ground: str, is_dark: bool
) -> None:
    accent.setColor(QPalette.ColorRole.Window, QColor(ground))
    app.setPalette(accent)
    assert QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Unknown
    assert Theme(ThemeChoice.SYSTEM).is_dark is is_dark


def test_a_desktop_that_turns_dark_is_announced_also_under_a_theme_of_the_users_own(
    app: QApplication, accent: QPalette
) -> None:
    accent.setColor(QPalette.ColorRole.Window, QColor("#efefef"))
    app.setPalette(accent)
    theme = Theme(ThemeChoice.LIGHT)
    heard: list[tuple[bool, bool]] = []
    theme.themeChanged.connect(lambda: heard.append((theme.is_system_dark, theme.is_dark)))
    accent.setColor(QPalette.ColorRole.Window, QColor("#202020"))
    app.setPalette(accent)
    theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
    assert heard == [(True, False)]


@pytest.fixture
def accent(app: QApplication) -> Iterator[QPalette]:
    before = QPalette(app.palette())
    yield QPalette(before)
    app.setPalette(before)


def test_the_systems_accent_is_used_where_it_can_be_seen(app: QApplication, accent: QPalette) -> None:
    accent.setColor(QPalette.ColorRole.Accent, QColor("#e95420"))
    app.setPalette(accent)
    assert Theme(ThemeChoice.DARK).color("accent").name() == "#e95420"


def test_an_accent_that_cannot_be_seen_is_replaced(app: QApplication, accent: QPalette) -> None:
    accent.setColor(QPalette.ColorRole.Accent, QColor("#202020"))
    app.setPalette(accent)
    assert Theme(ThemeChoice.DARK).color("accent").name() == DARK["accent"]


def test_a_new_system_font_reaches_the_surfaces(app: QApplication) -> None:
    theme = Theme(ThemeChoice.DARK)
    before = app.font()
    heard: list[str] = []
    theme.themeChanged.connect(lambda: heard.append(theme.font(13).family()))
    try:
        app.setFont(QFont("DejaVu Sans"))
        theme.refresh()
    finally:
        app.setFont(before)
    assert heard == ["DejaVu Sans"]


def test_fonts_are_measured_in_pixels_and_not_shared() -> None:
    theme = Theme(ThemeChoice.DARK)
    font = theme.font(13, 500)
    assert (font.pixelSize(), font.weight()) == (13, 500)
    font.setPixelSize(99)
    assert theme.font(13, 500).pixelSize() == 13


def test_figures_of_times_have_one_width() -> None:
    theme = Theme(ThemeChoice.DARK)
    assert theme.font(12, tabular=True).isFeatureSet(QFont.Tag("tnum"))
    assert not theme.font(12).isFeatureSet(QFont.Tag("tnum"))
