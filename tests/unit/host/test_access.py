"""Spec section 2 (the token), section 4 "Limits", and ARCHITECTURE "order of refusals"."""

import pytest

from orbtile.host.settings import Settings
from orbtile.protocol.errors import ApiError
from orbtile.protocol.gate import Route
from tests.fakes.hosts import Host, admit, make_registration, make_update, refusal


@pytest.fixture
def host() -> Host:
    return Host()


def granted(host: Host, adapter_id: str, requests: int) -> int:
    """How many of so many heartbeats at this moment pass both buckets."""
    refusals: list[ApiError] = []
    for _ in range(requests):
        try:
            admit(host.service, Route.HEARTBEAT, adapter_id)
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


def test_an_unregistered_adapter_meets_the_bucket_of_all_alone(host: Host) -> None:
    refusals = []
    for _ in range(101):
        with pytest.raises(ApiError) as refused:
            admit(host.service, Route.HEARTBEAT, "dev.unknown")
        refusals.append(refused.value.status)
    assert refusals == [404] * 100 + [429]


def test_info_passes_the_bucket_of_all_only(host: Host) -> None:
    host.registered()
    host.advance(5.0)
    for _ in range(100):
        admit(host.service, Route.INFO)
    with pytest.raises(ApiError) as refused:
        admit(host.service, Route.INFO)
    assert refused.value.status == 429


def test_the_bucket_refuses_before_the_owner_token_is_asked_for(host: Host) -> None:
    host.registered()
    host.advance(5.0)
    assert granted(host, "dev.example", 61) == 60
    with pytest.raises(ApiError) as refused:
        admit(host.service, Route.HEARTBEAT, owner_token="wrong")
    assert refused.value.status == 429


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
        host.service.update_session(admission, make_update())
    assert refusal(refused.value) == (503, "api_disabled", None)


def test_a_request_whose_body_arrives_after_the_token_changed_gets_401(host: Host) -> None:
    adapter = host.allowed()
    update = adapter.admit(Route.UPDATE_SESSION, "run-7")
    register = adapter.admit(Route.REGISTER)
    info = admit(host.service, Route.INFO)
    host.service.regenerate_token()
    for call in (
        lambda: host.service.update_session(update, make_update()),
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
        host.service.registration_of(admission)
    assert refusal(refused.value) == (404, "adapter_not_registered", None)


def test_info_has_the_version_and_a_proof_only_for_a_nonce(host: Host) -> None:
    plain = host.service.info(admit(host.service, Route.INFO))
    assert (plain.version, plain.proof) == ("0.0.0", None)
    proven = host.service.info(admit(host.service, Route.INFO, nonce="ab" * 8))
    assert proven.proof == host.tokens.prove(host.service.api_token, "ab" * 8)
