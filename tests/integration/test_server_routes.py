"""Every route of the protocol over every kind of listener."""

import hashlib
import hmac

import pytest

from tests.fakes.bodies import REGISTRATION, UPDATE
from tests.fakes.served import ADAPTER, HOOK_TOKEN, Served, build_head

pytestmark = pytest.mark.socket

PLAIN = {"name": "Example Agent", "palette": {"baseHue": 270}, "urlSchemes": ["https"]}
SESSION = {"title": "fix flaky test", "activity": "thinking"}


def allow(served: Served) -> None:
    assert served.on_loop(served.host.adapter().allow)


def test_info_describes_the_server_and_proves_that_it_knows_the_token(served: Served) -> None:
    nonce = "0123456789abcdef"
    reply = served.ask("GET", "/info", b"", f"X-Orbtile-Nonce: {nonce}")
    assert reply.status == 200
    assert reply.json["apiMinor"] == 2
    assert reply.json["proof"] == hmac.new(served.token.encode(), nonce.encode(), hashlib.sha256).hexdigest()


def test_a_first_registration_is_201_and_the_next_200(served: Served) -> None:
    first = served.ask("PUT", ADAPTER, PLAIN)
    assert first.status == 201
    assert first.json["enabled"] is False
    assert first.json["reason"] == "awaiting_user"
    allow(served)
    second = served.ask("PUT", ADAPTER, PLAIN)
    assert second.status == 200
    assert second.json["enabled"] is True


def test_unknown_fields_come_back_as_warnings(served: Served) -> None:
    registered = served.ask("PUT", ADAPTER, {**PLAIN, "flavour": 1})
    assert isinstance(warnings := registered.json["warnings"], list)
    assert "unknown field 'flavour' ignored" in warnings  # beside what there is to say about the colours
    update = served.ask("POST", f"{ADAPTER}/sessions/run-7", {**SESSION, "flavour": 1})
    assert update.json["warnings"] == ["unknown field 'flavour' ignored"]
    batch = served.ask("PUT", f"{ADAPTER}/sessions", {"sessions": [], "flavour": 1})
    assert batch.json == {"sessions": [], "warnings": ["unknown field 'flavour' ignored"]}


