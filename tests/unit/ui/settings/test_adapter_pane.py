from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from orbtile.host.views import Consent
from orbtile.palette.states import State
from orbtile.palette.vision import confusions
from orbtile.protocol.registration import Capability, Palette, Registration
from orbtile.ui.controls import Button, LinkButton, Switch
from orbtile.ui.motion import MotionClock
from orbtile.ui.settings.adapter_pane import AdapterPane, https_url
from orbtile.ui.status_text import local_clock_text
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host
from tests.fakes.qt import settle
from tests.fakes.settings_window import OpenSettings
from tests.fakes.widgets import all_named, press

QUILL = Registration(name="Quill", palette=Palette(base_hue=270), url_schemes=("https",))

QUIET = replace(
    QUILL, palette=Palette(base_hue=200, chroma=0.8, states={State.WAITING_PERMISSION: "#ff9900"})
)
"""Nothing is to be said about its colours."""


def texts(settings: OpenSettings) -> str:
    labels = settings.pane.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisibleTo(settings.window))


class TestSwitch:
    def test_it_denies_and_allows_what_is_shown(self, settings: OpenSettings) -> None:
        client = settings.host.allowed("dev.quill", QUILL)
        settings.press("Show Quill", Switch)
        assert client.view().consent is Consent.DENIED
        settings.press("Show Quill", Switch)
        assert client.view().consent is Consent.ALLOWED

    def test_it_works_for_an_adapter_that_is_not_connected(self, settings: OpenSettings) -> None:
        client = settings.host.allowed("dev.quill", QUILL)
        client.unregister()
        settings.press("Show Quill", Switch)
        assert client.view().consent is Consent.DENIED

    def test_turning_it_on_waits_500_ms_after_what_is_shown_changed(self, settings: OpenSettings) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        client.deny()
        settings.catch_up()
        settings.host.clock.advance(5)
        client.register(replace(QUILL, homepage="https://quill.dev"))
        settings.bridge.flush()
        settle()
        press(settings.find("Show Quill", Switch))
        assert client.view().consent is Consent.DENIED
        settings.press("Show Quill", Switch)
        assert client.view().consent is Consent.ALLOWED

    def test_turning_it_off_waits_for_nothing(self, settings: OpenSettings) -> None:
        client = settings.host.allowed("dev.quill", QUILL)
        settings.bridge.flush()
        settle()
        press(settings.find("Show Quill", Switch))
        assert client.view().consent is Consent.DENIED

    def test_it_is_off_while_the_adapter_asks_and_shows_only_what_the_service_says(
        self, settings: OpenSettings
    ) -> None:
        client = settings.host.registered("dev.quill", QUILL)
        settings.catch_up()
        switch = settings.find("Show Quill", Switch)
        client.register(replace(QUILL, url_schemes=("quill",)))
        press(switch)  # carries the fingerprint that was shown: refused
        assert client.view().consent is Consent.AWAITING
        assert not switch.isChecked()


class TestWhoAndWhat:
    def test_id_version_and_what_it_may_do(self, settings: OpenSettings) -> None:
        decides = frozenset({Capability.APPROVALS, Capability.QUESTIONS})
        settings.host.allowed("dev.quill", replace(QUILL, version="1.4.0", capabilities=decides))
        settings.catch_up()
        assert "dev.quill, version" in texts(settings)
        assert "1.4.0" in texts(settings)
        assert "May open https links when you tap a session" in texts(settings)
        assert "May receive your Allow, Deny and answers" in texts(settings)
        assert "Not connected" not in texts(settings)

    def test_without_a_version_there_is_only_the_id(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.catch_up()
        assert "version" not in texts(settings)

    def test_one_that_is_away_was_last_seen_some_time(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL).unregister()
        settings.catch_up()
        seen = settings.host.service.adapters()[0].last_seen_epoch_s
        assert f"Not connected. Last seen {local_clock_text(seen)}" in texts(settings)

    def test_a_built_in_source_cannot_be_forgotten(self, theme: Theme) -> None:
        host = Host()
        view = replace(host.allowed("dev.quill", QUILL).view(), built_in=True)
        pane = AdapterPane(theme, view, motion=MotionClock(host.clock.monotonic_s))
        assert all_named(pane, "Forget Quill") == []
        assert len(all_named(pane, "Hue of Quill")) == 1


class TestHomepage:
    def test_it_opens_through_the_desktop(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", replace(QUILL, homepage="https://quill.dev/about"))
        settings.press("Open https://quill.dev/about", LinkButton)
        assert settings.opened == ["https://quill.dev/about"]

    @pytest.mark.parametrize(
        "homepage", [None, "", "http://quill.dev", "file:///etc/passwd", "javascript:alert(1)", "https://"]
    )
    def test_nothing_but_a_whole_https_address_is_offered(
        self, settings: OpenSettings, homepage: str | None
    ) -> None:
        assert https_url(homepage) == ""
        settings.host.allowed("dev.quill", replace(QUILL, homepage=homepage))
        settings.catch_up()
        assert settings.pane.homepage.isHidden()


class TestDevelopers:
    def test_warnings_are_shown_exactly_and_can_be_selected(self, settings: OpenSettings) -> None:
        client = settings.host.adapter("dev.quill")
        warnings = ["unknown field 'icon.x' ignored", "attention: <b>set</b>  attentionHue"]
        client.register(QUILL, warnings)
        settings.catch_up()
        shown = settings.pane.warnings
        assert shown.code == "\n".join(client.view().warnings)
        assert shown.code.endswith("\n".join(warnings))
        assert shown.isVisible()
        assert shown.hasFocus() or shown.textInteractionFlags()
        assert shown.accessibleName().endswith(shown.code)
        assert "&lt;b&gt;" in shown.text()

    def test_without_warnings_there_is_nothing_for_developers(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUIET)
        settings.catch_up()
        assert settings.pane.view.warnings == ()
        assert "For developers" not in texts(settings)

    def test_states_that_look_alike_to_some_are_named(self, settings: OpenSettings) -> None:
        settings.host.allowed("dev.quill", QUILL)
        settings.catch_up()
        found = confusions(settings.pane.view.scheme)
        notes = settings.pane.vision_notes
        assert [phrase.text for phrase in notes.phrases] == [one.sentence for one in found] != []
        assert notes.isVisible()
        settings.host.allowed("dev.aquill", replace(QUIET, name="Quiet"))
        settings.catch_up()
        settings.select("Quiet, Connected")
        assert notes.phrases == ()
        assert not notes.isVisible()


def test_names_follow_the_adapter_that_is_open(settings: OpenSettings) -> None:
    settings.host.allowed("a.one", replace(QUILL, name="One"))
    settings.host.allowed("b.two", replace(QUILL, name="Two"))
    settings.catch_up()
    settings.window.agents.adapter_list.items[1].click()
    assert settings.find("Show Two", Switch).isChecked()
    assert settings.find("Forget Two", Button).text() == "Forget"
    assert all_named(settings.window, "Show One") == []
