"""A real desktop for tests: X server, window manager, tray and session bus of their own, and hands to use
them.

Owns the processes of one desktop: each is waited for until it serves, and all are gone afterwards. Must not
know the app. Debian: xvfb openbox trayer xfce4-panel picom dbus at-spi2-core gir1.2-atspi-2.0 python3-gi
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self, TypeVar

from PySide6.QtGui import QImage
from Xlib import XK, X, Xutil
from Xlib.display import Display
from Xlib.error import BadWindow, ConnectionClosedError, DisplayError
from Xlib.ext import xtest
from Xlib.xobject.drawable import Window

TrayHost = Literal["trayer", "xfce4-panel", "none"]

SNI_WATCHER: Final = "org.kde.StatusNotifierWatcher"
_PATIENCE_S: Final = 20.0
_SYSTEM_PYTHON: Final = "/usr/bin/python3"
"""It has the bindings of the accessibility bus, which no wheel carries."""

_HERE: Final = Path(__file__).parent
_PANEL_CONFIG: Final = _HERE.parent / "data" / "xfce4-panel"

Found = TypeVar("Found")


def wait_for(what: str, look: Callable[[], Found | None], patience_s: float = _PATIENCE_S) -> Found:
    """Look again and again until there is something (not None, not False); fail with ``what`` when patience
    ends.
    """
    end_s = time.monotonic() + patience_s
    while True:
        found = look()
        if found is not None and found is not False:
            return found
        if time.monotonic() > end_s:
            raise TimeoutError(f"waited {patience_s:g} s for {what}")
        time.sleep(0.02)


def _signal_group(pid: int, number: signal.Signals) -> None:
    if sys.platform != "win32":
        os.killpg(pid, number)


def _kill_group(pid: int) -> None:
    if sys.platform != "win32":
        os.killpg(pid, signal.SIGKILL)


class Program:
    """One process with its children, its output kept in a file."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], log: Path, fds: Sequence[int] = ()
    ) -> None:
        self.name = Path(argv[0]).name
        self.log = log
        self._file = log.open("ab")
        self.process = subprocess.Popen(
            argv,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=self._file,
            stderr=subprocess.STDOUT,
            pass_fds=tuple(fds),
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def stop(self, with_signal: signal.Signals = signal.SIGTERM, patience_s: float = 5.0) -> int:
        """End it and what it started; returns its exit status."""
        if self.is_running:
            with contextlib.suppress(ProcessLookupError):
                _signal_group(self.process.pid, with_signal)
            try:
                self.process.wait(patience_s)
            except subprocess.TimeoutExpired:
                _kill_group(self.process.pid)
                self.process.wait()
        with contextlib.suppress(ProcessLookupError):
            _kill_group(self.process.pid)  # children that outlived it
        self._file.close()
        return self.process.returncode


class Accessibility:
    """What a screen reader sees and can do. Names are exact; ``~text`` is a part of one."""

    def __init__(self, env: Mapping[str, str], log: Path) -> None:
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            [_SYSTEM_PYTHON, str(_HERE / "accessibility_driver.py")],
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            start_new_session=True,
        )

    def find(self, name: str, patience_s: float = 10.0) -> dict[str, object]:
        """Facts about the first widget of that name: role, states, actions, text, value (None: it has none),
        x, y, width, height.
        """
        return self._ask("find", name, patience_s=patience_s)

    def wait_gone(self, name: str, patience_s: float = 10.0) -> None:
        """Wait until no widget of that name is showing."""
        self._ask("gone", name, patience_s=patience_s)

    def press(self, name: str, patience_s: float = 10.0) -> None:
        self._ask("press", name, patience_s=patience_s)

    def set_value(self, name: str, value: float, patience_s: float = 10.0) -> None:
        self._ask("set", name, patience_s=patience_s, value=value)

    def names(self) -> list[str]:
        """The names of everything that is showing, in order."""
        found = self._ask("names", "", patience_s=0)["names"]
        assert isinstance(found, list)
        return [str(name) for name in found]

    def shown(self) -> list[dict[str, object]]:
        """Facts about everything that is showing, in order."""
        found = self._ask("shown", "", patience_s=0)["shown"]
        assert isinstance(found, list)
        return found

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            _kill_group(self._process.pid)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _ask(self, order: str, name: str, *, patience_s: float, value: float = 0.0) -> dict[str, object]:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        words = {"do": order, "name": name, "patience_s": patience_s, "value": value}
        to.write(json.dumps(words) + "\n")
        to.flush()
        answer: dict[str, object] = json.loads(back.readline() or '{"error": "the driver has ended"}')
        if "error" in answer:
            raise LookupError(f"{order} {name!r}: {answer['error']}")
        return answer


