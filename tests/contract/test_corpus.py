"""The real host answers the corpus of requests as it is written down. The SDK's tests hold its strict host
to the same.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from orbtile.protocol.gate import RequestHead
from orbtile.server.dispatch import Dispatch
from orbtile.server.handler import BodyWanted
from orbtile.server.response import Response
from tests.fakes.corpus import (
    ADAPTER_ID,
    FIRST_TOKEN,
    FOLDER,
    LIVE_PID,
    Answer,
    Headers,
    Wrong,
    conversations,
    load,
    wrong_bodies,
    wrong_heads,
    wrong_steps,
)
from tests.fakes.hosts import Host
from tests.tools.write_corpus import tables

CAPABILITIES: frozenset[str] = frozenset()
"""What conversations may need and the application has. Two-way events are ``events``."""


class Application:
    """The service behind its dispatch, without a socket."""

    def __init__(self) -> None:
        self.host = Host()
        self.dispatch = Dispatch(self.host.service)

    @property
    def token(self) -> str:
        return self.host.service.api_token

    def ask(self, method: str, target: str, headers: Headers, body: bytes) -> Answer:
        outcome = self.dispatch.begin(RequestHead(method, target, tuple(headers)))
        response = outcome.finish(body[: outcome.length]) if isinstance(outcome, BodyWanted) else outcome
        assert isinstance(response, Response), "without a renderer of icons every answer is there at once"
        told = {"retry-after": str(response.retry_after_s)} if response.retry_after_s is not None else {}
        if response.allow:
            told["allow"] = ", ".join(response.allow)
        return Answer(response.status, told, json.loads(response.body) if response.body else None)

    def do(self, action: str, values: dict[str, Any]) -> None:
        service = self.host.service
        if action == "advance":
            self.host.advance(values["seconds"])
        elif action in {"allow", "deny"}:
            adapter = self.host.adapter(values["adapter"])
            assert adapter.allow() if action == "allow" else adapter.deny()
        elif action == "regenerate_token":
            service.regenerate_token()
        else:
            service.set_api_enabled({"switch_on": True, "switch_off": False}[action])


def test_a_new_host_has_what_the_corpus_takes_for_granted() -> None:
    application = Application()
    assert application.token == FIRST_TOKEN
    assert application.host.processes.is_own_live(LIVE_PID)
    assert application.host.adapter().adapter_id == ADAPTER_ID


def test_the_host_refuses_every_malformed_body_as_the_corpus_says() -> None:
    assert list(wrong_bodies(Application())) == []


def test_the_host_refuses_every_malformed_head_as_the_corpus_says() -> None:
    assert list(wrong_heads(Application())) == []


PLAYED = [each for each in conversations() if CAPABILITIES.issuperset(each.get("needs", ()))]


@pytest.mark.parametrize("conversation", PLAYED, ids=lambda each: each["name"])
def test_the_host_answers_as_the_corpus_says(conversation: dict[str, Any]) -> None:
    assert list(wrong_steps(conversation, Application())) == []


@pytest.mark.parametrize("name", tables())
def test_the_corpus_holds_the_tables_as_they_are(name: str) -> None:
    """``python -m tests.tools.write_corpus`` writes it."""
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == tables()[name]


def test_the_corpus_is_large_and_every_conversation_has_a_name_of_its_own() -> None:
    assert (
        len(load("bodies")["cases"]) + 4 * len(load("not-json")["cases"]) + len(load("heads")["cases"])
        > 1_400
    )
    names = [each["name"] for each in conversations()]
    assert len(set(names)) == len(names) > 90


def test_a_host_that_answers_otherwise_is_found_out() -> None:
    class Wayward(Application):
        def ask(self, method: str, target: str, headers: Headers, body: bytes) -> Answer:
            answer = super().ask(method, target, headers, body)
            return answer._replace(status=422) if answer.status == 404 else answer

    def differences() -> Iterator[Wrong]:
        yield from wrong_heads(Wayward())
        for conversation in PLAYED:
            yield from wrong_steps(conversation, Wayward())

    found = [wrong.case for wrong in differences()]
    assert any("the route" in case for case in found)
    assert any("nothing goes without a registration" in case for case in found)
