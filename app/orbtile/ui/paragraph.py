"""Text over several lines at the design's line height, which a plain label does not keep.

Owns breaking into lines and their pitch. Must not know what is said.
"""

import math

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from orbtile.ui.labels import LINE_PX, Label
from orbtile.ui.theme import Size, Theme, Token


class Paragraph(Label):
    """Plain text of ``width_px`` (None: as wide as its layout says), as high as its lines."""

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        size_px: Size = 13,
        ink: Token = "text2",
        *,
        width_px: int | None = None,
        centered: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, text, size_px, 400, ink, wraps=True, parent=parent)
        self._line_px = LINE_PX[size_px]
        self._width_px = width_px
        self._side = Qt.AlignmentFlag.AlignHCenter if centered else Qt.AlignmentFlag.AlignLeft
        if width_px is not None:
            self.setFixedWidth(width_px)
            self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def hasHeightForWidth(self) -> bool:
        return self._width_px is None

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        inner = width - margins.left() - margins.right()
        return len(self._lines(inner)) * self._line_px + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        width = self._width_px or 200
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint() if self._width_px is not None else QSize(0, self._line_px)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        inside = self.contentsRect()
        metrics = QFontMetricsF(self.font())
        lead = (self._line_px - metrics.height()) / 2 + metrics.ascent()
        at_right = self._side is Qt.AlignmentFlag.AlignLeft and self.isRightToLeft()
        y = float(inside.top())
        for line in self._lines(inside.width()):
            spare = inside.width() - metrics.horizontalAdvance(line)
            x = inside.left() + (
                spare if at_right else spare / 2 if self._side is Qt.AlignmentFlag.AlignHCenter else 0
            )
            painter.drawText(QPointF(x, y + lead), line)
            y += self._line_px

    def _lines(self, width: int) -> list[str]:
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout = QTextLayout(self.text(), self.font())
        layout.setTextOption(option)
        layout.beginLayout()
        lines = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, math.floor(width)))
            lines.append(self.text()[line.textStart() : line.textStart() + line.textLength()].rstrip())
        layout.endLayout()
        return lines or [""]
