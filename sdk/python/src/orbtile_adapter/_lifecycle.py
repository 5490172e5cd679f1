"""The ends that nobody calls ``close`` at: a fork's child, and the interpreter's exit.

Owns who has to be told. Must not keep a client alive.
"""

from __future__ import annotations

import atexit
import os
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orbtile_adapter._ports import Endable


_open: weakref.WeakSet[Endable] = weakref.WeakSet()


def watch(client: Endable) -> None:
    """From now on ``client`` has something that must not outlive the process or enter a child."""
    _open.add(client)


def unwatch(client: Endable) -> None:
    """It was closed."""
    _open.discard(client)


def _at_exit() -> None:
    for client in list(_open):
        client.end_at_exit()


def _in_child() -> None:
    for client in list(_open):
        client.end_in_child()
    _open.clear()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
