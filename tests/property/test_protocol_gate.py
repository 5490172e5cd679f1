from hypothesis import given
from hypothesis import strategies as st

from orbtile.protocol.gate import GateState, Refused, RequestHead, admit
from orbtile.protocol.grammar import HOST, SESSION_ID, is_adapter_id, is_reserved_id
from tests.fakes.malformed_heads import valid_headers

STATUSES = {400, 401, 403, 404, 405, 409, 411, 413, 415, 422, 503}
SEGMENTS = st.one_of(
    st.sampled_from(
        ["a", "v1", "adapters", "sessions", "info", "heartbeat", "events", "dev.example", "x", "", ".", ".."]
    ),
    st.text(st.characters(), max_size=6),
    st.sampled_from(["%61", "%2F", "%", "%zz", "%FF", "%2e%2E", "codex"]),
)
TARGETS = st.one_of(
    st.text(st.characters(), max_size=40),
    st.lists(SEGMENTS, max_size=6).map(lambda parts: "/a/v1/" + "/".join(parts)),
    st.lists(SEGMENTS, max_size=6).map("/".join),
)
QUERIES = st.one_of(st.just(""), st.text(st.sampled_from("?host=&%26avm."), max_size=20))
METHODS = st.one_of(
    st.sampled_from(["GET", "PUT", "POST", "DELETE", "HEAD"]), st.text(st.characters(), max_size=8)
)
NAMES = st.sampled_from(
    [
        "host",
        "origin",
        "authorization",
        "content-type",
        "content-length",
        "transfer-encoding",
        "upgrade",
        "x-orbtile-nonce",
        "x",
    ]
)
HEADERS = st.lists(st.tuples(NAMES, st.text(st.characters(), max_size=20)), max_size=4).map(tuple)
VALID = valid_headers("secret")


@given(METHODS, TARGETS, QUERIES, HEADERS, st.booleans(), st.booleans())
def test_any_head_is_a_route_or_a_refusal(
    method: str, target: str, query: str, headers: tuple[tuple[str, str], ...], valid: bool, enabled: bool
) -> None:
    head = RequestHead(method, target + query, (*VALID, *headers) if valid else headers)
    answer = admit(head, GateState(api_enabled=enabled, token_matches=lambda token: token == "secret"))
    if isinstance(answer, Refused):
        assert answer.error.status in STATUSES
        assert answer.adapter_id is None or is_adapter_id(answer.adapter_id)
        assert (answer.error.status == 405) == bool(answer.error.allow)
    else:
        assert enabled
        assert 0 <= answer.content_length <= 65_536
        assert answer.adapter_id == "" or (
            is_adapter_id(answer.adapter_id) and not is_reserved_id(answer.adapter_id)
        )
        assert answer.session_id == "" or SESSION_ID.fullmatch(answer.session_id)
        assert HOST.fullmatch(answer.host)
