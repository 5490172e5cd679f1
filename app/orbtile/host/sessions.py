"""Sessions: what their owners said, merged, and which state that shows at a given time (spec section 3
"Session update").

Owns identity (adapter, host, id), merging, the rules for a new session, one pending request at a time, TTL
and removal. Must not know leases, consent, buckets or how a view looks: it tells whoever watches which uids
to look at again.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple, TypeVar

from orbtile.host.deadlines import Deadlines, Timer
from orbtile.host.monogram import monogram
from orbtile.host.ports import Clock
from orbtile.palette.states import State
from orbtile.protocol.errors import invalid_field, limit_exceeded, stale_request
from orbtile.protocol.fields import UNSET, Unset
from orbtile.protocol.grammar import LOCAL_HOST
from orbtile.protocol.limits import DEFAULT_TTL_S, REMOVED_AFTER_OFFLINE_S
from orbtile.protocol.registration import Registration
from orbtile.protocol.session import ApprovalRequest, Message, QuestionRequest, SessionUpdate

_Value = TypeVar("_Value")


class Content(NamedTuple):
    """What the owner said about a session, after merging; absent optional fields hold their default."""

    title: str
    activity: State
    cwd: str | None = None
    project: str | None = None
    model: str | None = None
    tool_label: str | None = None
    tool_kind: str | None = None
    message: Message | None = None
    status_detail: str | None = None
    subagent_count: int = 0
    open_url: str | None = None
    pid: int | None = None
    background: bool = False
    live_text: bool = True
    approval: ApprovalRequest | None = None
    question: QuestionRequest | None = None


_BLANK: Final = Content(title="", activity=State.OFFLINE)
"""What a new or a replaced session is merged onto; title and activity never come from it."""


class Owner:
    """Who a session belongs to and shows under: a leased registration or a built-in source.

    ``renewed_s`` is the last time (monotonic) that all its sessions were vouched for at once (a heartbeat).
    """

    __slots__ = (
        "adapter_id",
        "is_silent",
        "is_visible",
        "lapsed",
        "max_sessions",
        "monogram",
        "registration",
        "renewed_s",
        "sessions",
        "symbol",
    )

    def __init__(self, adapter_id: str, registration: Registration, max_sessions: int | None) -> None:
        self.adapter_id = adapter_id
        self.show_as(registration)
        self.max_sessions = max_sessions
        """None: no limit."""
        self.is_visible = False
        self.is_silent = False
        self.renewed_s = float("-inf")
        self.sessions: dict[str, Session] = {}
        """By uid, in order of appearance."""
        self.lapsed: set[Session] = set()
        """Those that are offline because their TTL ran out."""

    def show_as(self, registration: Registration) -> None:
        """Take ``registration``'s name and glyph."""
        self.registration = registration
        self.monogram = monogram(registration)
        self.symbol = None if registration.glyph is None else registration.glyph.symbol


class Session:
    """One session. ``state`` is what it shows since ``since_s``; ``activity_since_s`` dates what was sent."""

    __slots__ = (
        "activity_since_epoch_s",
        "activity_since_s",
        "content",
        "host",
        "is_lapsed",
        "owner",
        "renewed_s",
        "session_id",
        "since_epoch_s",
        "since_s",
        "state",
        "timer",
        "ttl_s",
        "uid",
    )

    def __init__(self, owner: Owner, plan: "Plan", now_s: float, epoch_s: float) -> None:
        self.owner = owner
        self.uid = plan.uid
        self.host = plan.host
        self.session_id = plan.session_id
        self.content = plan.content
        self.ttl_s = plan.ttl_s
        self.renewed_s = now_s
        self.is_lapsed = False
        self.state = plan.content.activity
        self.activity_since_s = self.since_s = now_s
        self.activity_since_epoch_s = self.since_epoch_s = epoch_s
        self.timer: Timer


class Touched:
    """Ids of what may look different: those who change state add to it, the board looks and empties it."""

    __slots__ = ("adapters", "sessions")

    def __init__(self) -> None:
        self.adapters: set[str] = set()
        self.sessions: set[str] = set()


class Plan(NamedTuple):
    """A valid update, checked and merged but not applied. ``ttl_s`` None: never goes offline by itself."""

    uid: str
    host: str
    session_id: str
    content: Content
    ttl_s: float | None


