"""The application with a hand on its inside: orders on stdin, answers on stdout.

Development tooling for load and crash tests (``python -m tests.tools.driven_app``): what the host and the
interface hold is read from inside, and the interface is used as a person would, only faster. ORBTILE_DATA_DIR
and ORBTILE_API_FILE say where, as for the product.

Orders, one a line, each answered by one line of JSON:

    sessions   titles by uid, in the host
    rows       the same, as the open popover shows them
    messages   message texts by uid, in the host
    icons      what is drawn for each adapter that has an icon: the large image, in base64
    allow      press Allow on every banner; who was allowed
    objects    how many widgets and Python objects there are
    regenerate a new token, as Settings gives one; the sessions that are left
    use        open, scroll and close windows again and again
    rest       stop that
    churn      change settings and decisions again and again
    quit
"""

import argparse
import gc
import json
import os
import sys
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

import orbtile.main
from orbtile.host.service import Service
from orbtile.host.settings import Theme
from orbtile.host.views import Consent
from orbtile.system.clock import SystemClock
from orbtile.system.machine import read_edition, read_machine
from orbtile.system.paths import resolve_paths
from orbtile.ui.session_list import SessionList
from orbtile.ui.windows import Windows

USE_EVERY_MS = 120
CHURN_EVERY_MS = 3
THEMES = tuple(Theme)


class Driver:
    """Obeys stdin once the application is up."""

    def __init__(self) -> None:
        self._orders: dict[str, Callable[[], object]] = {
            "sessions": self._sessions,
            "rows": self._rows,
            "messages": self._messages,
            "icons": self._icons,
            "use": lambda: self._using.start(USE_EVERY_MS),
            "objects": count_objects,
            "allow": self._allow,
            "regenerate": self._regenerate,
            "forget": self._forget,
            "rest": self._rest,
            "churn": lambda: self._churning.start(CHURN_EVERY_MS),
            "quit": self._quit,
        }
        self._unread = b""
        self._turn = 0

    def begin(self, service: Service, windows: Windows) -> None:
        self._service = service
        self._windows = windows
        self._stdin = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, windows)
        self._stdin.activated.connect(self._read)
        self._using = QTimer(windows)
        self._using.timeout.connect(self._use_windows)
        self._churning = QTimer(windows)
        self._churning.timeout.connect(self._change_something)
        say("up")

    def _read(self) -> None:
        data = os.read(sys.stdin.fileno(), 4096)
        if not data:  # whoever drove us is gone
            self._stdin.setEnabled(False)
            self._quit()
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            say(self._orders[line.decode()]())

    # --- orders -----------------------------------------------------------------------------------------

    def _quit(self) -> None:
        self._windows.quit_requested.emit()

    def _sessions(self) -> dict[str, str]:
        return {view.uid: view.title for view in self._service.sessions()}

    def _messages(self) -> dict[str, str]:
        return {view.uid: view.message_text or "" for view in self._service.sessions()}

    def _icons(self) -> dict[str, str]:
        return {
            view.adapter_id: b64encode(view.icon.px56).decode()
            for view in self._service.adapters()
            if view.icon is not None
        }

    def _rows(self) -> dict[str, str]:
        popover = self._windows.popover
        if not popover.isVisible():
            popover.open_at()
        (rows,) = popover.findChildren(SessionList)
        return {row.uid: row.view.title for row in rows.rows}

    def _allow(self) -> list[str]:
        """Press Allow on every banner."""
        awaiting = [view for view in self._service.adapters() if view.consent is Consent.AWAITING]
        return [
            view.adapter_id for view in awaiting if self._service.allow(view.adapter_id, view.fingerprint)
        ]

    def _regenerate(self) -> dict[str, str]:
        self._service.regenerate_token()
        return self._sessions()

    def _forget(self) -> list[str]:
        """Press Forget on every adapter."""
        forgotten = [view.adapter_id for view in self._service.adapters()]
        for adapter_id in forgotten:
            self._service.forget(adapter_id)
        return forgotten

    def _rest(self) -> None:
        self._using.stop()
        self._windows.popover.hide()
        self._windows.settings.hide()

    def _use_windows(self) -> None:
        """One of a round of small acts."""
        popover, settings = self._windows.popover, self._windows.settings
        acts: tuple[Callable[[], object], ...] = (
            self._windows.open_popover,
            lambda: scroll(popover, 1.0),
            lambda: scroll(popover, 0.4),
            lambda: scroll(popover, 0.0),
            popover.hide,
            self._windows.open_settings,
            lambda: settings.show_page(settings.general),
            lambda: self._set_theme(Theme.LIGHT),
            lambda: settings.show_page(settings.agents),
            lambda: self._set_theme(Theme.DARK),
            settings.hide,
        )
        acts[self._turn % len(acts)]()
        self._turn += 1

    def _set_theme(self, theme: Theme) -> None:
        self._service.change_settings(replace(self._service.settings, theme=theme))

    def _change_something(self) -> None:
        """Have one of the files written: a setting, or the decision about the last adapter of the list."""
        self._turn += 1
        if self._turn % 2:
            self._set_theme(THEMES[self._turn // 2 % len(THEMES)])
            return
        view = max(self._service.adapters(), key=lambda adapter: adapter.adapter_id)
        decide = self._service.deny if view.consent is Consent.ALLOWED else self._service.allow
        decide(view.adapter_id, view.fingerprint)


def count_objects() -> dict[str, int]:
    gc.collect()
    return {"widgets": len(QApplication.allWidgets()), "objects": len(gc.get_objects())}


def scroll(window: QWidget, part: float) -> None:
    for area in window.findChildren(QScrollArea):
        bar = area.verticalScrollBar()
        bar.setValue(round(bar.maximum() * part))


def say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


class FastClock(SystemClock):
    """Time for the rules runs faster, so that limits per second allow more per real second."""

    speed = 1.0

    def monotonic_s(self) -> float:
        return super().monotonic_s() * self.speed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clock-speed", type=float, default=1.0)
    FastClock.speed = parser.parse_args().clock_speed
    machine = read_machine()
    paths = resolve_paths(machine, read_edition(), os.environ).here()
    with patch.object(orbtile.main, "SystemClock", FastClock):
        return orbtile.main.App(machine, paths).run(on_started=Driver().begin)


if __name__ == "__main__":
    sys.exit(main())
