"""Colours, type and the reduce-motion wish, for every surface: the tokens of the design, once.

Owns token values for dark and light, the type sizes and weights, and which of the two themes is in
force. Must not know any widget. Text tokens keep at least 4.5:1 on every fill of their theme,
``control`` and ``accent`` 3:1 (tested).
"""

from collections.abc import Mapping
from typing import Final, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette

from orbtile.host.settings import Theme as ThemeChoice
from orbtile.palette.contrast import contrast

Token = Literal[
    "surface",
    "raised",
    "well",
    "hover",
    "line",
    "line2",
    "control",
    "text1",
    "text2",
    "text3",
    "fill",
    "on_fill",
    "knob",
    "selected",
    "error_text",
    "accent",
]
"""``knob``: the disc of a switch that is off. ``selected``: the chosen item of a sidebar."""

Weight = Literal[400, 500, 600]
Size = Literal[11, 12, 13, 15, 17, 20]
"""Logical px. Line heights go with them: 11/14, 12/16 (fixed pitch 12/18), 13/20, 15/20, 17/24, 20/24."""

DARK: Final[Mapping[Token, str]] = {
    "surface": "#141312",
    "raised": "#1c1b19",
    "well": "#0d0c0b",
    "hover": "#232120",
    "line": "#2d2b28",
    "line2": "#47433f",
    "control": "#7d7770",
    "text1": "#f1eeeb",
    "text2": "#b0aaa4",
    "text3": "#938d87",
    "fill": "#f1eeeb",
    "on_fill": "#141312",
    "knob": "#f1eeeb",
    "selected": "#282623",
    "error_text": "#f07a60",
    "accent": "#5b96ff",
}
LIGHT: Final[Mapping[Token, str]] = {
    "surface": "#fbfaf8",
    "raised": "#ffffff",
    "well": "#f4f2ef",
    "hover": "#f1efec",
    "line": "#e6e2de",
    "line2": "#cfcac4",
    "control": "#8a847d",
    "text1": "#1a1816",
    "text2": "#57514c",
    "text3": "#6d6761",
    "fill": "#1a1816",
    "on_fill": "#fbfaf8",
    "knob": "#ffffff",
    "selected": "#e6e2de",
    "error_text": "#a61814",
    "accent": "#1f66d6",
}

FILLS: Final[tuple[Token, ...]] = ("surface", "raised", "well", "hover")
"""What text and focus rings may stand on."""

_QT_BUILT_IN_ACCENT: Final = "#308cc6"
"""What Qt reports where the system names no accent; ours is better then."""


def contrast_ratio(one: QColor, other: QColor) -> float:
    """WCAG 2 contrast, 1..21, of two opaque colours."""
    return contrast(one.name(), other.name())


def _is_system_dark() -> bool:
    """Nothing in Orbtile overrides Qt's scheme or palette, so both are the system's."""
    scheme = QGuiApplication.styleHints().colorScheme()
    if scheme is Qt.ColorScheme.Unknown:  # plain X11: other applications look like Qt's palette
        return QGuiApplication.palette().color(QPalette.ColorRole.Window).lightness() < 128
    return scheme is Qt.ColorScheme.Dark


class Theme(QObject):
    """The theme in force. One per application; every surface repaints on ``themeChanged``."""

    themeChanged = Signal()

    def __init__(
        self,
        choice: ThemeChoice = ThemeChoice.SYSTEM,
        *,
        reduce_motion: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._choice = choice
        self._reduce_motion = reduce_motion
        self._fonts: dict[tuple[Size, Weight, bool, bool], QFont] = {}
        hints = QGuiApplication.styleHints()
        self._is_system_dark = _is_system_dark()
        self._is_dark = self._wants_dark()
        self._colors = self._resolve_colors()
        hints.colorSchemeChanged.connect(self._follow_system)

    @property
    def is_dark(self) -> bool:
        return self._is_dark

    @property
    def is_system_dark(self) -> bool:
        """Whether the desktop is dark, whatever the user chose for Orbtile: what is the desktop's, such as
        the panel around the tray icon, follows it.
        """
        return self._is_system_dark

    @property
    def reduce_motion(self) -> bool:
        return self._reduce_motion

    def color(self, token: Token) -> QColor:
        return QColor(self._colors[token])

    def font(
        self, size_px: Size, weight: Weight = 400, *, tabular: bool = False, mono: bool = False
    ) -> QFont:
        """The system's face (``mono``: fixed pitch). ``tabular``: figures of one width, for times."""
        key = (size_px, weight, tabular, mono)
        found = self._fonts.get(key)
        if found is None:
            found = (
                QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
                if mono
                else QGuiApplication.font()
            )
            found.setPixelSize(size_px)
            found.setWeight(QFont.Weight(weight))
            if tabular:
                found.setFeature(QFont.Tag("tnum"), 1)
            self._fonts[key] = found
        return QFont(found)

    def apply(self, choice: ThemeChoice, *, reduce_motion: bool) -> None:
        """Take over the user's settings."""
        self._choice = choice
        motion_changed = reduce_motion != self._reduce_motion
        self._reduce_motion = reduce_motion
        self._refresh(announce=motion_changed)

    def refresh(self) -> None:
        """The application's palette or font changed: read them again."""
        self._fonts.clear()
        self._refresh(announce=True)

    def _follow_system(self, _scheme: Qt.ColorScheme) -> None:
        self._refresh(announce=False)

    def _refresh(self, *, announce: bool) -> None:
        before = (self._is_system_dark, self._is_dark, self._colors)
        self._is_system_dark = _is_system_dark()
        self._is_dark = self._wants_dark()
        self._colors = self._resolve_colors()
        if announce or before != (self._is_system_dark, self._is_dark, self._colors):
            self.themeChanged.emit()

    def _wants_dark(self) -> bool:
        if self._choice is ThemeChoice.SYSTEM:
            return self._is_system_dark
        return self._choice is ThemeChoice.DARK

    def _resolve_colors(self) -> dict[Token, str]:
        colors = dict(DARK if self._is_dark else LIGHT)
        accent = QGuiApplication.palette().color(QPalette.ColorRole.Accent)
        if accent.name() != _QT_BUILT_IN_ACCENT and all(
            contrast_ratio(accent, QColor(colors[fill])) >= 3 for fill in FILLS
        ):
            colors["accent"] = accent.name()
        return colors
