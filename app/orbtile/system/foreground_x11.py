"""Asks an X11 window manager to activate a process's window (EWMH ``_NET_ACTIVE_WINDOW``).

Owns the conversation with the X server, over a connection that lives for one request. Must not know which
processes are related. Wayland has nothing of the kind: only windows of Xwayland are found there.
"""

import contextlib
import socket
import sys
from collections.abc import Iterator, Sequence

if sys.platform == "linux":
    from Xlib import X, Xatom, error
    from Xlib.display import Display
    from Xlib.protocol.event import ClientMessage
    from Xlib.xobject.drawable import Window

_FROM_A_PAGER = 2  # EWMH source indication: the user asked for it, so window managers do not hold it back


def activate_nearest(pids: Sequence[int]) -> bool:
    """Activate the topmost window of the first of these processes that has one."""
    if sys.platform == "linux":
        try:
            display = Display()
        except (error.DisplayError, error.ConnectionClosedError, OSError):
            return False
        with contextlib.closing(display):
            # A window may close at any moment; the default handler would print that on stderr.
            display.set_error_handler(lambda *_: None)
            try:
                return _activate(display, pids)
            except (error.XError, error.ConnectionClosedError, OSError):
                return False
    else:
        return False


if sys.platform == "linux":

    def _activate(display: Display, pids: Sequence[int]) -> bool:
        root = display.screen().root
        active = display.intern_atom("_NET_ACTIVE_WINDOW")
        if active not in _property(display, root, "_NET_SUPPORTED"):
            return False
        window = _nearest_window(display, root, pids)
        if window is None:
            return False
        message = ClientMessage(
            window=window, client_type=active, data=(32, [_FROM_A_PAGER, X.CurrentTime, 0, 0, 0])
        )
        root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        display.sync()
        return True

    def _nearest_window(display: Display, root: Window, pids: Sequence[int]) -> Window | None:
        rank = {pid: position for position, pid in enumerate(pids)}
        best: Window | None = None
        best_rank = len(pids)
        for window in _windows_from_the_top(display, root):
            with contextlib.suppress(error.XError):
                owner = _property(display, window, "_NET_WM_PID")
                position = rank.get(owner[0], best_rank) if owner else best_rank
                if position < best_rank and _is_local(window) and not _is_furniture(display, window):
                    best, best_rank = window, position
        return best

    def _is_furniture(display: Display, window: Window) -> bool:
        """The desktop's background or a panel. The program that owns them is often an ancestor, and raising
        them would answer a tap with an empty screen.
        """
        kinds = _property(display, window, "_NET_WM_WINDOW_TYPE")
        return any(
            display.intern_atom(f"_NET_WM_WINDOW_TYPE_{kind}") in kinds for kind in ("DESKTOP", "DOCK")
        )

    def _windows_from_the_top(display: Display, root: Window) -> Iterator[Window]:
        stacked = _property(display, root, "_NET_CLIENT_LIST_STACKING")
        for identifier in reversed(stacked or _property(display, root, "_NET_CLIENT_LIST")):
            yield display.create_resource_object("window", identifier)

    def _property(display: Display, window: Window, name: str) -> list[int]:
        """The numbers of a property; empty where the window has none."""
        found = window.get_full_property(display.intern_atom(name), X.AnyPropertyType)
        return [] if found is None or isinstance(found.value, str | bytes) else list(found.value)

    def _is_local(window: Window) -> bool:
        """A window of a program on another machine has a process id of that machine."""
        machine = window.get_full_property(Xatom.WM_CLIENT_MACHINE, X.AnyPropertyType)
        if machine is None:
            return True
        name = machine.value
        text = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
        return text in {socket.gethostname(), "localhost"}