def session_uid(adapter_id: str, host: str, session_id: str) -> str:
    """Orbtile's name of a session: its identity (spec section 3) as one text."""
    return f"{adapter_id}/{host}/{session_id}"


def plan_update(
    owner: Owner, session_id: str, update: SessionUpdate, *, path: str = "", is_whole: bool = False
) -> Plan:
    """Merge ``update`` onto the session as it is, or onto nothing when ``is_whole``; changes nothing.

    ``path`` goes before field names (``sessions[3].``). Raises 422 for a new session without title or
    activity, and 409 ``stale_request`` for other contents under a pending id.
    """
    host = _merge(update.host, LOCAL_HOST, LOCAL_HOST)
    uid = session_uid(owner.adapter_id, host, session_id)
    session = owner.sessions.get(uid)
    if session is None:
        if update.title is UNSET:
            raise invalid_field(f"{path}title", "a new session needs a title")
        if update.activity is UNSET:
            raise invalid_field(f"{path}activity", "a new session needs an activity")
    pending = session.content if session is not None else _BLANK
    kept = _BLANK if is_whole else pending
    approval, question = _merge_requests(pending, kept, update, path)
    content = Content(
        title=kept.title if isinstance(update.title, Unset) else update.title,
        activity=kept.activity if isinstance(update.activity, Unset) else update.activity,
        cwd=_merge(update.cwd, kept.cwd, None),
        project=_merge(update.project, kept.project, None),
        model=_merge(update.model, kept.model, None),
        tool_label=_merge(update.tool_label, kept.tool_label, None),
        tool_kind=_merge(update.tool_kind, kept.tool_kind, None),
        message=_merge(update.message, kept.message, None),
        status_detail=_merge(update.status_detail, kept.status_detail, None),
        subagent_count=_merge(update.subagent_count, kept.subagent_count, 0),
        open_url=_merge(update.open_url, kept.open_url, None),
        pid=_merge(update.pid, kept.pid, None),
        background=_merge(update.background, kept.background, False),
        live_text=_merge(update.live_text, kept.live_text, True),
        approval=approval,
        question=question,
    )
    kept_ttl_s = DEFAULT_TTL_S if session is None or is_whole else session.ttl_s
    ttl_s = _merge(update.ttl_s, kept_ttl_s, DEFAULT_TTL_S)
    return Plan(uid, host, session_id, content, ttl_s)


def check_room(owner: Owner, plan: Plan, field: str) -> None:
    """422 ``limit_exceeded`` on ``field`` when ``plan`` would be one session too many for ``owner``."""
    if (
        owner.max_sessions is not None
        and plan.uid not in owner.sessions
        and len(owner.sessions) >= owner.max_sessions
    ):
        raise limit_exceeded(field, f"an adapter has at most {owner.max_sessions} sessions")


def _merge(sent: _Value | Unset | None, kept: _Value, default: _Value) -> _Value:
    """Absent keeps, ``null`` clears to the default (spec section 3, "merge")."""
    if isinstance(sent, Unset):
        return kept
    return default if sent is None else sent


def _merge_requests(
    pending: Content, kept: Content, update: SessionUpdate, path: str
) -> tuple[ApprovalRequest | None, QuestionRequest | None]:
    """The session's request after ``update``: at most one (the parser refuses two in one update), and a new
    one replaces the pending one.
    """
    approval = _merge(update.approval, kept.approval, None)
    question = _merge(update.question, kept.question, None)
    if update.approval:
        question = None
    elif update.question:
        approval = None
    old = pending.approval or pending.question
    new = approval or question
    if old is not None and new is not None and old.id == new.id and old != new:
        field = "approval" if approval is not None else "question"
        raise stale_request(
            f"{path}{field}", "the contents of a pending request cannot change; use a fresh id"
        )
    return approval, question


