"""The one QApplication of a test run."""

from PySide6.QtCore import QEvent
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


_keep: list[QApplication] = []


def settle() -> None:
    """Let what is posted happen, deletions too."""
    app = application()
    app.processEvents()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    app.processEvents()
