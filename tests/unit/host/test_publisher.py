"""Listeners hear every record, in order, after the state is consistent."""

import pytest

from orbtile.host.changes import Changes
from orbtile.host.publisher import Publisher
from orbtile.protocol.session import SessionUpdate
from tests.fakes.hosts import AdapterClient, Host

UID = "dev.example/local/run-7"


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def adapter(host: Host) -> AdapterClient:
    adapter = host.allowed()
    adapter.update()
    host.take_published()
    return adapter


def test_a_listener_sees_the_state_after_the_step(host: Host, adapter: AdapterClient) -> None:
    seen: list[object] = []
    host.service.subscribe(lambda changes: seen.extend(host.service.session(uid) for uid in changes.sessions))
    adapter.update(update=SessionUpdate(title="after"))
    assert [getattr(view, "title", None) for view in seen] == ["after"]
    adapter.end()
    assert seen[1:] == [None]


def test_an_unsubscribed_listener_hears_nothing_more(host: Host, adapter: AdapterClient) -> None:
    heard: list[Changes] = []
    unsubscribe = host.service.subscribe(heard.append)
    unsubscribe()
    unsubscribe()
    adapter.end()
    assert heard == []


def test_one_listener_may_subscribe_twice(host: Host, adapter: AdapterClient) -> None:
    heard: list[Changes] = []
    first = host.service.subscribe(heard.append)
    host.service.subscribe(heard.append)
    first()
    adapter.end()
    assert len(heard) == 1


def test_subscribing_and_unsubscribing_while_a_record_is_delivered() -> None:
    publisher, heard = Publisher(), list[str]()

    def first(_changes: Changes) -> None:
        heard.append("first")
        drop_first()
        drop_second()
        publisher.subscribe(lambda _: heard.append("third"))

    drop_first = publisher.subscribe(first)
    drop_second = publisher.subscribe(lambda _: heard.append("second"))
    publisher.publish(Changes(api=True))
    assert heard == ["first"]
    publisher.publish(Changes(api=True))
    assert heard == ["first", "third"]


def test_a_listener_that_acts_causes_the_next_record_after_this_one(host: Host) -> None:
    adapter = host.registered()
    order: list[Changes] = []

    def press_allow(changes: Changes) -> None:
        view = host.service.adapter("dev.example")
        if view is not None and changes.adapters:
            host.service.allow("dev.example", view.fingerprint)

    host.service.subscribe(press_allow)
    host.service.subscribe(order.append)
    host.take_published()
    adapter.update()
    assert (
        order
        == host.take_published()
        == [
            Changes(adapters=frozenset({"dev.example"})),
            Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"})),
        ]
    )


def test_a_broken_listener_keeps_no_other_from_being_told(host: Host, adapter: AdapterClient) -> None:
    def broken(_changes: Changes) -> None:
        raise ZeroDivisionError

    heard: list[Changes] = []
    drop = host.service.subscribe(broken)
    host.service.subscribe(heard.append)
    with pytest.raises(ZeroDivisionError):
        adapter.end()
    assert len(heard) == 1
    drop()
    adapter.update()
    assert len(heard) == 2
