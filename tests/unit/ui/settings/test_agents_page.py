from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from orbtile.host.settings import Settings
from orbtile.host.views import Consent, Notice, NoticeKind
from orbtile.palette.states import State
from orbtile.protocol.registration import Capability, Palette, Registration
from orbtile.ui.agent_icon import face_of
from orbtile.ui.consent_banner import ConsentBanner
from orbtile.ui.controls import Button, Switch
from orbtile.ui.hue_ring import HueRing
from orbtile.ui.settings.adapter_list import AdapterItem
from orbtile.ui.theme import Theme
from tests.fakes.hosts import AdapterClient, Host
from tests.fakes.icons import plain, with_icon
from tests.fakes.qt import settle
from tests.fakes.settings_window import OpenSettings
from tests.fakes.widgets import all_named, key, press, tab_order

QUILL = Registration(name="Quill", palette=Palette(base_hue=270), url_schemes=("https",))
BOT = replace(QUILL, name="Build bot")


def banner_names(settings: OpenSettings) -> list[str]:
    return [banner.accessibleName() for banner in settings.window.agents.banners]


def consent(client: AdapterClient) -> Consent:
    return client.view().consent


class TestApiSwitch:
    def test_it_shows_the_service_and_switches_it(self, settings: OpenSettings) -> None:
        seen = []
        for _ in range(3):
            shown = settings.find("Adapter API", Switch).isChecked()
            seen.append((shown, settings.host.service.api_enabled))
            settings.press("Adapter API", Switch)
        assert seen == [(True, True), (False, False), (True, True)]

    def test_it_follows_a_switch_elsewhere(self, settings: OpenSettings) -> None:
        settings.host.service.set_api_enabled(False)
        settings.catch_up()
        assert not settings.find("Adapter API", Switch).isChecked()

    def test_it_does_not_pretend_when_nothing_came_of_the_press(
        self, settings: OpenSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(settings.host.service, "set_api_enabled", lambda _: None)
        settings.press("Adapter API", Switch)
        assert settings.find("Adapter API", Switch).isChecked()

    def test_without_the_api_there_is_no_token_to_regenerate_and_nobody_asks(
        self, settings: OpenSettings
    ) -> None:
        settings.host.registered("dev.quill", QUILL)
        settings.catch_up()
        assert banner_names(settings) == ["Quill wants to show sessions"]
        settings.press("Adapter API", Switch)
        assert all_named(settings.window, "Regenerate token") == []
        assert banner_names(settings) == []
        assert settings.items() == ["Quill, Disconnected"]


class TestEmptyList:
    def label_texts(self, settings: OpenSettings) -> str:
        page = settings.window.agents
        return "\n".join(label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page))

    def test_it_says_how_to_begin(self, settings: OpenSettings) -> None:
        assert "No agents yet" in self.label_texts(settings)
        settings.host.registered("dev.quill", QUILL)
        settings.catch_up()
        assert "No agents yet" not in self.label_texts(settings)

    def test_with_the_api_off_it_says_so(self, theme: Theme) -> None:
        settings = OpenSettings(theme, Host(Settings(api_enabled=False)))
        assert "The Adapter API is off" in self.label_texts(settings)


