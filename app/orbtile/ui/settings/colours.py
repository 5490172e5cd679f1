"""The colours of one adapter: the hue ring, every state in the colours that it gives, and the way back.

Owns the preview while the user is at the ring. Must not keep a hue: it emits what the user chose, and shows
what the view says.
"""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from orbtile.host.views import AdapterView
from orbtile.palette.scheme import make_scheme
from orbtile.ui.controls import Button
from orbtile.ui.feedback import RING_REACH_PX
from orbtile.ui.hue_ring import HueRing
from orbtile.ui.labels import Label
from orbtile.ui.motion import MotionClock
from orbtile.ui.settings.state_previews import StatePreviews
from orbtile.ui.theme import Theme

MARGIN_PX: Final = RING_REACH_PX
"""On every side, for the ring of focus."""

_RING_TO_STATES_PX: Final = 16


class AdapterColours(QWidget):
    """Follows one adapter at a time (``set_view``)."""

    hue_chosen = Signal(str, float)
    """Adapter id and degrees."""
    hue_reset = Signal(str)
    """Adapter id: its own colours again."""

    def __init__(self, theme: Theme, view: AdapterView, motion: MotionClock, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self._one_alarm = False
        self.setObjectName("adapterColours")
        self.ring = HueRing(theme, "", self)
        self.ring.setObjectName("hueRing")
        self.previews = StatePreviews(theme, view.scheme, motion, self)
        note = self.tr("The thin part of the ring is kept for errors. Error looks the same for every agent.")
        self._note = Label(theme, note, 12, 400, "text3", wraps=True, parent=self)
        self.reset = Button(theme, self.tr("Reset hue"), parent=self, icon_name="reset")
        self.reset.setObjectName("resetHueButton")
        self.ring.hue_previewed.connect(self._on_previewed)
        self.ring.preview_ended.connect(self._on_preview_ended)
        self.ring.hue_chosen.connect(self._on_chosen)
        self.reset.clicked.connect(self._on_reset_clicked)
        self._lay_out()
        self.set_view(view, one_alarm=False)

    def set_view(self, view: AdapterView, *, one_alarm: bool) -> None:
        """``one_alarm``: waiting states look alike for all agents, in a preview too."""
        if view.adapter_id != self._view.adapter_id:
            self.ring.end_preview()  # it was about another adapter
        self._view, self._one_alarm = view, one_alarm
        name = view.registration.name
        self.ring.setAccessibleName(self.tr("Hue of {name}").format(name=name))
        self.ring.set_hue(view.scheme.resolved_base_hue_deg)
        if not self.ring.is_previewing:
            self.previews.set_scheme(view.scheme)
        has_hue = view.user_hue_deg is not None
        if not has_hue and self.reset.hasFocus():  # what is disabled loses the focus, to anywhere
            by_keyboard = self.reset.focus_visible
            reason = Qt.FocusReason.TabFocusReason if by_keyboard else Qt.FocusReason.OtherFocusReason
            self.ring.setFocus(reason)
        self.reset.setEnabled(has_hue)
        self.reset.setAccessibleName(self.tr("Reset hue of {name}").format(name=name))

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(_RING_TO_STATES_PX)
        top.addWidget(self.ring, 0, Qt.AlignmentFlag.AlignVCenter)
        top.addWidget(self.previews, 1)
        bottom = QHBoxLayout()
        bottom.setSpacing(12)
        bottom.addWidget(self._note, 1)
        bottom.addWidget(self.reset)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        column.setSpacing(0)
        column.addLayout(top)
        column.addSpacing(12)
        column.addLayout(bottom)

    def _on_previewed(self, hue_deg: float) -> None:
        source = self._view.registration.palette.source.with_user_hue(hue_deg)
        self.previews.set_scheme(make_scheme(source, anchor_attention=self._one_alarm))

    def _on_preview_ended(self) -> None:
        self.previews.set_scheme(self._view.scheme)

    def _on_chosen(self, hue_deg: float) -> None:
        self.hue_chosen.emit(self._view.adapter_id, hue_deg)

    def _on_reset_clicked(self) -> None:
        self.ring.end_preview()
        self.hue_reset.emit(self._view.adapter_id)
