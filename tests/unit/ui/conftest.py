"""Every test of a surface runs with the application; no window outlives its test."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.ui.theme import Theme
from tests.fakes.paints import stop_watching_paints
from tests.fakes.qt import application, settle


@pytest.fixture(autouse=True)
def app() -> Iterator[QApplication]:
    running = application()
    QCursor.setPos(799, 799)  # the pointer is over no window unless a test says so
    yield running
    stop_watching_paints()
    for window in running.topLevelWidgets():
        window.close()
        window.deleteLater()
    settle()


@pytest.fixture
def theme(app: QApplication) -> Theme:
    return Theme(ThemeChoice.DARK)
