"""A list of short lines, each with a small icon: what an adapter may do, or what changed.

Owns how a phrase is drawn, its strong part in the first text colour. Must not know where phrases come from;
their text is escaped, whatever it holds.
"""

import html
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from orbtile.ui.consent_words import Phrase
from orbtile.ui.icons import paint_icon
from orbtile.ui.labels import Label
from orbtile.ui.theme import Theme

_ICON_PX: Final = 14
_GAP_PX: Final = 8
_LINE_PX: Final = 18


class _Line(QWidget):
    """One phrase; its icon stays beside the first line when the text wraps."""

    def __init__(self, theme: Theme, phrase: Phrase, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._phrase = phrase
        self._label = Label(theme, "", 12, 400, "text2", wraps=True, parent=self)
        self._label.setTextFormat(Qt.TextFormat.RichText)
        self._label.setMinimumHeight(_LINE_PX)
        self._label.setAccessibleName(phrase.text)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._label)
        self._restyle()
        theme.themeChanged.connect(self._restyle)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        left = self.width() - _ICON_PX if self.isRightToLeft() else 0
        top = (_LINE_PX - _ICON_PX) / 2
        paint_icon(
            painter, self._phrase.icon, QRectF(left, top, _ICON_PX, _ICON_PX), self._theme.color("text3")
        )

    def _restyle(self) -> None:
        lead = _ICON_PX + _GAP_PX
        rtl = self.isRightToLeft()
        self._row.setContentsMargins(0 if rtl else lead, 0, lead if rtl else 0, 0)
        text = html.escape(self._phrase.text)
        strong = html.escape(self._phrase.strong)
        if strong:
            ink = self._theme.color("text1").name()
            text = text.replace(strong, f'<span style="color:{ink};font-weight:500">{strong}</span>', 1)
        self._label.setText(text)
        self.update()


class PhraseList(QWidget):
    """The phrases, one below the other."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._phrases: tuple[Phrase, ...] = ()
        self._lines: list[_Line] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return self._phrases

    def set_phrases(self, phrases: Sequence[Phrase]) -> None:
        if tuple(phrases) == self._phrases:
            return
        self._phrases = tuple(phrases)
        for line in self._lines:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self._lines = [_Line(self._theme, phrase, self) for phrase in phrases]
        for line in self._lines:
            self._column.addWidget(line)
            line.show()  # by itself it would be shown, and given room, a turn later
