from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from orbtile.host.views import AdapterView
from orbtile.protocol.registration import Capability, Palette, Registration
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import Button
from orbtile.ui.labels import isolated
from orbtile.ui.theme import Theme
from tests.fakes.hosts import AdapterClient, Host
from tests.fakes.qt import settle
from tests.fakes.widgets import key, let_go, named, press, press_down

PLAIN = Registration(name="Build bot", palette=Palette(base_hue=270), url_schemes=("https",))
DECIDES = replace(PLAIN, capabilities=frozenset({Capability.APPROVALS}))


class Asked:
    """A banner on a window, and what it asked for."""

    def __init__(self, theme: Theme, *, compact: bool = False) -> None:
        self.host = Host()
        self.client: AdapterClient = self.host.registered("com.example.bot", PLAIN)
        self.window = QWidget()
        self.window.resize(700 if not compact else 420, 300)
        column = QVBoxLayout(self.window)
        self.banner = ConsentBanner(
            theme, self.view(), self.window, compact=compact, now_s=self.host.clock.monotonic_s
        )
        column.addWidget(self.banner)
        self.allowed = QSignalSpy(self.banner.allow_requested)
        self.denied = QSignalSpy(self.banner.deny_requested)
        self.window.show()
        settle()

    def view(self) -> AdapterView:
        return self.client.view()

    def button(self, name: str) -> Button:
        return named(self.banner, name, Button)

    def texts(self) -> str:
        return "\n".join(label.text() for label in self.banner.findChildren(QLabel))


@pytest.fixture
def asked(theme: Theme) -> Asked:
    return Asked(theme)


def test_it_is_named_as_a_screen_reader_and_a_test_look_for_it(asked: Asked) -> None:
    assert asked.banner.accessibleName() == "Build bot wants to show sessions"
    assert asked.button("Allow Build bot").text() == "Allow"
    assert asked.button("Deny Build bot").text() == "Deny"
    assert asked.banner.objectName() == "consentBanner"
    assert {b.objectName() for b in asked.banner.findChildren(Button)} == {"allowButton", "denyButton"}


def test_a_changed_adapter_keeps_the_name_of_the_group(asked: Asked) -> None:
    asked.client.allow()
    asked.client.register(DECIDES)
    asked.banner.set_view(asked.view())
    settle()
    assert asked.banner.accessibleName() == "Build bot wants to show sessions"
    assert f"{isolated('Build bot')} has changed and asks again" in asked.texts()
    assert "May open" not in asked.texts()


def test_it_says_who_asks_and_what_for(asked: Asked) -> None:
    assert "com.example.bot" in asked.texts()
    assert "May open https links when you tap a session" in asked.texts()
    assert "Runs nothing in Orbtile" in asked.texts()


def test_one_that_has_gone_is_said_to_be_away(asked: Asked) -> None:
    asked.client.unregister()
    asked.banner.set_view(asked.view())
    assert "com.example.bot, not connected" in asked.texts()


@pytest.mark.parametrize("verb", ["Allow", "Deny"])
def test_a_press_after_500_ms_asks_with_the_fingerprint_of_the_view(asked: Asked, verb: str) -> None:
    asked.host.clock.advance(0.5)
    press(asked.button(f"{verb} Build bot"))
    spy, other = (asked.allowed, asked.denied) if verb == "Allow" else (asked.denied, asked.allowed)
    assert spy.count() == 1
    assert spy.at(0) == ["com.example.bot", asked.view().fingerprint]
    assert other.count() == 0


@pytest.mark.parametrize("verb", ["Allow", "Deny"])
def test_a_press_before_500_ms_does_nothing(asked: Asked, verb: str) -> None:
    asked.host.clock.advance(0.49)
    press(asked.button(f"{verb} Build bot"))
    assert asked.allowed.count() == asked.denied.count() == 0