class TestBanners:
    def test_allow_shows_the_adapter(self, settings: OpenSettings) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        settings.press("Allow Quill", Button)
        assert consent(client) is Consent.ALLOWED
        assert banner_names(settings) == []
        assert settings.items() == ["Quill, Connected"]

    def test_deny_does_the_opposite(self, settings: OpenSettings) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        settings.press("Deny Quill", Button)
        assert consent(client) is Consent.DENIED
        assert banner_names(settings) == []
        assert settings.items() == ["Quill, Denied"]

    def test_a_press_too_early_decides_nothing(self, settings: OpenSettings) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        settings.bridge.flush()
        settle()
        press(settings.find("Allow Quill", Button))
        assert consent(client) is Consent.AWAITING

    def test_what_changed_between_paint_and_press_is_refused_and_shown(self, settings: OpenSettings) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        settings.catch_up()
        client.register(replace(QUILL, url_schemes=("https", "quill")))
        press(settings.find("Allow Quill", Button))  # the bridge has not told yet
        assert consent(client) is Consent.AWAITING
        (banner,) = settings.window.agents.banners
        assert banner.view.fingerprint == client.view().fingerprint
        press(settings.find("Allow Quill", Button))  # too early for what it shows now
        assert consent(client) is Consent.AWAITING
        settings.press("Allow Quill", Button)
        assert consent(client) is Consent.ALLOWED

    def test_each_adapter_that_asks_has_one_and_newer_ones_come_below(self, settings: OpenSettings) -> None:
        settings.host.registered("dev.quill", QUILL)
        settings.catch_up()
        settings.host.registered("com.bot", BOT)
        settings.catch_up()
        assert banner_names(settings) == [
            "Quill wants to show sessions",
            "Build bot wants to show sessions",
        ]
        first, second = settings.window.agents.banners
        assert first.y() < second.y()

    def test_a_banner_that_moves_up_waits_again(self, settings: OpenSettings) -> None:
        first = settings.host.registered("dev.quill", QUILL)
        second = settings.host.registered("com.bot", BOT)
        settings.catch_up()
        first.unregister()
        settings.host.service.forget("dev.quill")
        settings.bridge.flush()
        settle()
        (banner,) = settings.window.agents.banners
        press(settings.find("Allow Build bot", Button))
        assert consent(second) is Consent.AWAITING
        assert isinstance(banner, ConsentBanner)

    def test_an_adapter_that_asked_and_went_can_still_be_answered(self, settings: OpenSettings) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        client.unregister()
        settings.press("Allow Quill", Button)
        assert consent(client) is Consent.ALLOWED
        assert settings.items() == ["Quill, Disconnected"]

    def test_an_adapter_that_changed_asks_again(self, settings: OpenSettings) -> None:
        client = settings.host.allowed("dev.quill", QUILL)
        client.register(replace(QUILL, capabilities=frozenset({Capability.QUESTIONS})))
        settings.catch_up()
        assert settings.items() == ["Quill, Asks again"]
        settings.press("Allow Quill", Button)
        assert settings.items() == ["Quill, Connected"]


