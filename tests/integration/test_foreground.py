"""Bringing a process's window to the front under a real X server and window manager."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from orbtile.system.foreground import bring_to_front

pytestmark = pytest.mark.desktop

WINDOW = """
import subprocess, sys
from PySide6.QtGui import QGuiApplication, QWindow
app = QGuiApplication(["window"])
window = QWindow()
window.setTitle(sys.argv[1])
window.resize(200, 100)
window.show()
child = subprocess.Popen(["sleep", "600"])
print(child.pid, flush=True)
app.exec()
"""


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An X server with a window manager, for as long as the test runs; ``DISPLAY`` names it."""
    reader, writer = os.pipe()
    with ExitStack() as stack:
        server = stack.enter_context(
            subprocess.Popen(
                ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
                pass_fds=[writer],
                stderr=subprocess.DEVNULL,
            )
        )
        stack.callback(server.terminate)
        os.close(writer)
        with os.fdopen(reader) as stream:
            name = f":{stream.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        manager = stack.enter_context(subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL))
        stack.callback(manager.terminate)
        yield name


def open_window(stack: ExitStack, title: str) -> tuple[int, int]:
    """The process ids of a program with a window and of its child without one."""
    program = stack.enter_context(
        subprocess.Popen(
            [sys.executable, "-c", WINDOW, title],
            env={**os.environ, "QT_QPA_PLATFORM": "xcb"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    )
    stack.callback(program.terminate)
    assert program.stdout is not None
    child = int(program.stdout.readline())
    stack.callback(os.kill, child, 15)
    return program.pid, child


def active_title() -> str:
    done = subprocess.run(
        ["xdotool", "getactivewindow", "getwindowname"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def wait_for_active(title: str) -> None:
    give_up_s = time.monotonic() + 20
    while (found := active_title()) != title:
        assert time.monotonic() < give_up_s, f"{found!r} is active, not {title!r}"
        time.sleep(0.05)


def test_the_window_of_a_process_and_of_its_ancestors_comes_to_the_front(display: str) -> None:
    with ExitStack() as stack:
        first, first_child = open_window(stack, "first")
        wait_for_active("first")
        second, _ = open_window(stack, "second")
        wait_for_active("second")
        assert bring_to_front(first_child)
        wait_for_active("first")
        assert bring_to_front(second)
        wait_for_active("second")
        assert bring_to_front(first)
        wait_for_active("first")


def test_a_process_without_a_window_in_its_line_changes_nothing(display: str) -> None:
    with ExitStack() as stack:
        open_window(stack, "first")
        wait_for_active("first")
        assert not bring_to_front(os.getpid())
        assert active_title() == "first"


def set_type(title: str, kind: str) -> None:
    kind = f"_NET_WM_WINDOW_TYPE_{kind}"
    subprocess.run(
        ["xprop", "-name", title, "-f", "_NET_WM_WINDOW_TYPE", "32a", "-set", "_NET_WM_WINDOW_TYPE", kind],
        check=True,
    )


@pytest.mark.parametrize("kind", ["DESKTOP", "DOCK"])
def test_the_desktop_and_panels_are_nobodys_window(display: str, kind: str) -> None:
    with ExitStack() as stack:
        first, _ = open_window(stack, "first")
        wait_for_active("first")
        set_type("first", kind)
        assert not bring_to_front(first)
        set_type("first", "NORMAL")
        assert bring_to_front(first)


def test_without_an_x_server_nothing_is_raised() -> None:
    assert "DISPLAY" not in os.environ
    assert not bring_to_front(os.getpid())


def test_a_process_that_is_gone_is_not_raised() -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    assert not bring_to_front(gone.pid)
