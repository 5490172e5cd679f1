import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from orbtile.protocol.errors import invalid_field
from orbtile.protocol.gate import RequestHead, Route
from orbtile.protocol.limits import MAX_BODY_BYTES
from orbtile.protocol.registration import Capability
from orbtile.server.control import ControlRoutes
from orbtile.server.dispatch import _ENDPOINTS, Dispatch, WithoutAdapters
from orbtile.server.handler import BodyWanted, Later
from orbtile.server.response import NO_CONTENT, PLAIN_NOT_FOUND, Response
from tests.fakes.bodies import REGISTRATION, base64_of, png
from tests.fakes.handler import ScriptedHandler
from tests.fakes.hosts import Host, make_registration
from tests.fakes.renderer import IMAGES, FakeRenderer

PATH = "/a/v1/adapters/dev.example"


def head_of(host: Host, method: str, target: str, *headers: tuple[str, str]) -> RequestHead:
    return RequestHead(
        method,
        target,
        (
            ("host", "localhost"),
            ("authorization", f"Bearer {host.service.api_token}"),
            ("content-type", "application/json"),
            *headers,
        ),
    )


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def dispatch(host: Host) -> Dispatch:
    return Dispatch(host.service)


def answer(dispatch: Dispatch, head: RequestHead, body: bytes = b"") -> Response:
    outcome = dispatch.begin(head)
    return outcome if isinstance(outcome, Response) else finish(outcome, body)


def finish(wanted: BodyWanted, body: bytes) -> Response:
    """The answer to a request that needs nothing else."""
    outcome = wanted.finish(body)
    assert isinstance(outcome, Response)
    return outcome


def test_every_route_has_its_endpoint() -> None:
    assert {*_ENDPOINTS, Route.REGISTER} == set(Route)


def test_a_refusal_of_the_gate_is_answered_without_the_body(host: Host, dispatch: Dispatch) -> None:
    outcome = dispatch.begin(head_of(host, "PUT", PATH, ("content-length", str(MAX_BODY_BYTES + 1))))
    assert isinstance(outcome, Response)
    assert outcome.status == 413


def test_a_refusal_of_the_host_is_answered_without_the_body(host: Host, dispatch: Dispatch) -> None:
    outcome = dispatch.begin(head_of(host, "POST", f"{PATH}/sessions/run-7", ("content-length", "9")))
    assert isinstance(outcome, Response)
    assert outcome.status == 404


def test_an_admitted_head_names_the_body_it_wants(host: Host, dispatch: Dispatch) -> None:
    outcome = dispatch.begin(head_of(host, "PUT", PATH, ("content-length", "44")))
    assert isinstance(outcome, BodyWanted)
    assert outcome.length == 44
    assert finish(outcome, b'{"name":"Example","palette":{"baseHue":270}}').status == 201


def test_a_refusal_at_the_gate_is_a_sign_of_life(host: Host, dispatch: Dispatch) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(14.0)
    assert answer(dispatch, head_of(host, "PATCH", PATH)).status == 405
    host.advance(14.0)
    assert adapter.state() == "thinking"
    host.advance(1.5)
    assert adapter.state() == "offline"


def test_a_refusal_before_the_token_is_no_sign_of_life(host: Host, dispatch: Dispatch) -> None:
    adapter = host.allowed()
    adapter.update()
    host.advance(14.0)
    head = head_of(host, "POST", f"{PATH}/heartbeat")
    stranger = head._replace(headers=(("host", "localhost"), ("authorization", "Bearer wrong")))
    assert answer(dispatch, stranger).status == 401
    host.advance(1.5)
    assert adapter.state() == "offline"


def test_an_adapter_unregistered_while_its_body_came_is_told(host: Host, dispatch: Dispatch) -> None:
    adapter = host.registered()
    outcome = dispatch.begin(head_of(host, "POST", f"{PATH}/heartbeat"))
    assert isinstance(outcome, BodyWanted)
    adapter.unregister()
    assert finish(outcome, b"").status == 404


