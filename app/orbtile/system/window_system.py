"""Which of Qt's window systems the app uses.

Owns the choice, made by the environment before Qt starts, and the look whether anybody answers there: Qt ends
the process where nobody does. Must not import Qt.
"""

import ctypes
import logging
import socket
import sys
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path

from orbtile.system.paths import Platform

_log = logging.getLogger(__name__)


def reaches_x11(display: str) -> bool:
    """Whether the X server of ``display`` lets us in. Asked of the library that Qt asks, so that both agree
    on what a name means and on the cookies that go with it; where it is missing, Qt cannot reach one either.
    """
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = (ctypes.c_void_p,)
    xcb.xcb_disconnect.argtypes = (ctypes.c_void_p,)
    xcb.xcb_disconnect.restype = None
    connection = xcb.xcb_connect(display.encode(errors="surrogateescape"), None)  # never null, but in error
    try:
        return bool(xcb.xcb_connection_has_error(connection) == 0)
    finally:
        xcb.xcb_disconnect(connection)


def reaches_wayland(display: str, runtime_folder: str) -> bool:
    """Whether a compositor listens on the socket ``display``, an absolute path or a name in
    ``runtime_folder`` (``XDG_RUNTIME_DIR``).
    """
    if sys.platform == "win32":
        return False
    else:  # noqa: RET505 - type checkers of other systems follow this form
        if not (display.startswith("/") or runtime_folder):
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(Path(runtime_folder, display)))
            except OSError:
                return False
        return True


def choose_window_system(
    env: MutableMapping[str, str],
    platform: Platform,
    *,
    reaches_x11: Callable[[str], bool] = reaches_x11,
    reaches_wayland: Callable[[str, str], bool] = reaches_wayland,
) -> None:
    """Linux only. Wayland lets no client place its window, so the popover wants X11 where XWayland is there;
    without any display, or where none answers, Qt would abort, and the API must serve all the same.
    """
    if platform is not Platform.LINUX or env.get("QT_QPA_PLATFORM"):
        return
    x11, wayland = env.get("DISPLAY", ""), _wayland_display(env)
    if x11 and reaches_x11(x11):
        env["QT_QPA_PLATFORM"] = "xcb"
    elif wayland and ("WAYLAND_SOCKET" in env or reaches_wayland(wayland, env.get("XDG_RUNTIME_DIR", ""))):
        if x11:
            _log.warning("cannot reach display %s: Wayland is used", x11)
            env["QT_QPA_PLATFORM"] = "wayland"
    else:
        dead = " or ".join(name for name in (x11, wayland) if name)
        trouble = f"cannot reach display {dead}" if dead else "there is no display"
        _log.warning("%s: nothing is shown, the Adapter API works", trouble)
        env["QT_QPA_PLATFORM"] = "offscreen"


def _wayland_display(env: Mapping[str, str]) -> str:
    """Empty: there is none. A socket that was handed down open needs no name."""
    return env.get("WAYLAND_DISPLAY", "") or ("wayland-0" if "WAYLAND_SOCKET" in env else "")
