"""The tile: picture, symbol or letters, as sharp as the screen, and visible on both themes."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from orbtile.host.icons import IconImages
from orbtile.host.settings import Theme as ThemeChoice
from orbtile.host.views import AdapterView
from orbtile.protocol.registration import Glyph, Palette, Registration
from orbtile.ui.agent_icon import AgentFace, AgentIcon, allowed_face_of, face_of, paint_agent_icon
from orbtile.ui.theme import Theme
from tests.conftest import ExpectLog
from tests.fakes.hosts import Host
from tests.fakes.icons import bars, disc, images, plain
from tests.fakes.views import EXAMPLE_SESSION

LETTERS = AgentFace("Cx")
GREEN = plain("#2f6b45")


def drawn(
    theme: Theme,
    face: AgentFace,
    *,
    at: float = 2,
    scale: float = 1,
    remote: bool = False,
    dimmed: bool = False,
) -> QImage:
    side = round(40 * scale)
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_agent_icon(painter, QPointF(at, at), theme, face, remote=remote, dimmed=dimmed)
    painter.end()
    return image


def middle(image: QImage) -> QColor:
    at = image.width() * 16 // 40
    return image.pixelColor(at, at)


class TestFace:
    def test_of_a_session(self) -> None:
        view = replace(EXAMPLE_SESSION, symbol="hammer", icon=GREEN)
        assert face_of(view) == AgentFace("EA", "hammer", GREEN)

    def view(self, registration: Registration) -> AdapterView:
        client = Host().registered("dev.quill", registration)
        return client.view()

    def test_of_an_adapter(self) -> None:
        plain_one = Registration(name="Quill pen", palette=Palette(base_hue=200))
        assert face_of(self.view(plain_one)) == AgentFace("QP")
        with_glyph = replace(plain_one, glyph=Glyph("pencil", "Q"))
        view = replace(self.view(with_glyph), icon=GREEN)
        assert face_of(view) == AgentFace("Q", "pencil", GREEN)

    def test_as_it_was_allowed(self) -> None:
        view = self.view(Registration(name="Quill pen", palette=Palette(base_hue=200)))
        view = replace(view, icon=GREEN, allowed_icon=bars("#2b5a9b"))
        assert allowed_face_of(view) == AgentFace("QP", None, bars("#2b5a9b"))


class TestGlyph:
    def test_a_symbol_stands_in_place_of_letters(self, theme: Theme) -> None:
        symbol = drawn(theme, AgentFace("Cx", "hammer"))
        assert symbol != drawn(theme, LETTERS)
        assert symbol == drawn(theme, AgentFace("Zz", "hammer"))

    def test_an_unknown_symbol_leaves_the_letters(self, theme: Theme) -> None:
        assert drawn(theme, AgentFace("Cx", "no.such.symbol")) == drawn(theme, LETTERS)


class TestPicture:
    @pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
    def test_it_fills_the_tile_but_for_its_corners(self, theme: Theme, scale: float) -> None:
        image = drawn(theme, AgentFace("Cx", "hammer", GREEN), scale=scale)
        assert middle(image).name() == "#2f6b45"
        corner, edge = round(2 * scale), round(15 * scale)
        assert image.pixelColor(corner, corner).alpha() == 0
        assert image.pixelColor(corner, edge).name() == "#2f6b45"
        assert image.pixelColor(corner - 1, edge).alpha() == 0

    @pytest.mark.parametrize(("scale", "used"), [(1.0, "#112233"), (1.25, "#445566"), (2.0, "#445566")])
    def test_the_small_one_serves_scale_1_and_the_large_one_all_others(
        self, theme: Theme, scale: float, used: str
    ) -> None:
        two = IconImages(plain("#112233").px28, plain("#445566").px56)
        assert middle(drawn(theme, AgentFace("Cx", None, two), scale=scale)).name() == used

    @pytest.mark.parametrize("scale", [1.0, 2.0])
    def test_no_pixel_of_it_is_blurred(self, theme: Theme, scale: float) -> None:
        def stripes(painter: QPainter) -> None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            for x in range(0, 28, 2):
                painter.fillRect(x, 0, 1, 28, QColor("#ffffff"))

        image = drawn(theme, AgentFace("Cx", None, images(stripes, "#000000")), scale=scale)
        y = image.height() * 16 // 40
        row = {image.pixelColor(x, y).lightness() for x in range(round(4 * scale), round(28 * scale))}
        assert row == {0, 255}

    @pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
    def test_it_stands_on_whole_device_pixels(self, theme: Theme, scale: float) -> None:
        face = AgentFace("Cx", None, bars("#2b5a9b"))
        assert drawn(theme, face, at=4 + 0.3 / scale, scale=scale) == drawn(theme, face, at=4, scale=scale)

    @pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
    @pytest.mark.parametrize("ink", ["#000000", "#ffffff", "#808080"])
    def test_a_mark_on_nothing_stands_on_a_tile_that_it_can_be_seen_on(
        self, choice: ThemeChoice, ink: str
    ) -> None:
        image = drawn(Theme(choice), AgentFace("Cx", None, disc(ink)))
        tile = image.pixelColor(5, 16)
        assert tile.alpha() == 255
        assert abs(tile.lightness() - middle(image).lightness()) > 60

    def test_a_shape_of_its_own_needs_no_tile(self, theme: Theme) -> None:
        image = drawn(theme, AgentFace("Cx", None, disc("#2f6b45", radius=14)))
        assert image.pixelColor(3, 5).alpha() == 0
        assert middle(image).name() == "#2f6b45"

    def test_half_as_strong_when_dimmed(self, theme: Theme) -> None:
        face = AgentFace("Cx", None, GREEN)
        assert middle(drawn(theme, face, dimmed=True)).alpha() == pytest.approx(127, abs=2)

    def test_what_cannot_be_decoded_is_logged_once_and_leaves_the_glyph(
        self, theme: Theme, expect_log: ExpectLog
    ) -> None:
        expect_log("cannot be decoded")
        broken = IconImages(b"no picture", b"none either")
        for _ in range(2):
            assert drawn(theme, AgentFace("Cx", None, broken)) == drawn(theme, LETTERS)

    def test_only_png_is_decoded(self, theme: Theme, expect_log: ExpectLog) -> None:
        expect_log("cannot be decoded")
        xpm = b'/* XPM */\nstatic char *a[] = {"1 1 1 1", "a c #ff0000", "a"};\n'
        assert drawn(theme, AgentFace("Cx", None, IconImages(xpm, xpm))) == drawn(theme, LETTERS)


def test_the_globe_of_a_remote_session_leaves_the_tile_at_its_corner(theme: Theme) -> None:
    assert drawn(theme, LETTERS).pixelColor(30, 30).alpha() == 0
    assert drawn(theme, LETTERS, remote=True).pixelColor(30, 30).alpha() == 255
    dimmed = drawn(theme, AgentFace("Cx", None, GREEN), remote=True, dimmed=True)
    assert dimmed.pixelColor(30, 30).name() == theme.color("text3").name()


def test_the_widget_changes_its_face(theme: Theme) -> None:
    icon = AgentIcon(theme, AgentFace("A"))
    before = icon.grab().toImage()
    icon.set_face(AgentFace("W"))
    assert icon.face == AgentFace("W")
    assert icon.grab().toImage() != before
    assert (icon.sizeHint().width(), icon.sizeHint().height()) == (28, 28)
