"""A changed adapter's banner shows how it looked and how it looks."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QSignalSpy

from orbtile.palette.states import SETTABLE_STATES, State
from orbtile.protocol.registration import Glyph, Icon, Palette, Registration
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import Button
from orbtile.ui.look_comparison import LookComparison
from orbtile.ui.theme import Theme
from tests.fakes.hosts import AdapterClient, Host
from tests.fakes.icons import bars, plain, with_icon
from tests.fakes.qt import settle
from tests.fakes.widgets import named, press

QUILL = Registration(name="Quill", palette=Palette(base_hue=270), url_schemes=("https",))
EXPLICIT = replace(QUILL.palette, states={State.THINKING: "#eab308", State.IDLE: "#6b7280"})


class Changing:
    """An adapter that was allowed, and the banner that it has from then on."""

    def __init__(self, theme: Theme, first: Registration = QUILL) -> None:
        self.host = Host()
        self.client: AdapterClient = self.host.adapter("dev.quill")
        self.client.register(first, icon=bars("#2b5a9b") if first.icon is not None else None)
        self.client.allow()
        self.banner = ConsentBanner(theme, self.client.view(), now_s=self.host.clock.monotonic_s)
        self.banner.resize(640, 300)
        self.banner.show()
        settle()

    def change(self, registration: Registration) -> LookComparison:
        icon = plain("#2f6b45") if registration.icon is not None else None
        self.client.register(registration, icon=icon)
        self.banner.set_view(self.client.view())
        settle()
        return self.looks

    @property
    def looks(self) -> LookComparison:
        return self.banner.looks


@pytest.fixture
def changing(theme: Theme) -> Changing:
    return Changing(theme)


def names_in(picture: QImage) -> set[str]:
    return {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}


def test_a_new_adapter_has_no_look_before(theme: Theme) -> None:
    view = Host().registered("dev.quill", QUILL).view()
    banner = ConsentBanner(theme, view)
    assert banner.looks.isHidden()


def test_what_does_not_show_is_not_compared(changing: Changing) -> None:
    looks = changing.change(replace(QUILL, homepage="https://quill.dev", glyph=Glyph("pencil")))
    assert looks.isHidden()
    assert looks.accessibleName() == ""


def test_another_hue_shows_every_state_but_error(changing: Changing) -> None:
    looks = changing.change(replace(QUILL, palette=Palette(base_hue=150)))
    assert looks.isVisible()
    assert [one.state for one in looks.changed] == list(SETTABLE_STATES)
    assert not looks.shows_icons


def test_only_the_states_that_changed_are_shown_and_named_with_their_colours(changing: Changing) -> None:
    before = changing.client.view().scheme
    looks = changing.change(replace(QUILL, palette=EXPLICIT))
    assert [one.state for one in looks.changed] == [
        State.IDLE,
        State.THINKING,
        State.TOOL,
        State.STREAMING,
    ]
    assert looks.accessibleName().startswith(
        f"Colours: idle changed from {before[State.IDLE].ramp.hi} to #6b7280, "
        f"thinking changed from {before[State.THINKING].ramp.hi} to #eab308, "
    )
    assert looks.toolTip() == looks.accessibleName()


def test_both_icons_stand_side_by_side(theme: Theme) -> None:
    changing = Changing(theme, with_icon(QUILL))
    looks = changing.change(replace(QUILL, icon=Icon(png=b"other")))
    assert looks.shows_icons
    assert looks.accessibleName() == "The icon before and now"
    assert looks.height() == 32
    picture = looks.grab().toImage()
    old = [x for x in range(picture.width()) if picture.pixelColor(x, 5).name() == "#2b5a9b"]
    new = [x for x in range(picture.width()) if picture.pixelColor(x, 5).name() == "#2f6b45"]
    assert old[-1] < new[0]


def test_an_icon_that_went_is_shown_before_the_letters(theme: Theme) -> None:
    changing = Changing(theme, with_icon(QUILL))
    looks = changing.change(replace(QUILL, icon=None))
    assert looks.shows_icons
    assert "#2b5a9b" in names_in(looks.grab().toImage())


def test_icon_and_colours_share_their_rows(theme: Theme) -> None:
    changing = Changing(theme, with_icon(QUILL))
    looks = changing.change(replace(QUILL, icon=Icon(png=b"other"), palette=EXPLICIT))
    assert looks.height() == 64
    assert looks.accessibleName().startswith("The icon before and now. Colours: idle changed from ")
    picture = looks.grab().toImage()
    rows = {
        name: [y for y in range(64) if any(picture.pixelColor(x, y).name() == name for x in range(120))]
        for name in ("#2b5a9b", "#2f6b45")
    }
    assert rows["#2b5a9b"][-1] < 32 <= rows["#2f6b45"][0]


def test_with_the_users_own_hue_no_colour_changes(changing: Changing) -> None:
    changing.host.service.set_hue("dev.quill", 200.0)
    assert changing.change(replace(QUILL, palette=EXPLICIT)).isHidden()


def test_it_is_mirrored_from_right_to_left(theme: Theme) -> None:
    changing = Changing(theme, with_icon(QUILL))
    changing.banner.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    looks = changing.change(replace(QUILL, icon=Icon(png=b"other")))
    picture = looks.grab().toImage()
    old = [x for x in range(picture.width()) if picture.pixelColor(x, 5).name() == "#2b5a9b"]
    new = [x for x in range(picture.width()) if picture.pixelColor(x, 5).name() == "#2f6b45"]
    assert new[-1] < old[0]


def test_ten_states_find_room_in_the_narrow_popover(theme: Theme) -> None:
    changing = Changing(theme, with_icon(QUILL))
    changing.banner.resize(396, 300)
    looks = changing.change(replace(QUILL, icon=Icon(png=b"other"), palette=Palette(base_hue=150)))
    assert looks.minimumSizeHint().width() <= looks.width() < 396


def test_a_picture_that_comes_late_must_settle_too(theme: Theme) -> None:
    changing = Changing(theme, with_icon(QUILL))
    changing.change(replace(QUILL, icon=Icon(png=b"other")))
    view = changing.client.view()
    allowed = QSignalSpy(changing.banner.allow_requested)
    allow = named(changing.banner, "Allow Quill", Button)
    for shown in (replace(view, icon=None), view):
        changing.host.clock.advance(0.5)
        changing.banner.set_view(shown)
        settle()
        press(allow)
        assert allowed.count() == 0
    changing.host.clock.advance(0.5)
    press(allow)
    assert allowed.count() == 1
