"""All sessions in a few words, and the tray's look."""

import pytest

from orbtile.host.views import Consent
from orbtile.ui.models import Counts, Group
from orbtile.ui.summary import (
    Agents,
    Headline,
    Look,
    agents_of,
    folded_text,
    headline,
    look_of,
    needs_user,
    tray_tooltip,
)
from tests.fakes.views import make_adapter


def counts(**groups: int) -> Counts:
    """``waiting=2, folded_working=1``"""
    listed, folded = [0] * len(Group), [0] * len(Group)
    for name, count in groups.items():
        target = folded if name.startswith("folded_") else listed
        target[Group[name.removeprefix("folded_").upper()]] = count
    return Counts(tuple(listed), tuple(folded))


@pytest.mark.parametrize(
    ("groups", "look"),
    [
        ({}, Look.QUIET),
        ({"idle": 2, "offline": 1}, Look.QUIET),
        ({"done": 1, "idle": 1}, Look.DONE),
        ({"folded_done": 1}, Look.QUIET),
        ({"working": 1, "done": 3}, Look.WORKING),
        ({"folded_working": 1, "done": 3}, Look.WORKING),
        ({"error": 1, "working": 3}, Look.ERROR),
        ({"waiting": 1, "error": 1, "working": 3}, Look.WAITING),
    ],
)
def test_the_strongest_group_gives_the_tray_its_look(groups: dict[str, int], look: Look) -> None:
    assert look_of(counts(**groups), Agents(), api_enabled=True) is look
    assert look_of(counts(**groups), Agents(), api_enabled=False) is Look.OFF


@pytest.mark.parametrize(
    ("groups", "asking", "needed"), [({}, 1, 1), ({"error": 1, "working": 3}, 2, 2), ({"waiting": 2}, 1, 3)]
)
def test_an_adapter_that_asks_needs_the_user_as_a_session_that_waits_does(
    groups: dict[str, int], asking: int, needed: int
) -> None:
    agents = Agents(asking=asking)
    assert look_of(counts(**groups), agents, api_enabled=True) is Look.WAITING
    assert needs_user(counts(**groups), agents) == needed
    assert look_of(counts(**groups), agents, api_enabled=False) is Look.OFF


@pytest.mark.parametrize(
    ("groups", "agents", "title", "detail"),
    [
        (
            {"waiting": 2, "error": 1, "working": 3, "done": 1, "idle": 1, "offline": 1},
            Agents(),
            "2 waiting for you",
            "1 error, 3 working, 1 done",
        ),
        ({"waiting": 1}, Agents(), "1 waiting for you", "Nothing else running"),
        ({"waiting": 1}, Agents(asking=1), "1 waiting for you", "1 agent asks to connect"),
        ({}, Agents(asking=1), "1 agent asks to connect", "No sessions"),
        ({"working": 2}, Agents(asking=2), "2 agents ask to connect", "2 working"),
        ({"error": 2, "working": 1}, Agents(), "2 errors", "1 working"),
        ({"error": 1}, Agents(), "1 error", "Nothing needs you"),
        ({"working": 3, "done": 1}, Agents(), "3 working", "1 done"),
        ({"done": 2, "idle": 1}, Agents(), "All done", "2 done, 1 idle"),
        ({"idle": 1, "offline": 2}, Agents(), "All quiet", "1 idle, 2 offline"),
        ({"folded_working": 1, "folded_idle": 2}, Agents(), "All quiet", "3 in the background, 1 working"),
        ({}, Agents(connected=4, known=4), "All quiet", "4 agents connected, no sessions"),
        ({}, Agents(connected=1, known=4), "All quiet", "1 agent connected, no sessions"),
        ({}, Agents(known=1), "All quiet", "No agent is connected"),
        ({}, Agents(known=1, denied=1), "All quiet", "No agent is connected"),
        ({}, Agents(denied=1), "1 agent denied", "No agent is allowed to show here"),
        ({}, Agents(denied=2), "2 agents denied", "No agent is allowed to show here"),
        ({}, Agents(asking=1, denied=1), "1 agent asks to connect", "No sessions"),
        ({}, Agents(), "No agents yet", "Ready for the first one"),
    ],
)
def test_the_header_says_what_needs_the_user_then_the_rest(
    groups: dict[str, int], agents: Agents, title: str, detail: str
) -> None:
    assert headline(counts(**groups), agents, api_enabled=True) == Headline(title, detail)


def test_the_header_says_that_the_api_is_off() -> None:
    assert headline(counts(), Agents(asking=1), api_enabled=False).title == "Adapter API is off"


@pytest.mark.parametrize(
    ("groups", "agents", "words"),
    [
        ({"waiting": 2, "working": 3, "idle": 9}, Agents(), "2 waiting, 3 working"),
        ({"waiting": 1, "error": 1}, Agents(asking=1), "1 waiting, 1 agent asks to connect, 1 error"),
        ({"done": 2}, Agents(), "2 done"),
        ({"folded_working": 1}, Agents(), "1 working in the background"),
        ({"idle": 2}, Agents(), "Nothing running"),
    ],
)
def test_the_tooltip_says_in_words_what_the_icon_shows(
    groups: dict[str, int], agents: Agents, words: str
) -> None:
    assert tray_tooltip(counts(**groups), agents, api_enabled=True) == words


def test_the_tooltip_says_that_the_api_is_off() -> None:
    assert tray_tooltip(counts(waiting=1), Agents(), api_enabled=False) == "Adapter API is off"


def test_the_fold_says_how_many_it_holds() -> None:
    assert folded_text(counts(folded_idle=3)) == "3 in the background"
    assert folded_text(counts(folded_idle=2, folded_working=1)) == "3 in the background, 1 working"


def test_only_a_connected_adapter_asks() -> None:
    from dataclasses import replace

    asking = make_adapter("Bot", Consent.AWAITING)
    gone = replace(make_adapter("Old", Consent.AWAITING), connected=False)
    known = replace(make_adapter("Known"), connected=False)
    denied = make_adapter("Denied", Consent.DENIED)
    assert agents_of([asking, gone, known, denied, make_adapter()]) == Agents(
        asking=1, connected=1, known=2, denied=1
    )
