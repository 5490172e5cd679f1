import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.ui.labels import CodeText, ElidedLabel, Label, isolated
from orbtile.ui.theme import Theme
from tests.fakes.qt import settle


def test_a_label_takes_its_colour_from_the_theme(theme: Theme) -> None:
    label = Label(theme, "Text", 12, 400, "text2")
    role = QPalette.ColorRole.WindowText
    assert label.palette().color(role) == theme.color("text2")
    theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
    assert label.palette().color(role) == theme.color("text2")
    label.set_ink("text3")
    assert label.palette().color(role) == theme.color("text3")


def test_what_comes_from_outside_is_text_never_markup(theme: Theme) -> None:
    assert Label(theme, "<b>x</b>").textFormat() is Qt.TextFormat.PlainText


def test_an_elided_label_keeps_its_text_and_shows_it_in_the_tooltip_while_it_is_cut(theme: Theme) -> None:
    label = ElidedLabel(theme, "A name that is much too long for this place")
    label.resize(80, 20)
    label.show()
    settle()
    seen = [(label.is_cut, label.toolTip() == label.text())]
    label.resize(label.sizeHint())
    settle()
    seen.append((label.is_cut, label.toolTip() == label.text()))
    assert seen == [(True, True), (False, False)]
    assert not label.toolTip()
    label.setText("A name that is much too long for this place, and longer")
    assert label.toolTip() == label.text()
    assert label.minimumSizeHint().width() < label.sizeHint().width()


def test_a_line_break_does_not_make_a_second_line(theme: Theme) -> None:
    one, two = ElidedLabel(theme, "a b"), ElidedLabel(theme, "a\nb")
    assert one.sizeHint() == two.sizeHint()


@pytest.mark.parametrize("text", ["Quill", "סוכן הבנייה", "夜間ビルド", "Ship it 🚀"])
def test_lines_begin_at_the_side_of_the_language_of_the_app(theme: Theme, text: str) -> None:
    label = ElidedLabel(theme, text)
    assert label.alignment() & Qt.AlignmentFlag.AlignLeft
    label.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert label.alignment() & Qt.AlignmentFlag.AlignRight
    assert not label.grab().isNull()


def test_a_label_set_in_the_middle_stays_there(theme: Theme) -> None:
    label = Label(theme, "No agents yet")
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    label.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert label.alignment() & Qt.AlignmentFlag.AlignHCenter


def test_code_is_kept_exactly_and_reads_from_the_left(theme: Theme) -> None:
    code = CodeText(theme, "Warnings")
    code.set_code("a  <b>\n&amp;")
    assert code.code == "a  <b>\n&amp;"
    assert "<b>" not in code.text()
    assert code.accessibleName() == "Warnings: a  <b>\n&amp;"
    code.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert code.alignment() & Qt.AlignmentFlag.AlignLeft


def test_the_same_code_again_keeps_a_selection(theme: Theme) -> None:
    code = CodeText(theme, "Warnings")
    code.set_code("some warning")
    code.setSelection(0, 4)
    code.set_code("some warning")
    assert code.selectedText() == "some"


def test_a_name_is_isolated_from_the_sentence_around_it() -> None:
    assert isolated("שם") == "\u2068שם\u2069"
