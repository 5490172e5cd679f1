"""Where the popover goes: beside the tray, inside the work area, on any layout of screens. Pure.

Owns the choice of screen and corner. Must not ask for the cursor or the screens; they are given.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QMargins, QPoint, QRect, QSize

MARGIN_PX: Final = 12
"""Kept free between the popover and the edges of the work area."""

_CORNER_PX: Final = 64
"""An anchor this near to the top or bottom belongs there, however near a side is."""


class ScreenArea(NamedTuple):
    """A screen in logical px; its origin may be negative. ``available`` leaves out panels and docks."""

    geometry: QRect
    available: QRect


def screen_at(anchor: QPoint, screens: Sequence[ScreenArea]) -> ScreenArea:
    """The screen that holds ``anchor``, else the nearest. ``screens`` has at least one."""
    return min(screens, key=lambda screen: _distance(screen.geometry, anchor))


def largest_size(wanted: QSize, screen: ScreenArea, most_px: int) -> QSize:
    """``wanted`` cut down to ``most_px`` and to what the work area holds."""
    room = screen.available.size()
    return QSize(
        max(1, min(wanted.width(), room.width() - 2 * MARGIN_PX)),
        max(1, min(wanted.height(), most_px, room.height() - 2 * MARGIN_PX)),
    )


def place_window(most: QSize, frame: QMargins, screen: ScreenArea) -> QRect:
    """Where the inside of a normal window with ``frame`` may stand and grow to ``most``, as far as the work
    area holds it: in its middle.
    """
    area = screen.available.adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)
    size = most.grownBy(frame).boundedTo(area.size())
    outer = QRect(area.topLeft(), size)
    outer.moveCenter(area.center())
    return outer.marginsRemoved(frame)


def moved_inside(outer: QRect, screen: ScreenArea) -> QPoint:
    """The top left corner of ``outer``, a window with its frame, once no edge of it is outside the work area
    (the top left one is inside where it does not fit).
    """
    area = screen.available
    return QPoint(
        _clamp(outer.x(), area.left(), area.right() + 1 - outer.width()),
        _clamp(outer.y(), area.top(), area.bottom() + 1 - outer.height()),
    )


def place(size: QSize, anchor: QRect, screen: ScreenArea) -> QPoint:
    """The top left corner for a popover of ``size`` that belongs to ``anchor`` (the tray icon, or where it
    was clicked).

    It stands off the screen's edge that is nearest to the anchor, centred on the anchor as far as the work
    area allows.
    """
    area = screen.available.adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)
    center = anchor.center()
    x = center.x() - size.width() // 2
    y = center.y() - size.height() // 2
    match _edge_near(center, screen):
        case "top":
            y = anchor.bottom() + 1 + MARGIN_PX
        case "bottom":
            y = anchor.top() - MARGIN_PX - size.height()
        case "left":
            x = anchor.right() + 1 + MARGIN_PX
        case _:
            x = anchor.left() - MARGIN_PX - size.width()
    return QPoint(
        _clamp(x, area.left(), area.right() + 1 - size.width()),
        _clamp(y, area.top(), area.bottom() + 1 - size.height()),
    )


def _edge_near(point: QPoint, screen: ScreenArea) -> str:
    """The edge whose panel holds ``point``, else the nearest one; in a corner, top or bottom."""
    area, edges = screen.available, screen.geometry
    if point.y() < area.top():
        return "top"
    if point.y() > area.bottom():
        return "bottom"
    if point.x() < area.left():
        return "left"
    if point.x() > area.right():
        return "right"
    gaps = {"top": point.y() - edges.top(), "bottom": edges.bottom() - point.y()}
    if min(gaps.values()) > _CORNER_PX:  # panels lie along the top or bottom more often than along a side
        gaps |= {"left": point.x() - edges.left(), "right": edges.right() - point.x()}
    return min(gaps, key=lambda edge: gaps[edge])


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))


def _distance(rect: QRect, point: QPoint) -> int:
    dx = max(rect.left() - point.x(), 0, point.x() - rect.right())
    dy = max(rect.top() - point.y(), 0, point.y() - rect.bottom())
    return dx * dx + dy * dy
