"""What settings pages are built of: a page that scrolls, groups, rows, and the row that asks twice.

Owns their measures. Must not know any setting.
"""

import time
from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from orbtile.ui.controls import Button, ButtonKind
from orbtile.ui.feedback import RingsOutside
from orbtile.ui.labels import Label
from orbtile.ui.overlay_scroll import OverlayScroll
from orbtile.ui.settled_input import MonotonicClock
from orbtile.ui.surfaces import Hairline, Panel
from orbtile.ui.theme import Theme

PAGE_SIDE_PX: Final = 24
PAGE_TOP_PX: Final = 20
GROUP_PADDING_PX: Final = 16
_TEXT_TO_CONTROL_PX: Final = 16


class Page(OverlayScroll):
    """A titled column. Pages add to ``column``, whose last item takes up what room is left."""

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        self._content = content = QWidget()
        super().__init__(theme, content, parent)
        self.setAccessibleName(title)
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(PAGE_SIDE_PX, PAGE_TOP_PX, PAGE_SIDE_PX, PAGE_SIDE_PX)
        self.column.setSpacing(0)
        self.column.addWidget(Label(theme, title, 17, 600, parent=content))

    def lay_out_now(self) -> None:
        """Call it after texts changed. By themselves, nested layouts need a turn of the loop for each level
        until they know how high a text has become, and would be painted meanwhile.
        """
        for widget in self._content.findChildren(QWidget):
            if widget.layout() is not None:
                widget.updateGeometry()
        QCoreApplication.sendEvent(self._content, QEvent(QEvent.Type.LayoutRequest))
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Tab goes as people read, also through what was added later."""
        previous: QWidget | None = None
        for widget in _reading_order(self.column):
            if previous is not None:
                QWidget.setTabOrder(previous, widget)
            previous = widget


def _reading_order(layout: QLayout) -> Iterator[QWidget]:
    """What takes the focus by Tab, in the order in which it is laid out."""
    for index in range(layout.count()):
        item = layout.itemAt(index)
        widget, nested = (None, None) if item is None else (item.widget(), item.layout())
        if widget is not None:
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                yield widget
            nested = widget.layout()
        if nested is not None:
            yield from _reading_order(nested)


class RowText(QWidget):
    """A row's title over its description."""

    def __init__(self, theme: Theme, title: str, description: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = Label(theme, title, 13, 500, wraps=True, parent=self)
        self.description = Label(theme, description, 12, 400, "text2", wraps=True, parent=self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.title)
        column.addWidget(self.description)

    def set_texts(self, title: str, description: str) -> None:
        self.title.setText(title)
        self.description.setText(description)


class Row(RingsOutside):
    """Texts at the left, a control at the right."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        description: str,
        control: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        control.setParent(self)  # before the text: who looks for its name finds the control, not its title
        self.text = RowText(theme, title, description, self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_TEXT_TO_CONTROL_PX)
        row.addWidget(self.text, 1)
        row.addWidget(control)


class Group(Panel):
    """Rows in one frame, a hairline between them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, None, "line", 10, parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)

    def add(self, row: QWidget) -> QWidget:
        """What is returned holds the row and the hairline above it: hide it to hide both."""
        part = QWidget(self)
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        if self._column.count():
            column.addWidget(Hairline(self._theme, parent=part))
        padded = QVBoxLayout()
        padded.setContentsMargins(GROUP_PADDING_PX, 10, GROUP_PADDING_PX, 10)
        padded.addWidget(row)
        column.addLayout(padded)
        self._column.addWidget(part)
        return part


class ConfirmRow(RingsOutside):
    """A row whose button turns it into the question: Cancel, or the deed. ``confirmed`` comes from the second
    press only; the second half of a double click is not one. Escape cancels.
    """

    confirmed = Signal()
    opened = Signal()
    closed = Signal()
    """The question went, answered or not."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, now_s: MonotonicClock = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._now_s = now_s
        self._opened_s = self._pressed_s = now_s()
        self._texts = ("", "", "", "")
        self._confirm_text = ""
        self._answers: tuple[Button, Button] | None = None
        self.text = RowText(theme, "", "", self)
        self.button = Button(theme, "", parent=self)
        self.button.clicked.connect(self.open)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self.text, 1)
        self._row.addSpacing(_TEXT_TO_CONTROL_PX - 8)
        self._row.addWidget(self.button)

    @property
    def answers(self) -> tuple[Button, Button] | None:
        """Cancel and the deed; None while nothing is asked: what is not asked cannot be pressed by anyone."""
        return self._answers

    def set_texts(self, title: str, description: str, question: str, consequence: str) -> None:
        """The row's title and description, and the same two while it asks."""
        self._texts = (title, description, question, consequence)
        self._show_texts()

    def set_buttons(self, text: str, confirm_text: str) -> None:
        """The button that opens the question, and the one that does it."""
        self.button.setText(text)
        self.button.setAccessibleName(text)
        self._confirm_text = confirm_text

    def open(self) -> None:
        if self._answers is not None:
            return
        self._opened_s = self._now_s()
        cancel = self._add_answer(self.tr("Cancel"), "normal", "cancelButton")
        confirm = self._add_answer(self._confirm_text, "primary", "confirmButton")
        cancel.clicked.connect(lambda: self._on_answered(cancel, confirmed=False))
        confirm.clicked.connect(lambda: self._on_answered(confirm, confirmed=True))
        self._answers = (cancel, confirm)
        self._focus(cancel, by_keyboard=self.button.focus_visible)  # the harmless answer is the nearest
        self.button.hide()  # last: the focus of a widget that hides jumps on through the window
        self._show_texts()
        self.opened.emit()

    def close_question(self) -> None:
        if self._answers is None:
            return
        answers, self._answers = self._answers, None
        self.button.show()
        if any(answer.hasFocus() for answer in answers):
            self._focus(self.button, by_keyboard=any(answer.focus_visible for answer in answers))
        for answer in answers:
            self._row.removeWidget(answer)
            answer.hide()
            answer.deleteLater()
        self._show_texts()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._answers is not None:
            self.close_question()
        else:
            super().keyPressEvent(event)

    def _add_answer(self, text: str, kind: ButtonKind, object_name: str) -> Button:
        answer = Button(self._theme, text, kind, parent=self)
        answer.setObjectName(object_name)
        answer.pressed.connect(self._on_pressed)
        self._row.addWidget(answer)
        answer.show()
        return answer

    def _on_pressed(self) -> None:
        self._pressed_s = self._now_s()

    def _on_answered(self, answer: Button, *, confirmed: bool) -> None:
        # the answers appear under the pointer that opened the question
        double_click_s = QGuiApplication.styleHints().mouseDoubleClickInterval() / 1000
        if answer.is_pressed_by_mouse and self._pressed_s - self._opened_s < double_click_s:
            return
        self.close_question()
        if confirmed:
            self.confirmed.emit()

    def _show_texts(self) -> None:
        title, description, question, consequence = self._texts
        if self._answers is not None:
            self.text.set_texts(question, consequence)
        else:
            self.text.set_texts(title, description)

    @staticmethod
    def _focus(button: Button, *, by_keyboard: bool) -> None:
        reason = Qt.FocusReason.TabFocusReason if by_keyboard else Qt.FocusReason.OtherFocusReason
        button.setFocus(reason)


def spaced(column: QBoxLayout, widget: QWidget, above_px: int) -> None:
    """Add ``widget`` to ``column`` with ``above_px`` between it and what stands before it."""
    column.addSpacing(above_px)
    column.addWidget(widget)
