"""Brings a process's window to the front on Windows.

Owns the calls of user32 (winuser.h), and which windows of a process count: EnumWindows lists windows from the
top down. Windows lets only a process in the foreground give the foreground away, which Orbtile is right after
a click into its popover. Without the calls on other systems.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

SHELL_CLASSES: Final = frozenset({"Progman", "WorkerW", "Shell_TrayWnd", "Shell_SecondaryTrayWnd"})
"""Explorer's desktop and taskbars, by window class: it is an ancestor of most programs, and raising those
would answer a tap with an empty screen.
"""


class TopWindow(NamedTuple):
    """A visible window that no other one owns."""

    handle: int
    pid: int
    class_name: str


def nearest_window(pids: Sequence[int], windows: Iterable[TopWindow]) -> int | None:
    """The topmost window of the first of these processes that has one; ``windows`` from the top down."""
    handles: dict[int, int] = {}
    for window in windows:
        if window.class_name not in SHELL_CLASSES:
            handles.setdefault(window.pid, window.handle)
    return next((handles[pid] for pid in pids if pid in handles), None)


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _GW_OWNER: Final = 4
    _SW_RESTORE: Final = 9
    _LONGEST_CLASS_NAME: Final = 256

    _user32: Final = ctypes.WinDLL("user32", use_last_error=True)
    _Visit: Final = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)

    _user32.EnumWindows.argtypes = (_Visit, wintypes.LPARAM)
    _user32.EnumWindows.restype = wintypes.BOOL
    _user32.GetWindowThreadProcessId.argtypes = (wintypes.HWND, ctypes.POINTER(wintypes.DWORD))
    _user32.GetWindowThreadProcessId.restype = wintypes.DWORD
    _user32.GetClassNameW.argtypes = (wintypes.HWND, wintypes.LPWSTR, ctypes.c_int)
    _user32.GetClassNameW.restype = ctypes.c_int
    _user32.GetWindow.argtypes = (wintypes.HWND, wintypes.UINT)
    _user32.GetWindow.restype = wintypes.HWND
    for _question in (_user32.IsWindowVisible, _user32.IsIconic, _user32.SetForegroundWindow):
        _question.argtypes = (wintypes.HWND,)
        _question.restype = wintypes.BOOL
    _user32.ShowWindow.argtypes = (wintypes.HWND, ctypes.c_int)
    _user32.ShowWindow.restype = wintypes.BOOL
    _user32.AllowSetForegroundWindow.argtypes = (wintypes.DWORD,)
    _user32.AllowSetForegroundWindow.restype = wintypes.BOOL

    def activate_nearest(pids: Sequence[int]) -> bool:
        """Activate the topmost window of the first of these processes that has one."""
        window = nearest_window(pids, _top_windows())
        if window is None:
            return False
        if _user32.IsIconic(window):
            _user32.ShowWindow(window, _SW_RESTORE)
        return bool(_user32.SetForegroundWindow(window))

    def allow_foreground(pid: int) -> bool:
        """Let that process come to the front; False: we are not there ourselves."""
        return bool(_user32.AllowSetForegroundWindow(pid))

    def _top_windows() -> list[TopWindow]:
        found: list[TopWindow] = []

        def visit(window: int, _parameter: int) -> bool:
            if _user32.IsWindowVisible(window) and not _user32.GetWindow(window, _GW_OWNER):
                pid = wintypes.DWORD()
                _user32.GetWindowThreadProcessId(window, ctypes.byref(pid))
                name = ctypes.create_unicode_buffer(_LONGEST_CLASS_NAME + 1)
                _user32.GetClassNameW(window, name, len(name))
                found.append(TopWindow(window, pid.value, name.value))
            return True

        _user32.EnumWindows(_Visit(visit), 0)
        return found
