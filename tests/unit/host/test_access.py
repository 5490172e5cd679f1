"""Spec section 2 (the token), section 4 "Limits", and ARCHITECTURE "order of refusals"."""

from dataclasses import replace

import pytest

from orbtile.host.settings import Settings
from orbtile.protocol.errors import ApiError
from orbtile.protocol.gate import Route
from orbtile.protocol.registration import Capability
from orbtile.protocol.session import SessionUpdate
from tests.fakes.hosts import Host, admit, make_registration, make_update, parsed, refusal

INTERACTIVE = replace(make_registration(), capabilities=frozenset({Capability.TAP}))


@pytest.fixture
def host() -> Host:
    return Host()


def granted(host: Host, adapter_id: str, requests: int) -> int:
    """How many of so many heartbeats at this moment pass."""
    return _granted(host, Route.HEARTBEAT, adapter_id, requests)


def _granted(host: Host, route: Route, adapter_id: str, requests: int) -> int:
    refusals: list[ApiError] = []
    for _ in range(requests):
        try:
            admit(host.service, route, adapter_id)
        except ApiError as error:
            refusals.append(error)
    assert all(refusal(error) == (429, "rate_limited", None) for error in refusals)
    assert all(error.retry_after_s == 1 for error in refusals)
    return requests - len(refusals)


def test_an_adapter_has_a_burst_of_60_and_then_20_a_second(host: Host) -> None:
    host.registered()
    host.advance(5.0)
    assert granted(host, "dev.example", 100) == 60
    host.advance(1.0)
    assert granted(host, "dev.example", 100) == 20


def test_all_adapters_together_have_100_and_then_100_a_second(host: Host) -> None:
    for index in range(8):
        host.registered(f"dev.a{index}")
    host.advance(5.0)
    assert sum(granted(host, f"dev.a{index}", 40) for index in range(8)) == 100
    host.advance(1.0)
    assert sum(granted(host, f"dev.a{index}", 40) for index in range(8)) == 100


def test_a_flooding_adapter_takes_nothing_from_the_others(host: Host) -> None:
    host.registered("dev.flood")
    host.registered("dev.calm")
    host.advance(5.0)
    assert granted(host, "dev.flood", 10_000) == 60
    assert granted(host, "dev.calm", 60) == 40


def test_a_request_that_all_adapters_bucket_refuses_costs_the_adapter_nothing(host: Host) -> None:
    host.registered("dev.a")
    host.registered("dev.b")
    host.advance(5.0)
    assert granted(host, "dev.a", 60) == 60
    assert granted(host, "dev.b", 60) == 40
    host.advance(0.1)
    assert granted(host, "dev.b", 60) == 10
    host.advance(0.4)
    assert granted(host, "dev.b", 60) == 20


def refused_with(host: Host, route: Route, adapter_id: str, owner_token: str | None = None) -> int:
    """The status of a request that must be refused."""
    with pytest.raises(ApiError) as refused:
        admit(host.service, route, adapter_id, owner_token=owner_token)
    return refused.value.status


def test_requests_for_an_adapter_that_is_not_registered_take_nothing_from_the_others(host: Host) -> None:
    host.registered("dev.a")
    host.registered("dev.b")
    host.advance(5.0)
    assert {refused_with(host, Route.HEARTBEAT, "dev.unknown") for _ in range(1_000)} == {404}
    assert granted(host, "dev.a", 60) + granted(host, "dev.b", 60) == 100


def test_an_unregistered_adapter_meets_the_bucket_of_all_alone(host: Host) -> None:
    for other in ("dev.a", "dev.b"):
        host.registered(other)
    host.advance(5.0)
    assert granted(host, "dev.a", 60) + granted(host, "dev.b", 40) == 100
    assert refused_with(host, Route.HEARTBEAT, "dev.unknown") == 429
    assert refused_with(host, Route.REGISTER, "dev.unknown") == 429
    host.advance(1.0)
    assert refused_with(host, Route.HEARTBEAT, "dev.unknown") == 404
    host.registered("dev.unknown")


