from orbtile.system.foreground_windows import TopWindow, nearest_window

EXPLORER, TERMINAL, SHELL = 100, 200, 300


def test_the_topmost_window_of_the_nearest_process_is_taken() -> None:
    windows = [
        TopWindow(1, EXPLORER, "CabinetWClass"),
        TopWindow(2, TERMINAL, "CASCADIA_HOSTING_WINDOW_CLASS"),
        TopWindow(3, TERMINAL, "CASCADIA_HOSTING_WINDOW_CLASS"),
    ]
    assert nearest_window([SHELL, TERMINAL, EXPLORER], windows) == 2
    assert nearest_window([SHELL, EXPLORER], windows) == 1
    assert nearest_window([SHELL], windows) is None


def test_the_desktop_and_the_taskbars_are_nobodys_window() -> None:
    furniture = [
        TopWindow(number, EXPLORER, name)
        for number, name in enumerate(["Shell_TrayWnd", "Shell_SecondaryTrayWnd", "WorkerW", "Progman"])
    ]
    assert nearest_window([SHELL, EXPLORER], furniture) is None
    assert nearest_window([SHELL, EXPLORER], [*furniture, TopWindow(9, EXPLORER, "CabinetWClass")]) == 9
