from dataclasses import fields

import pytest

from orbtile.palette.states import ACTIVITIES, State
from orbtile.protocol.errors import ApiError
from orbtile.protocol.fields import UNSET, JsonObject, JsonValue
from orbtile.protocol.registration import Capability, Palette, Registration, parse_registration
from orbtile.protocol.session import (
    TOOL_KINDS,
    ApprovalRequest,
    BatchItem,
    Message,
    Question,
    QuestionOption,
    QuestionRequest,
    SessionUpdate,
    parse_batch,
    parse_session_update,
)
from tests.fakes.bodies import APPROVAL, ASKING, BATCH, QUESTION, REGISTRATION, UPDATE, changed
from tests.fakes.malformed import MALFORMED_BATCHES, MALFORMED_UPDATES, Malformed

ABLE = parse_registration(REGISTRATION)[0]
PLAIN = Registration(name="Plain", palette=Palette(base_hue=270))

PARSED = SessionUpdate(
    title="fix flaky test",
    activity=State.TOOL,
    cwd="/home/me/app",
    project="App",
    model="gpt-x",
    tool_label="Bash  npm test",
    tool_kind="shell",
    message=Message(id="m7", text="first\nsecond"),
    status_detail="running",
    subagent_count=2,
    host="vm-1",
    open_url="myagent://run/7",
    pid=4242,
    background=False,
    live_text=True,
    ttl_s=120,
    approval=ApprovalRequest(id="approval-1", tool_name="Bash", command_summary="npm test"),
)
PARSED_QUESTION = QuestionRequest(
    id="question-1",
    questions=(
        Question(
            text="Which docs?",
            header="Docs",
            multi_select=True,
            options=(
                QuestionOption(label="README"),
                QuestionOption(label="Protocol", description="API details"),
            ),
        ),
    ),
)


def updated(body: JsonValue) -> SessionUpdate:
    return parse_session_update(body, ABLE)[0]


# --- One update ---------------------------------------------------------------------------------------------


def test_every_field_arrives() -> None:
    assert parse_session_update(UPDATE, ABLE) == (PARSED, [])
    assert updated(ASKING).question == PARSED_QUESTION


def test_an_empty_update_only_renews() -> None:
    assert parse_session_update({}, PLAIN) == (SessionUpdate(), [])


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("cwd", "cwd"), ("project", "project"), ("model", "model"), ("toolLabel", "tool_label"), ("toolKind",
        "tool_kind"),
        ("message", "message"), ("statusDetail", "status_detail"), ("subagentCount", "subagent_count"),
        ("host", "host"),
        ("openURL", "open_url"), ("pid", "pid"), ("background", "background"), ("liveText", "live_text"),
        ("ttlSeconds", "ttl_s"), ("approval", "approval"), ("question", "question"),
    ],
)  # fmt: skip
def test_null_clears_and_absent_keeps(name: str, attribute: str) -> None:
    update, warnings = parse_session_update({name: None}, PLAIN)
    assert getattr(update, attribute) is None
    assert warnings == []
    assert [field.name for field in fields(update) if getattr(update, field.name) is not UNSET] == [attribute]


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_every_activity_passes(activity: State) -> None:
    assert updated({"activity": str(activity)}).activity is activity


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "x" * 120), ("title", "\u202e" * 500 + "x" * 120), ("cwd", ""), ("cwd", "x" * 1024),
        ("model", "x" * 64),
        ("toolLabel", ""), ("toolLabel", "👍" * 80), ("statusDetail", "x" * 120), ("statusDetail", " "),
        ("project", "x" * 128),
        ("project", " " * 500 + "x" * 128 + "\n"), ("toolKind", "x" * 32), ("subagentCount", 0),
        ("subagentCount", 99),
        ("subagentCount", 99.0), ("pid", 1), ("pid", 4_294_967_295), ("ttlSeconds", 10), ("ttlSeconds", 3600),
        ("host", "local"), ("host", "A-b_c.9"), ("host", "x" * 64), ("host", ".."), ("openURL", "MYAGENT:x"),
        ("openURL", "https://example.com/" + "a" * 2028), ("message", {"id": "x" * 128, "text": ""}),
        ("message", {"id": " \x00", "text": "x" * 16_384}),
    ],
)  # fmt: skip
def test_a_value_at_its_edge_passes(name: str, value: JsonValue) -> None:
    parse_session_update({name: value}, ABLE)


def test_text_is_cleaned() -> None:
    update = updated({"title": "a\n\u202eb\t", "cwd": "/a\x00b", "project": " \tA\u2066 B\n"})
    assert (update.title, update.cwd, update.project) == ("a b ", "/a b", "A B")


def test_message_text_keeps_its_lines_and_its_last_4096_bytes() -> None:
    message = updated({"message": {"id": "1", "text": "é" * 4000 + "\n\tend\u2028\x07"}}).message
    assert isinstance(message, Message)
    assert message.text.endswith("é\n\tend\n ")
    assert len(message.text.encode()) == 4096 - 1  # the cut fell inside an é


