"""The choice of a window system."""

import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from orbtile.system.paths import Platform
from orbtile.system.window_system import choose_window_system, reaches_wayland, reaches_x11
from tests.conftest import ExpectLog
from tests.fakes.served import FILE_FAMILY

X11 = {"DISPLAY": ":0"}
WAYLAND = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": "/run/user/1000"}


def choose(env: Mapping[str, str], platform: Platform = Platform.LINUX, alive: str = "") -> str | None:
    """What Qt is told; ``alive`` names the displays that answer."""
    told = dict(env)
    choose_window_system(
        told,
        platform,
        reaches_x11=lambda display: display in alive.split(),
        reaches_wayland=lambda display, folder: f"{folder}/{display}" in alive.split(),
    )
    return told.get("QT_QPA_PLATFORM")


ALL_ALIVE = ":0 /run/user/1000/wayland-0"


@pytest.mark.parametrize(
    ("env", "chosen"),
    [
        (X11, "xcb"),
        ({**X11, **WAYLAND}, "xcb"),
        (WAYLAND, None),
        ({"WAYLAND_SOCKET": "3"}, None),
        ({**X11, "QT_QPA_PLATFORM": "minimal"}, "minimal"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "offscreen"),
    ],
)
def test_on_linux_the_popover_can_be_placed_where_the_display_lets_it(
    env: dict[str, str], chosen: str | None
) -> None:
    assert choose(env, alive=ALL_ALIVE) == chosen


def test_without_any_display_qt_draws_nowhere_and_the_log_says_so(expect_log: ExpectLog) -> None:
    expect_log(r"orbtile\.system\.window_system: WARNING: there is no display: nothing is shown")

    assert choose({}) == "offscreen"


@pytest.mark.parametrize(
    ("env", "named"),
    [
        (X11, ":0"),
        (WAYLAND, "wayland-0"),
        ({**X11, **WAYLAND}, ":0 or wayland-0"),
    ],
)
def test_a_display_that_does_not_answer_is_as_none_and_the_log_names_it(
    env: dict[str, str], named: str, expect_log: ExpectLog
) -> None:
    expect_log(f"cannot reach display {named}: nothing is shown, the Adapter API works")

    assert choose(env) == "offscreen"


def test_where_xwayland_does_not_answer_wayland_itself_is_used(expect_log: ExpectLog) -> None:
    expect_log("cannot reach display :0: Wayland is used")

    assert choose({**X11, **WAYLAND}, alive="/run/user/1000/wayland-0") == "wayland"


@pytest.mark.parametrize("platform", [Platform.MACOS, Platform.WINDOWS])
def test_other_systems_have_one_window_system(platform: Platform) -> None:
    assert choose({}, platform) is None


@pytest.mark.parametrize("display", [":4242", "no display", "", ":\udcff"])
def test_an_x_server_that_is_not_there_is_not_reached(display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)

    assert not reaches_x11(display)


@pytest.mark.socket
@pytest.mark.skipif(sys.platform == "win32", reason="Wayland's sockets are Unix sockets")
def test_a_compositor_is_reached_by_name_or_path_while_it_listens() -> None:
    with tempfile.TemporaryDirectory(prefix="ob-") as folder:  # short: a Unix socket's path must be
        path = Path(folder) / "wayland-7"
        with socket.socket(FILE_FAMILY, socket.SOCK_STREAM) as compositor:
            compositor.bind(str(path))
            compositor.listen()
            reached = [reaches_wayland("wayland-7", folder), reaches_wayland(str(path), "")]
        left_behind = reaches_wayland("wayland-7", folder)

    assert reached == [True, True]
    assert not left_behind
    assert not reaches_wayland("wayland-8", "/nowhere")
    assert not reaches_wayland("wayland-8", "")
