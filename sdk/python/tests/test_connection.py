"""Finding Orbtile, its proof, both tokens, and what a 401 does."""

from __future__ import annotations

import pytest

from orbtile_adapter import (
    AdapterError,
    APIError,
    DiscoveryError,
    PayloadTooLargeError,
    ProofError,
    TransportError,
)
from sdkfakes.memory import DISPLAY_ONLY, REGISTRATION, MemoryClient
from sdkfakes.model import Model, refuse, respond


def test_connecting_proves_the_listener_before_it_registers(model: Model) -> None:
    pad = MemoryClient(model)
    reply = pad.connect()
    assert model.lines == ["GET /a/v1/info", "PUT /"]
    nonce = model.requests[0].headers["x-orbtile-nonce"]
    assert len(nonce) == 32
    assert int(nonce, 16) >= 0
    assert model.requests[1].body == REGISTRATION
    assert reply["enabled"] is True
    assert pad.registration_reply == reply
    assert pad.info["apiMinor"] == 2


def test_every_proof_asks_with_a_new_nonce(model: Model) -> None:
    pad = MemoryClient(model)
    nonces = set()
    for _ in range(5):
        pad.verify()
        nonces.add(model.requests[-1].headers["x-orbtile-nonce"])
    assert len(nonces) == 5


@pytest.mark.parametrize("proof_key", ["x" * 43, "T" * 43])
def test_a_listener_that_does_not_know_the_token_gets_no_data(model: Model, proof_key: str) -> None:
    model.proof_key = proof_key
    pad = MemoryClient(model)
    with pytest.raises(ProofError):
        pad.connect()
    assert model.lines == ["GET /a/v1/info"]
    with pytest.raises(AdapterError, match="not connected"):
        pad.upsert_session("run", title="secret")
    assert model.lines == ["GET /a/v1/info"]


@pytest.mark.parametrize("proof", [None, 7, "", "é" * 64, ["0" * 64]])
def test_a_proof_of_another_form_is_no_proof(model: Model, proof: object) -> None:
    model.say(respond(200, {"api": 1, "proof": proof}))
    with pytest.raises(ProofError):
        MemoryClient(model).verify()


def test_without_orbtile_connecting_says_that_it_is_off(model: Model) -> None:
    model.is_off = True
    with pytest.raises(DiscoveryError) as caught:
        MemoryClient(model).connect()
    assert caught.value.missing


def test_every_request_carries_the_token_and_the_adapters_own_where_it_has_one(
    pad: MemoryClient, model: Model
) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    pad.heartbeat()
    pad.register()
    pad.poll_events(0)
    pad.remove_session("run")
    pad.close()
    assert model.lines[-1] == "DELETE /"
    assert {request.headers["authorization"] for request in model.requests} == {f"Bearer {model.token}"}
    assert {request.headers["x-orbtile-adapter-token"] for request in model.requests} == {"a1" * 20}


def test_the_adapters_token_is_not_shown_to_the_listener_that_has_yet_to_prove_itself(
    pad: MemoryClient, model: Model
) -> None:
    pad.verify()
    assert "x-orbtile-adapter-token" not in model.requests[-1].headers


@pytest.mark.parametrize("token", [5, "", "a b", "x\r\nHost: y", ["a"]])
def test_an_adapter_token_that_cannot_be_one_is_trouble_on_the_wire(model: Model, token: object) -> None:
    pad = MemoryClient(model)
    model.say(lambda _: None, respond(201, {"enabled": True, "adapterToken": token}))
    with pytest.raises(TransportError):
        pad.connect()
    with pytest.raises(AdapterError, match="not connected"):
        pad.heartbeat()


def test_a_registration_without_an_answer_keeps_the_token_that_proves_it_is_ours(
    pad: MemoryClient, model: Model
) -> None:
    model.say(b"\0")
    with pytest.raises(TransportError):
        pad.register()
    pad.heartbeat()
    assert model.lines == ["PUT /", "GET /a/v1/info", "PUT /"]  # which is a sign of life, too
    assert model.requests[-1].headers["x-orbtile-adapter-token"] == "a1" * 20
    assert (pad.lease_generation, pad.reconciliation_required) == (1, False)


def test_a_registration_without_an_answer_may_have_been_a_new_one(model: Model) -> None:
    pad = MemoryClient(model, DISPLAY_ONLY)
    pad.connect()
    pad.upsert_session("run", title="T", activity="idle")

    def lose(_: object) -> bytes:
        model.forget()
        model._register(DISPLAY_ONLY)
        return b"\0"

    model.say(lose)
    with pytest.raises(TransportError):
        pad.register()
    pad.heartbeat()
    assert model.session()["title"] == "T"
    assert pad.lease_generation == 2


