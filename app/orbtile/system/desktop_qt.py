"""Opening addresses and raising applications, for taps.

Owns the hand-over to the desktop. Which address may be opened is the host's decision, taken again at each
tap. Must not be called with an address that did not pass it.
"""

from collections.abc import Callable

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from orbtile.system.foreground import bring_to_front


class QtDesktop:
    """Implements ``host.ports.Desktop``."""

    def __init__(self, raise_process: Callable[[int], bool] = bring_to_front) -> None:
        self._raise_process = raise_process

    def open_url(self, url: str) -> bool:
        address = QUrl(url, QUrl.ParsingMode.StrictMode)
        # Qt reads an address without a scheme, or with ``file``, as a path on this machine.
        if not address.isValid() or address.isRelative() or address.isLocalFile():
            return False
        return QDesktopServices.openUrl(address)

    def bring_to_front(self, pid: int) -> bool:
        return self._raise_process(pid)
