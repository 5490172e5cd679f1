"""The application, with its decoder, answers the corpus of icons as it is written down, and judges files as
the SDK's strict host does as far as that looks. The SDK's tests hold that host to the same corpus.
"""

import asyncio
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orbtile.host.icons import IconImages, resolve_icon
from orbtile.imaging import PillowCodec
from orbtile.protocol.errors import ApiError
from orbtile.protocol.gate import RequestHead
from orbtile.protocol.png_chunks import walk_png
from orbtile.protocol.png_data import check_image_data, inflate_profile
from orbtile.protocol.registration import Icon
from orbtile.server.dispatch import Dispatch
from orbtile.server.handler import BodyWanted, Later
from orbtile_adapter.host import png_file
from tests.fakes.bundles import FakeBundles
from tests.fakes.corpus import Answer, Headers, wrong_icons
from tests.fakes.hostile_png import HOSTILE, INDEXED, ODD, PLAIN, Hostile, Stage
from tests.fakes.hosts import Host
from tests.fakes.png_changes import changed_chunks
from tests.fakes.png_files import Picture


class Application:
    """The service behind its dispatch, without a socket, and the decoder without a thread."""

    def __init__(self) -> None:
        self.host = Host()
        self.codec = PillowCodec()
        self.dispatch = Dispatch(self.host.service, render_icon=self.render)

    @property
    def token(self) -> str:
        return self.host.service.api_token

    async def render(self, icon: Icon) -> IconImages | None:
        return resolve_icon(icon, self.codec, FakeBundles())

    def ask(self, method: str, target: str, headers: Headers, body: bytes) -> Answer:
        outcome = self.dispatch.begin(RequestHead(method, target, tuple(headers)))
        response = outcome.finish(body[: outcome.length]) if isinstance(outcome, BodyWanted) else outcome
        if isinstance(response, Later):
            response = asyncio.run(response.work())
        return Answer(response.status, {}, json.loads(response.body) if response.body else None)

    def do(self, action: str, values: dict[str, Any]) -> None:
        assert action == "advance"
        self.host.advance(values["seconds"])


def test_the_application_answers_every_icon_as_the_corpus_says() -> None:
    assert list(wrong_icons(Application())) == []


def application_refuses(png: bytes) -> bool:
    """As far as the strict host looks."""
    try:
        parts = walk_png(png, "icon.png")
        check_image_data(parts, "icon.png")
        inflate_profile(parts, "icon.png")
    except ApiError:
        return True
    return False


def strict_host_refuses(png: bytes) -> bool:
    try:
        png_file.check(png)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.name)
def test_the_strict_host_refuses_what_takes_no_decoder(case: Hostile) -> None:
    assert strict_host_refuses(case.png) == (case.stage is not Stage.DECODER)


@pytest.mark.parametrize("png", [png for _, png in ODD], ids=[name for name, _ in ODD])
def test_the_strict_host_lets_pass_what_is_odd_and_legal(png: bytes) -> None:
    assert not strict_host_refuses(png)


@given(st.sampled_from([PLAIN, INDEXED]), st.randoms(use_true_random=False))
def test_both_hosts_judge_a_changed_file_alike(picture: Picture, chance: random.Random) -> None:
    png = changed_chunks(picture, chance)
    assert application_refuses(png) == strict_host_refuses(png)
