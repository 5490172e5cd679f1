"""Spec section 3, "The user decides"."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.views import Consent
from orbtile.palette.states import State
from orbtile.protocol.registration import Capability, Glyph, Icon, Palette, Registration, TapBehavior
from orbtile.protocol.replies import DisabledReason
from orbtile.protocol.session import BatchItem, SessionUpdate
from tests.fakes.hosts import Host, make_registration, make_update


@pytest.fixture
def host() -> Host:
    return Host()


def restarted(host: Host) -> Host:
    """The next run with what this one saved last."""
    host.service.flush()
    return Host(consents=host.store.consents[-1])


def test_a_new_adapter_awaits_the_user_and_shows_nothing(host: Host) -> None:
    adapter = host.adapter()
    reply = adapter.register()
    assert (reply.enabled, reply.reason) == (False, DisabledReason.AWAITING_USER)
    assert not adapter.update().visible
    view = adapter.view()
    assert (view.consent, view.connected, view.allowed, view.changed_fields) == (
        Consent.AWAITING,
        True,
        None,
        (),
    )
    assert view.session_count == 1
    assert host.service.session("dev.example/local/run-7") is None


def test_allow_shows_at_once_what_the_adapter_already_sent(host: Host) -> None:
    adapter = host.registered()
    adapter.update()
    assert adapter.allow()
    assert adapter.state() is State.THINKING
    assert adapter.view().allowed == adapter.registration
    reply = adapter.register()
    assert (reply.enabled, reply.reason) == (True, None)
    assert adapter.update().visible


def test_deny_hides_at_once_and_the_replies_say_so(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    assert adapter.deny()
    assert adapter.state() is None
    assert not adapter.update(update=SessionUpdate(activity=State.TOOL)).visible
    reply = adapter.register()
    assert (reply.enabled, reply.reason) == (False, DisabledReason.DISABLED_BY_USER)
    assert adapter.view().consent is Consent.DENIED
    assert adapter.allow()
    assert adapter.state() is State.TOOL


def test_a_denial_sticks_whatever_the_adapter_registers_next(host: Host) -> None:
    adapter = host.registered()
    adapter.deny()
    assert adapter.register(make_registration("Innocent Agent")).reason is DisabledReason.DISABLED_BY_USER
    assert adapter.register(make_registration()).reason is DisabledReason.DISABLED_BY_USER
    adapter.unregister()
    assert adapter.register().reason is DisabledReason.DISABLED_BY_USER


def test_what_is_decided_is_what_was_on_screen(host: Host) -> None:
    """The adapter registers something else between the painting of the banner and the press."""
    adapter = host.registered()
    painted = adapter.view()
    adapter.register(replace(make_registration("Not What You Saw"), url_schemes=("https", "evil")))
    adapter.update()
    assert not host.service.allow("dev.example", painted.fingerprint)
    assert not host.service.deny("dev.example", painted.fingerprint)
    assert adapter.view().consent is Consent.AWAITING
    assert adapter.state() is None
    assert host.service.allow("dev.example", adapter.view().fingerprint)
    assert adapter.state() is State.THINKING


def test_a_change_that_needs_no_allow_between_paint_and_press_does_not_refuse_it(host: Host) -> None:
    adapter = host.registered()
    painted = adapter.view()
    adapter.register(replace(make_registration(), version="2.0", glyph=Glyph(monogram="Z")))
    assert host.service.allow("dev.example", painted.fingerprint)
    assert adapter.view().allowed == adapter.registration


def test_nobody_is_decided_about_who_is_not_remembered(host: Host) -> None:
    assert not host.service.allow("dev.unknown", "")
    assert not host.service.deny("dev.unknown", "")
    assert not host.service.turn_off("dev.unknown")


def test_an_adapter_that_never_stands_still_can_be_turned_off(host: Host) -> None:
    """It registers something else before any press on what was painted can arrive."""
    adapter = host.registered()
    for step in range(20):
        painted = adapter.view().fingerprint
        host.advance(0.4)
        adapter.register(make_registration(f"Agent {step}"))
        assert not host.service.deny("dev.example", painted)
    assert adapter.turn_off()
    assert adapter.view().consent is Consent.DENIED
    assert adapter.register(make_registration("Another")).reason is DisabledReason.DISABLED_BY_USER


@pytest.mark.parametrize("is_connected", [True, False])
def test_turning_off_what_is_shown_hides_it_whatever_it_registers_meanwhile(
    host: Host, is_connected: bool
) -> None:
    adapter = host.allowed()
    adapter.update()
    adapter.register(replace(make_registration(), version="2"))
    if not is_connected:
        adapter.unregister()
    assert adapter.turn_off()
    assert adapter.state() is None
    assert adapter.register().reason is DisabledReason.DISABLED_BY_USER
    adapter.update()
    assert adapter.allow()
    assert adapter.state() is State.THINKING


CHANGES: dict[str, Callable[[Registration], Registration]] = {
    "name": lambda old: replace(old, name="Other"),
    "shortName": lambda old: replace(old, short_name="Ex"),
    "palette.baseHue": lambda old: replace(old, palette=Palette(base_hue=120.0)),
    "palette.chroma": lambda old: replace(old, palette=Palette(base_hue=270.0, chroma=0.7)),
    "palette.lightness": lambda old: replace(old, palette=Palette(base_hue=270.0, lightness=0.01)),
    "palette.attentionHue": lambda old: replace(old, palette=Palette(base_hue=270.0, attention_hue=90.0)),
    "palette.states": lambda old: replace(
        old, palette=Palette(base_hue=270.0, states={State.IDLE: "#6b7280"})
    ),
    "icon": lambda old: replace(old, icon=Icon(app_bundle_id="com.example.agent")),
    "urlSchemes": lambda old: replace(old, url_schemes=("https",)),
    "homepage": lambda old: replace(old, homepage="https://example.com"),
    "capabilities": lambda old: replace(old, capabilities=frozenset({Capability.TAP})),
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_registration_needs_a_new_allow_and_says_what_changed(host: Host, field: str) -> None:
    adapter = host.allowed()
    adapter.update()
    reply = adapter.register(CHANGES[field](make_registration()))
    assert (reply.enabled, reply.reason) == (False, DisabledReason.AWAITING_USER)
    assert adapter.view().consent is Consent.AWAITING
    assert adapter.view().changed_fields == (field,)
    assert adapter.view().allowed == make_registration()
    assert adapter.state() is None
    adapter.allow()
    assert adapter.view().changed_fields == ()
    assert adapter.state() is State.THINKING


def test_a_changed_tap_behavior_needs_a_new_allow(host: Host) -> None:
    tapping = replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    adapter = host.allowed(registration=tapping)
    adapter.register(replace(tapping, tap_behavior=TapBehavior.EVENT_ONLY))
    assert adapter.view().changed_fields == ("tapBehavior",)


def test_one_that_is_not_allowed_gets_the_same_answers_so_that_it_does_not_loop_on_errors(
    host: Host,
) -> None:
    adapter = host.registered()
    for _ in range(2):
        assert not adapter.update().visible
        assert not adapter.update(update=SessionUpdate(activity=State.TOOL)).visible
        assert [
            one.visible for one in adapter.replace(BatchItem(session_id="a", update=make_update())).sessions
        ] == [False]
        adapter.heartbeat()
        adapter.end("a")
        adapter.register()
        adapter.deny()


def test_version_and_glyph_may_change_freely(host: Host) -> None:
    adapter = host.allowed()
    reply = adapter.register(replace(make_registration(), version="2.0", glyph=Glyph(monogram="Z")))
    assert reply.enabled
    assert adapter.view().registration.version == "2.0"


def test_reverting_to_what_was_allowed_needs_no_new_allow(host: Host) -> None:
    adapter = host.allowed()
    adapter.register(make_registration("Other"))
    assert adapter.register(make_registration()).enabled


def test_denying_a_changed_registration_denies_the_id(host: Host) -> None:
    adapter = host.allowed()
    adapter.register(make_registration("Other"))
    adapter.deny()
    assert adapter.register(make_registration()).reason is DisabledReason.DISABLED_BY_USER


def test_a_disconnected_adapter_can_be_allowed_and_denied(host: Host) -> None:
    adapter = host.registered()
    adapter.unregister()
    assert adapter.allow()
    assert adapter.register().enabled
    adapter.unregister()
    assert adapter.deny()
    assert not adapter.register().enabled


def test_a_forgotten_adapter_is_gone_with_its_sessions_and_is_new_again(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.service.forget("dev.example")
    assert host.service.adapters() == []
    assert host.service.sessions() == []
    assert adapter.register().created
    assert adapter.view().consent is Consent.AWAITING


def test_forgetting_a_disconnected_or_an_unknown_adapter(host: Host) -> None:
    host.registered().unregister()
    host.service.forget("dev.example")
    host.service.forget("dev.example")
    assert host.service.adapters() == []
    assert host.store.consents[-1] == []


# --- restart ------------------------------------------------------------------------------------------------


def test_an_allow_survives_a_restart(host: Host) -> None:
    host.allowed()
    host = restarted(host)
    adapter = host.adapter()
    assert adapter.view().consent is Consent.ALLOWED
    assert not adapter.view().connected
    assert adapter.register().enabled


def test_what_changed_while_orbtile_was_not_running_needs_a_new_allow(host: Host) -> None:
    host.allowed()
    adapter = restarted(host).adapter()
    assert adapter.register(make_registration("Other")).reason is DisabledReason.AWAITING_USER
    assert adapter.register(replace(make_registration(), version="2")).enabled


def test_a_denial_survives_a_restart(host: Host) -> None:
    host.registered().deny()
    adapter = restarted(host).adapter()
    assert adapter.view().consent is Consent.DENIED
    assert adapter.register(make_registration("Innocent")).reason is DisabledReason.DISABLED_BY_USER


def test_what_changed_is_known_after_a_restart(host: Host) -> None:
    adapter = host.allowed()
    adapter.register(make_registration("Other"))
    host = restarted(host)
    adapter = host.adapter()
    assert adapter.view().consent is Consent.AWAITING
    assert adapter.view().changed_fields == ("name",)
    assert adapter.view().allowed == make_registration()
    adapter.register(replace(make_registration(), homepage="https://example.com"))
    assert adapter.view().changed_fields == ("homepage",)


def test_who_never_was_decided_about_awaits_the_user_after_a_restart(host: Host) -> None:
    host.registered()
    adapter = restarted(host).adapter()
    assert adapter.view().consent is Consent.AWAITING
    assert adapter.register().reason is DisabledReason.AWAITING_USER


def test_sessions_do_not_survive_a_restart(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    assert restarted(host).service.sessions() == []


def test_of_too_many_records_the_most_recently_seen_are_kept() -> None:
    records = [
        ConsentRecord(
            adapter_id=f"dev.a{index}",
            decision=Decision.ALLOWED,
            seen=make_registration(),
            allowed=make_registration(),
            last_seen_epoch_s=float(index),
        )
        for index in range(40)
    ]
    host = Host(consents=records)
    assert {view.adapter_id for view in host.service.adapters()} == {
        f"dev.a{index}" for index in range(8, 40)
    }


def test_who_asks_under_ever_new_ids_undoes_no_decision(host: Host) -> None:
    allowed = host.allowed("dev.allowed")
    denied = host.registered("dev.denied")
    denied.deny()
    allowed.unregister()
    denied.unregister()
    for index in range(34):
        host.advance(1.0)
        host.registered(f"dev.a{index}").unregister()
    assert allowed.view().consent is Consent.ALLOWED
    assert denied.view().consent is Consent.DENIED
    newest = {f"dev.a{index}" for index in range(4, 34)}
    assert {view.adapter_id for view in host.service.adapters()} == {"dev.allowed", "dev.denied", *newest}


def test_where_all_are_decided_a_newcomer_takes_the_place_of_one_and_the_next_that_of_the_newcomer(
    host: Host,
) -> None:
    for index in range(32):
        host.advance(1.0)
        host.allowed(f"dev.a{index}").unregister()
    for index in range(5):
        host.advance(1.0)
        host.registered(f"dev.new{index}").unregister()
    assert {view.adapter_id for view in host.service.adapters()} == {
        "dev.new4",
        *(f"dev.a{index}" for index in range(1, 32)),
    }


def test_of_too_many_records_the_undecided_go_first() -> None:
    records = [
        ConsentRecord(
            adapter_id=f"dev.a{index}",
            decision=Decision.DENIED if index < 5 else Decision.UNDECIDED,
            seen=make_registration(),
            allowed=None,
            last_seen_epoch_s=float(index),
        )
        for index in range(40)
    ]
    kept = {view.adapter_id for view in Host(consents=records).service.adapters()}
    assert kept == {f"dev.a{index}" for index in (*range(5), *range(13, 40))}


def test_last_seen_is_the_last_sign_of_life_once_the_adapter_is_gone(host: Host) -> None:
    adapter = host.allowed()
    began_s = adapter.view().last_seen_epoch_s
    host.advance(7.0)
    adapter.heartbeat()
    assert adapter.view().last_seen_epoch_s == began_s
    host.advance(60.0)
    assert adapter.view().last_seen_epoch_s == began_s + 7.0


def test_a_denied_adapters_sessions_are_bounded_too(host: Host) -> None:
    adapter = host.registered()
    adapter.deny()
    for index in range(32):
        host.advance(0.05)
        adapter.update(f"s{index}", make_update())
    assert adapter.view().session_count == 32
