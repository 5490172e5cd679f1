"""Session updates, batches and polls: their fields (sections 3 and 6).

Owns the bodies. An absent field is absent from the result, null is None. Must not know stored sessions.
"""

from __future__ import annotations

from typing import Any

from orbtile_adapter.host import grammar, limits
from orbtile_adapter.host.fields import (
    Field,
    Notes,
    block,
    boolean,
    choice,
    each,
    line,
    listed,
    nested,
    opaque,
    read_object,
    spelled,
    url,
    whole,
)
from orbtile_adapter.host.refusals import invalid

ACTIVITIES = (
    "starting",
    "idle",
    "thinking",
    "tool",
    "streaming",
    "waitingPermission",
    "waitingQuestion",
    "done",
    "error",
    "compacting",
    "offline",
)
TOOL_KINDS = ("shell", "edit", "read", "web", "delegate", "plan", "integration", "other")
WAITING = {"approval": "waitingPermission", "question": "waitingQuestion"}
"""The activity that shows each kind of request."""


def parse_update(raw: Any, registration: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """One update and the reply's warnings. Raises 422."""
    notes = Notes()
    return _update(raw, "", registration, notes), notes


def parse_batch(raw: Any, registration: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """The sessions of a full replace, each with ``id``, ``title`` and ``activity``. Raises 422."""
    notes = Notes()

    def sessions(items: Any, path: str, _notes: Notes) -> list[Any]:
        return listed(items, path, 0, limits.SESSIONS, is_limit=True)

    body = read_object(raw, "", (Field("sessions", sessions, needed=True),), notes)
    found: list[dict[str, Any]] = []
    seen = set()
    for index, item in enumerate(body["sessions"]):
        path = f"sessions[{index}]"
        update = _update(item, path, registration, notes, entry=True)
        identity = (update.get("host") or "local", update["id"])
        if identity in seen:
            raise invalid(f"{path}.id", "is listed twice")
        seen.add(identity)
        found.append(update)
    return found, notes


def parse_poll(raw: Any) -> tuple[int, int, int]:
    """``after``, ``ack`` and ``waitSeconds``. Raises 422."""
    values = read_object(raw, "", _POLL, Notes())
    return values.get("after", 0), values.get("ack", 0), values.get("waitSeconds", 0)


def _update(
    raw: Any, path: str, registration: dict[str, Any], notes: Notes, *, entry: bool = False
) -> dict[str, Any]:
    prefix = f"{path}." if path else ""
    if isinstance(raw, dict):
        _refuse_requests(raw, prefix, registration)
    values = read_object(raw, path, _ENTRY if entry else _UPDATE, notes)
    if values.get("openURL") is not None:
        scheme = (grammar.split_url(values["openURL"]) or ("",))[0]
        if scheme in grammar.REFUSED_SCHEMES or scheme not in registration.get("urlSchemes", ()):
            raise invalid(f"{prefix}openURL", "must have a scheme that urlSchemes lists")
    if values.get("toolKind") is not None and values["toolKind"] not in TOOL_KINDS:
        notes.append(f"{prefix}toolKind: unknown value, counts as none")
        values["toolKind"] = None
    return values


def _refuse_requests(raw: dict[str, Any], prefix: str, registration: dict[str, Any]) -> None:
    capabilities = registration.get("capabilities", ())
    for name, capability in (("approval", "approvals"), ("question", "questions")):
        if raw.get(name) is not None and capability not in capabilities:
            raise invalid(prefix + name, f"needs the {capability} capability")
    if raw.get("approval") is not None and raw.get("question") is not None:
        raise invalid(f"{prefix}question", "comes together with an approval")


def _question(raw: Any, path: str, notes: Notes) -> dict[str, Any]:
    values = read_object(raw, path, _QUESTION, notes)
    labels = [option["label"] for option in values["options"]]
    for index, label in enumerate(labels):
        if label in labels[:index]:
            raise invalid(f"{path}.options[{index}].label", "is used twice")
    return values


_REQUEST_ID = spelled(grammar.REQUEST_ID, "1 to 128 characters of A-Z a-z 0-9 . _ : -")
_APPROVAL = (
    Field("id", _REQUEST_ID, needed=True),
    Field("toolName", line(80, shown=True), needed=True),
    Field("commandSummary", line(512, shown=True), needed=True),
)
_OPTION = (Field("label", line(120, shown=True), needed=True), Field("description", line(512)))
_QUESTION = (
    Field("text", line(1024, shown=True), needed=True),
    Field("header", line(12)),
    Field("multiSelect", boolean),
    Field("options", each(nested(_OPTION), 2, 4), needed=True),
)
_QUESTIONS = (Field("id", _REQUEST_ID, needed=True), Field("questions", each(_question, 1, 4), needed=True))
_MESSAGE = (Field("id", opaque(1, 128), needed=True), Field("text", block(16_384, 4_096), needed=True))
_UPDATE = (
    Field("title", line(120, shown=True)),
    Field("activity", choice(ACTIVITIES)),
    Field("cwd", line(1024), null=True),
    Field("project", line(128, shown=True, trimmed=True), null=True),
    Field("model", line(64), null=True),
    Field("toolLabel", line(80), null=True),
    Field("toolKind", opaque(0, 32), null=True),
    Field("message", nested(_MESSAGE), null=True),
    Field("statusDetail", line(120), null=True),
    Field("subagentCount", whole(0, 99), null=True),
    Field("host", spelled(grammar.HOST, "1 to 64 characters of A-Z a-z 0-9 . _ -"), null=True),
    Field("openURL", url(2_048), null=True),
    Field("pid", whole(1, 2**32 - 1), null=True),
    Field("background", boolean, null=True),
    Field("liveText", boolean, null=True),
    Field("ttlSeconds", whole(10, 3_600), null=True),
    Field("approval", nested(_APPROVAL), null=True),
    Field("question", nested(_QUESTIONS), null=True),
)
_ENTRY = (
    Field("id", spelled(grammar.SESSION_ID, "1 to 128 characters of A-Z a-z 0-9 . _ : -"), needed=True),
    *(
        Field(field.name, field.check, needed=field.name in {"title", "activity"}, null=field.null)
        for field in _UPDATE
    ),
)
_POLL = (
    Field("after", whole(0, limits.CURSOR)),
    Field("ack", whole(0, limits.CURSOR)),
    Field("waitSeconds", whole(0, limits.POLL_WAIT_S)),
)
