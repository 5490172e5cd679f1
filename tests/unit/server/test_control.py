import json

import pytest

from orbtile.protocol.gate import RequestHead
from orbtile.server.control import ControlRoutes
from orbtile.server.handler import BodyWanted
from orbtile.server.response import NO_CONTENT, Response

TOKEN = "hook-token"
GOOD = (("host", "localhost"), ("authorization", f"Bearer {TOKEN}"))


class Panel:
    def __init__(self) -> None:
        self.opened: list[str] = []
        self.presented: list[str] = []
        self.routes = ControlRoutes(self._matches, self.opened.append, surfaces={"popover", "settings"})

    def _matches(self, presented: str) -> bool:
        self.presented.append(presented)
        return presented == TOKEN

    def ask(
        self,
        target: str = "/control/open/popover",
        method: str = "POST",
        headers: tuple[tuple[str, str], ...] = GOOD,
    ) -> Response | BodyWanted:
        return self.routes.begin(RequestHead(method, target, headers))

    def refusal(
        self,
        target: str = "/control/open/popover",
        method: str = "POST",
        headers: tuple[tuple[str, str], ...] = GOOD,
    ) -> tuple[int, str]:
        response = self.ask(target, method, headers)
        assert isinstance(response, Response)
        return response.status, json.loads(response.body)["error"]["code"]


@pytest.fixture
def panel() -> Panel:
    return Panel()


@pytest.mark.parametrize("surface", ["popover", "settings"])
def test_a_surface_opens_once_the_request_is_complete(panel: Panel, surface: str) -> None:
    wanted = panel.ask(f"/control/open/{surface}", headers=(*GOOD, ("content-length", "2")))
    assert isinstance(wanted, BodyWanted)
    assert wanted.length == 2
    assert panel.opened == []
    assert wanted.finish(b"{}") == NO_CONTENT
    assert panel.opened == [surface]


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (("authorization", TOKEN),),
        (("authorization", "Bearer"),),
        (("authorization", f"Basic {TOKEN}"),),
        (("authorization", f"Bearer {TOKEN}x"),),
        (("authorization", f"Bearer {TOKEN}"), ("authorization", f"Bearer {TOKEN}")),
    ],
)
def test_without_the_one_token_nothing_opens(panel: Panel, headers: tuple[tuple[str, str], ...]) -> None:
    assert panel.refusal(headers=(("host", "localhost"), *headers)) == (401, "unauthorized")


def test_the_token_comes_before_what_the_path_or_method_says(panel: Panel) -> None:
    anonymous = (("host", "localhost"),)
    assert panel.refusal("/control/nothing", "GET", anonymous) == (401, "unauthorized")


@pytest.mark.parametrize(
    "hosts", [(), ("other",), ("localhost", "localhost"), ("localhost:80",), ("LOCALHOST",)]
)
def test_any_other_host_is_refused_before_the_token_is_looked_at(
    panel: Panel, hosts: tuple[str, ...]
) -> None:
    headers = (*(("host", host) for host in hosts), *GOOD[1:])
    assert panel.refusal(headers=headers) == (400, "bad_request")
    assert panel.presented == []


def test_a_web_page_is_refused_before_the_token_is_looked_at(panel: Panel) -> None:
    assert panel.refusal(headers=(*GOOD, ("origin", "null"))) == (403, "forbidden_origin")
    assert panel.presented == []


@pytest.mark.parametrize(
    ("target", "method", "refusal"),
    [
        ("/control/open/keypad", "POST", (404, "not_found")),
        ("/control/open/popover?x", "POST", (404, "not_found")),
        ("/control/open/", "POST", (404, "not_found")),
        ("/control/close/popover", "POST", (404, "not_found")),
        ("/control/open/popover", "GET", (405, "bad_request")),
        ("/control/open/popover", "PUT", (405, "bad_request")),
    ],
)
def test_paths_and_methods_are_exact(
    panel: Panel, target: str, method: str, refusal: tuple[int, str]
) -> None:
    assert panel.refusal(target, method) == refusal


@pytest.mark.parametrize(
    ("headers", "refusal"),
    [
        ((("transfer-encoding", "chunked"),), (411, "length_required")),
        ((("transfer-encoding", "chunked"), ("content-length", "1")), (411, "length_required")),
        ((("content-length", "65537"),), (413, "payload_too_large")),
        ((("content-length", "9" * 5_000),), (413, "payload_too_large")),
        ((("content-length", "-1"),), (400, "bad_request")),
        ((("content-length", ""),), (400, "bad_request")),
        ((("content-length", "0"), ("content-length", "0")), (400, "bad_request")),
    ],
)
def test_a_body_is_bounded(
    panel: Panel, headers: tuple[tuple[str, str], ...], refusal: tuple[int, str]
) -> None:
    assert panel.refusal(headers=(*GOOD, *headers)) == refusal


@pytest.mark.parametrize("digits", ["2", "02", "0" * 30 + "2"])
def test_a_length_with_zeros_in_front_is_that_length(panel: Panel, digits: str) -> None:
    wanted = panel.ask(headers=(*GOOD, ("content-length", digits)))
    assert isinstance(wanted, BodyWanted)
    assert wanted.length == 2


def test_only_what_whoever_opens_them_knows_is_a_surface() -> None:
    routes = ControlRoutes(lambda _token: True, lambda _surface: None, surfaces={"keypad"})
    assert isinstance(routes.begin(RequestHead("POST", "/control/open/keypad", GOOD)), BodyWanted)
    assert isinstance(routes.begin(RequestHead("POST", "/control/open/popover", GOOD)), Response)
