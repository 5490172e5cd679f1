"""The controls of every surface: switch, buttons, a choice of few, a field to copy from.

Owns their look, their keyboard and their accessible names. Must not know what they are for. None of them
believes itself: what a switch or a choice shows is what its owner said last (``set_on``, ``set_value``), also
after a press.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from orbtile.ui.feedback import Feedback, paint_inner_ring
from orbtile.ui.icons import IconName, paint_icon
from orbtile.ui.labels import ElidedLabel
from orbtile.ui.surfaces import Panel
from orbtile.ui.theme import Theme

ButtonKind = Literal["normal", "primary", "flat"]
ButtonSize = Literal[28, 32]

_CORNER_PX: Final = 8
_ICON_PX: Final = 14
_COPIED_MS: Final = 1600
_ENTER: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """``share`` 0..1 of ``other`` over ``one``, both opaque."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


def _press_on_enter(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Enter presses as Space does, once per stroke. Whether the event was that."""
    if event.key() not in _ENTER:
        return False
    if not event.isAutoRepeat():
        button.click()
    return True


class Switch(QCheckBox):
    """On or off, 36 x 20. A press only emits ``switch_requested`` with the wished state."""

    switch_requested = Signal(bool)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_on = False
        self.feedback = Feedback(theme, radius_px=10)
        self.feedback.serve(self)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.toggled.connect(self._on_toggled)

    def event(self, event: QEvent) -> bool:
        self.feedback.observe(event)
        return super().event(event)

    def set_on(self, on: bool) -> None:
        """What is true now. Emits nothing."""
        self._is_on = on
        blocked = self.blockSignals(True)
        self.setChecked(on)
        self.blockSignals(blocked)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(36, 20)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _press_on_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        trough = theme.color("fill" if self._is_on else "control")
        trough = mixed(trough, theme.color("text2"), self.feedback.hover * 0.25)
        painter.setBrush(trough if self.isEnabled() else theme.color("line2"))
        painter.drawRoundedRect(QRectF(0, 0, 36, 20), 10, 10)
        painter.setBrush(theme.color("on_fill" if self._is_on else "knob"))
        at_right = self._is_on is not self.isRightToLeft()
        painter.drawEllipse(QRectF(18 if at_right else 2, 2, 16, 16))

    def _on_toggled(self, wished: bool) -> None:
        self.set_on(self._is_on)
        self.switch_requested.emit(wished)


class Button(QPushButton):
    """A push button, 28 or 32 high. ``icon_name``: an icon before the text."""

    def __init__(
        self,
        theme: Theme,
        text: str,
        kind: ButtonKind = "normal",
        size: ButtonSize = 28,
        parent: QWidget | None = None,
        *,
        icon_name: IconName | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self._kind: ButtonKind = kind
        self._size_px = size
        self._icon_name: IconName | None = icon_name
        self.feedback = Feedback(theme, radius_px=_CORNER_PX)
        self.feedback.serve(self)
        self.is_pressed_by_mouse = False
        """From a press of the mouse until what its release caused is done."""
        self.setAutoDefault(False)
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._restyle()
        theme.themeChanged.connect(self._restyle)

    def event(self, event: QEvent) -> bool:
        self.feedback.observe(event)
        if event.type() in {QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick}:
            self.is_pressed_by_mouse = True
        handled = super().event(event)
        if event.type() is QEvent.Type.MouseButtonRelease:
            self.is_pressed_by_mouse = False
        return handled

    @property
    def focus_visible(self) -> bool:
        """Whether the focus is here and came by keyboard."""
        return self.feedback.focus_visible

    def sizeHint(self) -> QSize:
        return QSize(self._width_of(self.text()), self._size_px)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _press_on_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill, border, ink = self._colours()
        painter.setPen(QPen(border, 1) if border is not None else Qt.PenStyle.NoPen)
        painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _CORNER_PX - 0.5, _CORNER_PX - 0.5
        )
        painter.setFont(self.font())
        lead = _ICON_PX + 8 if self._icon_name is not None else 0
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        left = (self.width() - width - lead) / 2
        icon_left, text_left = (left + width + 8, left) if self.isRightToLeft() else (left, left + lead)
        if self._icon_name is not None:
            box = QRectF(icon_left, (self.height() - _ICON_PX) / 2, _ICON_PX, _ICON_PX)
            paint_icon(painter, self._icon_name, box, ink)
        painter.setPen(ink)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextDontClip
        painter.drawText(QRectF(text_left, 0, width + 1, self.height()), flags, self.text())

    def _width_of(self, text: str) -> int:
        padding = 8 if self._kind == "flat" else 12 if self._size_px == 28 else 14
        lead = _ICON_PX + 8 if self._icon_name is not None else 0
        return QFontMetrics(self.font()).horizontalAdvance(text) + 2 * padding + lead

    def _colours(self) -> tuple[QColor | None, QColor | None, QColor]:
        """Fill, border, ink."""
        color, hover = self._theme.color, self.feedback.hover
        if not self.isEnabled():
            return None, color("line"), color("text3")
        if self._kind == "primary":
            fill = mixed(color("fill"), color("control"), 0.30 if self.isDown() else 0.15 * hover)
            return fill, fill, color("on_fill")
        if self._kind == "flat":
            fill = color("hover")
            fill.setAlphaF(1.0 if self.isDown() else hover)
            return fill, None, mixed(color("text2"), color("text1"), hover)
        fill = mixed(color("hover"), color("line2"), 0.55 if self.isDown() else 0.30 * hover)
        return fill, color("line2"), color("text1")

    def _restyle(self) -> None:
        self.setFont(self._theme.font(13, 600 if self._kind == "primary" else 500))
        self.updateGeometry()


class LinkButton(Button):
    """An address that opens: small text, underlined under the pointer, cut in its middle if need be."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", "flat", parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        return QSize(width + _ICON_PX + 8 + 1, 18)

    def minimumSizeHint(self) -> QSize:
        return QSize(64, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        color, hover = self._theme.color, self.feedback.hover
        painter = QPainter(self)
        rtl = self.isRightToLeft()
        icon_left = self.width() - _ICON_PX if rtl else 0
        paint_icon(painter, "out", QRectF(icon_left, 2, _ICON_PX, _ICON_PX), color("text3"))
        font = self.font()
        font.setUnderline(hover > 0.5)
        painter.setFont(font)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        painter.setPen(mixed(color("text2"), color("text1"), hover))
        room = self.width() - _ICON_PX - 8
        text = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)
        left = 0 if rtl else _ICON_PX + 8
        side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(QRectF(left, 0, room, self.height()), flags, text)

    def _restyle(self) -> None:
        self.setFont(self._theme.font(12))
        self.updateGeometry()


class CopyButton(Button):
    """Copies what ``text`` returns, and says so for a moment without moving anything. ``name``: of what."""

    copied = Signal()

    def __init__(
        self, theme: Theme, name: str, text: Callable[[], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "", parent=parent, icon_name="copy")
        self._text_to_copy = text
        self._restore = QTimer(self)
        self._restore.setSingleShot(True)
        self._restore.setInterval(_COPIED_MS)
        self._restore.timeout.connect(self._show_offer)
        self._show_offer()
        self.setObjectName("copyButton")
        self.setAccessibleName(self.tr("Copy {name}").format(name=name))
        self.clicked.connect(self._copy)

    def sizeHint(self) -> QSize:
        width = max(self._width_of(self.tr("Copy")), self._width_of(self.tr("Copied")))
        return QSize(width, super().sizeHint().height())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text_to_copy())
        self._icon_name = "check"
        self.setText(self.tr("Copied"))
        self._restore.start()
        self.copied.emit()

    def _show_offer(self) -> None:
        self._icon_name = "copy"
        self.setText(self.tr("Copy"))


class IconButton(QAbstractButton):
    """A 16 px icon on 28 x 28, without a border. Its name is its tooltip too."""

    def __init__(
        self, theme: Theme, icon_name: IconName, accessible_name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon_name: IconName = icon_name
        self._feedback = Feedback(theme, radius_px=_CORNER_PX)
        self._feedback.serve(self)
        self.setAccessibleName(accessible_name)
        self.setToolTip(accessible_name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(28, 28)

    def event(self, event: QEvent) -> bool:
        self._feedback.observe(event)
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(28, 28)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _press_on_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        fill = self._theme.color("line" if self.isDown() else "hover")
        fill.setAlphaF(1.0 if self.isDown() or self.isChecked() else self._feedback.hover)
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(self.rect()), _CORNER_PX, _CORNER_PX)
        lit = self.isChecked() or self._feedback.hover > 0.5
        ink = self._theme.color("text3" if not self.isEnabled() else "text1" if lit else "text2")
        paint_icon(painter, self._icon_name, QRectF(6, 6, 16, 16), ink)


class _Segment(QRadioButton):
    """One of a choice."""

    def __init__(self, theme: Theme, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self._feedback = Feedback(theme)
        self._feedback.serve(self)
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._restyle()
        theme.themeChanged.connect(self._restyle)

    def event(self, event: QEvent) -> bool:
        self._feedback.observe(event)
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(max(72, QFontMetrics(self.font()).horizontalAdvance(self.text()) + 24), 28)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, rect = self._theme, QRectF(self.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked():
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.setBrush(theme.color("hover" if theme.is_dark else "raised"))
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 5.5, 5.5)
        ink = theme.color("text1") if self.isChecked() else theme.color("text2")
        painter.setPen(mixed(ink, theme.color("text1"), self._feedback.hover))
        painter.setFont(self.font())
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text())
        if self._feedback.focus_visible:
            paint_inner_ring(painter, theme, rect, 0, 5)

    def _restyle(self) -> None:
        self.setFont(self._theme.font(13, 500))
        self.updateGeometry()


class Choice(Panel):
    """One of a few, side by side; arrow keys move. ``options``: (value, text) pairs."""

    accessible_role = QAccessible.Role.Grouping

    chosen = Signal(str)

    def __init__(
        self, theme: Theme, name: str, options: Sequence[tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "well", "line", _CORNER_PX, parent)
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._segments: dict[str, _Segment] = {}
        self._value = options[0][0]
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        for value, text in options:
            segment = _Segment(theme, text, self)
            segment.setObjectName(f"{value}Choice")
            segment.toggled.connect(lambda on, value=value: self._on_toggled(value) if on else None)
            self._group.addButton(segment)
            self._segments[value] = segment
            row.addWidget(segment)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_value(self._value)

    @property
    def value(self) -> str:
        return self._value

    def set_value(self, value: str) -> None:
        """What is true now. Emits nothing."""
        self._value = value
        segment = self._segments[value]
        blocked = segment.blockSignals(True)
        segment.setChecked(True)
        segment.blockSignals(blocked)
        self.setFocusProxy(segment)

    def _on_toggled(self, wished: str) -> None:
        if wished != self._value:
            self.set_value(self._value)
            self.chosen.emit(wished)


class CopyField(Panel):
    """One line of exact text in fixed pitch, with a button that copies it. ``name`` says what it is;
    ``shown`` is drawn in place of the text (a path with its home folder shortened).
    """

    def __init__(
        self,
        theme: Theme,
        text: str,
        name: str,
        parent: QWidget | None = None,
        *,
        shown: str | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(theme, "well", "line", _CORNER_PX, parent)
        self._text = text
        self._label = ElidedLabel(theme, shown or text, 12, 400, "text1", mode=mode, mono=True, parent=self)
        self._label.setAccessibleName(f"{name}: {text}")
        self.copy_button = CopyButton(theme, name, lambda: self._text, self)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(8)
        row.addSpacing(8)  # spacing is mirrored from right to left, margins are not
        row.addWidget(self._label, 1)
        row.addWidget(self.copy_button)
        self.setFixedHeight(36)

    @property
    def text(self) -> str:
        return self._text


__all__ = [
    "Button",
    "ButtonKind",
    "ButtonSize",
    "Choice",
    "CopyButton",
    "CopyField",
    "ElidedLabel",
    "IconButton",
    "LinkButton",
    "Switch",
    "mixed",
]