class TestList:
    def test_the_states_are_words(self, settings: OpenSettings) -> None:
        host = settings.host
        host.registered("a.asks", replace(QUILL, name="Asks"))
        host.allowed("a.there", replace(QUILL, name="There"))
        host.allowed("a.gone", replace(QUILL, name="Gone")).unregister()
        host.allowed("a.denied", replace(QUILL, name="Denied one")).deny()
        host.allowed("a.changed", replace(QUILL, name="Changed")).register(
            replace(QUILL, name="Changed", homepage="https://a.b")
        )
        settings.window.hide()
        settings.window.show()
        assert settings.items() == [
            "There, Connected",
            "Asks, Asks to connect",
            "Changed, Asks again",
            "Gone, Disconnected",
            "Denied one, Denied",
        ]

    def test_the_first_one_is_open_until_another_is_chosen(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.host.allowed("com.bot", BOT)
        settings.catch_up()
        first = settings.pane.view.adapter_id
        settings.select("Quill, Connected")
        assert settings.pane.view.adapter_id == "dev.quill"
        settings.select("Build bot, Connected")
        assert settings.pane.view.adapter_id == "com.bot"
        assert first in {"dev.quill", "com.bot"}

    def test_the_chosen_one_stays_chosen_when_others_come_change_and_go(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        bot = settings.host.allowed("com.bot", BOT)
        settings.catch_up()
        settings.select("Quill, Connected")
        settings.host.registered("a.a", replace(QUILL, name="Aaa"))
        bot.unregister()
        settings.catch_up()
        assert settings.pane.view.adapter_id == "dev.quill"
        assert settings.window.agents.adapter_list.selected_id == "dev.quill"

    def test_nothing_moves_while_the_page_is_shown(self, settings: OpenSettings) -> None:
        first = settings.host.allowed("a.first", replace(QUILL, name="First"))
        settings.host.allowed("b.second", replace(QUILL, name="Second"))
        settings.catch_up()
        first.unregister()
        settings.catch_up()
        assert settings.items() == ["First, Disconnected", "Second, Connected"]
        settings.window.hide()
        settings.window.show()
        assert settings.items() == ["Second, Connected", "First, Disconnected"]

    def test_arrow_keys_choose(self, settings: OpenSettings) -> None:
        settings.host.allowed("a.first", replace(QUILL, name="First"))
        settings.host.allowed("b.second", replace(QUILL, name="Second"))
        settings.catch_up()
        settings.find("First, Connected", AdapterItem).setFocus()
        key(settings.find("First, Connected", AdapterItem), Qt.Key.Key_Down)
        assert settings.pane.view.adapter_id == "b.second"

    def test_widgets_of_adapters_that_went_are_deleted(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.catch_up()
        before = len(settings.window.findChildren(QWidget))
        for _ in range(10):
            client = settings.host.registered("com.bot", BOT)
            settings.catch_up()
            client.unregister()
            settings.host.service.forget("com.bot")
            settings.catch_up()
        assert len(settings.window.findChildren(QWidget)) == before

    def test_a_hidden_page_follows_nothing_and_catches_up_when_shown(self, settings: OpenSettings) -> None:
        settings.window.hide()
        settings.host.allowed("dev.quill", QUILL)
        settings.catch_up()
        assert settings.items() == []
        settings.window.show()
        assert settings.items() == ["Quill, Connected"]


class TestForget:
    def test_it_needs_the_second_press(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.press("Forget Quill", Button)
        assert settings.items() == ["Quill, Connected"]
        settings.press("Forget", Button)
        assert settings.host.service.adapters() == []
        assert settings.items() == []
        assert settings.window.agents.pane is None

    def test_cancel_keeps_it(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.press("Forget Quill", Button)
        settings.press("Cancel", Button)
        assert settings.items() == ["Quill, Connected"]
        assert all_named(settings.window, "Cancel") == []

    def test_the_neighbour_is_open_then_and_has_the_focus(self, settings: OpenSettings) -> None:
        for name in ("First", "Second", "Third"):
            settings.host.allowed(f"a.{name.lower()}", replace(QUILL, name=name))
        settings.catch_up()
        settings.select("Second, Connected")
        settings.press("Forget Second", Button)
        settings.press("Forget", Button)
        assert settings.pane.view.adapter_id == "a.third"
        assert QApplication.focusWidget() is settings.find("Third, Connected", AdapterItem)
        settings.select("Third, Connected")
        settings.press("Forget Third", Button)
        settings.press("Forget", Button)
        assert settings.pane.view.adapter_id == "a.first"

    def test_after_the_last_one_the_focus_is_where_agents_come_from(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        for name in ("Forget Quill", "Forget"):
            settings.catch_up()
            QTest.mouseClick(settings.find(name, Button), Qt.MouseButton.LeftButton)
        assert settings.items() == []
        assert QApplication.focusWidget() is settings.window.agents.api_switch

    def test_another_adapter_is_not_asked_about(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.host.allowed("com.bot", BOT)
        settings.catch_up()
        settings.select("Quill, Connected")
        settings.press("Forget Quill", Button)
        settings.select("Build bot, Connected")
        assert all_named(settings.window, "Forget") == []


class TestToken:
    def test_regenerating_needs_the_second_press_and_ends_every_registration(
        self, settings: OpenSettings
    ) -> None:
        settings.host.allowed("dev.quill", QUILL)
        before = settings.host.service.api_token
        settings.press("Regenerate token", Button)
        assert settings.host.service.api_token == before
        settings.press("Regenerate", Button)
        assert settings.host.service.api_token != before
        assert settings.items() == ["Quill, Disconnected"]
        assert settings.find("Regenerate token", Button).isVisible()

    def test_cancel_keeps_the_token(self, settings: OpenSettings) -> None:
        before = settings.host.service.api_token
        settings.press("Regenerate token", Button)
        settings.press("Cancel", Button)
        assert settings.host.service.api_token == before

    def test_one_question_closes_the_other(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.press("Forget Quill", Button)
        settings.press("Regenerate token", Button)
        assert all_named(settings.window, "Forget") == []
        settings.press("Forget Quill", Button)
        assert all_named(settings.window, "Regenerate") == []

    def test_switching_the_api_off_closes_the_question(self, settings: OpenSettings) -> None:
        settings.press("Regenerate token", Button)
        settings.press("Adapter API", Switch)
        settings.press("Adapter API", Switch)
        assert all_named(settings.window, "Regenerate") == []


class TestLooks:
    @pytest.mark.parametrize(
        ("name", "field"),
        [
            ("One alarm colour for all agents", "anchor_attention"),
            ("Agent icons", "key_glyph"),
            ("Icons from agents", "provider_app_icon"),
        ],
    )
    def test_a_switch_changes_its_setting_and_shows_what_the_service_says(
        self, settings: OpenSettings, name: str, field: str
    ) -> None:
        before = getattr(settings.host.service.settings, field)
        settings.press(name, Switch)
        assert getattr(settings.host.service.settings, field) is not before
        assert settings.find(name, Switch).isChecked() is not before
        settings.host.service.change_settings(replace(settings.host.service.settings, **{field: before}))
        settings.catch_up()
        assert settings.find(name, Switch).isChecked() is before

    def test_they_are_there_without_the_api(self, settings: OpenSettings) -> None:
        settings.press("Adapter API", Switch)
        assert all_named(settings.window, "Regenerate token") == []
        assert settings.find("Agent icons", Switch).isVisible()

    def test_one_alarm_colour_is_at_once_that_of_the_pane(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.catch_up()
        own = settings.pane.colours.previews.scheme
        settings.press("One alarm colour for all agents", Switch)
        shown = settings.pane.colours.previews.scheme
        assert shown is settings.pane.view.scheme
        assert shown[State.WAITING_QUESTION] != own[State.WAITING_QUESTION]
        assert shown[State.THINKING] == own[State.THINKING]

    def test_without_icons_from_agents_the_pane_shows_letters(self, settings: OpenSettings) -> None:
        client = settings.host.adapter("dev.quill")
        client.register(with_icon(QUILL), icon=plain("#2f6b45"))
        settings.catch_up()
        assert face_of(settings.pane.view).icon == plain("#2f6b45")
        settings.press("Icons from agents", Switch)
        assert face_of(settings.pane.view).icon is None


class TestHue:
    def test_a_chosen_hue_is_the_adapters_from_then_on_and_can_be_reset(self, settings: OpenSettings) -> None:
        client = settings.host.allowed("dev.quill", QUILL)
        settings.catch_up()
        own = settings.pane.view.scheme
        key(settings.find("Hue of Quill", HueRing), Qt.Key.Key_End)
        settings.catch_up()
        assert client.view().user_hue_deg == pytest.approx(345.9)
        assert settings.pane.colours.previews.scheme is client.view().scheme is not own
        settings.press("Reset hue of Quill", Button)
        assert client.view().user_hue_deg is None
        assert settings.pane.colours.previews.scheme is client.view().scheme
        assert client.view().scheme[State.THINKING] == own[State.THINKING]
        assert not settings.find("Reset hue of Quill", Button).isEnabled()

    def test_it_works_for_one_that_is_away_or_denied(self, settings: OpenSettings) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        client.deny()
        client.unregister()
        settings.catch_up()
        key(settings.find("Hue of Quill", HueRing), Qt.Key.Key_Home)
        assert client.view().user_hue_deg == pytest.approx(75.9)

    def test_a_hue_that_is_refused_is_not_shown(
        self, settings: OpenSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.catch_up()
        monkeypatch.setattr(settings.host.service, "set_hue", lambda *_: False)
        ring = settings.find("Hue of Quill", HueRing)
        key(ring, Qt.Key.Key_Home)
        assert ring.hue_deg == 270
        assert settings.pane.colours.previews.scheme is settings.pane.view.scheme


def test_tab_goes_as_people_read_also_through_what_came_later(settings: OpenSettings) -> None:
    settings.host.allowed("dev.quill", replace(QUILL, homepage="https://quill.dev"))
    settings.catch_up()
    settings.host.registered("com.bot", BOT)
    settings.catch_up()
    settings.host.service.report(Notice(kind=NoticeKind.SETTINGS_NOT_SAVED))
    settings.catch_up()
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.objectName() == "agentsItem"
    assert tab_order(settings.window) == [
        "Dismiss",
        "Adapter API",
        "Deny Build bot",
        "Allow Build bot",
        "Quill, Connected",
        "Show Quill",
        "Open https://quill.dev",
        "Hue of Quill",
        "Warnings for developers: " + "\n".join(settings.pane.view.warnings),
        "Forget Quill",
        "One alarm colour for all agents",
        "Agent icons",
        "Icons from agents",
        "Regenerate token",
        "Agents",
    ]


def test_everything_that_can_be_used_has_a_name_and_an_object_name(settings: OpenSettings) -> None:
    settings.host.allowed("dev.quill", replace(QUILL, homepage="https://quill.dev"))
    settings.host.registered("com.bot", BOT)
    settings.catch_up()
    nameless = [
        widget
        for widget in settings.window.findChildren(QWidget)
        if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
        and not (widget.accessibleName() and widget.objectName())
    ]
    assert nameless == []


def test_a_text_that_grows_has_its_room_at_once(settings: OpenSettings) -> None:
    long = replace(QUILL, name="An agent with a name that never seems to come to its end, really")
    settings.host.allowed("dev.quill", QUILL)
    settings.catch_up()
    settings.host.allowed("dev.quill", long)
    settings.window.agents.refresh()
    title = settings.pane.forget.text.title
    assert title.height() >= title.heightForWidth(title.width())
