"""The one QApplication of a test run."""

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication


def application() -> QApplication:
    """The application, made when first asked for; it lives as long as the run."""
    found = QApplication.instance()
    if isinstance(found, QApplication):
        return found
    app = QApplication(["orbtile-tests"])
    app.setQuitOnLastWindowClosed(False)
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
