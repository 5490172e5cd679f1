"""Brings a process's window to the front on Windows.

Owns the calls of user32 (winuser.h): EnumWindows lists windows from the top down. Windows lets only a process
in the foreground give the foreground away, which Orbtile is right after a click into its popover. Empty on
other systems.
"""

import sys

if sys.platform == "win32":
    import ctypes
    from collections.abc import Sequence
    from ctypes import wintypes
    from typing import Final

    _GW_OWNER: Final = 4
    _SW_RESTORE: Final = 9

    _user32: Final = ctypes.WinDLL("user32", use_last_error=True)
    _Visit: Final = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)

    _user32.EnumWindows.argtypes = (_Visit, wintypes.LPARAM)
    _user32.EnumWindows.restype = wintypes.BOOL
    _user32.GetWindowThreadProcessId.argtypes = (wintypes.HWND, ctypes.POINTER(wintypes.DWORD))
    _user32.GetWindowThreadProcessId.restype = wintypes.DWORD
    _user32.GetWindow.argtypes = (wintypes.HWND, wintypes.UINT)
    _user32.GetWindow.restype = wintypes.HWND
    for _question in (_user32.IsWindowVisible, _user32.IsIconic, _user32.SetForegroundWindow):
        _question.argtypes = (wintypes.HWND,)
        _question.restype = wintypes.BOOL
    _user32.ShowWindow.argtypes = (wintypes.HWND, ctypes.c_int)
    _user32.ShowWindow.restype = wintypes.BOOL

    def activate_nearest(pids: Sequence[int]) -> bool:
        """Activate the topmost window of the first of these processes that has one."""
        windows = _main_windows()
        for pid in pids:
            window = windows.get(pid)
            if window is not None:
                if _user32.IsIconic(window):
                    _user32.ShowWindow(window, _SW_RESTORE)
                return bool(_user32.SetForegroundWindow(window))
        return False

    def _main_windows() -> dict[int, int]:
        """The topmost visible window without an owner of each process."""
        found: dict[int, int] = {}

        def visit(window: int, _parameter: int) -> bool:
            if _user32.IsWindowVisible(window) and not _user32.GetWindow(window, _GW_OWNER):
                pid = wintypes.DWORD()
                _user32.GetWindowThreadProcessId(window, ctypes.byref(pid))
                found.setdefault(pid.value, window)
            return True

        _user32.EnumWindows(_Visit(visit), 0)
        return found
