"""Text that follows the theme: a label, one that ends in an ellipsis, and exact text to select from.

Owns colour, size and eliding. Must not take text from outside for markup: everything is plain text.
"""

import html
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from orbtile.ui.theme import Size, Theme, Token, Weight

LINE_PX: Final[dict[Size, int]] = {11: 14, 12: 16, 13: 20, 15: 20, 17: 24, 20: 24}
"""The least height of one line, by type size."""

_FIRST_STRONG_ISOLATE: Final = "\u2068"
_POP_DIRECTIONAL_ISOLATE: Final = "\u2069"


def isolated(text: str) -> str:
    """``text``, so that its direction does not reorder the sentence around it (a Hebrew name in English)."""
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_DIRECTIONAL_ISOLATE}"


class Label(QLabel):
    """Plain text in a token's colour. ``wraps``: over several lines, as high as its width asks for."""

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        size_px: Size = 13,
        weight: Weight = 400,
        ink: Token = "text1",
        *,
        wraps: bool = False,
        mono: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self._size_px: Size = size_px
        self._weight: Weight = weight
        self._ink: Token = ink
        self._mono = mono
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        self.setMinimumHeight(LINE_PX[size_px])
        if wraps:
            policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)
        self._align()
        self._restyle()
        theme.themeChanged.connect(self._restyle)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.LayoutDirectionChange:
            self._align()

    def set_ink(self, ink: Token) -> None:
        self._ink = ink
        self._restyle()

    def _align(self) -> None:
        """To the side where lines begin in the app's language, whatever the direction of this text."""
        if not self.alignment() & Qt.AlignmentFlag.AlignHCenter:
            side = Qt.AlignmentFlag.AlignRight if self.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
            self.setAlignment(side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute)

    def _restyle(self) -> None:
        self.setFont(self._theme.font(self._size_px, self._weight, mono=self._mono))
        palette = QPalette(self.palette())
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text):
            palette.setColor(role, self._theme.color(self._ink))
        palette.setColor(QPalette.ColorRole.Highlight, self._theme.color("fill"))
        palette.setColor(QPalette.ColorRole.HighlightedText, self._theme.color("on_fill"))
        self.setPalette(palette)


class ElidedLabel(Label):
    """One line that ends (or breaks in its middle) in an ellipsis where room is short.

    ``text()`` and the accessible name stay whole; the tooltip has the whole text while it is cut.
    """

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        size_px: Size = 13,
        weight: Weight = 400,
        ink: Token = "text1",
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        mono: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, text, size_px, weight, ink, mono=mono, parent=parent)
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def is_cut(self) -> bool:
        return QFontMetrics(self.font()).horizontalAdvance(self._line()) > self.width()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._update_tool_tip()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        # one more than the text: an advance is rounded, and a label as wide as its hint must not be cut
        return QSize(metrics.horizontalAdvance(self._line()) + 1, max(metrics.height(), self.minimumHeight()))

    def minimumSizeHint(self) -> QSize:
        return QSize(QFontMetrics(self.font()).horizontalAdvance("…") * 3, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tool_tip()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._update_tool_tip()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self._theme.color(self._ink))
        painter.setFont(self.font())
        shown = QFontMetrics(self.font()).elidedText(self._line(), self._mode, self.width())
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        painter.drawText(self.rect(), self.alignment() | Qt.TextFlag.TextSingleLine, shown)

    def _line(self) -> str:
        return self.text().replace("\n", " ")

    def _update_tool_tip(self) -> None:
        self.setToolTip(self._line() if self.is_cut else "")


class CodeText(Label):
    """Exact text in fixed pitch (12/18), to be selected by pointer or keyboard. ``name``: what it is."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", 12, 400, "text2", wraps=True, mono=True, parent=parent)
        self._name = name
        self.setAccessibleName(name)
        self._code = ""
        self.setTextFormat(Qt.TextFormat.RichText)  # the only way to a line height; the text is escaped
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _align(self) -> None:
        self.setAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
        )  # code reads from the left

    @property
    def code(self) -> str:
        return self._code

    def set_code(self, code: str) -> None:
        if code == self._code:
            return  # a selection stays
        self._code = code
        style = "white-space:pre-wrap;line-height:18px;-qt-line-height-type:fixed"
        self.setText(f'<div style="{style}">{html.escape(code)}</div>')
        self.setAccessibleName(f"{self._name}: {code}")