def test_a_session_is_visible_once_the_user_allows_the_adapter(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    path = f"{ADAPTER}/sessions/run-7"
    uid = "dev.example/local/run-7"
    assert served.ask("POST", path, SESSION).json == {"session": {"uid": uid, "visible": False}}
    allow(served)
    assert served.ask("POST", path, {"activity": "tool"}).json == {"session": {"uid": uid, "visible": True}}
    view = served.on_loop(lambda: served.host.service.session(uid))
    assert view is not None
    assert (view.title, view.state) == ("fix flaky test", "tool")


def test_a_session_ends_at_its_host(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    allow(served)
    for host in ("local", "vm-1"):
        served.ask("POST", f"{ADAPTER}/sessions/run-7", {**SESSION, "host": host})
    reply = served.ask("DELETE", f"{ADAPTER}/sessions/run-7?host=vm-1")
    assert (reply.status, reply.body) == (204, b"")
    assert "content-length" not in reply.headers
    sessions = served.on_loop(served.host.service.sessions)
    assert [session.host for session in sessions] == ["local"]
    assert served.ask("DELETE", f"{ADAPTER}/sessions/run-7").status == 204
    assert served.on_loop(served.host.service.sessions) == []


def test_a_batch_replaces_every_session(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    allow(served)
    served.ask("POST", f"{ADAPTER}/sessions/old", SESSION)
    reply = served.ask("PUT", f"{ADAPTER}/sessions", {"sessions": [{"id": "new", **SESSION}]})
    assert reply.status == 200
    assert reply.json == {"sessions": [{"uid": "dev.example/local/new", "visible": True}]}
    assert [view.session_id for view in served.on_loop(served.host.service.sessions)] == ["new"]


def test_a_heartbeat_needs_no_length_and_ignores_a_body(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    assert served.exchange(served.head("POST", f"{ADAPTER}/heartbeat")).status == 204
    assert served.ask("POST", f"{ADAPTER}/heartbeat", b"not json").status == 204
    assert served.ask("DELETE", f"{ADAPTER}/sessions/none", b"not json").status == 204


def test_unregistering_ends_the_registration(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    assert served.ask("DELETE", ADAPTER).status == 204
    assert served.ask("DELETE", ADAPTER).refusal == (404, "adapter_not_registered", None)
    assert served.ask("POST", f"{ADAPTER}/heartbeat").refusal == (404, "adapter_not_registered", None)


def test_events_are_not_supported_by_an_adapter_without_capabilities(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    poll = {"after": 0, "ack": 0, "waitSeconds": 0}
    assert served.ask("POST", f"{ADAPTER}/events", poll).refusal == (409, "events_not_supported", None)


def test_an_interactive_adapter_needs_its_owner_token(served: Served) -> None:
    registered = served.ask("PUT", ADAPTER, REGISTRATION)
    assert registered.status == 201
    owner = f"X-Orbtile-Adapter-Token: {registered.json['adapterToken']}"
    assert served.ask("POST", f"{ADAPTER}/heartbeat").refusal == (403, "adapter_token_required", None)
    assert served.ask("POST", f"{ADAPTER}/heartbeat", b"", owner).status == 204
    assert served.ask("POST", f"{ADAPTER}/sessions/run-7", UPDATE, owner).status == 200


def test_text_beyond_ascii_travels_both_ways(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    allow(served)
    body = '{"title":"möbel 家具 🪑","activity":"idle"}'.encode()
    assert served.ask("POST", f"{ADAPTER}/sessions/run-7", body).status == 200
    assert served.on_loop(served.host.service.sessions)[0].title == "möbel 家具 🪑"


def test_http_1_0_is_answered(served: Served) -> None:
    assert served.exchange(served.head("GET", "/info").replace(b"HTTP/1.1", b"HTTP/1.0")).status == 200


def test_head_gets_no_body(served: Served) -> None:
    with served.connect() as sock:
        sock.sendall(served.head("HEAD", "/info"))
        received = b""
        while chunk := sock.recv(65_536):
            received += chunk
    assert received.startswith(b"HTTP/1.1 405 ")
    assert received.endswith(b"\r\n\r\n")


def test_a_wrong_method_names_the_right_ones(served: Served) -> None:
    reply = served.ask("PATCH", f"{ADAPTER}/sessions/run-7")
    assert reply.refusal == (405, "bad_request", None)
    assert set(reply.headers["allow"].split(", ")) == {"POST", "DELETE"}


def test_a_flood_is_told_when_to_come_back(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    replies = [served.ask("POST", f"{ADAPTER}/heartbeat") for _ in range(61)]
    limited = [reply for reply in replies if reply.status == 429]
    assert len(replies) - len(limited) in {59, 60}
    assert limited[0].headers["retry-after"] == "1"


def test_with_the_api_off_everything_is_refused_by_code(served: Served) -> None:
    token = served.token
    served.on_loop(lambda: served.host.service.set_api_enabled(False))
    assert served.ask("GET", "/info", token=token).refusal == (503, "api_disabled", None)


def test_a_regenerated_token_gives_401_and_then_404(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    old = served.token
    served.on_loop(served.host.service.regenerate_token)
    assert served.ask("POST", f"{ADAPTER}/heartbeat", token=old).refusal == (401, "unauthorized", None)
    assert served.ask("POST", f"{ADAPTER}/heartbeat").refusal == (404, "adapter_not_registered", None)


def test_what_changes_while_a_body_is_on_its_way_is_checked_again(served: Served) -> None:
    served.ask("PUT", ADAPTER, PLAIN)
    body = b'{"title":"t","activity":"idle"}'
    with served.connect() as sock:
        sock.sendall(served.head("POST", f"{ADAPTER}/sessions/run-7", length=len(body)))
        wait_for_open(served, 1)
        served.on_loop(served.host.service.regenerate_token)
        sock.sendall(body)
        assert sock.recv(65_536).startswith(b"HTTP/1.1 401 ")


def wait_for_open(served: Served, count: int) -> None:
    """Until so many connections were accepted."""
    for _ in range(2_000):
        if served.on_loop(lambda: served.listener.open_connections) == count:
            return
    pytest.fail("the connections were not accepted")


# --- control ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("surface", ["popover", "settings"])
def test_the_hook_token_opens_a_surface(served: Served, surface: str) -> None:
    assert served.open(surface).status == 204
    assert served.opened == [surface]


def test_control_works_with_the_api_off(served: Served) -> None:
    served.on_loop(lambda: served.host.service.set_api_enabled(False))
    assert served.open("popover").status == 204


@pytest.mark.parametrize(
    ("head", "refusal"),
    [
        (build_head("POST", "/control/open/popover", token="wrong"), (401, "unauthorized")),
        (build_head("POST", "/control/open/keypad", token=HOOK_TOKEN), (404, "not_found")),
        (build_head("POST", "/control/open/", token=HOOK_TOKEN), (404, "not_found")),
        (build_head("POST", "/control/open/popover/", token=HOOK_TOKEN), (404, "not_found")),
        (build_head("POST", "/control/else", token=HOOK_TOKEN), (404, "not_found")),
        (build_head("GET", "/control/open/popover", token=HOOK_TOKEN), (405, "bad_request")),
        (
            build_head("POST", "/control/open/popover", "Origin: http://localhost", token=HOOK_TOKEN),
            (403, "forbidden_origin"),
        ),
        (build_head("POST", "/control/open/popover", "Host: other", token=HOOK_TOKEN), (400, "bad_request")),
        (
            build_head("POST", "/control/open/popover", "Transfer-Encoding: chunked", token=HOOK_TOKEN),
            (411, "length_required"),
        ),
        (
            build_head("POST", "/control/open/popover", length=65_537, token=HOOK_TOKEN),
            (413, "payload_too_large"),
        ),
        (
            build_head("POST", "/control/open/popover", "Content-Length: " + "9" * 5_000, token=HOOK_TOKEN),
            (413, "payload_too_large"),
        ),
        (
            build_head("POST", "/control/open/popover", "Content-Length: x", token=HOOK_TOKEN),
            (400, "bad_request"),
        ),
        (
            build_head("POST", "/control/open/popover", "Content-Length: 0", length=0, token=HOOK_TOKEN),
            (400, "bad_request"),
        ),
    ],
)
def test_control_refuses_by_the_same_order(served: Served, head: bytes, refusal: tuple[int, str]) -> None:
    assert served.exchange(head).refusal == (*refusal, None)
    assert served.opened == []


def test_the_adapters_token_opens_nothing(served: Served) -> None:
    assert served.open("popover", token=served.token).refusal == (401, "unauthorized", None)
    assert served.opened == []


def test_the_hook_token_speaks_for_no_adapter(served: Served) -> None:
    assert served.ask("GET", "/info", token=HOOK_TOKEN).refusal == (401, "unauthorized", None)
