"""The strict host answers the application's corpus of requests as it is written down. The application's own
tests hold the real server to the same, but for what it does not have yet.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from orbtile_adapter.host.clock import ManualClock
from orbtile_adapter.host.engine import StrictHost
from orbtile_adapter.host.gate import Head
from orbtile_adapter.host.http import headers_of
from orbtile_adapter.host.refusals import Refusal

READER = Path(__file__).parents[3] / "tests" / "fakes" / "corpus.py"


def _load_reader() -> Any:
    spec = importlib.util.spec_from_file_location("corpus", READER)
    if spec is None or spec.loader is None:
        raise ImportError(str(READER))
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["corpus"] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


if not READER.exists():
    pytest.skip("the corpus belongs to the repository, not to the SDK's archive", allow_module_level=True)
corpus = _load_reader()


class Strict:
    """A driver for the engine, without a socket."""

    def __init__(self) -> None:
        self.tokens = 0
        self.clock = ManualClock()
        self.host = StrictHost(
            self.clock, new_token=self.new_token, lives=lambda pid: bool(pid == corpus.LIVE_PID)
        )

    def new_token(self) -> str:
        self.tokens += 1
        return f"token-{self.tokens}".ljust(43, "x")

    @property
    def token(self) -> str:
        return self.host.token

    def ask(self, method: str, target: str, headers: list[tuple[str, str]], body: bytes) -> Any:
        try:
            ask, generation = self.host.begin(Head(method, target, tuple(headers)))
            status, reply = self.host.finish(ask, generation, body[: ask.length])
        except Refusal as refusal:
            told = {name.lower(): value for name, value in headers_of(refusal).items()}
            return corpus.Answer(refusal.status, told, refusal.body)
        return corpus.Answer(status, {}, reply)

    def do(self, action: str, values: dict[str, Any]) -> None:
        if action == "advance":
            self.clock.advance(values["seconds"])
        elif action in {"allow", "deny"}:
            getattr(self.host, action)(values["adapter"])
        elif action == "tap":
            self.host.tap(values["adapter"], values["session"], values["host"])
        elif action == "decide":
            self.host.decide(values["adapter"], values["session"], values["decision"], values["host"])
        elif action == "answer":
            self.host.answer(values["adapter"], values["session"], values["picks"], values["host"])
        else:
            {
                "regenerate_token": self.host.regenerate_token,
                "switch_on": self.host.switch_on,
                "switch_off": self.host.switch_off,
            }[action]()


def test_every_malformed_body_is_refused_as_the_corpus_says() -> None:
    assert list(corpus.wrong_bodies(Strict())) == []


def test_every_icon_is_judged_as_the_corpus_says() -> None:
    assert list(corpus.wrong_icons(Strict())) == []


def test_every_malformed_head_is_refused_as_the_corpus_says() -> None:
    assert list(corpus.wrong_heads(Strict())) == []


@pytest.mark.parametrize("conversation", corpus.conversations(), ids=lambda each: str(each["name"]))
def test_the_strict_host_answers_as_the_corpus_says(conversation: dict[str, Any]) -> None:
    assert list(corpus.wrong_steps(conversation, Strict())) == []
