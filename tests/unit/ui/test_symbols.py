"""Symbols: every name of the table has its drawing, drawn as the file says, and nothing else has one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from orbtile.protocol.grammar import SYMBOL
from orbtile.ui import symbols
from orbtile.ui.symbol_names import DRAWINGS, SOLID
from orbtile.ui.symbols import drawing_of, find_symbols_in, paint_symbol
from tests.conftest import ExpectLog

FOLDER = Path(__file__).parents[3] / "icons" / "symbols"
USED = sorted(set(DRAWINGS.values()))


def drawn(name: str, side: int = 16, *, scale: float = 1) -> QImage:
    image = QImage(round(side * scale), round(side * scale), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    assert paint_symbol(painter, name, QRectF(0, 0, side, side), QColor("#ff0000"))
    painter.end()
    return image


def ink(image: QImage) -> float:
    """How many pixels are covered."""
    return sum(image.pixelColor(x, y).alphaF() for x in range(image.width()) for y in range(image.height()))


class TestTable:
    def test_it_knows_enough_names_and_each_of_them_can_be_sent(self) -> None:
        assert len(DRAWINGS) >= 120
        assert [name for name in DRAWINGS if not SYMBOL.fullmatch(name)] == []

    def test_every_drawing_is_there_and_none_without_a_name(self) -> None:
        assert sorted(path.stem for path in FOLDER.glob("*.svg")) == USED
        assert set(USED) >= SOLID

    def test_the_licence_of_the_drawings_is_with_them(self) -> None:
        licence = (FOLDER / "LICENSE").read_text(encoding="utf-8")
        assert "ISC License" in licence
        assert "Lucide" in licence

    @pytest.mark.parametrize(
        ("name", "drawing"),
        [
            ("hammer", "hammer"),
            ("hammer.fill", "hammer"),
            ("hammer.circle.fill", "hammer"),
            ("terminal", "square-terminal"),
            ("apple.terminal.fill", "square-terminal"),
            ("sparkles", "sparkles"),
            ("bolt.fill", "zap"),
            ("bolt.circle", "zap"),
            ("brain.head.profile", "brain"),
            ("brain.head.profile.fill", "brain"),
            ("star.square.fill", "star"),
            ("folder.badge.plus", "folder"),
            ("folder.fill.badge.gearshape", "folder"),
            ("folder.badge.gearshape", "folder-cog"),
            ("bell.badge.circle.fill", "bell"),
            ("bell.slash.fill", "bell-off"),
            ("circle.fill", "circle"),
            ("square", "square"),
            ("chevron.left.forwardslash.chevron.right", "code-xml"),
            ("checkmark.circle.fill", "circle-check"),
            ("doc.text.fill", "file-text"),
        ],
    )
    def test_a_variant_falls_back_to_what_it_is_a_variant_of(self, name: str, drawing: str) -> None:
        assert drawing_of(name) == drawing

    @pytest.mark.parametrize(
        "name",
        [
            "",
            ".",
            "fill",
            "circle.nothing",
            "hammer.slash",
            "no.such.symbol.fill",
            "badge",
            "badge.plus",
            "1.circle",
        ],
    )
    def test_what_is_not_known_has_no_drawing(self, name: str) -> None:
        assert drawing_of(name) is None


class TestDrawing:
    @pytest.mark.parametrize("drawing", USED)
    def test_it_looks_as_the_file_says(self, drawing: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(symbols, "STROKE_PX", 16 / 12)  # the files' own
        name = next(name for name, used in DRAWINGS.items() if used == drawing)
        ours = drawn(name, 48)
        theirs = QImage(48, 48, QImage.Format.Format_ARGB32_Premultiplied)
        theirs.fill(Qt.GlobalColor.transparent)
        svg = (FOLDER / f"{drawing}.svg").read_bytes().replace(b"currentColor", b"#ff0000")
        painter = QPainter(theirs)
        QSvgRenderer(QByteArray(svg)).render(painter)
        painter.end()
        difference = sum(
            abs(ours.pixelColor(x, y).alphaF() - theirs.pixelColor(x, y).alphaF())
            for x in range(48)
            for y in range(48)
        )
        assert difference < 0.06 * ink(theirs)  # edges only: a missing stroke is far more

    def test_it_keeps_to_its_box_and_ink(self) -> None:
        for name in ("hammer", "qrcode", "globe", "sparkles"):
            image = drawn(name)
            inks = {
                image.pixelColor(x, y).name()
                for x in range(16)
                for y in range(16)
                if image.pixelColor(x, y).alpha() == 255
            }
            assert inks <= {"#ff0000"}
            assert 16 < ink(image) < 200

    def test_only_an_outline_is_filled(self) -> None:
        assert ink(drawn("star.fill")) > 1.3 * ink(drawn("star"))
        assert ink(drawn("bolt.circle.fill")) > ink(drawn("bolt.circle"))
        assert drawn("hammer.fill") == drawn("hammer")

    @pytest.mark.parametrize("scale", [1.25, 1.5, 2.0])
    def test_it_is_drawn_anew_at_every_scale(self, scale: float) -> None:
        larger = drawn("terminal", scale=scale)
        blown_up = drawn("terminal").scaled(larger.width(), larger.height())
        assert larger != blown_up
        assert ink(larger) == pytest.approx(ink(drawn("terminal")) * scale**2, rel=0.1)

    def test_an_unknown_symbol_draws_nothing(self) -> None:
        image = QImage(16, 16, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        assert not paint_symbol(painter, "no.such.symbol", QRectF(0, 0, 16, 16), QColor("#ff0000"))
        painter.end()
        assert ink(image) == 0


class TestFiles:
    @pytest.fixture(autouse=True)
    def elsewhere(self, tmp_path: Path) -> Iterator[None]:
        find_symbols_in(tmp_path)
        symbols._strokes.cache_clear()
        yield
        find_symbols_in(FOLDER)
        symbols._strokes.cache_clear()

    def paints(self) -> bool:
        image = QImage(16, 16, QImage.Format.Format_ARGB32_Premultiplied)
        painter = QPainter(image)
        painted = paint_symbol(painter, "hammer", QRectF(0, 0, 16, 16), QColor("#ff0000"))
        painter.end()
        return painted

    def test_a_missing_file_is_logged_once_and_draws_nothing(self, expect_log: ExpectLog) -> None:
        expect_log(r"is missing: hammer\.svg")
        assert not self.paints()
        assert not self.paints()

    @pytest.mark.parametrize(
        "svg", ["<svg><path d='M1 1'", '<svg><path d="K1 1"/></svg>', '<svg><circle r="a"/></svg>', ""]
    )
    def test_a_broken_file_is_logged_and_draws_nothing(
        self, svg: str, tmp_path: Path, expect_log: ExpectLog
    ) -> None:
        expect_log(r"is broken: hammer\.svg")
        (tmp_path / "hammer.svg").write_text(svg, encoding="utf-8")
        assert not self.paints()