@pytest.mark.parametrize("code", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_the_keyboard_answers_too_and_waits_as_long(asked: Asked, code: Qt.Key) -> None:
    key(asked.button("Allow Build bot"), code)
    assert asked.allowed.count() == 0
    asked.host.clock.advance(0.5)
    key(asked.button("Allow Build bot"), code)
    assert asked.allowed.count() == 1


def test_another_registration_waits_again_and_is_what_an_allow_then_carries(asked: Asked) -> None:
    seen_first = asked.view().fingerprint
    asked.host.clock.advance(1)
    asked.client.register(DECIDES)
    asked.banner.set_view(asked.view())
    settle()
    press(asked.button("Allow Build bot"))
    assert asked.allowed.count() == 0
    asked.host.clock.advance(0.5)
    press(asked.button("Allow Build bot"))
    assert asked.allowed.at(0) == ["com.example.bot", asked.view().fingerprint]
    assert asked.view().fingerprint != seen_first


def test_what_was_painted_is_what_is_allowed_though_the_adapter_has_registered_anew(asked: Asked) -> None:
    painted = asked.view().fingerprint
    asked.host.clock.advance(1)
    asked.client.register(DECIDES)  # the banner has not heard of it yet
    press(asked.button("Allow Build bot"))
    assert asked.allowed.at(0) == ["com.example.bot", painted]
    assert not asked.host.service.allow("com.example.bot", painted)


def test_a_registration_that_comes_between_press_and_release_decides_nothing(asked: Asked) -> None:
    asked.host.clock.advance(1)
    button = asked.button("Allow Build bot")
    press_down(button)
    asked.client.register(DECIDES)
    asked.banner.set_view(asked.view())
    settle()
    asked.host.clock.advance(1)
    let_go(button)
    assert asked.allowed.count() == 0


def test_a_refresh_that_changes_nothing_to_be_read_does_not_start_the_500_ms_again(asked: Asked) -> None:
    asked.host.clock.advance(1)
    asked.client.register(replace(PLAIN, version="2.0"))  # no part of the fingerprint
    asked.banner.set_view(asked.view())
    settle()
    press(asked.button("Allow Build bot"))
    assert asked.allowed.count() == 1


def test_a_banner_that_is_pushed_down_waits_again(asked: Asked) -> None:
    asked.host.clock.advance(1)
    layout = asked.window.layout()
    assert isinstance(layout, QVBoxLayout)
    above = QWidget()
    above.setFixedHeight(40)
    layout.insertWidget(0, above)
    settle()
    press(asked.button("Allow Build bot"))
    assert asked.allowed.count() == 0


def test_text_of_an_adapter_is_never_markup(theme: Theme) -> None:
    host = Host()
    name = "<b>Bot</b> & <img src=x>"
    client = host.registered("com.example.bot", replace(PLAIN, name=name))
    client.allow()
    client.register(replace(PLAIN, name="<i>Other</i>"))
    banner = ConsentBanner(theme, client.view())
    (line,) = [label for label in banner.findChildren(QLabel) if label.textFormat() is Qt.TextFormat.RichText]
    assert "<i>" not in line.text()
    assert "&lt;img src=x&gt;" in line.text()


def test_the_compact_banner_has_its_buttons_below_the_list(theme: Theme) -> None:
    wide, compact = Asked(theme), Asked(theme, compact=True)
    assert wide.button("Allow Build bot").y() < 40
    assert compact.button("Allow Build bot").y() > 60
    assert wide.button("Deny Build bot").geometry().right() < wide.button("Allow Build bot").x()


def test_the_lines_of_an_earlier_registration_are_gone(asked: Asked) -> None:
    before = len(asked.banner.findChildren(QWidget))
    for hue in range(30):
        asked.client.register(replace(PLAIN, palette=Palette(base_hue=hue)))
        asked.banner.set_view(asked.view())
        asked.client.register(DECIDES)
        asked.banner.set_view(asked.view())
    settle()
    assert len(asked.banner.findChildren(QWidget)) == before