def test_a_reply_to_the_same_registration_may_leave_the_token_out(pad: MemoryClient, model: Model) -> None:
    model.say(respond(200, {"enabled": True}))
    pad.register()
    pad.heartbeat()
    assert model.requests[-1].headers["x-orbtile-adapter-token"] == "a1" * 20
    assert pad.lease_generation == 1


def test_a_display_only_adapter_has_no_token_of_its_own(model: Model) -> None:
    pad = MemoryClient(model, DISPLAY_ONLY)
    pad.connect()
    pad.upsert_session("run", title="T", activity="idle")
    assert all("x-orbtile-adapter-token" not in request.headers for request in model.requests)


def test_no_token_is_in_a_reply_a_repr_or_an_error(pad: MemoryClient, model: Model) -> None:
    tokens = [model.token, "a1" * 20]
    model.say(refuse(422, model.token, field=model.token, message=f"{tokens}"))
    with pytest.raises(APIError) as caught:
        pad.upsert_session("run", title="T", activity="idle")
    texts = [str(caught.value), repr(caught.value), repr(pad.registration_reply), repr(pad)]
    texts.append(repr(pad._core.link.discovery))
    assert not any(token in text for token in tokens for text in texts)
    assert caught.value.__context__ is None


def test_an_error_says_status_code_field_and_when_to_come_back_but_no_remote_words(
    pad: MemoryClient, model: Model
) -> None:
    model.say(refuse(429, "rate_limited", "message.text", "Retry-After: 3\r\n", message="rm -rf"))
    with pytest.raises(APIError) as caught:
        pad.heartbeat()
    error = caught.value
    assert (error.status, error.code, error.field, error.retry_after) == (
        429,
        "rate_limited",
        "message.text",
        3,
    )
    assert str(error) == "Orbtile answered with HTTP 429, rate_limited at message.text"


def test_at_401_the_file_is_read_once_more_and_the_listener_proves_itself_again(
    pad: MemoryClient, model: Model
) -> None:
    pad.upsert_session("run", title="T", activity="idle")
    model.say(refuse(401, "unauthorized"))
    model.requests.clear()
    pad.io.readings = 0
    pad.upsert_session("run", activity="done")
    assert pad.io.readings == 1
    assert model.lines == ["POST /sessions/run", "GET /a/v1/info", "POST /sessions/run"]


def test_a_token_that_stays_wrong_is_tried_once_and_then_reported(pad: MemoryClient, model: Model) -> None:
    pad.io.file_token = model.token
    model.token = "n" * 43
    with pytest.raises(APIError) as caught:
        pad.heartbeat()
    assert caught.value.status == 401
    assert model.lines == ["POST /heartbeat", "GET /a/v1/info"]


def test_connecting_with_an_old_file_reads_it_once_more(model: Model) -> None:
    model.say(refuse(401, "unauthorized"))
    pad = MemoryClient(model)
    pad.connect()
    assert pad.io.readings == 2
    assert model.lines == ["GET /a/v1/info", "GET /a/v1/info", "PUT /"]


def test_after_a_new_token_a_listener_without_proof_gets_no_session(pad: MemoryClient, model: Model) -> None:
    model.regenerate_token()
    model.proof_key = "x" * 43
    with pytest.raises(ProofError):
        pad.upsert_session("run", title="T", activity="idle")
    assert model.lines == ["POST /sessions/run", "GET /a/v1/info"]


def test_after_trouble_on_the_wire_the_next_call_asks_for_proof_first(
    pad: MemoryClient, model: Model
) -> None:
    model.say(b"SSH-2.0\r\n")
    with pytest.raises(TransportError):
        pad.heartbeat()
    pad.heartbeat()
    assert model.lines == ["POST /heartbeat", "GET /a/v1/info", "POST /heartbeat"]


def test_a_new_token_ends_the_registration_and_it_is_made_again(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="T", activity="idle", cwd="/x")
    model.regenerate_token()
    model.requests.clear()
    pad.upsert_session("run", activity="done")
    assert model.lines == [
        "POST /sessions/run",  # 401
        "GET /a/v1/info",
        "POST /sessions/run",  # 404
        "PUT /",
        "POST /sessions/run",
    ]
    assert "x-orbtile-adapter-token" not in model.last("PUT", "").headers
    assert model.session()["activity"] == "done"
    assert model.session()["cwd"] == "/x"


