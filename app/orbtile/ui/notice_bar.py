"""A quiet bar for trouble that the user should know of: what happened, and a button that puts it away.

Owns the wording of notices. Must not know when one appears.
"""

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from orbtile.host.views import Notice, NoticeKind
from orbtile.ui.controls import IconButton
from orbtile.ui.icons import paint_icon
from orbtile.ui.paragraph import Paragraph
from orbtile.ui.surfaces import Panel
from orbtile.ui.theme import Theme


def notice_text(notice: Notice) -> str:
    """What ``notice`` says, in one or two sentences."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Notice", text)

    texts = {
        NoticeKind.SETTINGS_NOT_SAVED: tr("Settings cannot be saved, so changes last until you quit."),
        NoticeKind.CONSENTS_NOT_SAVED: tr(
            "Your Allow and Deny cannot be saved, so they last until you quit."
        ),
        NoticeKind.SETTINGS_BROKEN: tr("The settings file could not be read. Defaults are in use."),
        NoticeKind.CONSENTS_BROKEN: tr("The list of agents could not be read. Agents ask again."),
        NoticeKind.LISTENER_DOWN: tr("Agents cannot reach Orbtile now. It keeps trying."),
        NoticeKind.DISCOVERY_NOT_WRITTEN: tr(
            "Agents cannot find Orbtile: its discovery file cannot be written."
        ),
    }
    details = {
        NoticeKind.SETTINGS_BROKEN: tr("The old file is kept as {detail}."),
        NoticeKind.CONSENTS_BROKEN: tr("The old file is kept as {detail}."),
    }
    if not notice.detail:
        return texts[notice.kind]
    detail = details.get(notice.kind, "({detail})").format(detail=notice.detail)
    return f"{texts[notice.kind]} {detail}"


class _AlertIcon(QWidget):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFixedSize(14, 16)
        theme.themeChanged.connect(self._repaint)

    def _repaint(self) -> None:
        self.update()  # as in Panel

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_icon(QPainter(self), "alert", QRectF(0, 1, 14, 14), self._theme.color("text2"))


class NoticeBar(Panel):
    """One notice."""

    dismissed = Signal(NoticeKind)

    def __init__(self, theme: Theme, notice: Notice, parent: QWidget | None = None) -> None:
        super().__init__(theme, "well", "line", 8, parent)
        self._kind = notice.kind
        self.setObjectName("noticeBar")
        self._label = Paragraph(theme, "", 12, parent=self)
        dismiss = IconButton(theme, "cross", self.tr("Dismiss"), self)
        dismiss.setObjectName("dismissNotice")
        dismiss.clicked.connect(lambda: self.dismissed.emit(self._kind))
        line = QHBoxLayout(self)
        line.setContentsMargins(4, 4, 4, 4)
        line.setSpacing(8)
        line.addSpacing(8)  # spacing is mirrored from right to left, margins are not
        line.addWidget(_AlertIcon(theme, self))
        line.addWidget(self._label, 1)
        line.addWidget(dismiss, 0, Qt.AlignmentFlag.AlignTop)
        self.set_notice(notice)

    def set_notice(self, notice: Notice) -> None:
        self._kind = notice.kind
        text = notice_text(notice)
        self._label.setText(text)
        self.setAccessibleName(text)
