"""The protocol's JSON objects as typed dictionaries (protocol sections 3 and 6).

Owns their shapes for type checkers and editors. Must not check anything at run time: Orbtile decides what is
valid, and an SDK that is older than its host must not refuse what the host takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict, Union

Activity = Literal[
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
]
"""What a session is doing."""

Capability = Literal["tap", "approvals", "questions"]
"""Which events an adapter wants to get."""


# --- registration -------------------------------------------------------------------------------------------


class _PaletteRequired(TypedDict):
    baseHue: float


class Palette(_PaletteRequired, total=False):
    """Hues in degrees, 0 to below 360; ``chroma`` 0.5 to 1.3; ``lightness`` -0.05 to 0.05."""

    chroma: float
    lightness: float
    attentionHue: float
    states: dict[str, str] | None


class Glyph(TypedDict, total=False):
    """A symbol's name, or one or two characters."""

    symbol: str
    monogram: str


class Icon(TypedDict, total=False):
    """A square PNG of 16 to 256 pixels in base64, an installed macOS application's id, or both."""

    png: str
    appBundleId: str


class _RegistrationRequired(TypedDict):
    name: str
    palette: Palette


class AdapterRegistration(_RegistrationRequired, total=False):
    """What an adapter says about itself. All but ``version`` and ``glyph`` are what the user allows."""

    shortName: str
    glyph: Glyph
    icon: Icon | None
    version: str
    homepage: str
    urlSchemes: list[str]
    capabilities: list[Capability]
    tapBehavior: Literal["alsoOpen", "eventOnly"]


# --- sessions -----------------------------------------------------------------------------------------------


class Message(TypedDict):
    """The latest text of the agent. A new ``id`` restarts the typewriter."""

    id: str
    text: str


class SessionUpdate(TypedDict, total=False):
    """What a session shows. An absent field keeps its value, None clears it.

    A new session needs ``title`` and ``activity``. ``approval`` and ``question`` can only be cleared here;
    ``request_approval`` and ``ask_question`` set them.
    """

    title: str
    activity: Activity
    cwd: str | None
    project: str | None
    model: str | None
    toolLabel: str | None
    toolKind: str | None
    message: Message | None
    statusDetail: str | None
    subagentCount: int | None
    host: str | None
    openURL: str | None
    pid: int | None
    background: bool | None
    liveText: bool | None
    ttlSeconds: int | None
    approval: None
    question: None


class _BatchItemRequired(TypedDict):
    id: str


class SessionBatchItem(_BatchItemRequired, SessionUpdate, total=False):
    """One session of ``replace_sessions``: its id and everything that it shows."""


# --- prompts ------------------------------------------------------------------------------------------------


class ApprovalRequest(TypedDict):
    """May this tool run? ``id`` is fresh in the whole registration."""

    id: str
    toolName: str
    commandSummary: str


class _QuestionOptionRequired(TypedDict):
    label: str


class QuestionOption(_QuestionOptionRequired, total=False):
    """One answer to choose. Labels differ within a question."""

    description: str


class _QuestionRequired(TypedDict):
    text: str
    options: list[QuestionOption]


class Question(_QuestionRequired, total=False):
    """Two to four options, of which one is picked, or with ``multiSelect`` one or more."""

    header: str
    multiSelect: bool


class QuestionRequest(TypedDict):
    """One to four questions that are answered together. ``id`` is fresh in the whole registration."""

    id: str
    questions: list[Question]


# --- events -------------------------------------------------------------------------------------------------


class TapEvent(TypedDict):
    """The user tapped the session."""

    sequence: int
    type: Literal["tap"]
    sessionId: str
    host: str


class ApprovalEvent(TypedDict):
    """The user decided. ``expiresAt`` in epoch seconds."""

    sequence: int
    type: Literal["approval"]
    sessionId: str
    host: str
    requestId: str
    decision: Literal["allow", "deny"]
    expiresAt: float


class QuestionEvent(TypedDict):
    """The user answered: for each question the indices of the options picked."""

    sequence: int
    type: Literal["question"]
    sessionId: str
    host: str
    requestId: str
    picks: list[list[int]]
    expiresAt: float


Event = Union[TapEvent, ApprovalEvent, QuestionEvent]  # noqa: UP007  evaluated, and | of these needs no 3.10
"""What ``events()`` yields; ``event["type"]`` tells which."""

Commit = Callable[[Event], object]
"""Carries an event out in your own interface; raises to say that it did not."""

LocalCommit = Callable[[], object]
"""Carries out an answer given in your own interface."""


# --- replies ------------------------------------------------------------------------------------------------


class Limits(TypedDict, total=False):
    """What ``info`` says about limits."""

    maxBodyBytes: int
    maxSessionsPerAdapter: int
    maxAdapters: int
    requestsPerSecond: int
    burst: int
    maxPendingRequestsPerAdapter: int
    maxEvents: int
    maxRequestIDs: int
    maxLongPolls: int


class Info(TypedDict, total=False):
    """What Orbtile says about itself."""

    server: str
    api: int
    apiMinor: int
    version: str
    activities: list[str]
    limits: Limits


class RegisteredAdapter(TypedDict, total=False):
    """The adapter as Orbtile keeps it."""

    id: str
    palette: Palette
    resolvedBaseHue: float


class RegistrationReply(TypedDict, total=False):
    """``enabled`` False has a ``reason``: awaiting_user or disabled_by_user."""

    adapter: RegisteredAdapter
    enabled: bool
    reason: Literal["awaiting_user", "disabled_by_user"]
    keypadDecisions: bool
    warnings: list[str]


class SessionState(TypedDict, total=False):
    """``visible`` False: the user's consent is pending or denied."""

    uid: str
    visible: bool


class SessionReply(TypedDict, total=False):
    """The answer to an update."""

    session: SessionState
    warnings: list[str]


class BatchReply(TypedDict, total=False):
    """The answer to a replacement."""

    sessions: list[SessionState]
    warnings: list[str]


class EventsReply(TypedDict):
    """The answer to a poll. ``lastSequence`` is for information and never acknowledged by itself."""

    events: list[Event]
    lastSequence: int
    acknowledged: int