class Desktop:
    """One desktop, from ``with Desktop("trayer") as desktop`` to the end of the block."""

    def __init__(
        self, tray: TrayHost = "trayer", *, size: tuple[int, int] = (1280, 800), compositor: bool = False
    ) -> None:
        self._tray: TrayHost = tray
        self._size = size
        self._compositor = compositor
        self._stack = contextlib.ExitStack()
        self._programs: list[Program] = []
        self.tray_program: Program | None = None
        self.env: dict[str, str] = {}
        self.folder = Path()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="orbtile-desktop-")))
            stack.callback(self._stop_all)
            self._start_all(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    # programs

    def start(self, *argv: str, env: Mapping[str, str] | None = None) -> Program:
        """Start a program on this desktop; it ends with it at the latest."""
        log = self.folder / f"{len(self._programs)}-{Path(argv[0]).name}.log"
        program = Program(argv, self.env | dict(env or {}), log)
        self._programs.append(program)
        return program

    def start_tray(self) -> Program | None:
        """Start the tray host and wait until it takes icons."""
        if self._tray == "trayer":
            program = self.start(
                *("trayer", "--edge", "top", "--align", "right", "--widthtype", "request"),
                *("--heighttype", "pixel", "--height", "28", "--SetDockType", "true", "--expand", "true"),
            )
            wait_for("trayer", lambda: self.owns_selection("_NET_SYSTEM_TRAY_S0"))
            return program
        if self._tray == "xfce4-panel":
            program = self.start("xfce4-panel", "--disable-wm-check")
            wait_for("xfce4-panel", lambda: self.owns_bus_name(SNI_WATCHER))
            return program
        return None

    def owns_selection(self, name: str) -> bool:
        return bool(self.display.get_selection_owner(self.display.intern_atom(name)))

    def owns_bus_name(self, name: str) -> bool:
        asked = subprocess.run(
            [
                *("gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/"),
                *("--method", "org.freedesktop.DBus.NameHasOwner", name),
            ],
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        return "true" in asked.stdout

    # hands and eyes

    def move_to(self, x: int, y: int) -> None:
        xtest.fake_input(self.display, X.MotionNotify, x=x, y=y)
        self.display.sync()

    def click(self, x: int, y: int, button: int = 1) -> None:
        self.move_to(x, y)
        xtest.fake_input(self.display, X.ButtonPress, button)
        xtest.fake_input(self.display, X.ButtonRelease, button)
        self.display.sync()

    def press_key(self, name: str) -> None:
        """``name`` is X's: Escape, Down, Return, Tab."""
        code = self.display.keysym_to_keycode(XK.string_to_keysym(name))
        xtest.fake_input(self.display, X.KeyPress, code)
        xtest.fake_input(self.display, X.KeyRelease, code)
        self.display.sync()

    def windows(self) -> Iterator[Window]:
        """Every window, the outermost first."""
        waiting = [self.display.screen().root]
        while waiting:
            window = waiting.pop(0)
            yield window
            with contextlib.suppress(BadWindow):
                waiting += window.query_tree().children

    def open_window(self, x: int, y: int, width: int, height: int) -> Window:
        """Another application's window, which has the keyboard when this returns."""
        root = self.display.screen().root
        window: Window = root.create_window(
            x, y, width, height, 0, X.CopyFromParent, event_mask=X.ExposureMask
        )
        window.set_wm_name("another")
        window.set_wm_normal_hints(flags=Xutil.USPosition, x=x, y=y)
        window.map()
        self.display.sync()
        wait_for("another window", lambda: window.get_attributes().map_state == X.IsViewable)
        wait_for("the keyboard to be the other window's", lambda: self.focused_name() == "another")
        return window

    def focused_name(self) -> str:
        """The title of the window that has the keyboard; empty when none has one."""
        focus = self.display.get_input_focus().focus
        if isinstance(focus, int):
            return ""
        with contextlib.suppress(BadWindow):
            return str(focus.get_wm_name() or "")
        return ""

    def middle_of(self, window: Window) -> tuple[int, int]:
        geometry = window.get_geometry()
        corner = window.translate_coords(self.display.screen().root, 0, 0)
        # translate_coords answers for the root seen from the window
        return geometry.width // 2 - corner.x, geometry.height // 2 - corner.y

    def xembed_icon(self) -> tuple[int, int] | None:
        """The middle of the first icon docked in an XEmbed tray."""
        info = self.display.intern_atom("_XEMBED_INFO")
        for window in self.windows():
            with contextlib.suppress(BadWindow):
                if window.get_full_property(info, X.AnyPropertyType) is None:
                    continue
                if window.get_attributes().map_state == X.IsViewable:
                    return self.middle_of(window)
        return None

    def has_open_menu(self) -> bool:
        """Whether a popup menu stands on the screen (screen readers are not told of Qt's)."""
        kind, menu = (
            self.display.intern_atom(name)
            for name in ("_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_POPUP_MENU")
        )
        for window in self.windows():
            with contextlib.suppress(BadWindow):
                kinds = window.get_full_property(kind, X.AnyPropertyType)
                is_menu = kinds is not None and menu in list(kinds.value)
                if is_menu and window.get_attributes().map_state == X.IsViewable:
                    return True
        return False

    def screenshot(self) -> QImage:
        width, height = self._size
        raw = self.display.screen().root.get_image(0, 0, width, height, X.ZPixmap, 0xFFFFFFFF)
        data = raw.data
        assert isinstance(data, bytes)
        return QImage(data, width, height, QImage.Format.Format_RGB32).copy()

    # starting

    def _start_all(self, stack: contextlib.ExitStack) -> None:
        home = self.folder / "home"
        runtime = self.folder / "run"
        home.mkdir()
        runtime.mkdir(mode=0o700)
        shutil.copytree(_PANEL_CONFIG, home / ".config")
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_RUNTIME_DIR": str(runtime),
            "GDK_BACKEND": "x11",
            "NO_AT_BRIDGE": "0",
            "QT_QPA_PLATFORM": "xcb",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        number = self._start_telling(
            "Xvfb",
            "-displayfd",
            "{fd}",
            "-screen",
            "0",
            f"{self._size[0]}x{self._size[1]}x24",
            "-nolisten",
            "tcp",
        )
        self.env["DISPLAY"] = f":{number}"
        self.display = wait_for("the X server", self._connect)
        stack.callback(self._disconnect)
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self._start_telling(
            "dbus-daemon", "--session", "--nofork", "--print-address={fd}"
        )
        self.start("openbox")
        check = self.display.intern_atom("_NET_SUPPORTING_WM_CHECK")
        root = self.display.screen().root
        wait_for("openbox", lambda: root.get_full_property(check, X.AnyPropertyType))
        if self._compositor:
            self.start("picom", "--backend", "xrender", "--config", os.devnull)
            wait_for("picom", lambda: self.owns_selection("_NET_WM_CM_S0"))
        self.tray_program = self.start_tray()
        self.accessibility = Accessibility(self.env, self.folder / "accessibility.log")
        stack.callback(self.accessibility.close)

    def _start_telling(self, *argv: str) -> str:
        """Start a program that writes one line into the descriptor ``{fd}`` when it serves; returns the
        line.
        """
        reading, writing = os.pipe()
        log = self.folder / f"{argv[0]}.log"
        with os.fdopen(reading) as answer:
            program = Program([part.format(fd=writing) for part in argv], self.env, log, fds=[writing])
            self._programs.append(program)
            os.close(writing)
            line = answer.readline().strip()
        if not line:
            raise RuntimeError(f"{argv[0]} did not start:\n{program.output}")
        return line

    def _connect(self) -> Display | None:
        try:
            return Display(self.env["DISPLAY"])
        except (DisplayError, ConnectionClosedError, OSError):
            return None

    def _disconnect(self) -> None:
        with contextlib.suppress(ConnectionClosedError, OSError):
            self.display.close()

    def _stop_all(self) -> None:
        for program in reversed(self._programs):
            program.stop()
