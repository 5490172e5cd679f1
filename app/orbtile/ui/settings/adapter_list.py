"""The list of adapters: icon, name, and the state as a small shape with its word.

Owns how an adapter's state is named and drawn, and the selection. Must not ask the service for anything.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from orbtile.host.views import AdapterView, Consent
from orbtile.ui.accessible_roles import read_in_order
from orbtile.ui.agent_icon import ICON_PX, face_of, paint_agent_icon
from orbtile.ui.consent_words import has_changed
from orbtile.ui.feedback import Feedback, keep_one_tab_stop, paint_inner_ring
from orbtile.ui.theme import Theme

translate = QCoreApplication.translate

LIST_PX: Final = 232
_ITEM_PX: Final = 48
_SIDE_PX: Final = 10
_SHAPE_PX: Final = 10


class AdapterState(Enum):
    """In the order of the list."""

    CONNECTED = auto()
    ASKS_TO_CONNECT = auto()
    ASKS_AGAIN = auto()
    DISCONNECTED = auto()
    DENIED = auto()


def adapter_state(view: AdapterView) -> AdapterState:
    """A denial stays visible, whether it runs or not; what does not run asks nothing."""
    if view.consent is Consent.DENIED:
        return AdapterState.DENIED
    if not view.connected:
        return AdapterState.DISCONNECTED
    if view.consent is Consent.AWAITING:
        return AdapterState.ASKS_AGAIN if has_changed(view) else AdapterState.ASKS_TO_CONNECT
    return AdapterState.CONNECTED


def state_word(state: AdapterState) -> str:
    """As drawn and as read out."""
    return {
        AdapterState.CONNECTED: translate("AdapterState", "Connected"),
        AdapterState.ASKS_TO_CONNECT: translate("AdapterState", "Asks to connect"),
        AdapterState.ASKS_AGAIN: translate("AdapterState", "Asks again"),
        AdapterState.DISCONNECTED: translate("AdapterState", "Disconnected"),
        AdapterState.DENIED: translate("AdapterState", "Denied"),
    }[state]


def sorting_key(view: AdapterView) -> tuple[int, str, str]:
    """By state, then by name."""
    return adapter_state(view).value, view.registration.name.casefold(), view.adapter_id


def paint_state_shape(painter: QPainter, state: AdapterState, center: QPointF, ink: QColor) -> None:
    """A disc, a diamond, a ring or a cross in a box of 10 px: told apart without colour."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = QPen(ink, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    x, y = center.x(), center.y()
    if state is AdapterState.CONNECTED:
        painter.drawEllipse(center, 3.5, 3.5)
    elif state is AdapterState.DISCONNECTED:
        painter.setPen(line)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(center, 3, 3)
    elif state is AdapterState.DENIED:
        painter.setPen(line)
        painter.drawLine(QPointF(x - 3, y - 3), QPointF(x + 3, y + 3))
        painter.drawLine(QPointF(x + 3, y - 3), QPointF(x - 3, y + 3))
    else:
        corners = [QPointF(x, y - 4.2), QPointF(x + 4.2, y), QPointF(x, y + 4.2), QPointF(x - 4.2, y)]
        painter.drawPolygon(QPolygonF(corners))
    painter.restore()


