"""Spec section 3, "Stay in touch: a registration is not forever"."""

from dataclasses import replace

import pytest

from orbtile.host.settings import Settings
from orbtile.palette.scheme import make_scheme
from orbtile.palette.states import State
from orbtile.protocol.errors import ApiError, bad_request
from orbtile.protocol.gate import Route
from orbtile.protocol.registration import Capability, Icon, Palette, Registration
from orbtile.protocol.session import ApprovalRequest, BatchItem, SessionUpdate
from tests.fakes.hosts import Host, admit, make_registration, make_update, parsed, refusal


@pytest.fixture
def host() -> Host:
    return Host()


def test_the_first_registration_is_created_and_the_next_is_not(host: Host) -> None:
    adapter = host.adapter()
    assert adapter.register().created
    assert not adapter.register().created


def test_registering_after_the_end_of_a_lease_is_a_first_time_again(host: Host) -> None:
    adapter = host.registered()
    adapter.unregister()
    assert adapter.register().created


def test_the_reply_carries_the_palette_and_the_hue_in_use(host: Host) -> None:
    reply = host.adapter().register(make_registration(base_hue=40.0))
    assert reply.adapter_id == "dev.example"
    assert reply.palette.base_hue == 40.0
    assert reply.resolved_base_hue == 75.9
    assert not reply.keypad_decisions


def test_with_a_hue_of_the_users_the_reply_is_about_that_until_it_is_reset(host: Host) -> None:
    sent = Palette(
        base_hue=40.0, chroma=1.2, lightness=0.02, attention_hue=90.0, states={State.DONE: "#ef4444"}
    )
    adapter = host.registered(registration=replace(make_registration(), palette=sent))
    host.service.set_hue("dev.example", 150.0)
    reply = adapter.register()
    chosen = Palette(base_hue=150.0, chroma=1.2, lightness=0.02)
    assert (reply.palette, reply.resolved_base_hue) == (chosen, 150.0)
    assert reply.warnings == make_scheme(chosen.source).warnings == adapter.view().warnings
    host.service.set_hue("dev.example", None)
    reply = adapter.register()
    assert (reply.palette, reply.resolved_base_hue) == (sent, 75.9)
    assert reply.warnings == make_scheme(sent.source).warnings
    assert reply.warnings[0] == "palette.baseHue 40 is inside the reserved arc 345.9..75.9; using 75.9"


def test_a_hue_of_the_users_leaves_the_reserved_arc_too(host: Host) -> None:
    adapter = host.registered()
    host.service.set_hue("dev.example", 20.0)
    reply = adapter.register()
    assert (reply.palette.base_hue, reply.resolved_base_hue) == (20.0, 345.9)


def test_with_one_alarm_colour_for_all_there_is_no_warning_about_the_adapters_own(host: Host) -> None:
    waiting = Palette(base_hue=270.0, states={State.WAITING_PERMISSION: "#ef4444"})
    adapter = host.registered(registration=replace(make_registration(), palette=waiting))
    assert any("error hue" in warning for warning in adapter.register().warnings)
    host.service.change_settings(Settings(anchor_attention=True))
    assert not any("error hue" in warning for warning in adapter.register().warnings)


def test_warnings_about_colours_come_first_then_unknown_fields_then_the_bundle(host: Host) -> None:
    host.bundles.warned["com.example.agent"] = ["not installed"]
    registration = replace(make_registration(base_hue=10), icon=Icon(app_bundle_id="com.example.agent"))
    adapter = host.adapter()
    warnings = adapter.register(registration, ["unknown field 'x' ignored"]).warnings
    about_colours = make_scheme(registration.palette.source).warnings
    assert about_colours
    assert warnings == (*about_colours, "unknown field 'x' ignored", "not installed")
    assert adapter.view().warnings == warnings


def test_an_icon_without_a_bundle_id_asks_nobody_about_bundles(host: Host) -> None:
    registration = make_registration()
    reply = host.adapter().register(replace(registration, icon=Icon(png=b"png")))
    assert reply.warnings == make_scheme(registration.palette.source).warnings