def test_a_body_is_read_under_the_registration_that_is_in_force_when_it_is_there(
    host: Host, dispatch: Dispatch
) -> None:
    adapter = host.registered(registration=make_registration())
    body = b'{"title":"fix flaky test","activity":"tool","openURL":"example://run/7"}'
    head = head_of(host, "POST", f"{PATH}/sessions/run-7", ("content-length", str(len(body))))
    slow = dispatch.begin(head)
    assert isinstance(slow, BodyWanted)
    adapter.register(replace(make_registration(), url_schemes=("https",)))
    refused = finish(slow, body)
    assert (refused.status, json.loads(refused.body)["error"]["field"]) == (422, "openURL")


def test_that_an_adapter_is_gone_comes_before_what_is_wrong_with_its_body(
    host: Host, dispatch: Dispatch
) -> None:
    adapter = host.registered()
    slow = [
        dispatch.begin(head_of(host, method, f"{PATH}{tail}", ("content-length", "8")))
        for method, tail in (("POST", "/sessions/run-7"), ("PUT", "/sessions"))
    ]
    adapter.unregister()
    for outcome in slow:
        assert isinstance(outcome, BodyWanted)
        assert finish(outcome, b"not JSON").status == 404


def test_the_parsers_warnings_are_in_the_reply(host: Host, dispatch: Dispatch) -> None:
    host.registered()
    session = b'{"title":"fix flaky test","activity":"tool","shoe":42}'
    batch = b'{"sessions":[],"hat":7}'
    for method, tail, body, named in (
        ("POST", "/sessions/run-7", session, "shoe"),
        ("PUT", "/sessions", batch, "hat"),
    ):
        head = head_of(host, method, f"{PATH}{tail}", ("content-length", str(len(body))))
        reply = json.loads(answer(dispatch, head, body).body)
        assert reply["warnings"] == [f"unknown field '{named}' ignored"]


def test_only_control_requests_need_no_slot(host: Host, dispatch: Dispatch) -> None:
    assert dispatch.needs_slot(head_of(host, "GET", "/a/v1/info"))
    assert dispatch.needs_slot(head_of(host, "GET", "/elsewhere"))
    assert not dispatch.needs_slot(head_of(host, "POST", "/control/open/popover"))


def test_without_control_routes_their_paths_are_unknown(host: Host, dispatch: Dispatch) -> None:
    assert answer(dispatch, head_of(host, "POST", "/control/open/popover")).status == 404


def test_control_routes_are_asked_first(host: Host) -> None:
    opened: list[str] = []
    dispatch = Dispatch(
        host.service, ControlRoutes(lambda token: token == "hook", opened.append, surfaces={"settings"})
    )
    head = RequestHead(
        "POST", "/control/open/settings", (("host", "localhost"), ("authorization", "Bearer hook"))
    )
    assert answer(dispatch, head) == NO_CONTENT
    assert opened == ["settings"]


def test_where_adapters_are_not_served_only_control_is(host: Host) -> None:
    inner = ScriptedHandler(lambda _head: NO_CONTENT)
    outer = WithoutAdapters(inner)
    assert outer.begin(head_of(host, "GET", "/a/v1/info")) == PLAIN_NOT_FOUND
    assert outer.begin(head_of(host, "POST", "/control/open/popover")) == NO_CONTENT
    assert not outer.needs_slot(head_of(host, "GET", "/free"))
    assert len(inner.heads) == 1


