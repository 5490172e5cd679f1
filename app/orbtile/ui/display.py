"""Whether anybody can see what is drawn, and how a window comes to the front.

Owns the two questions that Qt's platforms without a screen answer with remarks on stderr. Must not know any
window.
"""

from typing import Final

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_DRAWS_NOWHERE: Final = frozenset({"offscreen", "minimal"})


def has_display() -> bool:
    """Whether Qt draws where people look. A server without a display runs on a platform that does not."""
    return QGuiApplication.platformName() not in _DRAWS_NOWHERE


def bring_forward(window: QWidget) -> None:
    """Put ``window``, which is shown, before all others and give it the keyboard."""
    if has_display():
        window.raise_()
    window.activateWindow()
