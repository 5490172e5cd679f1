"""A session update and a batch: types and parsers (spec section 3 "Session update", section 6 requests).

Owns the wire's fields with the difference of absent (``UNSET``: keep) and ``null`` (``None``: clear). Must
not know the stored session: merging, new-session rules and the pid check are the host's.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from orbtile.palette.states import ACTIVITIES, State
from orbtile.protocol import grammar, limits
from orbtile.protocol.errors import invalid_field, limit_exceeded
from orbtile.protocol.fields import (
    UNSET,
    Fields,
    JsonValue,
    Unset,
    Warnings,
    block_tail,
    boolean,
    integer,
    line,
    matching,
    one_of,
    opaque,
    string,
)
from orbtile.protocol.registration import Capability, Registration


class Message(NamedTuple):
    """``id`` 1..128 characters; ``text`` is the last 4096 UTF-8 bytes of what came."""

    id: str
    text: str


class ApprovalRequest(NamedTuple):
    """``tool_name`` 1..80 and ``command_summary`` 1..512 characters of display text (spec section 6)."""

    id: str
    tool_name: str
    command_summary: str


class QuestionOption(NamedTuple):
    """``label`` 1..120 characters, unique within its question; ``description`` at most 512."""

    label: str
    description: str | None = None


class Question(NamedTuple):
    """``text`` 1..1024 characters, 2..4 ``options``, ``header`` at most 12 characters."""

    text: str
    options: tuple[QuestionOption, ...]
    header: str | None = None
    multi_select: bool = False


class QuestionRequest(NamedTuple):
    """1..4 ``questions`` that are answered together."""

    id: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionUpdate:
    """One update; a field is ``UNSET`` when absent, and ``None`` clears it (or means its default)."""

    title: str | Unset = UNSET
    activity: State | Unset = UNSET
    cwd: str | Unset | None = UNSET
    project: str | Unset | None = UNSET
    model: str | Unset | None = UNSET
    tool_label: str | Unset | None = UNSET
    tool_kind: str | Unset | None = UNSET
    message: Message | Unset | None = UNSET
    status_detail: str | Unset | None = UNSET
    subagent_count: int | Unset | None = UNSET
    host: str | Unset | None = UNSET
    open_url: str | Unset | None = UNSET
    pid: int | Unset | None = UNSET
    background: bool | Unset | None = UNSET
    live_text: bool | Unset | None = UNSET
    ttl_s: int | Unset | None = UNSET
    approval: ApprovalRequest | Unset | None = UNSET
    question: QuestionRequest | Unset | None = UNSET


class BatchItem(NamedTuple):
    """One entry of ``PUT sessions``: ``update.title`` and ``update.activity`` are set."""

    session_id: str
    update: SessionUpdate


# --- Parsing ------------------------------------------------------------------------------------------------

TOOL_KINDS: Final = frozenset({"shell", "edit", "read", "web", "delegate", "plan", "integration", "other"})
"""Spec section 3: what ``toolKind`` may be; anything else counts as none."""


def parse_session_update(value: JsonValue, registration: Registration) -> tuple[SessionUpdate, list[str]]:
    """A valid ``SessionUpdate`` of an adapter registered so, with the reply's warnings.

    Raises 422 with the exact field path (``body`` for what is not an object).
    """
    warnings = Warnings()
    fields = Fields(value, "", warnings)
    update = _update(fields, registration)
    fields.done()
    return update, warnings.lines()


def parse_batch(value: JsonValue, registration: Registration) -> tuple[tuple[BatchItem, ...], list[str]]:
    """The items of a valid ``SessionBatch``, each with a title and an activity, and the reply's warnings.

    Raises 422: ``limit_exceeded`` on ``sessions`` for more than 32, ``invalid_field`` with the exact path
    otherwise; a session named twice (same host and id) is refused at the second ``sessions[i].id``.
    """
    warnings = Warnings()
    fields = Fields(value, "", warnings)
    raw_items = fields.require("sessions", _session_list)
    fields.done()
    items: list[BatchItem] = []
    seen: set[tuple[str, str]] = set()
    for index, raw in enumerate(raw_items):
        entry = Fields(raw, f"sessions[{index}]", warnings)
        session_id = entry.require("id", _SESSION_ID)
        update = _update(entry, registration)
        for name, taken in (("title", update.title), ("activity", update.activity)):
            if taken is UNSET:
                raise invalid_field(entry.path_of(name), "is required")
        entry.done()
        identity = (update.host or grammar.LOCAL_HOST, session_id)
        if identity in seen:
            raise invalid_field(entry.path_of("id"), "is listed twice for this host")
        seen.add(identity)
        items.append(BatchItem(session_id=session_id, update=update))
    return tuple(items), warnings.lines()


def _session_list(raw: JsonValue, path: str) -> list[JsonValue]:
    if not isinstance(raw, list):
        raise invalid_field(path, "must be an array")
    if len(raw) > limits.MAX_SESSIONS_PER_ADAPTER:
        raise limit_exceeded(path, f"must have at most {limits.MAX_SESSIONS_PER_ADAPTER} items")
    return raw


def _update(fields: Fields, registration: Registration) -> SessionUpdate:
    _refuse_unexpected_requests(fields, registration)
    take, nullable = fields.take, fields.take_nullable
    return SessionUpdate(
        title=take("title", _TITLE),
        activity=take("activity", _ACTIVITY),
        cwd=nullable("cwd", _CWD),
        project=nullable("project", _PROJECT),
        model=nullable("model", _MODEL),
        tool_label=nullable("toolLabel", _TOOL_LABEL),
        tool_kind=_known_kind(nullable("toolKind", _TOOL_KIND), fields),
        message=nullable("message", fields.object_of(_message)),
        status_detail=nullable("statusDetail", _STATUS_DETAIL),
        subagent_count=nullable("subagentCount", _SUBAGENT_COUNT),
        host=nullable("host", _HOST),
        open_url=nullable("openURL", partial(_open_url, registration.url_schemes)),
        pid=nullable("pid", _PID),
        background=nullable("background", boolean),
        live_text=nullable("liveText", boolean),
        ttl_s=nullable("ttlSeconds", _TTL),
        approval=nullable("approval", fields.object_of(_approval)),
        question=nullable("question", fields.object_of(_question_request)),
    )


_TITLE: Final = line(limits.MAX_TITLE_LENGTH, required=True)
_ACTIVITY: Final = one_of(ACTIVITIES)
_CWD: Final = line(limits.MAX_CWD_LENGTH)
_PROJECT: Final = line(limits.MAX_PROJECT_LENGTH, required=True, trimmed=True)
_MODEL: Final = line(limits.MAX_MODEL_LENGTH)
_TOOL_LABEL: Final = line(limits.MAX_TOOL_LABEL_LENGTH)
_TOOL_KIND: Final = opaque(limits.MAX_TOOL_KIND_LENGTH)
_STATUS_DETAIL: Final = line(limits.MAX_STATUS_DETAIL_LENGTH)
_MESSAGE_ID: Final = opaque(limits.MAX_MESSAGE_ID_LENGTH, min_length=1)
_MESSAGE_TEXT: Final = block_tail(limits.MAX_MESSAGE_TEXT_LENGTH, limits.KEPT_MESSAGE_TEXT_BYTES)
_SUBAGENT_COUNT: Final = integer(0, limits.MAX_SUBAGENTS)
_HOST: Final = matching(
    grammar.HOST, f"must be 1 to {limits.MAX_HOST_LENGTH} letters, digits, dots, underscores and hyphens"
)
_PID: Final = integer(1, limits.MAX_PID)
_TTL: Final = integer(limits.MIN_TTL_S, limits.MAX_TTL_S)
_SESSION_ID: Final = matching(
    grammar.SESSION_ID, f"must be 1 to {limits.MAX_SESSION_ID_LENGTH} characters of A-Z a-z 0-9 . _ : -"
)
_REQUEST_ID: Final = matching(
    grammar.REQUEST_ID, f"must be 1 to {limits.MAX_REQUEST_ID_LENGTH} characters of A-Z a-z 0-9 . _ : -"
)
_TOOL_NAME: Final = line(limits.MAX_TOOL_NAME_LENGTH, required=True)
_COMMAND_SUMMARY: Final = line(limits.MAX_COMMAND_SUMMARY_LENGTH, required=True)
_QUESTION_TEXT: Final = line(limits.MAX_QUESTION_TEXT_LENGTH, required=True)
_QUESTION_HEADER: Final = line(limits.MAX_QUESTION_HEADER_LENGTH)
_OPTION_LABEL: Final = line(limits.MAX_OPTION_LABEL_LENGTH, required=True)
_OPTION_DESCRIPTION: Final = line(limits.MAX_OPTION_DESCRIPTION_LENGTH)


def _known_kind(kind: str | Unset | None, fields: Fields) -> str | Unset | None:
    if kind is UNSET or kind is None or kind in TOOL_KINDS:
        return kind
    fields.warnings.add(f"{fields.path_of('toolKind')}: unknown value, counts as none")
    return None


def _open_url(url_schemes: tuple[str, ...], raw: JsonValue, path: str) -> str:
    url = string(raw, path)
    if len(url) > limits.MAX_OPEN_URL_LENGTH:
        raise invalid_field(path, f"must be at most {limits.MAX_OPEN_URL_LENGTH} characters")
    if not grammar.is_openable(url, url_schemes):
        raise invalid_field(path, "must be a URI with a scheme that urlSchemes lists")
    return url


def _message(fields: Fields) -> Message:
    return Message(id=fields.require("id", _MESSAGE_ID), text=fields.require("text", _MESSAGE_TEXT))


def _refuse_unexpected_requests(fields: Fields, registration: Registration) -> None:
    """A request needs its capability, and a session has one request at a time. ``null`` is always welcome."""
    asks_approval, asks_answers = fields.has_value("approval"), fields.has_value("question")
    if asks_approval and Capability.APPROVALS not in registration.capabilities:
        raise invalid_field(fields.path_of("approval"), "needs the approvals capability")
    if asks_answers and Capability.QUESTIONS not in registration.capabilities:
        raise invalid_field(fields.path_of("question"), "needs the questions capability")
    if asks_approval and asks_answers:
        raise invalid_field(fields.path_of("question"), "cannot come together with an approval")


def _approval(fields: Fields) -> ApprovalRequest:
    return ApprovalRequest(
        id=fields.require("id", _REQUEST_ID),
        tool_name=fields.require("toolName", _TOOL_NAME),
        command_summary=fields.require("commandSummary", _COMMAND_SUMMARY),
    )


def _question_request(fields: Fields) -> QuestionRequest:
    return QuestionRequest(
        id=fields.require("id", _REQUEST_ID),
        questions=fields.require("questions", fields.array_of(_question, 1, limits.MAX_QUESTIONS)),
    )


def _question(fields: Fields) -> Question:
    question = Question(
        text=fields.require("text", _QUESTION_TEXT),
        options=fields.require("options", fields.array_of(_option, limits.MIN_OPTIONS, limits.MAX_OPTIONS)),
        header=fields.optional("header", _QUESTION_HEADER, None),
        multi_select=fields.optional("multiSelect", boolean, default=False),
    )
    labels: set[str] = set()
    for index, option in enumerate(question.options):
        if option.label in labels:
            raise invalid_field(fields.path_of(f"options[{index}].label"), "is used twice in this question")
        labels.add(option.label)
    return question


def _option(fields: Fields) -> QuestionOption:
    return QuestionOption(
        label=fields.require("label", _OPTION_LABEL),
        description=fields.optional("description", _OPTION_DESCRIPTION, None),
    )
