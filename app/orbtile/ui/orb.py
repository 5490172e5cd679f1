"""The orb on a surface: which picture of its motion is due, and every picture drawn once and kept.

Owns the frames of each state, the snapping to device pixels and the store of drawn pictures. Must not know
sessions, rows or clocks: time is handed in. The shapes are ``orb_shapes``'.
"""

import math
from collections import OrderedDict
from typing import Final, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from orbtile.palette.ramps import Ramp
from orbtile.palette.states import State
from orbtile.ui.orb_shapes import HALO_REACH, TOOL_ARCS, OrbShapes

OVERHANG: Final = HALO_REACH / 100 - 0.5
"""How far a halo leaves the box on every side, as a share of the orb's size."""

KIND_MARK_FROM_PX: Final = 32
"""Tool marks are drawn from this size up; below, the plain ball."""

FRAMES: Final = 16
"""Pictures in one cycle of a state's motion; the first one is the still picture."""

TOOL_FRAMES: Final = 18
"""Of the tool's cycle: three steps of the mark for each of the six arcs."""

DONE_S: Final = 0.2
"""For so long after a session was done the tick is being drawn, once."""

TYPING_S: Final = 0.8
"""For so long after text arrived the orb types it: its ball beats and its cursor stands still."""

STORE_BYTES: Final = 8 * 1024 * 1024
"""Pictures that are kept, at most. A full popover at 2x, everything moving, needs about 4 MiB."""

_DONE_FRAMES: Final = 5
_CYCLE_S: Final[dict[State, float]] = {
    State.WAITING_PERMISSION: 1.6,
    State.WAITING_QUESTION: 1.6,
    State.TOOL: 1.2,
    State.STREAMING: 0.8,
    State.THINKING: 2.4,
    State.STARTING: 1.2,
    State.COMPACTING: 1.6,
}
_MARK_STEPS: Final = TOOL_FRAMES // TOOL_ARCS


def moves(state: State, age_s: float = math.inf) -> bool:
    """Whether the orb shows other pictures as time passes. ``age_s`` as in ``frame_of``."""
    return state in _CYCLE_S or (state is State.DONE and 0 <= age_s < DONE_S)


def frame_of(state: State, time_s: float, age_s: float = math.inf) -> int:
    """The picture that is due at ``time_s``, of any clock that goes on; 0 is the still one.

    ``age_s``: how long ago something happened to the session, where that is known: it was done, or its text
    grew.
    """
    if state is State.DONE:
        return 1 + int(age_s / DONE_S * _DONE_FRAMES) if moves(state, age_s) else 0
    cycle_s = _CYCLE_S.get(state)
    if cycle_s is None:
        return 0
    count = TOOL_FRAMES if state is State.TOOL else FRAMES
    frame = int(time_s / cycle_s % 1 * count)
    is_typing = state is State.STREAMING and 0 <= age_s < TYPING_S
    return frame + FRAMES if is_typing else frame


class OrbKey(NamedTuple):
    """What a picture of an orb depends on. ``scale``: device pixels in a logical one."""

    ramp: Ramp
    state: State
    kind: str | None
    size_px: int
    scale: float
    dark: bool
    halo: bool
    frame: int


class PictureStore:
    """Pictures by key, at most ``most_bytes`` of them; what was not asked for the longest goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._pictures: OrderedDict[OrbKey, QImage] = OrderedDict()
        self.held_bytes = 0

    def __len__(self) -> int:
        return len(self._pictures)

    def get(self, key: OrbKey) -> QImage:
        """The picture, drawn unless it is here."""
        picture = self._pictures.get(key)
        if picture is not None:
            self._pictures.move_to_end(key)
            return picture
        picture = _draw(key)
        self._pictures[key] = picture
        self.held_bytes += picture.sizeInBytes()
        while self.held_bytes > self._most_bytes:
            _, oldest = self._pictures.popitem(last=False)
            self.held_bytes -= oldest.sizeInBytes()
        return picture


_store: Final = PictureStore(STORE_BYTES)


def paint_orb(
    painter: QPainter,
    box: QRectF,
    state: State,
    ramp: Ramp,
    *,
    dark: bool,
    kind: str | None = None,
    halo: bool = True,
    frame: int = 0,
) -> None:
    """Draw the orb into ``box`` (square, logical px), snapped to whole device pixels. A halo may leave the
    box. ``frame`` is ``frame_of``'s; ``kind`` the tool's, as the session names it.
    """
    if state is State.EMPTY:
        return
    size_px = round(box.width())
    scale = painter.device().devicePixelRatioF()
    image = orb_image(ramp, state, kind, size_px, scale, dark=dark, halo=halo, frame=frame)
    overhang = _overhang(size_px, scale)
    corner = painter.deviceTransform().map(box.topLeft())
    snapped = QPointF(round(corner.x()) - overhang, round(corner.y()) - overhang)
    inverse, _ = painter.deviceTransform().inverted()
    painter.drawImage(inverse.map(snapped), image)


def orb_reach(box: QRectF) -> QRectF:
    """All that an orb in ``box`` may touch, its halo included."""
    reach = math.ceil(box.width() * OVERHANG) + 1  # and the pixel that snapping may add
    return box.adjusted(-reach, -reach, reach, reach)


def orb_image(
    ramp: Ramp,
    state: State,
    kind: str | None,
    size_px: int,
    scale: float,
    *,
    dark: bool,
    halo: bool = True,
    frame: int = 0,
) -> QImage:
    """The orb with ``OVERHANG`` on every side, drawn once. ``scale``: device pixels in a logical one."""
    mark = (kind or "other") if state is State.TOOL and size_px >= KIND_MARK_FROM_PX else None
    if state is State.TOOL and mark is None:
        frame -= frame % _MARK_STEPS  # only the arcs move
    return _store.get(OrbKey(ramp, state, mark, size_px, scale, dark, halo, frame))


def _overhang(size_px: int, scale: float) -> int:
    """Device pixels around the box."""
    return math.ceil(size_px * OVERHANG * scale)


def _draw(key: OrbKey) -> QImage:
    side, overhang = round(key.size_px * key.scale), _overhang(key.size_px, key.scale)
    image = QImage(side + 2 * overhang, side + 2 * overhang, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(overhang, overhang)
    painter.scale(side / 100, side / 100)
    typing = key.state is State.STREAMING and key.frame >= FRAMES
    shapes = OrbShapes(painter, key.ramp, dark=key.dark, phase=_phase(key.state, key.frame), typing=typing)
    shapes.draw(key.state, key.kind, halo=key.halo)
    painter.end()
    image.setDevicePixelRatio(key.scale)
    return image


def _phase(state: State, frame: int) -> float:
    """How far through its cycle ``frame`` is, 0..<1; of ``DONE`` how much of the tick is drawn, 0..1."""
    if state is State.DONE:
        return (frame - 1) / _DONE_FRAMES if frame else 1.0
    if state is State.TOOL:
        return frame / TOOL_FRAMES
    return frame % FRAMES / FRAMES
