import pytest

from orbtile.protocol.gate import (
    BODY_ROUTES,
    UNREADABLE_LENGTH,
    Admitted,
    GateState,
    Refused,
    RequestHead,
    Route,
    admit,
    announced_length,
    bearer_token,
)
from tests.fakes.malformed_heads import ADAPTER, MalformedHead, Stage, malformed_heads, valid_headers

TOKEN = "Secret_token-of-43-characters-0123456789abc"
OPEN = GateState(api_enabled=True, token_matches=lambda presented: presented == TOKEN)
OFF = GateState(api_enabled=False, token_matches=lambda presented: presented == TOKEN)
CASES = malformed_heads(TOKEN)


def head(method: str, target: str, *extra: tuple[str, str], length: str | None = "2") -> RequestHead:
    headers = tuple(header for header in valid_headers(TOKEN) if header[0] != "content-length")
    if length is not None:
        headers = (*headers, ("content-length", length))
    return RequestHead(method=method, target=target, headers=(*headers, *extra))


def admitted(request: RequestHead) -> Admitted:
    answer = admit(request, OPEN)
    assert isinstance(answer, Admitted)
    return answer


def refused(request: RequestHead, state: GateState = OPEN) -> Refused:
    answer = admit(request, state)
    assert isinstance(answer, Refused)
    return answer


# --- Routes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "target", "route"),
    [
        ("GET", "/a/v1/info", Route.INFO),
        ("PUT", ADAPTER, Route.REGISTER),
        ("DELETE", ADAPTER, Route.UNREGISTER),
        ("POST", f"{ADAPTER}/sessions/run-7", Route.UPDATE_SESSION),
        ("DELETE", f"{ADAPTER}/sessions/run-7", Route.END_SESSION),
        ("PUT", f"{ADAPTER}/sessions", Route.REPLACE_SESSIONS),
        ("POST", f"{ADAPTER}/heartbeat", Route.HEARTBEAT),
        ("POST", f"{ADAPTER}/events", Route.POLL_EVENTS),
    ],
)
def test_every_endpoint_has_its_route(method: str, target: str, route: Route) -> None:
    request = admitted(head(method, target))
    assert request.route is route
    assert request.adapter_id == ("" if route is Route.INFO else "dev.example")
    assert request.session_id == ("run-7" if "run-7" in target else "")
    assert (request.content_length, request.host) == (2, "local")
    assert (request.owner_token, request.nonce) == (None, None)


@pytest.mark.parametrize("route", set(Route) - BODY_ROUTES)
def test_a_route_without_a_body_needs_no_length(route: Route) -> None:
    method, target = {
        Route.INFO: ("GET", "/a/v1/info"),
        Route.UNREGISTER: ("DELETE", ADAPTER),
        Route.END_SESSION: ("DELETE", f"{ADAPTER}/sessions/a"),
        Route.HEARTBEAT: ("POST", f"{ADAPTER}/heartbeat"),
    }[route]
    assert admitted(head(method, target, length=None)).content_length == 0


@pytest.mark.parametrize(
    ("length", "count"), [("0", 0), ("65536", 65_536), ("0000065536", 65_536), ("000000000000", 0)]
)
def test_a_length_up_to_64_kib_passes(length: str, count: int) -> None:
    assert admitted(head("PUT", ADAPTER, length=length)).content_length == count


@pytest.mark.parametrize(
    ("target", "session_id"),
    [
        (f"{ADAPTER}/sessions/a%3Ab", "a:b"),
        (f"{ADAPTER}/sessions/%61", "a"),
        (f"{ADAPTER}/sessions/%2E%2e", ".."),
        (f"/%61/v1/adapters/dev%2Eexample/%73essions/{'x' * 128}", "x" * 128),
        (f"http://localhost{ADAPTER}/sessions/a", "a"),
        (f"HTTP://LOCALHOST{ADAPTER}/sessions/a?x=y", "a"),
        (f"{ADAPTER}/sessions/a?host=vm&host=&&x", "a"),
    ],
)
def test_a_path_is_decoded_once_and_its_query_ignored(target: str, session_id: str) -> None:
    request = admitted(head("POST", target))
    assert (request.adapter_id, request.session_id, request.host) == ("dev.example", session_id, "local")


@pytest.mark.parametrize(
    ("query", "host"),
    [("", "local"), ("host=vm-1", "vm-1"), ("x=1&host=a.b_C&y", "a.b_C"), ("%68ost=%76m", "vm"),
    ("host=local", "local"), ("HOST=b", "local")],
)  # fmt: skip
def test_the_query_of_an_ended_session_may_name_its_host(query: str, host: str) -> None:
    assert admitted(head("DELETE", f"{ADAPTER}/sessions/a?{query}")).host == host


@pytest.mark.parametrize("nonce", ["0" * 16, "0123456789abcdefABCDEF", "f" * 64])
def test_a_nonce_is_passed_on(nonce: str) -> None:
    assert admitted(head("GET", "/a/v1/info", ("x-orbtile-nonce", nonce))).nonce == nonce


