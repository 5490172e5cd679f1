"""Whether translucent windows are drawn as such on this desktop.

Owns the one question to the X server (EWMH: a compositor owns the selection ``_NET_WM_CM_Sn``). Every other
window system composes always. Must not know which window asks.
"""

import contextlib
import sys


def has_compositor(window_system: str) -> bool:
    """``window_system`` is Qt's platform name. Asked anew each time: compositors come and go."""
    if window_system != "xcb":
        return True
    if sys.platform == "linux":
        # Imported here because it takes 2 MiB, which only a popover that opens needs.
        from Xlib.display import Display
        from Xlib.error import ConnectionClosedError, DisplayError

        try:
            display = Display()
        except (DisplayError, ConnectionClosedError, OSError):
            return False
        with contextlib.closing(display):
            selection = display.intern_atom(f"_NET_WM_CM_S{display.get_default_screen()}")
            owner = display.get_selection_owner(selection)
            return bool(owner)
    else:
        return False
