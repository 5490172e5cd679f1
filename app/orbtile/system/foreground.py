"""Brings the application that a process belongs to in front of the others, where the system lets us.

Chooses the back end, and imports it when first needed. An agent's process rarely owns a window; the terminal
or editor among its ancestors does, so the nearest one that has a window is taken.
"""

import sys

from orbtile.system.processes import lineage


def bring_to_front(pid: int) -> bool:
    """False: the process or every window of its ancestors is gone, or the system refused (Wayland)."""
    pids = lineage(pid)
    if not pids:
        return False
    if sys.platform == "win32":
        from orbtile.system.foreground_windows import activate_nearest

        return activate_nearest(pids)
    elif sys.platform == "darwin":  # noqa: RET505 - type checkers of other systems follow this form
        from orbtile.system.macos_api import activate_application

        return any(activate_application(ancestor) for ancestor in pids)
    else:
        from orbtile.system.foreground_x11 import activate_nearest

        return activate_nearest(pids)


def let_come_forward(pid: int) -> None:
    """Let another process of this user come to the front next: a second start asks the first one for its
    popover. Only Windows wants to be told, by the process that is in front.
    """
    if sys.platform == "win32":
        from orbtile.system.foreground_windows import allow_foreground

        allow_foreground(pid)