def test_a_stranger_without_the_owner_token_uses_up_nobodys_requests(host: Host) -> None:
    owner = host.registered(registration=INTERACTIVE)
    host.registered("dev.other")
    host.advance(5.0)
    for wrong in (None, "wrong"):
        assert {refused_with(host, Route.HEARTBEAT, "dev.example", wrong) for _ in range(1_000)} == {403}
    for _ in range(60):
        owner.heartbeat()
    assert granted(host, "dev.other", 60) == 40


def test_a_registration_that_is_refused_for_its_owner_takes_nothing_either(host: Host) -> None:
    owner = host.registered(registration=INTERACTIVE)
    host.advance(5.0)
    assert {refused_with(host, Route.REGISTER, "dev.example") for _ in range(100)} == {403}
    for _ in range(60):
        owner.register()


def test_a_request_whose_body_is_refused_was_admitted_and_counts(host: Host) -> None:
    adapter = host.registered()
    host.advance(5.0)
    for _ in range(60):
        with pytest.raises(ApiError) as refused:
            adapter.update(update=SessionUpdate())
        assert refused.value.status == 422
    assert granted(host, "dev.example", 1) == 0


def infos(host: Host, requests: int) -> int:
    """How many of so many ``GET /info`` at this moment pass."""
    return _granted(host, Route.INFO, "", requests)


def test_info_meets_the_bucket_of_all_alone(host: Host) -> None:
    assert infos(host, 200) == 100
    host.advance(0.5)
    assert infos(host, 200) == 50


def test_adapters_and_info_share_the_bucket_of_all(host: Host) -> None:
    host.registered("dev.a")
    host.registered("dev.b")
    host.advance(5.0)
    assert granted(host, "dev.a", 60) + granted(host, "dev.b", 30) == 90
    assert infos(host, 60) == 10


@pytest.mark.parametrize("end", ["unregister", "forget", "new token", "off and on"])
def test_a_registration_that_ends_and_begins_anew_brings_no_new_burst(host: Host, end: str) -> None:
    adapter = host.registered()
    host.registered("dev.calm")
    host.advance(5.0)
    assert granted(host, "dev.example", 58) == 58
    match end:
        case "unregister":
            adapter.unregister()
        case "forget":
            host.service.forget("dev.example")
        case "new token":
            host.service.regenerate_token()
        case _:
            host.service.set_api_enabled(False)
            host.service.set_api_enabled(True)
    adapter.register()
    assert granted(host, "dev.example", 60) == (0 if end == "unregister" else 1)
    host.registered("dev.calm")
    assert granted(host, "dev.calm", 60) > 30


def test_an_adapter_that_comes_and_goes_leaves_the_others_their_requests(host: Host) -> None:
    host.registered("dev.calm")
    host.advance(5.0)
    adapter = host.adapter("dev.flood")
    adapter.register()
    for _ in range(30):
        adapter.unregister()
        adapter.register()
    assert refused_with(host, Route.REGISTER, "dev.flood") == 429
    assert granted(host, "dev.calm", 60) == 39


def test_registrations_that_are_refused_count_for_an_id_that_is_not_live_too(host: Host) -> None:
    host.registered("dev.calm")
    host.advance(5.0)
    for _ in range(61):
        admit(host.service, Route.REGISTER, "dev.flood")
    assert refused_with(host, Route.REGISTER, "dev.flood") == 429
    assert granted(host, "dev.calm", 60) == 39


def test_a_bucket_that_is_full_again_is_a_new_one(host: Host) -> None:
    adapter = host.registered()
    granted(host, "dev.example", 59)
    adapter.service.forget("dev.example")
    host.advance(3.0)
    adapter.register()
    assert granted(host, "dev.example", 100) == 60