class AdapterItem(QAbstractButton):
    """One adapter of the list; checked: it is the one whose pane is shown."""

    accessible_role = QAccessible.Role.ListItem

    def __init__(self, theme: Theme, view: AdapterView, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._feedback = Feedback(theme)
        self._feedback.serve(self)
        self.setObjectName("adapterItem")
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_view(view)

    @property
    def view(self) -> AdapterView:
        return self._view

    def set_view(self, view: AdapterView) -> None:
        self._view = view
        self._state = adapter_state(view)
        name = view.registration.name
        self.setAccessibleName(self.tr("{name}, {state}").format(name=name, state=state_word(self._state)))
        self.update()

    def event(self, event: QEvent) -> bool:
        self._feedback.observe(event)
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(LIST_PX - 8, _ITEM_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, rect = self._theme, QRectF(self.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        fill = theme.color("hover")
        fill.setAlphaF(1.0 if self.isChecked() else 0.6 * self._feedback.hover)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, 8, 8)
        rtl = self.isRightToLeft()
        icon_x = rect.right() - _SIDE_PX - ICON_PX if rtl else rect.left() + _SIDE_PX
        registration = self._view.registration
        paint_agent_icon(
            painter,
            QPointF(icon_x, (_ITEM_PX - ICON_PX) / 2),
            theme,
            face_of(self._view),
            dimmed=not self._view.connected,
        )
        lead = _SIDE_PX + ICON_PX + _SIDE_PX
        text = QRectF(_SIDE_PX if rtl else lead, 6, rect.width() - lead - _SIDE_PX, 20)
        side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        font = theme.font(13, 500)
        name = QFontMetrics(font).elidedText(
            registration.name, Qt.TextElideMode.ElideRight, int(text.width())
        )
        painter.setFont(font)
        painter.setPen(theme.color("text1" if self._view.connected else "text2"))
        painter.drawText(text, flags | Qt.TextFlag.TextSingleLine, name)
        ink = theme.color("text2" if self._view.connected else "text3")
        center_x = text.right() - _SHAPE_PX / 2 if rtl else text.left() + _SHAPE_PX / 2
        paint_state_shape(painter, self._state, QPointF(center_x, 34), ink)
        word = text.adjusted(0, 20, -16, 16) if rtl else text.adjusted(16, 20, 0, 16)
        painter.setFont(theme.font(12))
        painter.setPen(ink)
        painter.drawText(word, flags, state_word(self._state))
        if self._feedback.focus_visible:
            paint_inner_ring(painter, theme, rect, 0, 7)


class AdapterList(QWidget):
    """Keeps the order that it has while it is shown: an adapter whose state changes stays where it is."""

    accessible_role = QAccessible.Role.List

    selected = Signal(str)
    """The id of the adapter that the user chose, or that took the place of one that went."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._items: dict[str, AdapterItem] = {}
        self._selected_id = ""
        self.setAccessibleName(self.tr("Agents"))
        self.setFixedWidth(LIST_PX)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(4, 4, 4, 4)
        self._column.setSpacing(0)
        self._column.addStretch(1)

    @property
    def selected_id(self) -> str:
        """Empty only when the list is."""
        return self._selected_id

    @property
    def items(self) -> list[AdapterItem]:
        return list(self._items.values())

    def set_views(self, views: Sequence[AdapterView], *, sort: bool = False) -> None:
        """Show these. New ones come at the end, or all are sorted anew with ``sort``."""
        by_id = {view.adapter_id: view for view in views}
        order = [adapter_id for adapter_id in self._items if adapter_id in by_id]
        order += [v.adapter_id for v in sorted(views, key=sorting_key) if v.adapter_id not in self._items]
        if sort:
            order = [view.adapter_id for view in sorted(views, key=sorting_key)]
        successor = self._successor(order)
        for adapter_id in [gone for gone in self._items if gone not in by_id]:
            item = self._items.pop(adapter_id)
            self._column.removeWidget(item)
            item.hide()
            item.deleteLater()
        for adapter_id in order:
            item_or_none = self._items.get(adapter_id)
            if item_or_none is None:
                self._add(by_id[adapter_id])
            else:
                item_or_none.set_view(by_id[adapter_id])
        self._arrange(order)
        if self._selected_id not in self._items:
            self._selected_id = ""
            if successor:
                self._items[successor].setChecked(True)
        keep_one_tab_stop(self._items.values())

    def focus_selected(self, reason: Qt.FocusReason) -> None:
        item = self._items.get(self._selected_id)
        if item is not None:
            item.setFocus(reason)

    def _successor(self, order: Sequence[str]) -> str:
        """Who is selected when the selected one goes: its next neighbour that stays, else the one before."""
        before = list(self._items)
        if self._selected_id in before:
            at = before.index(self._selected_id)
            for candidate in [*before[at:], *reversed(before[:at])]:
                if candidate in order:
                    return candidate
        return order[0] if order else ""

    def _add(self, view: AdapterView) -> None:
        item = AdapterItem(self._theme, view, self)
        item.toggled.connect(
            lambda on, adapter_id=view.adapter_id: self._on_chosen(adapter_id) if on else None
        )
        self._items[view.adapter_id] = item
        item.show()

    def _arrange(self, order: Sequence[str]) -> None:
        """Put the items into this order."""
        self._items = {adapter_id: self._items[adapter_id] for adapter_id in order}
        for index, item in enumerate(self._items.values()):
            if self._column.indexOf(item) != index:
                self._column.removeWidget(item)
                self._column.insertWidget(index, item)
        read_in_order(self, self.items)

    def _on_chosen(self, adapter_id: str) -> None:
        keep_one_tab_stop(self._items.values())
        if adapter_id != self._selected_id:
            self._selected_id = adapter_id
            self.selected.emit(adapter_id)