class SessionTable:
    """All sessions by uid. ``touched`` gets each uid that may look different, and who has more or fewer."""

    def __init__(self, clock: Clock, deadlines: Deadlines, touched: Touched) -> None:
        self._clock = clock
        self._deadlines = deadlines
        self._touched = touched
        self._by_uid: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._by_uid)

    def get(self, uid: str) -> Session | None:
        return self._by_uid.get(uid)

    def apply(self, owner: Owner, plan: Plan, now_s: float) -> None:
        """Make ``plan`` true; it is a sign that the session lives."""
        session = owner.sessions.get(plan.uid)
        if session is None:
            session = Session(owner, plan, now_s, self._epoch_at(now_s))
            session.timer = Timer(partial(self._fire, session))
            owner.sessions[plan.uid] = self._by_uid[plan.uid] = session
            self._touched.sessions.add(plan.uid)
            self._touched.adapters.add(owner.adapter_id)
        else:
            session.ttl_s = plan.ttl_s
            session.renewed_s = now_s
            was_lapsed = session.is_lapsed
            if was_lapsed:
                session.is_lapsed = False
                owner.lapsed.discard(session)
            if self._change(session, plan.content, now_s) or was_lapsed:
                self._show(session, now_s)
        self._arm(session)

    def replace_all(self, owner: Owner, plans: Sequence[Plan], now_s: float) -> None:
        """Make ``plans`` all that ``owner`` has."""
        listed = {plan.uid for plan in plans}
        for session in [session for uid, session in owner.sessions.items() if uid not in listed]:
            self.end(session)
        for plan in plans:
            self.apply(owner, plan, now_s)

    def renew_all(self, owner: Owner, now_s: float) -> None:
        """A heartbeat: every session's TTL starts again. O(1) but for those that come back from offline."""
        owner.renewed_s = now_s
        while owner.lapsed:
            session = owner.lapsed.pop()
            session.is_lapsed = False
            self._arm(session)
            self._show(session, now_s)

    def clear_requests(self, owner: Owner) -> None:
        """Drop every pending approval and question of ``owner``."""
        for session in owner.sessions.values():
            if session.content.approval or session.content.question:
                session.content = session.content._replace(approval=None, question=None)
                self._touched.sessions.add(session.uid)

    def end(self, session: Session) -> None:
        owner = session.owner
        self._deadlines.cancel(session.timer)
        owner.lapsed.discard(session)
        del owner.sessions[session.uid]
        del self._by_uid[session.uid]
        self._touched.sessions.add(session.uid)
        self._touched.adapters.add(owner.adapter_id)

    def end_all(self, owner: Owner) -> None:
        for session in list(owner.sessions.values()):
            self.end(session)

    def show_all(self, owner: Owner, at_s: float) -> None:
        """``owner`` turned silent or spoke again."""
        for session in owner.sessions.values():
            self._show(session, at_s)

    def _show(self, session: Session, at_s: float) -> None:
        """Let ``state`` follow from what is known at ``at_s``.

        A session that comes back from offline continues the time of its activity: the agent has been at it
        all along.
        """
        is_forced = session.owner.is_silent or session.is_lapsed
        state = State.OFFLINE if is_forced else session.content.activity
        if state is not session.state:
            session.state = state
            if is_forced:
                session.since_s, session.since_epoch_s = at_s, self._epoch_at(at_s)
            else:
                session.since_s, session.since_epoch_s = (
                    session.activity_since_s,
                    session.activity_since_epoch_s,
                )
        self._touched.sessions.add(session.uid)

    def _change(self, session: Session, content: Content, now_s: float) -> bool:
        if content == session.content:
            return False
        if content.activity is not session.content.activity:
            session.activity_since_s, session.activity_since_epoch_s = now_s, self._epoch_at(now_s)
        session.content = content
        return True

    def _arm(self, session: Session) -> None:
        """Set the timer of a session that was just renewed. An adapter's own ``offline`` neither lapses nor
        is removed.
        """
        if session.ttl_s is None or session.content.activity is State.OFFLINE:
            self._deadlines.cancel(session.timer)
        else:
            self._deadlines.set(session.timer, self._lapses_at(session, session.ttl_s))

    def _fire(self, session: Session, due_s: float) -> None:
        if session.is_lapsed:
            self.end(session)
            return
        lapses_at_s = due_s if session.ttl_s is None else self._lapses_at(session, session.ttl_s)
        if lapses_at_s > due_s:  # a heartbeat came in between
            self._deadlines.set(session.timer, lapses_at_s)
            return
        session.is_lapsed = True
        session.owner.lapsed.add(session)
        self._deadlines.set(session.timer, due_s + REMOVED_AFTER_OFFLINE_S)
        self._show(session, due_s)

    @staticmethod
    def _lapses_at(session: Session, ttl_s: float) -> float:
        return max(session.renewed_s, session.owner.renewed_s) + ttl_s

    def _epoch_at(self, at_s: float) -> float:
        """The epoch reading that belongs to a monotonic one not long ago."""
        return self._clock.epoch_s() - (self._clock.monotonic_s() - at_s)
