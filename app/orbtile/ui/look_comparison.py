"""How an adapter looked when it was last allowed, beside how it looks now: its icon, and the orbs of those
states whose colours changed.

Owns that picture. Must not know what else changed: a banner's words say all of it.
"""

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from orbtile.host.views import AdapterView
from orbtile.palette.scheme import Scheme
from orbtile.ui.agent_icon import ICON_PX, AgentFace, allowed_face_of, face_of, paint_agent_icon
from orbtile.ui.consent_words import ColourChange, colour_changes, has_changed, look_words
from orbtile.ui.orb import paint_orb
from orbtile.ui.theme import Theme

_LABEL_GAP_PX: Final = 12
_ICON_GAP_PX: Final = 16
_ROW_PX: Final = 32
_ORB_LEAST_PX: Final = 18
_ORB_MOST_PX: Final = 24
_PITCH_MOST_PX: Final = 36
_PITCH_LEAST_PX: Final = 20


class LookComparison(QWidget):
    """Hidden while nothing that can be seen has changed."""

    accessible_role = QAccessible.Role.Graphic

    def __init__(self, theme: Theme, view: AdapterView, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._faces: tuple[AgentFace, AgentFace] | None = None
        self._schemes: tuple[Scheme, Scheme] | None = None
        self._changed: tuple[ColourChange, ...] = ()
        self.setObjectName("lookComparison")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_view(view)
        theme.themeChanged.connect(self._restyle)

    @property
    def changed(self) -> tuple[ColourChange, ...]:
        """The states that are shown."""
        return self._changed

    @property
    def shows_icons(self) -> bool:
        return self._faces is not None

    def set_view(self, view: AdapterView) -> None:
        old, new = allowed_face_of(view), face_of(view)
        differs = has_changed(view)
        self._faces = (old, new) if differs and old.icon != new.icon else None
        before = view.allowed_scheme
        self._schemes = (before, view.scheme) if differs and before is not None else None
        self._changed = colour_changes(*self._schemes) if self._schemes is not None else ()
        words = look_words(self._changed, icon=self.shows_icons)
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.setVisible(bool(words))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return self._size(_PITCH_MOST_PX)

    def minimumSizeHint(self) -> QSize:
        return self._size(_PITCH_LEAST_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        left = 0
        for at, text in enumerate(self._labels()):
            top = at * _ROW_PX if self._changed else 0
            self._paint_label(painter, text, left, top)
            label_px = self._label_px() if self._changed else self._width_of(text)
            if self._faces is not None:
                icon_left = self._visual(left + label_px + _LABEL_GAP_PX, ICON_PX)
                corner = QPointF(icon_left, top + (_ROW_PX - ICON_PX) / 2)
                paint_agent_icon(painter, corner, self._theme, self._faces[at])
            if self._schemes is not None:
                self._paint_orbs(painter, self._schemes[at], top)
            if not self._changed:  # there is nothing to be lined up: one stands beside the other
                left += label_px + _LABEL_GAP_PX + ICON_PX + 2 * _ICON_GAP_PX

    def _size(self, pitch_px: int) -> QSize:
        if not self._changed:
            return QSize(2 * (self._lead_px() + _ICON_GAP_PX), _ROW_PX)
        return QSize(self._lead_px() + len(self._changed) * pitch_px, 2 * _ROW_PX)

    def _paint_label(self, painter: QPainter, text: str, left: int, top: int) -> None:
        theme, width = self._theme, self._label_px()
        painter.setFont(theme.font(12))
        painter.setPen(theme.color("text3"))
        side = Qt.AlignmentFlag.AlignRight if self.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(QRectF(self._visual(left, width), top, width, _ROW_PX), flags, text)

    def _paint_orbs(self, painter: QPainter, scheme: Scheme, top: int) -> None:
        lead = self._lead_px()
        pitch = min(_PITCH_MOST_PX, (self.width() - lead) / max(1, len(self._changed)))
        size = round(min(_ORB_MOST_PX, max(_ORB_LEAST_PX, pitch - 6)))
        for at, one in enumerate(self._changed):
            left = self._visual(lead + at * pitch, size)
            box = QRectF(left, top + (_ROW_PX - size) / 2, size, size)
            ramp = scheme[one.state].ramp
            paint_orb(painter, box, one.state, ramp, dark=self._theme.is_dark, halo=False)

    def _labels(self) -> tuple[str, str]:
        return self.tr("Before"), self.tr("Now")

    def _label_px(self) -> int:
        return max(self._width_of(text) for text in self._labels())

    def _width_of(self, text: str) -> int:
        return QFontMetrics(self._theme.font(12)).horizontalAdvance(text) + 1

    def _lead_px(self) -> int:
        """What stands before the orbs."""
        icons = ICON_PX + _ICON_GAP_PX if self.shows_icons else 0
        return self._label_px() + _LABEL_GAP_PX + icons

    def _visual(self, left: float, width: float) -> float:
        """Where something of ``width`` begins that is ``left`` from the side where lines begin."""
        return self.width() - left - width if self.isRightToLeft() else left

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
