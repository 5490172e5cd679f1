"""The application's icon, made of the drawings in ``icons/``: each size from the one that is meant for it.

Owns which drawing serves which size. Must not know where the folder is nor who wears the icon.
"""

import logging
import sys
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_log = logging.getLogger(__name__)

_LARGEST: Final = (256, 512) if sys.platform == "darwin" else (256,)
"""Physical px. An X server keeps every size for every window, and no panel there shows 512."""

_SIZES: Final[dict[int, tuple[int, ...]]] = {16: (16, 22, 24), 32: (32,), 128: (48, 64, 128), 512: _LARGEST}
"""By drawing. Up to 32 px details would be dirt; 48 is the first size at which the orbit can be seen."""


def app_icon(folder: Path) -> QIcon:
    """The icon of the drawings ``app-N.svg`` in ``folder``. What is missing or broken there is logged, and
    missing in the icon.
    """
    icon = QIcon()
    for drawing, sizes_px in _SIZES.items():
        path = folder / f"app-{drawing}.svg"
        renderer = QSvgRenderer()
        if not path.is_file() or not renderer.load(str(path)):
            _log.warning("the application's icon lacks a drawing: %s cannot be read", path)
            continue
        for size_px in sizes_px:
            icon.addPixmap(_drawn(renderer, size_px))
    return icon


def _drawn(renderer: QSvgRenderer, size_px: int) -> QPixmap:
    pixmap = QPixmap(size_px, size_px)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    painter.end()
    return pixmap