@pytest.mark.parametrize("kind", sorted(TOOL_KINDS))
def test_a_known_tool_kind_passes(kind: str) -> None:
    assert parse_session_update({"toolKind": kind}, PLAIN) == (SessionUpdate(tool_kind=kind), [])


@pytest.mark.parametrize("kind", ["", "Shell", "banana", "x" * 32])
def test_an_unknown_tool_kind_counts_as_none_with_a_warning_that_does_not_repeat_it(kind: str) -> None:
    update, warnings = parse_session_update({"toolKind": kind}, PLAIN)
    assert update.tool_kind is None
    assert warnings == ["toolKind: unknown value, counts as none"]


def test_unknown_fields_are_named_at_every_level_and_their_values_are_not_repeated() -> None:
    body: JsonObject = {
        "title": "t",
        "prompt": "secret",
        "message": {"id": "1", "text": "x", "html": "secret"},
        "question": {
            "id": "1",
            "timeout": 3,
            "questions": [{"text": "?", "kind": 1, "options": [{"label": "A", "key": 1}, {"label": "B"}]}],
        },
    }
    warnings = parse_session_update(body, ABLE)[1]
    assert warnings == [
        "unknown field 'message.html' ignored",
        "unknown field 'question.questions[0].options[0].key' ignored",
        "unknown field 'question.questions[0].kind' ignored",
        "unknown field 'question.timeout' ignored",
        "unknown field 'prompt' ignored",
    ]


@pytest.mark.parametrize(
    ("body", "field", "registration"),
    [
        ({"openURL": "https://example.com"}, "openURL", PLAIN),
        ({"approval": APPROVAL}, "approval", PLAIN),
        ({"question": QUESTION}, "question", PLAIN),
        ({"approval": "anything"}, "approval", PLAIN),
        (
            {"question": QUESTION},
            "question",
            Registration(
                name="A",
                palette=Palette(base_hue=1),
                capabilities=frozenset({Capability.APPROVALS, Capability.TAP}),
            ),
        ),
    ],
)
def test_what_was_not_registered_cannot_be_sent(
    body: JsonValue, field: str, registration: Registration
) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_session_update(body, registration)
    assert (refusal.value.status, refusal.value.code, refusal.value.field) == (422, "invalid_field", field)


def test_a_request_may_come_while_the_other_kind_is_cleared() -> None:
    update = updated({"approval": None, "question": QUESTION})
    assert (update.approval, update.question) == (None, PARSED_QUESTION)


def test_options_of_different_questions_may_share_a_label() -> None:
    question: JsonObject = {"text": "?", "options": [{"label": "Yes"}, {"label": "No"}]}
    update = updated({"question": {"id": "1", "questions": [question] * 4}})
    assert isinstance(update.question, QuestionRequest)
    assert len(update.question.questions) == 4
    assert update.question.questions[0].multi_select is False
    assert update.question.questions[0].header is None


@pytest.mark.parametrize("case", MALFORMED_UPDATES, ids=lambda case: case.name)
def test_a_malformed_update_is_refused_at_its_field(case: Malformed) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_session_update(case.body, ABLE)
    assert (refusal.value.status, refusal.value.code, refusal.value.field) == (
        case.status,
        case.code,
        case.field,
    )


# --- Batches ------------------------------------------------------------------------------------------------


def test_a_batch_is_its_sessions_in_order() -> None:
    items, warnings = parse_batch(BATCH, ABLE)
    assert items[0] == BatchItem(session_id="run-1", update=PARSED)
    assert items[1].session_id == "run-2"
    assert items[1].update.question == PARSED_QUESTION
    assert warnings == []


def test_an_empty_batch_ends_everything() -> None:
    assert parse_batch({"sessions": []}, PLAIN) == ((), [])


def test_32_sessions_pass() -> None:
    body: JsonValue = {"sessions": [{"id": f"s{at}", "title": "t", "activity": "idle"} for at in range(32)]}
    assert len(parse_batch(body, PLAIN)[0]) == 32


def test_one_id_on_two_hosts_is_two_sessions() -> None:
    session: JsonObject = {"id": "a", "title": "t", "activity": "idle"}
    body: JsonValue = {"sessions": [session, {**session, "host": "vm-1"}, {**session, "host": "vm-2"}]}
    assert len(parse_batch(body, PLAIN)[0]) == 3


def test_warnings_of_a_batch_name_the_session() -> None:
    body = changed(changed(BATCH, "sessions[1].colour", "red"), "sessions[0].toolKind", "banana")
    assert parse_batch({**body, "cursor": 1}, ABLE)[1] == [
        "unknown field 'cursor' ignored",
        "sessions[0].toolKind: unknown value, counts as none",
        "unknown field 'sessions[1].colour' ignored",
    ]


@pytest.mark.parametrize("case", MALFORMED_BATCHES, ids=lambda case: case.name)
def test_a_malformed_batch_is_refused_at_its_field(case: Malformed) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_batch(case.body, ABLE)
    assert (refusal.value.status, refusal.value.code, refusal.value.field) == (
        case.status,
        case.code,
        case.field,
    )