def test_the_bucket_refuses_before_the_owner_token_is_asked_for(host: Host) -> None:
    owner = host.registered(registration=INTERACTIVE)
    host.advance(5.0)
    for _ in range(60):
        owner.heartbeat()
    assert refused_with(host, Route.HEARTBEAT, "dev.example", "wrong") == 429
    host.advance(0.05)
    assert refused_with(host, Route.HEARTBEAT, "dev.example", "wrong") == 403


# --- the API's switch and token ----------------------------------------------------------------------------


def test_a_new_token_ends_every_registration_at_once(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    old = host.service.api_token
    host.service.regenerate_token()
    assert host.service.api_token != old
    assert host.service.sessions() == []
    assert not host.service.gate_state().token_matches(old)
    assert host.service.gate_state().token_matches(host.service.api_token)
    with pytest.raises(ApiError) as refused:
        adapter.heartbeat()
    assert refusal(refused.value) == (404, "adapter_not_registered", None)
    assert adapter.register().enabled


def test_turning_the_api_off_ends_everything_and_on_gives_a_new_token(host: Host) -> None:
    adapter = host.allowed()
    adapter.update()
    old = host.service.api_token
    host.service.set_api_enabled(False)
    assert not host.service.api_enabled
    assert host.service.api_token == ""
    assert not host.service.gate_state().api_enabled
    assert not host.service.gate_state().token_matches("")
    assert host.service.sessions() == []
    assert not adapter.view().connected
    host.service.set_api_enabled(True)
    assert host.service.gate_state().api_enabled
    assert host.service.api_token not in ("", old)


def test_the_api_is_off_by_default_and_regenerating_does_not_turn_it_on() -> None:
    host = Host(settings=Settings())
    host.service.regenerate_token()
    assert not host.service.api_enabled
    assert host.service.api_token == ""
    with pytest.raises(ApiError) as refused:
        admit(host.service, Route.INFO)
    assert refusal(refused.value) == (503, "api_disabled", None)


def test_a_request_whose_body_arrives_after_the_api_went_off_gets_503(host: Host) -> None:
    adapter = host.allowed()
    admission = adapter.admit(Route.UPDATE_SESSION, "run-7")
    host.service.set_api_enabled(False)
    with pytest.raises(ApiError) as refused:
        host.service.update_session(admission, parsed(make_update()))
    assert refusal(refused.value) == (503, "api_disabled", None)


def test_a_request_whose_body_arrives_after_the_token_changed_gets_401(host: Host) -> None:
    adapter = host.allowed()
    update = adapter.admit(Route.UPDATE_SESSION, "run-7")
    register = adapter.admit(Route.REGISTER)
    info = admit(host.service, Route.INFO)
    host.service.regenerate_token()
    for call in (
        lambda: host.service.update_session(update, parsed(make_update())),
        lambda: host.service.register(register, make_registration(), ()),
        lambda: host.service.info(info),
    ):
        with pytest.raises(ApiError) as refused:
            call()
        assert refusal(refused.value) == (401, "unauthorized", None)


def test_a_request_whose_adapter_unregistered_meanwhile_gets_404(host: Host) -> None:
    adapter = host.allowed()
    admission = adapter.admit(Route.UPDATE_SESSION, "run-7")
    adapter.unregister()
    with pytest.raises(ApiError) as refused:
        host.service.update_session(admission, parsed(make_update()))
    assert refusal(refused.value) == (404, "adapter_not_registered", None)


def test_info_has_the_version_and_a_proof_only_for_a_nonce(host: Host) -> None:
    plain = host.service.info(admit(host.service, Route.INFO))
    assert (plain.version, plain.proof) == ("0.0.0", None)
    proven = host.service.info(admit(host.service, Route.INFO, nonce="ab" * 8))
    assert proven.proof == host.tokens.prove(host.service.api_token, "ab" * 8)
