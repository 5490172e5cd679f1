"""The one QApplication of a test run."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from orbtile.ui.symbols import find_symbols_in


def application() -> QApplication:
    """The application, made when first asked for; it lives as long as the run."""
    found = QApplication.instance()
    if isinstance(found, QApplication):
        return found
    app = QApplication(["orbtile-tests"])
    app.setQuitOnLastWindowClosed(False)
    find_symbols_in(Path(__file__).parents[2] / "icons" / "symbols")
    _keep.append(app)
    return app


def wait_until(condition: Callable[[], bool], patience_ms: int = 2000) -> bool:
    """Let events happen until ``condition`` holds; whether it does."""
    waited = QElapsedTimer()
    waited.start()
    while not condition() and not waited.hasExpired(patience_ms):
        QTest.qWait(10)
    return condition()


_keep: list[QApplication] = []


def settle() -> None:
    """Let what is posted happen, deletions too."""
    app = application()
    app.processEvents()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    app.processEvents()