def test_a_body_of_more_than_64_kib_fails_before_anything_is_sent(pad: MemoryClient, model: Model) -> None:
    request = {"id": "a1", "toolName": "x" * 65536, "commandSummary": "y"}
    with pytest.raises(PayloadTooLargeError):
        pad.upsert_session("run", title="T", activity="idle", cwd="é" * 32768)
    with pytest.raises(PayloadTooLargeError):
        pad.replace_sessions([{"id": "run", "title": "x" * 65536, "activity": "idle"}])
    with pytest.raises(PayloadTooLargeError):
        pad.request_approval("run", request, title="T")  # type: ignore[arg-type]
    large = MemoryClient(model, {**DISPLAY_ONLY, "name": "x" * 65536})
    with pytest.raises(PayloadTooLargeError):
        large.register()
    assert model.lines in (["GET /a/v1/info"], [])
    pad.heartbeat()
    assert model.lines[-1] == "POST /heartbeat"
    assert model.sessions == {}


def test_a_body_of_exactly_64_kib_is_sent(pad: MemoryClient, model: Model) -> None:
    size = 65536 - len('{"title":"","activity":"idle"}')
    pad.upsert_session("run", title="x" * size, activity="idle")
    assert model.last().headers["content-length"] == "65536"


def test_awkward_text_arrives_as_it_was(pad: MemoryClient, model: Model) -> None:
    text = "🎛️ עברית \u202e\u0007\n" + "z" * 4000 + '"\\'
    pad.upsert_session("run", title=text, activity="idle")
    assert model.session()["title"] == text


def test_half_a_character_becomes_a_question_mark(pad: MemoryClient, model: Model) -> None:
    pad.upsert_session("run", title="a\ud83db", activity="idle")
    assert model.session()["title"] == "a?b"


@pytest.mark.parametrize("adapter_id", ["dev.example.x y", "dev.é/../x?"])
def test_an_id_cannot_leave_its_place_in_the_path(model: Model, adapter_id: str) -> None:
    pad = MemoryClient(model, adapter_id=adapter_id)
    model.say(lambda _: None, respond(201, {"enabled": True}))
    pad.connect()
    assert model.requests[-1].target.count("/") == 4
    assert "?" not in model.requests[-1].target


def test_the_registration_is_copied(model: Model) -> None:
    registration = {**DISPLAY_ONLY}
    pad = MemoryClient(model, registration)
    registration["name"] = "Other"
    pad.connect()
    assert model.requests[-1].body["name"] == "Tiny"


def test_the_registration_is_passed_on_as_given(model: Model) -> None:
    registration = {
        **DISPLAY_ONLY,
        "icon": None,
        "palette": {"baseHue": 1.5, "states": None},
        "new": [1, "é"],
    }
    MemoryClient(model, registration).connect()
    assert model.requests[-1].body == registration


def test_capabilities_are_empty_until_a_host_with_events_has_answered(model: Model) -> None:
    pad = MemoryClient(model)
    assert pad.capabilities == frozenset()
    pad.connect()
    assert pad.capabilities == {"tap", "approvals", "questions"}
    del model.info["apiMinor"]
    pad.verify()
    assert pad.capabilities == frozenset()


def test_connecting_twice_registers_once(model: Model) -> None:
    with MemoryClient(model) as pad:
        assert pad.connect() == pad.registration_reply
    assert model.lines.count("PUT /") == 1


def test_a_client_that_is_not_connected_or_closed_says_so(pad: MemoryClient, model: Model) -> None:
    fresh = MemoryClient(model)
    with pytest.raises(AdapterError, match="not connected"):
        fresh.heartbeat()
    fresh.close()
    pad.close()
    pad.close()
    for act in (pad.heartbeat, pad.register, pad.verify, pad.connect, pad.poll_events):
        with pytest.raises(AdapterError, match="closed"):
            act()
    assert list(pad.events()) == []


def test_closing_unregisters_once_and_never_raises(pad: MemoryClient, model: Model) -> None:
    pad.close()
    pad.close()
    assert model.lines == ["DELETE /"]
    assert pad.io.timeouts[-1] == 1
    other = MemoryClient(model)
    other.connect()
    model.is_off = True
    other.close()


def test_nonsense_intervals_are_refused() -> None:
    from orbtile_adapter import AsyncClient, Client

    for value in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="positive"):
            Client("dev.x", DISPLAY_ONLY, timeout=value)
        with pytest.raises(ValueError, match="positive"):
            AsyncClient("dev.x", DISPLAY_ONLY, heartbeat_interval=value)
