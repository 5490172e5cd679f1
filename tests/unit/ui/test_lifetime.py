"""What a widget connects to goes with it: widgets come and go all day in a process that never ends."""

import ast
import gc
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

import orbtile.ui
from orbtile.host.views import Notice, NoticeKind
from orbtile.ui.agent_icon import AgentIcon, face_of
from orbtile.ui.bridge import Bridge
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import Button
from orbtile.ui.empty import QuietState
from orbtile.ui.hue_ring import HueRing
from orbtile.ui.look_comparison import LookComparison
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import MotionClock
from orbtile.ui.notice_bar import NoticeBar
from orbtile.ui.overlay_scroll import OverlayScroll
from orbtile.ui.row import SessionRow
from orbtile.ui.session_list import FoldRow, SessionList
from orbtile.ui.settings.adapter_pane import AdapterPane
from orbtile.ui.surfaces import Panel
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host
from tests.fakes.qt import settle

CYCLES = 200
WARM_UP = 200
PARTS = 4
"""Tables within Python and PySide grow for a while, ever slower; what leaks does so in every part."""

LEAK = 0.9
"""Blocks per widget: a leak leaves one, the rest of those tables' growth less."""

UI = Path(orbtile.ui.__path__[0])


class Stage:
    """A host with a session, a notice, and what shows them."""

    def __init__(self) -> None:
        self.host = Host()
        adapter = self.host.allowed()
        adapter.update("a")
        self.session = adapter.session("a")
        self.adapter = adapter.view()
        self.notice = Notice(kind=NoticeKind.SETTINGS_NOT_SAVED)
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.now_s = self.host.clock.monotonic_s
        self.motion = MotionClock(self.now_s)


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage()


def blocks_per_cycle(make: Callable[[], QWidget]) -> float:
    """How many of Python's memory blocks one widget leaves behind. A method of C++ (``update``) that is
    connected as it is leaves one: PySide never lets go of it."""

    def blocks_after(cycles: int) -> int:
        for _ in range(cycles):
            widget = make()
            widget.deleteLater()
            del widget
            settle()
        gc.collect()
        return sys.getallocatedblocks()

    counts = [blocks_after(WARM_UP)]
    counts += [blocks_after(CYCLES // PARTS) for _ in range(PARTS)]
    return min(after - before for before, after in pairwise(counts)) * PARTS / CYCLES


MAKERS: dict[str, Callable[[Stage, Theme, QWidget], object]] = {
    "adapter pane": lambda stage, theme, at: AdapterPane(theme, stage.adapter, at, motion=stage.motion),
    "agent icon": lambda stage, theme, at: AgentIcon(theme, face_of(stage.adapter), at),
    "consent banner": lambda stage, theme, at: ConsentBanner(theme, stage.adapter, at),
    "fold row": lambda stage, theme, at: FoldRow(theme, stage.motion, at),
    "hue ring": lambda _, theme, at: HueRing(theme, "Hue", at),
    "look comparison": lambda stage, theme, at: LookComparison(theme, stage.adapter, at),
    "notice": lambda stage, theme, at: NoticeBar(theme, stage.notice, at),
    "panel": lambda _, theme, at: Panel(theme, "well", "line", 8, at),
    "quiet state": lambda _, theme, at: QuietState(theme, at),
    "row": lambda stage, theme, at: SessionRow(theme, stage.session, stage.now_s, stage.motion, at),
    "scroll": lambda _, theme, at: OverlayScroll(theme, QWidget(), at),
    "session list": lambda stage, theme, at: SessionList(theme, stage.model, stage.now_s, stage.motion, at),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_widget_leaves_nothing_behind(kind: str, stage: Stage, theme: Theme) -> None:
    def make() -> QWidget:
        window = QWidget()
        MAKERS[kind](stage, theme, window)
        return window

    assert blocks_per_cycle(make) < LEAK


def test_a_focus_ring_leaves_nothing_behind(theme: Theme) -> None:
    def make() -> QWidget:
        window = QWidget()
        button = Button(theme, "Deny", parent=window)
        window.show()
        button.setFocus(Qt.FocusReason.TabFocusReason)
        return window

    assert blocks_per_cycle(make) < LEAK


def test_the_count_would_notice_a_connected_method_of_cpp(theme: Theme) -> None:
    def make() -> QWidget:
        window = QWidget()
        theme.themeChanged.connect(window.update)
        return window

    assert blocks_per_cycle(make) >= LEAK


def methods_of_cpp_in_connections(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(attr="connect"), args=[ast.Attribute(attr=slot), *_]) if hasattr(
                QPushButton, slot
            ):
                yield f"line {node.lineno}: {slot}"


@pytest.mark.parametrize("path", sorted(UI.rglob("*.py")), ids=lambda path: path.relative_to(UI).as_posix())
def test_no_surface_connects_a_method_of_cpp_as_it_is(path: Path) -> None:
    assert list(methods_of_cpp_in_connections(path)) == []
