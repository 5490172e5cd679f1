"""Settings › About: version, where the files are, the licences, and a report to paste.

Owns these rows. Must not read the log or the data folder.
"""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from orbtile.ui.bridge import Bridge
from orbtile.ui.controls import Button, CopyButton
from orbtile.ui.labels import CodeText, ElidedLabel, Label
from orbtile.ui.settings.diagnostics import AboutInfo, report, tilde
from orbtile.ui.settings.rows import Group, Page, Row, spaced
from orbtile.ui.surfaces import Panel
from orbtile.ui.theme import Theme

OpenFolder = Callable[[Path], object]


class _PlaceRow(QWidget):
    """Where a thing is: to read, to copy, to open its folder."""

    def __init__(self, theme: Theme, title: str, path: Path, folder: Path, open_folder: OpenFolder) -> None:
        super().__init__()
        shown = ElidedLabel(
            theme, tilde(path), 12, 400, "text2", mode=Qt.TextElideMode.ElideMiddle, mono=True, parent=self
        )
        copy_button = CopyButton(theme, title, lambda: str(path), self)
        open_button = Button(theme, self.tr("Open folder"), parent=self)
        open_button.setObjectName("openFolderButton")
        open_button.setAccessibleName(self.tr("Open folder of {name}").format(name=title))
        open_button.clicked.connect(lambda: open_folder(folder))
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(Label(theme, title, 13, 500, parent=self))
        texts.addWidget(shown)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addLayout(texts, 1)
        row.addSpacing(8)
        row.addWidget(copy_button)
        row.addWidget(open_button)


class AboutPage(Page):
    """The report is made when the page is shown."""

    def __init__(
        self,
        bridge: Bridge,
        theme: Theme,
        info: AboutInfo,
        open_folder: OpenFolder,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, self.tr("About"), parent)
        self._bridge = bridge
        self._info = info
        self.setObjectName("aboutPage")
        content = self.widget()
        version = Label(
            theme, self.tr("Orbtile {version}").format(version=info.version), 13, 500, parent=content
        )
        purpose = self.tr("Shows what your coding agents are doing, and which of them waits for you.")
        spaced(self.column, version, 12)
        self.column.addWidget(Label(theme, purpose, 12, 400, "text2", wraps=True, parent=content))
        places = Group(theme, content)
        data_dir, log_file = info.data_dir, info.log_file
        places.add(_PlaceRow(theme, self.tr("Data folder"), data_dir, data_dir, open_folder))
        places.add(_PlaceRow(theme, self.tr("Log file"), log_file, log_file.parent, open_folder))
        spaced(self.column, places, 16)
        self.report = CodeText(theme, self.tr("Diagnostics"), content)
        self.report.setObjectName("diagnosticsText")
        self.copy_button = CopyButton(theme, self.tr("Diagnostics"), lambda: self.report.code, content)
        well = Panel(theme, "well", "line", 8, content)
        inner = QVBoxLayout(well)
        inner.setContentsMargins(12, 8, 12, 8)
        inner.addWidget(self.report)
        about_report = self.tr("For a bug report. It holds no session text and no token.")
        diagnostics = Group(theme, content)
        body = QWidget(diagnostics)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(10)
        column.addWidget(Row(theme, self.tr("Diagnostics"), about_report, self.copy_button, body))
        column.addWidget(well)
        diagnostics.add(body)
        spaced(self.column, diagnostics, 16)
        licences = self.tr(
            "Orbtile is free software under the MIT licence. It is built on Qt for Python (LGPL 3), "
            "Python (PSF), qasync (BSD), httptools (MIT) and cryptography (Apache 2.0 or BSD)."
        )
        spaced(self.column, Label(theme, licences, 12, 400, "text2", wraps=True, parent=content), 16)
        self.column.addStretch(1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.report.set_code(report(self._info, self._bridge.service))
