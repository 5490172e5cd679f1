"""Patience with files that another process holds open, which Windows then neither replaces nor removes.

Pure: owns how often and how long something is tried again. Must not know what is tried.
"""

import time
from collections.abc import Callable
from typing import Final

TRIES: Final = 10
PAUSE_S: Final = 0.05
"""With ``TRIES``, about half a second in all: whoever reads a file of ours needs a fraction of that."""

_HELD_OPEN: Final = frozenset({5, 32})
"""ERROR_ACCESS_DENIED (also the answer while a removed file is still open) and ERROR_SHARING_VIOLATION."""


def retry_while_held_open(action: Callable[[], None], *, sleep: Callable[[float], None] = time.sleep) -> None:
    """Do ``action``, again while it fails because of somebody's open handle; its last OSError is raised."""
    for _ in range(TRIES - 1):
        try:
            return action()
        except OSError as error:
            if getattr(error, "winerror", None) not in _HELD_OPEN:
                raise
        sleep(PAUSE_S)
    return action()
