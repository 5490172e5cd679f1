"""Rows and the list that holds them."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QEnterEvent, QImage, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.host.sources import SourceInfo
from orbtile.host.views import SessionView
from orbtile.palette.scheme import PaletteSource, make_scheme
from orbtile.palette.states import ACTIVITIES, State
from orbtile.protocol.session import Message, SessionUpdate
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import MotionClock
from orbtile.ui.row import ROW_PX, SessionRow
from orbtile.ui.session_list import FOLD_PX, PADDING_PX, FoldRow, SessionList
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host, make_registration
from tests.fakes.paints import Paints
from tests.fakes.qt import settle
from tests.fakes.views import EXAMPLE_SESSION

SOURCE = "claude-code"


def press(widget: QWidget, key: Qt.Key, *, repeated: bool = False) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, "", repeated)
        QApplication.sendEvent(widget, event)


def enter(widget: QWidget) -> None:
    middle = QPointF(widget.rect().center())
    QApplication.sendEvent(widget, QEnterEvent(middle, middle, middle))


def leave(widget: QWidget) -> None:
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))


def accessible(widget: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None
    return found


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


# one row


@pytest.fixture
def window(app: QApplication) -> QWidget:
    holder = QWidget()
    holder.resize(418, ROW_PX)
    return holder


@pytest.fixture
def make_row(theme: Theme, window: QWidget) -> Callable[[SessionView], SessionRow]:
    def make(view: SessionView) -> SessionRow:
        row = SessionRow(theme, view, lambda: 1_042.0, MotionClock(lambda: 1_042.0), window)
        row.resize(418, ROW_PX)
        window.show()
        settle()
        return row

    return make


MakeRow = Callable[[SessionView], SessionRow]


def test_a_row_is_a_named_pressable_thing(make_row: MakeRow) -> None:
    view = replace(EXAMPLE_SESSION, state=State.TOOL, tool_label="Bash npm test", host="build-vm")
    row = make_row(view)
    spoken = accessible(row)
    assert spoken.text(QAccessible.Text.Name) == "Fix flaky test, Bash, Example Agent, on build-vm"
    assert spoken.text(QAccessible.Text.Description) == "npm test"
    actions = spoken.actionInterface()
    assert actions is not None
    assert "Press" in actions.actionNames()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_and_space_press_a_row_once_a_stroke(make_row: MakeRow, key: Qt.Key) -> None:
    row = make_row(EXAMPLE_SESSION)
    pressed: list[str] = []
    row.tapped.connect(pressed.append)
    press(row, key)
    press(row, key, repeated=True)
    assert pressed == [EXAMPLE_SESSION.uid]


def test_a_row_whose_session_is_gone_cannot_be_pressed(make_row: MakeRow) -> None:
    row = make_row(EXAMPLE_SESSION)
    pressed: list[str] = []
    row.tapped.connect(pressed.append)
    row.set_gone()
    press(row, Qt.Key.Key_Return)
    assert not pressed


def test_a_row_repaints_only_for_another_view(make_row: MakeRow) -> None:
    row = make_row(EXAMPLE_SESSION)
    paints = Paints(row)
    row.set_view(replace(EXAMPLE_SESSION))
    settle()
    assert paints.count == 0
    row.set_view(replace(EXAMPLE_SESSION, title="Another"))
    settle()
    assert paints.count == 1


def test_a_rows_time_repaints_only_when_its_text_changes(theme: Theme, window: QWidget) -> None:
    now_s = 1_042.0
    row = SessionRow(theme, EXAMPLE_SESSION, lambda: now_s, MotionClock(lambda: now_s), window)
    row.resize(418, ROW_PX)
    window.show()
    settle()
    paints = Paints(row)
    row.refresh_time()
    settle()
    assert paints.count == 0
    now_s = 1_043.0
    row.refresh_time()
    settle()
    assert paints.count == 1


@pytest.mark.parametrize("state", ACTIVITIES)
@pytest.mark.parametrize(
    "title", ["x", "修复登录页面的竞态条件" * 8, "إصلاح اختبار غير مستقر " * 8, "🚀" * 120, "W" * 120]
)
def test_a_row_draws_any_title_in_any_state_within_its_column(
    make_row: MakeRow, state: State, title: str
) -> None:
    row = make_row(replace(EXAMPLE_SESSION, state=state, title=title, subagent_count=12, badge=title[:40]))
    image = row.grab().toImage()
    ground = image.pixelColor(0, 0)
    for y in range(8, 28):  # the gap before the icon's tile stays free
        assert image.pixelColor(418 - 52, y) == ground


def test_a_cut_title_is_whole_in_the_tooltip(make_row: MakeRow) -> None:
    row = make_row(replace(EXAMPLE_SESSION, title="long " * 24, state=State.DONE, message_text="well"))
    row.grab()
    assert row.toolTip() == "long " * 24 + "\nDone well"
    row.set_view(EXAMPLE_SESSION)
    row.grab()
    assert not row.toolTip()


def test_streamed_text_shows_its_end_from_a_whole_word(make_row: MakeRow) -> None:
    text = " ".join(f"word{i}" for i in range(60))
    row = make_row(replace(EXAMPLE_SESSION, state=State.STREAMING, message_text=text))
    row.grab()
    shown = row.shown_status
    assert shown.startswith("…word")
    assert shown.endswith("word59")


def test_a_single_endless_word_keeps_its_end(make_row: MakeRow) -> None:
    row = make_row(replace(EXAMPLE_SESSION, state=State.STREAMING, message_text="x" * 300 + "end"))
    row.grab()
    assert row.shown_status.startswith("…x")
    assert row.shown_status.endswith("end")


def test_rows_of_each_look_differ(make_row: MakeRow, theme: Theme) -> None:
    plain = make_row(EXAMPLE_SESSION).grab().toImage()
    changes = (
        {"background": True},
        {"host": "vm"},
        {"subagent_count": 2},
        {"state": State.OFFLINE},
        {"monogram": "ZZ"},
    )
    for change in changes:
        assert make_row(replace(EXAMPLE_SESSION, **change)).grab().toImage() != plain, change


def test_without_its_icon_a_row_closes_up(make_row: MakeRow) -> None:
    row = make_row(replace(EXAMPLE_SESSION, title="long " * 24))
    with_icon = row.grab().toImage()
    row.set_shows_icon(False)
    row.set_shows_icon(False)
    without = row.grab().toImage()
    ground = without.pixelColor(0, 0)

    def first_ink_from_the_right(picture: QImage) -> int:
        columns = (
            x for x in range(417, 0, -1) if any(picture.pixelColor(x, y) != ground for y in range(8, 44))
        )
        return 418 - next(columns)

    assert first_ink_from_the_right(with_icon) == 21
    assert 20 <= first_ink_from_the_right(without) <= 22
    inked = [x for x in range(418 - 58, 418 - 32) if without.pixelColor(x, 18) != ground]
    assert inked, "the time stands where the tile was"


def test_a_remote_row_keeps_its_globe_without_its_icon(make_row: MakeRow) -> None:
    row = make_row(EXAMPLE_SESSION)
    row.set_shows_icon(False)
    local = row.grab().toImage()
    row.set_view(replace(EXAMPLE_SESSION, host="build-vm"))
    assert row.grab().toImage() != local


def test_hover_press_and_keyboard_focus_show(make_row: MakeRow, window: QWidget) -> None:
    row = make_row(EXAMPLE_SESSION)
    window.activateWindow()
    plain = row.grab().toImage()
    enter(row)
    hovered = row.grab().toImage()
    row.setDown(True)
    down = row.grab().toImage()
    row.setDown(False)
    leave(row)
    row.setFocus(Qt.FocusReason.MouseFocusReason)
    clicked = row.grab().toImage()
    row.clearFocus()
    row.setFocus(Qt.FocusReason.TabFocusReason)
    ringed = row.grab().toImage()
    assert plain == clicked
    assert len({id(image) for image in (plain, hovered, down, ringed)}) == 4
    assert plain != hovered != down != ringed != plain


def test_a_row_mirrors_where_people_read_from_right_to_left(make_row: MakeRow) -> None:
    row = make_row(EXAMPLE_SESSION)
    plain = row.grab().toImage()
    row.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    mirrored = row.grab().toImage()
    assert plain.pixelColor(18 + 14, 26) == mirrored.pixelColor(418 - 18 - 28 + 14, 26)


def test_a_row_follows_the_theme(make_row: MakeRow, theme: Theme) -> None:
    row = make_row(EXAMPLE_SESSION)
    theme.apply(ThemeChoice.LIGHT, reduce_motion=False)
    assert row.grab().toImage().pixelColor(0, 0).name() == "#fbfaf8"


# the list


class Shelf:
    """A list over a real service with one built-in source."""

    def __init__(self, theme: Theme) -> None:
        self.host = Host()
        self.host.service.add_source(SourceInfo(source_id=SOURCE, registration=make_registration()))
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.motion = MotionClock(self.host.clock.monotonic_s)
        self.motion.set_still(True)  # rows are where they belong at once
        self.list = SessionList(theme, self.model, self.host.clock.monotonic_s, self.motion)
        self.list.resize(418, 500)

    def put(self, session_id: str, state: State, *, background: bool = False, text: str = "") -> None:
        message = Message(id="m", text=text) if text else None
        update = SessionUpdate(title=session_id, activity=state, background=background, message=message)
        self.host.service.source_update(SOURCE, session_id, update)
        self.host.advance(1)

    @property
    def fold(self) -> FoldRow:
        found = self.list.findChild(FoldRow, "backgroundFold")
        assert isinstance(found, FoldRow)
        return found

    def end(self, session_id: str) -> None:
        self.host.service.source_end(SOURCE, session_id)

    def titles(self) -> list[str]:
        self.bridge.flush()
        rows = sorted(self.list.rows, key=lambda row: row.y())
        assert rows == self.list.rows
        return [row.view.title for row in rows]


@pytest.fixture
def shelf(theme: Theme) -> Shelf:
    shelf = Shelf(theme)
    shelf.put("a", State.WAITING_PERMISSION)
    shelf.put("b", State.DONE)
    shelf.put("c", State.THINKING)
    shelf.bridge.flush()
    shelf.list.show()
    settle()
    return shelf


def test_rows_stand_in_order_and_move_with_it(shelf: Shelf) -> None:
    assert shelf.titles() == ["a", "c", "b"]
    shelf.put("b", State.ERROR)
    assert shelf.titles() == ["a", "b", "c"]
    shelf.put("d", State.THINKING)
    shelf.end("a")
    assert shelf.titles() == ["b", "d", "c"]
    assert [row.y() for row in shelf.list.rows] == [PADDING_PX + i * ROW_PX for i in range(3)]


def test_the_list_is_as_high_as_its_rows(shelf: Shelf) -> None:
    heights: list[int] = []
    shelf.list.heightChanged.connect(lambda: heights.append(shelf.list.sizeHint().height()))
    shelf.put("d", State.IDLE)
    shelf.titles()
    assert heights == [4 * ROW_PX + 2 * PADDING_PX]


def test_no_row_moves_while_the_pointer_is_over_them(shelf: Shelf) -> None:
    thawed: list[str] = []
    shelf.list.thawed.connect(lambda: thawed.append("thawed"))
    enter(shelf.list)
    shelf.put("b", State.ERROR)
    shelf.put("d", State.WAITING_QUESTION)
    shelf.end("a")
    assert shelf.titles() == ["a", "c", "b"]
    assert [row.isEnabled() for row in shelf.list.rows] == [False, True, True]
    assert [row.view.state for row in shelf.list.rows][2] is State.ERROR, "what a row says is up to date"
    leave(shelf.list)
    assert shelf.titles() == ["d", "b", "c"]
    assert thawed == ["thawed"]


def test_background_sessions_are_folded_until_they_need_somebody(shelf: Shelf) -> None:
    shelf.put("e", State.THINKING, background=True)
    shelf.put("f", State.IDLE, background=True)
    assert shelf.titles() == ["a", "c", "b"]
    fold = shelf.fold
    assert fold.accessibleName() == "2 in the background, 1 working"
    assert fold.y() == 3 * ROW_PX + 2 * PADDING_PX
    fold.click()
    assert shelf.titles() == ["a", "c", "b", "e", "f"]
    assert shelf.list.sizeHint().height() == 5 * ROW_PX + FOLD_PX + 4 * PADDING_PX
    fold.click()
    shelf.put("e", State.WAITING_PERMISSION, background=True)
    assert shelf.titles() == ["e", "a", "c", "b"]
    assert fold.accessibleName() == "1 in the background"


def test_a_fold_draws_its_orbs_only_while_it_is_shut(shelf: Shelf) -> None:
    for i in range(8):
        shelf.put(f"bg{i}", State.DONE, background=True)
    shelf.titles()
    fold = shelf.fold
    shut = fold.grab().toImage()
    fold.click()
    opened = fold.grab().toImage()
    assert shut != opened
    fold.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert fold.grab().toImage() != opened


def test_a_fold_shows_its_sessions_own_colours_as_they_become(shelf: Shelf) -> None:
    shelf.put("bg", State.DONE, background=True)
    shelf.titles()
    before = shelf.fold.grab().toImage()
    view = shelf.model.view(f"{SOURCE}/local/bg")
    assert view is not None
    shelf.fold.show_folded(shelf.fold.text(), [replace(view, scheme=make_scheme(PaletteSource(150)))])
    assert shelf.fold.grab().toImage() != before
    shelf.put("bg", State.DONE, background=True, text="changed in place")
    shelf.titles()
    assert shelf.fold.grab().toImage() == before


def test_rows_made_later_show_icons_as_the_others_do(shelf: Shelf) -> None:
    shelf.list.set_shows_icons(False)
    shelf.put("d", State.THINKING)
    shelf.titles()
    pictures = {row.view.title: row.grab().toImage() for row in shelf.list.rows}
    shelf.list.set_shows_icons(True)
    for row in shelf.list.rows:
        assert row.grab().toImage() != pictures[row.view.title]


def test_arrow_keys_walk_over_rows_and_fold(shelf: Shelf) -> None:
    shelf.put("e", State.IDLE, background=True)
    shelf.titles()
    shelf.list.activateWindow()
    seen: list[QWidget] = []
    shelf.list.focusMoved.connect(seen.append)
    shelf.list.focus_first()
    rows = shelf.list.rows
    fold = shelf.fold
    for key in (
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_Down,
        Qt.Key.Key_Down,
        Qt.Key.Key_Down,
        Qt.Key.Key_Up,
    ):
        press(focused(), key)
    assert seen == [rows[0], rows[1], rows[2], fold, rows[2]]
    press(focused(), Qt.Key.Key_Home)
    press(focused(), Qt.Key.Key_End)
    assert seen[-2:] == [rows[0], fold]
    press(fold, Qt.Key.Key_Return)
    press(fold, Qt.Key.Key_Return, repeated=True)
    assert fold.isChecked()
    shelf.list.focus_last()
    assert focused() is shelf.list.rows[-1]


def test_a_press_on_a_row_is_a_tap(shelf: Shelf) -> None:
    tapped: list[str] = []
    shelf.list.tapped.connect(tapped.append)
    shelf.list.rows[1].click()
    assert tapped == [f"{SOURCE}/local/c"]


def test_a_hidden_list_does_nothing_and_catches_up_when_shown(shelf: Shelf) -> None:
    shelf.list.hide()
    shelf.put("b", State.ERROR, text="unseen")
    shelf.put("d", State.WAITING_PERMISSION)
    shelf.put("c", State.STREAMING, text="unseen")
    assert shelf.titles() == ["a", "c", "b"]
    ticking = [shelf.list.is_ticking]
    shelf.list.show()
    ticking.append(shelf.list.is_ticking)
    assert ticking == [False, True]
    assert shelf.titles() == ["d", "a", "b", "c"]
    assert shelf.list.rows[3].view.message_text == "unseen"


def test_only_rows_in_view_repaint_when_a_second_has_passed(shelf: Shelf) -> None:
    for i in range(30):
        shelf.put(f"more{i}", State.OFFLINE)
    shelf.titles()
    shelf.list.resize(418, 4 * ROW_PX)
    settle()
    first, last = Paints(shelf.list.rows[0]), Paints(shelf.list.rows[-1])
    shelf.host.advance(1)
    shelf.list.refresh_times()
    settle()
    assert (first.count, last.count) == (1, 0)


def test_screen_readers_find_every_row(shelf: Shelf) -> None:
    for i in range(40):
        shelf.put(f"more{i}", State.OFFLINE)
    shelf.titles()
    spoken = accessible(shelf.list)
    assert spoken.text(QAccessible.Text.Name) == "Sessions"
    children = [spoken.child(i) for i in range(spoken.childCount())]
    names = [child.text(QAccessible.Text.Name) for child in children]
    assert len([name for name in names if name.endswith("Example Agent, offline")]) == 40


def test_the_list_itself_ignores_other_keys(shelf: Shelf) -> None:
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(shelf.list, event)
    assert not event.isAccepted()
    assert shelf.list.childAt(QPoint(-5, -5)) is None