def test_a_refusal_is_logged_by_adapter_and_code_alone(
    host: Host, dispatch: Dispatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    adapter = host.registered()
    adapter.update()
    body = b'{"title":"secret title","activity":"busy"}'
    head = head_of(host, "POST", f"{PATH}/sessions/run-7", ("content-length", str(len(body))))
    assert answer(dispatch, head, body).status == 422
    assert "dev.example: 422 invalid_field" in caplog.text
    assert "secret" not in caplog.text
    assert host.service.api_token not in caplog.text


# --- icons --------------------------------------------------------------------------------------------------

PLAIN = json.dumps({"name": "Example", "palette": {"baseHue": 270}}).encode()
WITH_ICON = json.dumps(
    {"name": "Example", "palette": {"baseHue": 270}, "icon": {"png": base64_of(png())}}
).encode()


class Artist:
    """A dispatch with a renderer of icons, and one registration on its way."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.renderer = FakeRenderer()
        self.dispatch = Dispatch(host.service, render_icon=self.renderer)

    def begin(self, body: bytes = WITH_ICON, *headers: tuple[str, str]) -> Response | Later:
        head = head_of(self.host, "PUT", PATH, ("content-length", str(len(body))), *headers)
        wanted = self.dispatch.begin(head)
        assert isinstance(wanted, BodyWanted)
        return wanted.finish(body)

    def register(self, meanwhile: Callable[[], object] = lambda: None) -> Response:
        """The answer, with ``meanwhile`` happening while the icon is drawn."""
        later = self.begin()
        assert isinstance(later, Later)

        async def scene() -> Response:
            self.renderer.is_held = True
            working = asyncio.create_task(later.work())
            await asyncio.sleep(0)
            assert self.renderer.waiting == 1
            meanwhile()
            self.renderer.release()
            return await working

        return asyncio.run(scene())


@pytest.fixture
def artist(host: Host) -> Artist:
    return Artist(host)


def error_of(response: Response) -> tuple[int, str, str | None]:
    error = json.loads(response.body)["error"]
    return response.status, error["code"], error.get("field")


def test_a_registration_without_an_icon_is_answered_at_once(artist: Artist) -> None:
    response = artist.begin(PLAIN)
    assert isinstance(response, Response)
    assert response.status == 201
    assert artist.renderer.asked == []


def test_the_service_hears_of_a_registration_when_its_icon_is_drawn(artist: Artist) -> None:
    seen: list[object] = []
    response = artist.register(lambda: seen.append(artist.host.service.adapter("dev.example")))
    assert seen == [None]
    assert response.status == 201
    adapter = artist.host.service.adapter("dev.example")
    assert adapter is not None
    assert adapter.icon == IMAGES


def test_what_is_wrong_with_a_registration_is_said_before_its_icon_is_drawn(artist: Artist) -> None:
    refused = artist.begin(WITH_ICON.replace(b"270", b"360"))
    assert isinstance(refused, Response)
    assert error_of(refused) == (422, "invalid_field", "palette.baseHue")
    assert artist.renderer.asked == []


def test_an_icon_of_which_there_is_nothing_to_draw_is_no_reason_to_refuse(artist: Artist) -> None:
    artist.renderer.images = None
    assert artist.register().status == 201
    adapter = artist.host.service.adapter("dev.example")
    assert adapter is not None
    assert adapter.icon is None


def test_a_refused_icon_is_the_answer_and_nothing_is_registered(artist: Artist) -> None:
    artist.renderer.error = invalid_field("icon.png", "is damaged")
    assert error_of(artist.register()) == (422, "invalid_field", "icon.png")
    assert artist.host.service.adapter("dev.example") is None


def test_a_failure_to_draw_is_not_the_dispatchs_to_hide(artist: Artist) -> None:
    artist.renderer.error = ValueError("a fault of ours")
    with pytest.raises(ValueError, match="a fault of ours"):
        artist.register()
    assert artist.host.service.adapter("dev.example") is None


def test_turning_the_api_off_while_the_icon_is_drawn_refuses(artist: Artist) -> None:
    answer = artist.register(lambda: artist.host.service.set_api_enabled(False))
    assert error_of(answer) == (503, "api_disabled", None)
    assert artist.host.service.adapter("dev.example") is None


def test_a_new_token_while_the_icon_is_drawn_refuses(artist: Artist) -> None:
    assert error_of(artist.register(artist.host.service.regenerate_token)) == (401, "unauthorized", None)
    assert artist.host.service.adapter("dev.example") is None


def test_somebody_who_takes_the_id_while_the_icon_is_drawn_keeps_it(artist: Artist) -> None:
    interactive = replace(make_registration(), capabilities=frozenset({Capability.TAP}))
    answer = artist.register(lambda: artist.host.registered(registration=interactive))
    assert error_of(answer) == (403, "adapter_token_required", None)


def test_the_warnings_survive_the_drawing(artist: Artist) -> None:
    later = artist.begin(json.dumps({**REGISTRATION, "shoe": 42}).encode())
    assert isinstance(later, Later)
    reply = json.loads(asyncio.run(later.work()).body)
    assert "unknown field 'shoe' ignored" in reply["warnings"]


def test_without_a_renderer_icons_are_checked_and_not_seen(host: Host, dispatch: Dispatch) -> None:
    head = head_of(host, "PUT", PATH, ("content-length", str(len(WITH_ICON))))
    assert answer(dispatch, head, WITH_ICON).status == 201
    adapter = host.service.adapter("dev.example")
    assert adapter is not None
    assert adapter.icon is None