def test_a_nonce_elsewhere_is_ignored() -> None:
    assert admitted(head("PUT", ADAPTER, ("x-orbtile-nonce", "?"))).nonce is None


def test_an_owner_token_is_passed_on_where_it_came_once() -> None:
    token = ("x-orbtile-adapter-token", "owner")
    assert admitted(head("PUT", ADAPTER, token)).owner_token == "owner"
    assert admitted(head("PUT", ADAPTER, token, token)).owner_token is None


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer   "])
def test_the_bearer_scheme_is_read_in_any_case(scheme: str) -> None:
    headers = (
        ("host", "localhost"),
        ("authorization", f"{scheme} {TOKEN}"),
        ("content-type", "application/json"),
    )
    assert admitted(RequestHead("GET", "/a/v1/info", headers)).route is Route.INFO


@pytest.mark.parametrize(
    "content_type", ["application/json;charset=utf-8", "Application/JSON ; x=y", "application/json;"]
)
def test_a_content_type_may_have_parameters(content_type: str) -> None:
    headers = (("host", "localhost"), ("authorization", f"Bearer {TOKEN}"), ("content-type", content_type))
    assert admitted(RequestHead("GET", "/a/v1/info", headers)).route is Route.INFO


def test_other_headers_do_not_matter() -> None:
    noise = (
        ("accept", "*/*"),
        ("accept", "text/html"),
        ("expect", "100-continue"),
        ("connection", "keep-alive"),
    )
    assert admitted(head("GET", "/a/v1/info", *noise)).route is Route.INFO


# --- Refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_malformed_head_is_refused(case: MalformedHead) -> None:
    error = refused(case.head).error
    assert (error.status, error.code, error.field) == (case.status, case.code, case.field)
    assert error.allow == case.allow


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_with_the_api_off_nothing_behind_the_path_is_told(case: MalformedHead) -> None:
    answer = refused(case.head, OFF)
    told = (case.status, case.code) if case.stage is Stage.HEAD else (503, "api_disabled")
    assert (answer.error.status, answer.error.code) == told
    assert answer.adapter_id is None


ORDER = [
    (400, {"host": "example.com"}),
    (403, {"origin": "null"}),
    (401, {"authorization": "Bearer wrong"}),
    (415, {"content-type": "text/plain"}),
    (411, {"transfer-encoding": "chunked"}),
    (413, {"content-length": "70000"}),
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_of_several_reasons_the_first_in_order_is_told(first: int) -> None:
    """With a path that is wrong in every later way as well."""
    headers = dict(valid_headers(TOKEN))
    for _, wrong in ORDER[first:]:
        headers |= wrong
    request = RequestHead("PATCH", "/a/v1/adapters/codex/sessions/a%20b", tuple(headers.items()))
    assert refused(request).error.status == ORDER[first][0]


# --- Signs of life ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_refusal_is_a_sign_of_life_only_behind_the_token(case: MalformedHead) -> None:
    names_adapter = case.head.target == ADAPTER or case.head.target.startswith(f"{ADAPTER}/")
    alive = names_adapter and case.stage is Stage.BEHIND_TOKEN
    assert refused(case.head).adapter_id == ("dev.example" if alive else None)


def test_a_refusal_carries_the_owner_token_for_whom_it_may_concern() -> None:
    answer = refused(head("PATCH", ADAPTER, ("x-orbtile-adapter-token", "owner")))
    assert (answer.adapter_id, answer.owner_token) == ("dev.example", "owner")
    assert refused(head("PATCH", ADAPTER)).owner_token is None


def test_the_token_is_compared_only_by_the_host_and_only_once() -> None:
    presented: list[str] = []

    def matches(token: str) -> bool:
        presented.append(token)
        return True

    state = GateState(api_enabled=True, token_matches=matches)
    assert isinstance(admit(head("GET", "/a/v1/info"), state), Admitted)
    assert presented == [TOKEN]


# --- What every reader of a head reads in the same way ------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "token"),
    [
        ("Bearer t0ken", "t0ken"),
        ("bEARER   t", "t"),
        ("Bearer", None),
        ("Bearer ", None),
        ("Bearer\tt", None),
        ("Bearer a b", None),
        ("Basic t", None),
        ("t", None),
        ("", None),
    ],
)
def test_a_token_stands_behind_the_scheme_and_blanks(value: str, token: str | None) -> None:
    assert bearer_token(value) == token


@pytest.mark.parametrize(
    ("value", "length"),
    [
        ("0", 0),
        ("000", 0),
        ("0" * 5_000 + "12", 12),
        ("65537", 65_537),
        ("9" * 18, 10**18 - 1),
        ("1" + "0" * 18, UNREADABLE_LENGTH),
        ("9" * 5_000, UNREADABLE_LENGTH),
        ("", None),
        ("-1", None),
        ("+1", None),
        ("1_0", None),
        (" 1", None),
        ("1, 1", None),
        ("0x1", None),
        ("١", None),
    ],
)
def test_a_length_is_one_decimal_number(value: str, length: int | None) -> None:
    assert announced_length(value) == length
