"""Desktops of each kind, and the application on one of them."""

from collections.abc import Callable, Iterator

import pytest

from tests.tools.desktop import Desktop
from tests.tools.running_app import RunningApp


@pytest.fixture(scope="module")
def trayer_desktop() -> Iterator[Desktop]:
    """An XEmbed tray."""
    with Desktop("trayer") as desktop:
        yield desktop


@pytest.fixture(scope="module")
def panel_desktop() -> Iterator[Desktop]:
    """A StatusNotifierItem tray."""
    with Desktop("xfce4-panel") as desktop:
        yield desktop


@pytest.fixture(scope="module")
def bare_desktop() -> Iterator[Desktop]:
    """No tray at all."""
    with Desktop("none") as desktop:
        yield desktop


@pytest.fixture
def start_app() -> Iterator[Callable[..., RunningApp]]:
    """``start_app(desktop, api_enabled=True)``; what it starts must quit without a complaint."""
    running: list[RunningApp] = []

    def start(desktop: Desktop, *, api_enabled: bool = True) -> RunningApp:
        running.append(RunningApp(desktop, api_enabled=api_enabled))
        return running[-1]

    yield start
    for app in running:
        app.stop()
