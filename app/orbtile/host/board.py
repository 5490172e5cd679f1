"""What surfaces see now: the published views, and which of them a step changed.

Owns the making of views and the comparison with what was seen before, so that a ``Changes`` record names
exactly the ids that look different. Must not decide anything: it is told what to look at again.
"""

from collections.abc import Mapping

from orbtile.host.adapters import Registrations
from orbtile.host.appearance import Appearance
from orbtile.host.changes import Changes
from orbtile.host.consent import ConsentBook, RememberedAdapter
from orbtile.host.sessions import Owner, Session, SessionTable, Touched
from orbtile.host.sources import Source
from orbtile.host.tap import NOTHING, resolve_tap
from orbtile.host.views import AdapterView, Consent, SessionView
from orbtile.palette.states import WAITING_STATES


class Board:
    """Views by id. What is ``touched`` is looked at again by :meth:`settle`, which says what changed."""

    def __init__(
        self,
        *,
        touched: Touched,
        sessions: SessionTable,
        book: ConsentBook,
        registrations: Registrations,
        sources: Mapping[str, Source],
        appearance: Appearance,
    ) -> None:
        self._touched = touched
        self._table = sessions
        self._book = book
        self._registrations = registrations
        self._sources = sources
        self._appearance = appearance
        self._sessions: dict[str, SessionView] = {}
        self._adapters: dict[str, AdapterView] = {}

    def settle(self, now_s: float) -> Changes | None:
        """Look again at what was touched; None when all of it looks as before."""
        touched = self._touched
        if not touched.sessions and not touched.adapters:
            return None
        # adapters first: rows show their colours and icon
        adapters = frozenset([one for one in touched.adapters if self._renew_adapter(one)])
        sessions = frozenset([uid for uid in touched.sessions if self._renew_session(uid, now_s)])
        touched.sessions.clear()
        touched.adapters.clear()
        return Changes(sessions=sessions, adapters=adapters) if sessions or adapters else None

    def session(self, uid: str) -> SessionView | None:
        return self._sessions.get(uid)

    def sessions(self) -> list[SessionView]:
        return list(self._sessions.values())

    def adapter(self, adapter_id: str) -> AdapterView | None:
        return self._adapters.get(adapter_id)

    def adapters(self) -> list[AdapterView]:
        return list(self._adapters.values())

    def _renew_session(self, uid: str, now_s: float) -> bool:
        old = self._sessions.get(uid)
        session = self._table.get(uid)
        if session is None or not session.owner.is_visible:
            return self._sessions.pop(uid, None) is not None
        view = _view_session(session, self._adapters[session.owner.adapter_id], now_s)
        if view == old:
            return False
        self._sessions[uid] = view
        return True

    def _renew_adapter(self, adapter_id: str) -> bool:
        old = self._adapters.get(adapter_id)
        owner: Owner | None
        if (source := self._sources.get(adapter_id)) is not None:
            owner, view = source, self._view_source(source)
        elif (remembered := self._book.get(adapter_id)) is not None:
            owner = self._registrations.get(adapter_id)
            view = self._view_adapter(remembered, owner)
        else:
            return self._adapters.pop(adapter_id, None) is not None
        if view == old:
            return False
        self._adapters[adapter_id] = view
        looked = None if old is None else (old.scheme, old.icon)
        if owner is not None and looked != (view.scheme, view.icon):
            self._touched.sessions.update(owner.sessions)
        return True

    def _view_adapter(self, adapter: RememberedAdapter, lease: Owner | None) -> AdapterView:
        look = self._appearance.look(
            adapter.adapter_id, adapter.registration, adapter.allowed, adapter.user_hue_deg
        )
        return AdapterView(
            adapter_id=adapter.adapter_id,
            registration=adapter.registration,
            connected=lease is not None,
            consent=adapter.consent,
            fingerprint=adapter.fingerprint,
            allowed=adapter.allowed,
            changed_fields=adapter.changed_fields,
            warnings=adapter.warnings,
            session_count=0 if lease is None else len(lease.sessions),
            last_seen_epoch_s=adapter.last_seen_epoch_s,
            scheme=look.scheme,
            user_hue_deg=adapter.user_hue_deg,
            icon=look.icon,
            allowed_scheme=look.allowed_scheme,
            allowed_icon=look.allowed_icon,
        )

    def _view_source(self, source: Source) -> AdapterView:
        look = self._appearance.look(source.adapter_id, source.registration, source.registration)
        return AdapterView(
            adapter_id=source.adapter_id,
            registration=source.registration,
            connected=True,
            consent=Consent.ALLOWED,
            fingerprint="",
            allowed=source.registration,
            changed_fields=(),
            warnings=(),
            session_count=len(source.sessions),
            last_seen_epoch_s=0.0,
            built_in=True,
            scheme=look.scheme,
            icon=look.icon,
            allowed_scheme=look.allowed_scheme,
            allowed_icon=look.allowed_icon,
        )


def _view_session(session: Session, adapter: AdapterView, now_s: float) -> SessionView:
    owner = session.owner
    registration = owner.registration
    content = session.content
    shows_text = content.live_text
    message = content.message if shows_text else None
    is_waiting = session.state in WAITING_STATES
    return SessionView(
        uid=session.uid,
        adapter_id=owner.adapter_id,
        adapter_name=registration.name,
        badge=registration.badge,
        monogram=owner.monogram,
        host=session.host,
        session_id=session.session_id,
        title=content.title,
        state=session.state,
        since_monotonic_s=session.since_s,
        since_epoch_s=session.since_epoch_s,
        changed_monotonic_s=now_s,
        tool_label=content.tool_label if shows_text else None,
        tool_kind=content.tool_kind,
        status_detail=content.status_detail if shows_text else None,
        model=content.model,
        message_id=None if message is None else message.id,
        message_text=None if message is None else message.text,
        cwd=content.cwd,
        project=content.project,
        subagent_count=content.subagent_count,
        background=content.background,
        live_text=content.live_text,
        can_open=resolve_tap(content, registration) != NOTHING,
        approval=content.approval if is_waiting else None,
        question=content.question if is_waiting else None,
        scheme=adapter.scheme,
        icon=adapter.icon,
        symbol=owner.symbol,
    )