def test_a_silent_adapter_shows_offline_after_more_than_15_s(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(15.0)
    assert adapter.state() is State.THINKING
    host.advance(0.001)
    assert adapter.state() is State.OFFLINE


def test_silence_is_stricter_than_any_ttl(host: Host) -> None:
    adapter = host.allowed()
    adapter.update(update=replace(make_update(), ttl_s=3600))
    host.advance(15.1)
    assert adapter.state() is State.OFFLINE


@pytest.mark.parametrize("request_name", ["touch", "heartbeat", "register", "end", "poll"])
def test_any_request_brings_back_what_was_offline_by_silence(host: Host, request_name: str) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(20.0)
    assert adapter.state() is State.OFFLINE
    match request_name:
        case "end":
            adapter.end("another")
        case "poll":
            with pytest.raises(ApiError):
                adapter.poll()
        case _:
            getattr(adapter, request_name)()
    assert adapter.state() is State.THINKING


def test_an_update_of_one_session_brings_back_all_that_were_offline_by_silence(host: Host) -> None:
    adapter = host.allowed()
    adapter.update("one")
    adapter.update("two")
    host.advance(20.0)
    adapter.update("one", SessionUpdate(activity=State.TOOL))
    assert (adapter.state("one"), adapter.state("two")) == (State.TOOL, State.THINKING)


def test_a_session_that_comes_back_from_silence_continues_the_time_of_its_activity(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    began = adapter.session()
    host.advance(20.0)
    away = adapter.session()
    assert (away.since_monotonic_s, away.since_epoch_s) == pytest.approx(
        (began.since_monotonic_s + 15.0, began.since_epoch_s + 15.0)
    )
    adapter.touch()
    back = adapter.session()
    assert (back.since_monotonic_s, back.since_epoch_s) == (began.since_monotonic_s, began.since_epoch_s)


def test_an_adapter_silent_for_60_s_is_gone_with_its_sessions(host: Host) -> None:
    adapter = host.allowed()
    adapter.update(update=replace(make_update(), ttl_s=3600))
    host.advance(59.9)
    assert adapter.state() is State.OFFLINE
    host.advance(0.1)
    assert adapter.state() is None
    assert not adapter.view().connected
    with pytest.raises(ApiError) as refused:
        adapter.heartbeat()
    assert refusal(refused.value) == (404, "adapter_not_registered", None)


def test_a_late_tick_does_not_keep_an_adapter_alive(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.clock.advance(61.0)
    with pytest.raises(ApiError) as refused:
        adapter.heartbeat()
    assert refusal(refused.value) == (404, "adapter_not_registered", None)
    assert adapter.state() is None


def test_heartbeats_every_10_s_keep_an_adapter_alive(host: Host) -> None:
    adapter = host.allowed()
    adapter.update(update=replace(make_update(), ttl_s=10))
    for _ in range(60):
        host.advance(9.9)
        adapter.heartbeat()
        assert adapter.state() is State.THINKING


def test_a_sleeping_laptop_expires_nobody(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.clock.sleep_laptop(8 * 3600.0)
    host.service.tick()
    assert adapter.state() is State.THINKING


def test_info_is_no_sign_of_life(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(14.0)
    host.service.info(admit(host.service, Route.INFO))
    host.advance(2.0)
    assert adapter.state() is State.OFFLINE


def test_a_refusal_at_the_gate_is_a_sign_of_life(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(20.0)
    host.service.sign_of_life("dev.example", None)
    assert adapter.state() is State.THINKING
    host.service.sign_of_life("dev.unknown", None)


def test_a_request_that_ends_in_422_is_a_sign_of_life(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(20.0)
    with pytest.raises(ApiError):
        adapter.update("new", SessionUpdate())
    assert adapter.state() is State.THINKING


def test_a_request_that_ends_in_429_is_a_sign_of_life(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(20.0)
    for _ in range(60):
        adapter.admit(Route.HEARTBEAT)
    with pytest.raises(ApiError) as refused:
        adapter.admit(Route.HEARTBEAT)
    assert refused.value.status == 429
    host.advance(14.0)
    assert adapter.state() is State.THINKING


def test_a_body_that_arrives_late_is_a_sign_of_life_when_it_is_there(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    admission = adapter.admit(Route.UPDATE_SESSION, "run-7")
    host.advance(10.0)
    host.service.update_session(admission, parsed(SessionUpdate(activity=State.TOOL)))
    host.advance(14.0)
    assert adapter.state() is State.TOOL


def test_unregistering_ends_the_sessions_and_keeps_the_adapter_listed(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    adapter.unregister()
    assert host.service.sessions() == []
    assert not adapter.view().connected
    with pytest.raises(ApiError) as refused:
        adapter.unregister()
    assert refusal(refused.value) == (404, "adapter_not_registered", None)


def test_eight_adapters_are_live_and_the_ninth_is_refused(host: Host) -> None:
    clients = [host.registered(f"dev.a{index}") for index in range(8)]
    with pytest.raises(ApiError) as refused:
        host.registered("dev.ninth")
    assert refusal(refused.value) == (422, "limit_exceeded", "adapterId")
    assert host.service.adapter("dev.ninth") is None
    clients[0].register()
    clients[0].unregister()
    host.registered("dev.ninth")


def test_thirty_two_adapters_are_remembered_and_the_least_recently_seen_is_forgotten(host: Host) -> None:
    for index in range(33):
        adapter = host.registered(f"dev.a{index}")
        host.advance(1.0)
        adapter.unregister()
    assert {view.adapter_id for view in host.service.adapters()} == {
        f"dev.a{index}" for index in range(1, 33)
    }


def test_a_live_adapter_is_never_forgotten(host: Host) -> None:
    oldest = host.registered("dev.oldest")
    for index in range(40):
        adapter = host.registered(f"dev.a{index}")
        adapter.unregister()
        host.advance(1.0)
        oldest.heartbeat()
    assert host.service.adapter("dev.oldest") is not None
    assert len(host.service.adapters()) == 32
    oldest.heartbeat()


def test_ids_of_built_in_agents_are_refused_even_behind_the_gate(host: Host) -> None:
    for adapter_id in ("claude-code", "com.orbtile.keypad"):
        with pytest.raises(ApiError) as refused:
            host.registered(adapter_id)
        assert refusal(refused.value) == (409, "reserved_id", "adapterId")


# --- owner tokens (section 6) -------------------------------------------------------------------------------


def test_a_display_only_adapter_gets_no_token(host: Host) -> None:
    assert host.adapter().register().adapter_token is None


def test_an_interactive_adapter_gets_a_token_and_every_route_asks_for_it(host: Host) -> None:
    adapter = host.adapter()
    token = adapter.register(
        replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    ).adapter_token
    assert token is not None
    for route in Route:
        if route is Route.INFO:
            continue
        for wrong in (None, "", "token-9"):
            with pytest.raises(ApiError) as refused:
                admit(host.service, route, owner_token=wrong)
            assert refusal(refused.value) == (403, "adapter_token_required", None)
    adapter.heartbeat()
    adapter.unregister()


def test_the_token_survives_a_downgrade_and_an_upgrade(host: Host) -> None:
    adapter = host.adapter()
    full = replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    token = adapter.register(full).adapter_token
    assert adapter.register(make_registration()).adapter_token == token
    with pytest.raises(ApiError) as refused:
        admit(host.service, Route.HEARTBEAT)
    assert refused.value.status == 403
    assert adapter.register(full).adapter_token == token


def test_a_display_only_adapter_that_becomes_interactive_gets_its_token_then(host: Host) -> None:
    adapter = host.registered()
    assert adapter.register(
        replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    ).adapter_token
    adapter.heartbeat()


def test_after_the_lease_anyone_with_the_bearer_token_may_register_the_id_again(host: Host) -> None:
    registration = replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    first = host.adapter().register(registration).adapter_token
    host.advance(60.0)
    second = host.adapter().register(registration).adapter_token
    assert second is not None
    assert second != first


def test_a_request_with_a_wrong_owner_token_is_no_sign_of_life(host: Host) -> None:
    adapter = host.allowed(
        registration=replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    )
    adapter.update()
    host.advance(20.0)
    with pytest.raises(ApiError):
        admit(host.service, Route.HEARTBEAT)
    host.service.sign_of_life("dev.example", None)
    assert adapter.state() is State.OFFLINE
    host.service.sign_of_life("dev.example", adapter.owner_token)
    assert adapter.state() is State.THINKING


def test_a_registration_admitted_before_another_became_the_owner_is_refused(host: Host) -> None:
    slow = admit(host.service, Route.REGISTER)
    host.adapter().register(replace(make_registration(), capabilities=frozenset({Capability.TAP})))
    with pytest.raises(ApiError) as refused:
        host.service.register(slow, make_registration(), ())
    assert refusal(refused.value) == (403, "adapter_token_required", None)


def test_a_changed_registration_clears_pending_requests_and_keeps_the_sessions(host: Host) -> None:
    registration = replace(make_registration(), capabilities=frozenset({Capability.APPROVALS}))
    adapter = host.allowed(registration=registration)
    approval = ApprovalRequest(id="approval-91", tool_name="Bash", command_summary="npm test")
    adapter.update(update=replace(make_update(activity=State.WAITING_PERMISSION), approval=approval))
    adapter.update("calm")
    adapter.register(replace(registration, version="2"))
    assert adapter.session().approval == approval
    adapter.register(replace(registration, name="Renamed"))
    adapter.allow()
    assert adapter.session().approval is None
    assert adapter.state("calm") is State.THINKING


def test_no_adapter_has_an_event_channel_yet(host: Host) -> None:
    adapter = host.registered()
    with pytest.raises(ApiError) as refused:
        adapter.poll()
    assert refusal(refused.value) == (409, "events_not_supported", None)


def test_the_parsers_get_the_registration_that_is_in_force(host: Host) -> None:
    adapter = host.registered()
    update, batch = adapter.admit(Route.UPDATE_SESSION, "run-7"), adapter.admit(Route.REPLACE_SESSIONS)
    adapter.register(changed := replace(make_registration(), url_schemes=()))
    asked: list[Registration] = []

    def read_update(registration: Registration) -> tuple[SessionUpdate, list[str]]:
        asked.append(registration)
        return make_update(), ["of the update"]

    def read_batch(registration: Registration) -> tuple[list[BatchItem], list[str]]:
        asked.append(registration)
        return [], ["of the batch"]

    assert host.service.update_session(update, read_update).warnings == ("of the update",)
    assert host.service.replace_sessions(batch, read_batch).warnings == ("of the batch",)
    assert asked == [changed, changed]


def test_a_body_that_cannot_be_read_changes_nothing_and_is_a_sign_of_life(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    admission = adapter.admit(Route.UPDATE_SESSION, "run-7")
    before = adapter.session()
    host.advance(14.0)

    def read(_registration: Registration) -> tuple[SessionUpdate, list[str]]:
        raise bad_request("not JSON")

    with pytest.raises(ApiError) as refused:
        host.service.update_session(admission, read)
    assert refused.value.status == 400
    host.advance(14.0)
    assert adapter.session() == before


# --- what a lease leaves behind (sections 3 and 5) ---------------------------------------------------------


@pytest.mark.parametrize("route", [route for route in Route if route not in {Route.INFO, Route.REGISTER}])
def test_every_route_of_an_adapter_that_is_not_registered_says_so(host: Host, route: Route) -> None:
    with pytest.raises(ApiError) as refused:
        admit(host.service, route)
    assert refusal(refused.value) == (404, "adapter_not_registered", None)


def test_an_adapter_that_was_gone_must_send_the_whole_session_again(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(60.0)
    adapter.register()
    with pytest.raises(ApiError) as refused:
        adapter.update(update=SessionUpdate(activity=State.TOOL))
    assert refusal(refused.value) == (422, "invalid_field", "title")
    adapter.update()
    assert adapter.state() is State.THINKING


def test_an_adapter_silent_for_60_s_gives_its_place_to_another(host: Host) -> None:
    clients = [host.registered(f"dev.a{index}") for index in range(8)]
    for _ in range(6):
        host.advance(10.0)
        for client in clients[1:]:
            client.heartbeat()
    assert host.registered("dev.ninth").view().connected
    assert not clients[0].view().connected


def test_a_new_run_knows_neither_registrations_nor_owner_tokens(host: Host) -> None:
    adapter = host.allowed(
        registration=replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    )
    host.service.flush()
    adapter.service = Host(consents=host.store.consents[-1]).service
    with pytest.raises(ApiError) as refused:
        adapter.heartbeat()
    assert refusal(refused.value) == (404, "adapter_not_registered", None)
    adapter.owner_token = None
    assert adapter.register().created


@pytest.mark.parametrize("end", ["unregister", "silence", "new token"])
def test_who_takes_an_ended_registration_over_gets_its_consent_but_not_its_requests(
    host: Host, end: str
) -> None:
    registration = replace(make_registration(), capabilities=frozenset({Capability.APPROVALS}))
    first = host.allowed(registration=registration)
    waiting = make_update(activity=State.WAITING_PERMISSION)
    approval = ApprovalRequest(id="approval-91", tool_name="Bash", command_summary="npm test")
    first.update(update=replace(waiting, approval=approval))
    match end:
        case "unregister":
            first.unregister()
        case "silence":
            host.advance(60.0)
        case _:
            host.service.regenerate_token()
    second = host.adapter()
    assert second.register(registration).enabled
    second.update(update=waiting)
    assert second.session().approval is None
