"""Spec section 3 "openURL" and "pid", section 6 "Taps": checked again at the moment of the tap."""

from dataclasses import replace

import pytest

from orbtile.palette.states import State
from orbtile.protocol.registration import Capability, TapBehavior
from orbtile.protocol.session import SessionUpdate
from tests.fakes.hosts import AdapterClient, Host, make_registration, make_update

UID = "dev.example/local/run-7"


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def adapter(host: Host) -> AdapterClient:
    return host.allowed()


def test_a_tap_opens_the_url(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), open_url="Example://run/7", pid=4242))
    assert host.service.tap(UID)
    assert (host.desktop.opened, host.desktop.raised) == (["Example://run/7"], [])


def test_without_a_url_a_tap_brings_the_process_to_the_front(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), pid=4242))
    assert host.service.tap(UID)
    assert (host.desktop.opened, host.desktop.raised) == ([], [4242])


def test_a_session_with_neither_does_nothing(host: Host, adapter: AdapterClient) -> None:
    adapter.update()
    assert not adapter.session().can_open
    assert not host.service.tap(UID)


def test_a_url_that_the_system_does_not_open_falls_back_to_the_process(
    host: Host, adapter: AdapterClient
) -> None:
    host.desktop.opens = False
    adapter.update(update=replace(make_update(), open_url="example://run/7", pid=4242))
    assert host.service.tap(UID)
    assert host.desktop.raised == [4242]
    host.desktop.raises = False
    assert not host.service.tap(UID)


def test_a_scheme_that_is_no_longer_registered_is_not_opened(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), open_url="example://run/7"))
    assert adapter.session().can_open
    adapter.register(replace(make_registration(), url_schemes=("https",)))
    adapter.allow()
    assert not adapter.session().can_open
    assert not host.service.tap(UID)
    assert host.desktop.opened == []


@pytest.mark.parametrize("scheme", ["file", "javascript", "data", "orbtile", "x-apple.systempreferences"])
def test_a_refused_scheme_is_not_opened_even_when_it_is_registered(host: Host, scheme: str) -> None:
    adapter = host.allowed(registration=replace(make_registration(), url_schemes=(scheme,)))
    adapter.update(update=replace(make_update(), open_url=f"{scheme}:///etc/passwd"))
    assert not adapter.session().can_open
    assert not host.service.tap(UID)
    assert host.desktop.opened == []


def test_a_process_that_ended_is_not_brought_to_the_front(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), pid=4242))
    host.processes.live.clear()
    assert not host.service.tap(UID)
    assert host.desktop.raised == []


def test_what_is_not_visible_cannot_be_tapped(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), open_url="example://run/7"))
    adapter.deny()
    assert not host.service.tap(UID)
    assert not host.service.tap("dev.example/local/unknown")
    assert host.desktop.opened == []


def test_an_offline_session_may_still_be_tapped(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), open_url="example://run/7"))
    host.advance(20.0)
    assert adapter.state() is State.OFFLINE
    assert host.service.tap(UID)


def test_a_session_that_is_gone_by_now_cannot_be_tapped(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), open_url="example://run/7"))
    host.clock.advance(60.0)
    assert not host.service.tap(UID)


@pytest.mark.parametrize(
    ("behavior", "opens"), [(TapBehavior.ALSO_OPEN, True), (TapBehavior.EVENT_ONLY, False)]
)
def test_an_adapter_may_want_taps_without_opening(host: Host, behavior: TapBehavior, opens: bool) -> None:
    registration = replace(
        make_registration(), capabilities=frozenset({Capability.TAP}), tap_behavior=behavior
    )
    adapter = host.allowed(registration=registration)
    adapter.update(update=replace(make_update(), open_url="example://run/7", pid=4242))
    assert adapter.session().can_open is opens
    assert host.service.tap(UID) is opens


def test_a_remote_session_opens_its_url_too(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), host="jobs-vm", open_url="example://run/7"))
    assert host.service.tap("dev.example/jobs-vm/run-7")
    adapter.update(update=SessionUpdate(host="jobs-vm", open_url=None))
    assert not host.service.tap("dev.example/jobs-vm/run-7")
