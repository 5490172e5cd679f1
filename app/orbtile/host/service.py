"""The host's one door: a method per endpoint and per user action, and the read side that surfaces use.

Owns the order in which the parts act and the promise that one ``Changes`` record follows each step, after the
state is consistent. Must not know sockets, JSON, widgets or files. Not thread-safe: everything happens on the
loop's thread.

Every step first lets happen what is due, so a late :meth:`Service.tick` never shows in an answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NoReturn

from orbtile.host.access import Access, Admission
from orbtile.host.adapters import Lease, Registrations
from orbtile.host.board import Board
from orbtile.host.changes import Changes, Listener, Unsubscribe
from orbtile.host.consent import ConsentBook, RememberedAdapter
from orbtile.host.deadlines import Deadlines
from orbtile.host.persistence import Persistence
from orbtile.host.ports import AppBundles, Clock, Desktop, Parse, Processes, Store, TokenSource
from orbtile.host.publisher import Publisher
from orbtile.host.records import ConsentRecord
from orbtile.host.sessions import Plan, SessionTable, Touched, check_room, plan_update, session_uid
from orbtile.host.settings import Settings
from orbtile.host.sources import Source, SourceInfo
from orbtile.host.tap import resolve_tap
from orbtile.host.views import AdapterView, Notice, NoticeKind, SessionView
from orbtile.palette.hues import resolve_base_hue
from orbtile.protocol import errors
from orbtile.protocol.events import EventsPoll
from orbtile.protocol.gate import Admitted, GateState, Route
from orbtile.protocol.grammar import LOCAL_HOST, is_reserved_id
from orbtile.protocol.limits import MAX_SESSIONS_PER_ADAPTER
from orbtile.protocol.registration import Registration
from orbtile.protocol.replies import BatchReply, Info, RegistrationReply, SessionReply
from orbtile.protocol.session import BatchItem, SessionUpdate

__all__ = ["Admission", "Service"]

_NOTHING: Final = Changes()


class _Step:
    """One step: what is due happens, the body acts, what changed is told. Yields monotonic seconds."""

    __slots__ = ("_begin", "_settle")

    def __init__(self, begin: Callable[[], float], settle: Callable[[], None]) -> None:
        self._begin = begin
        self._settle = settle

    def __enter__(self) -> float:
        return self._begin()

    def __exit__(self, *_failure: object) -> None:
        self._settle()


class Service:
    """State and rules of the host. Endpoint methods raise ``ApiError``; user actions do not."""

    def __init__(  # noqa: PLR0913  one argument per port, all by name
        self,
        *,
        clock: Clock,
        tokens: TokenSource,
        processes: Processes,
        bundles: AppBundles,
        desktop: Desktop,
        store: Store,
        version: str,
        settings: Settings,
        consents: Sequence[ConsentRecord],
    ) -> None:
        self._clock = clock
        self._tokens = tokens
        self._processes = processes
        self._bundles = bundles
        self._desktop = desktop
        self._version = version
        self._settings = settings
        self._notices: dict[NoticeKind, Notice] = {}
        self._told = _NOTHING
        self._now_s = clock.monotonic_s()
        self._publisher = Publisher()
        self._deadlines = Deadlines()
        self._on_deadline: Callable[[], None] | None = None
        self._sources: dict[str, Source] = {}
        self._access = Access(tokens, self._now_s)
        self._touched = Touched()
        self._sessions = SessionTable(clock, self._deadlines, self._touched)
        self._persistence = Persistence(store, clock, self._deadlines, self._records)
        book = ConsentBook(consents)
        self._registrations = Registrations(
            clock=clock,
            tokens=tokens,
            deadlines=self._deadlines,
            sessions=self._sessions,
            book=book,
            touched=self._touched,
            save_soon=self._persistence.save_consents_soon,
        )
        self._board = Board(
            touched=self._touched,
            sessions=self._sessions,
            book=book,
            registrations=self._registrations,
            sources=self._sources,
        )
        self._step = _Step(self._begin, self._settle)
        self._touched.adapters.update(book.ids())
        if settings.api_enabled:
            self._access.open()
        self._settle()

    # --- observation ------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Unsubscribe:
        """Call ``listener`` after each step that changed something; it may read, act and (un)subscribe."""
        return self._publisher.subscribe(listener)

    def next_deadline(self) -> float | None:
        """Monotonic seconds of the next :meth:`tick` worth a call; None: nothing is due by itself."""
        return self._deadlines.next_s()

    def watch_deadline(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` after a step that made something due earlier than :meth:`next_deadline` last
        said.

        A step may do so without a ``Changes`` record. Whoever arms a loop timer asks :meth:`next_deadline`
        after each :meth:`tick` and in ``callback``, and need not otherwise. There is one watcher.
        """
        self._on_deadline = callback

    def tick(self) -> None:
        """Let happen what is due; early or needless calls are harmless."""
        with self._step:
            pass

    # --- the server's side ------------------------------------------------------------------------------

    @property
    def api_enabled(self) -> bool:
        return self._access.is_open

    @property
    def api_token(self) -> str:
        """The current bearer token; empty while the API is off."""
        return self._access.token

    def gate_state(self) -> GateState:
        return self._access.gate_state

    def sign_of_life(self, adapter_id: str, owner_token: str | None) -> None:
        """A request of this adapter was refused after its bearer token was found right: that counts all the
        same.
        """
        with self._step as now_s:
            lease = self._registrations.get(adapter_id)
            if lease is not None and self._registrations.owns(lease, owner_token):
                self._registrations.renew(lease, now_s)

    def admit(self, head: Admitted) -> Admission:
        """Buckets, owner token, registration, in this order; renews the lease even when a bucket refuses.

        Only a request that gets past all of them takes from the buckets, so that neither a stranger nor a
        flood of unknown ids uses up what is an adapter's.

        Raises 429 ``rate_limited``, 403 ``adapter_token_required``, 404 ``adapter_not_registered`` (not for a
        registration).
        """
        with self._step as now_s:
            lease = None if head.route is Route.INFO else self._registrations.get(head.adapter_id)
            is_owned = lease is None or self._registrations.owns(lease, head.owner_token)
            if lease is not None and is_owned:
                self._registrations.renew(lease, now_s)
            self._access.refuse_flood(head, now_s)
            if not is_owned:
                raise errors.adapter_token_required()
            if lease is None and head.route not in {Route.INFO, Route.REGISTER}:
                raise errors.adapter_not_registered()
            return self._access.admit(head, now_s)

    def info(self, admission: Admission) -> Info:
        self._access.check(admission)
        return Info(version=self._version, proof=self._access.prove(admission.head.nonce))

    def register(
        self, admission: Admission, registration: Registration, warnings: Sequence[str]
    ) -> RegistrationReply:
        """Open a lease or replace what it registered; ``warnings`` are the parser's, ours follow them in the
        reply.

        Raises 422 ``limit_exceeded`` on ``adapterId`` for one live adapter too many.
        """
        with self._step as now_s:
            lease = self._owned_lease(admission, now_s)
            adapter_id = admission.head.adapter_id
            # the gate refuses these; nobody may pose as a built-in source by a slip there
            if is_reserved_id(adapter_id):
                raise errors.reserved_id()
            is_new = lease is None
            lease, adapter = self._registrations.register(lease, adapter_id, registration, now_s)
            icon = registration.icon
            if icon is not None and icon.app_bundle_id is not None:
                warnings = [*warnings, *self._bundles.warnings(icon.app_bundle_id)]
            adapter.warnings = tuple(warnings)
            return RegistrationReply(
                adapter_id=adapter_id,
                palette=registration.palette,
                resolved_base_hue=resolve_base_hue(registration.palette.base_hue),
                enabled=lease.is_visible,
                reason=adapter.disabled_reason,
                keypad_decisions=False,
                warnings=adapter.warnings,
                adapter_token=lease.owner_token,
                created=is_new,
            )

    def unregister(self, admission: Admission) -> None:
        with self._step as now_s:
            self._registrations.end(self._live_lease(admission, now_s))

    def update_session(self, admission: Admission, parse: Parse[SessionUpdate]) -> SessionReply:
        """Merge what the body says into the session, which may be new.

        ``parse`` reads the body under the registration that is in force. Raises 422 and 409, and what
        ``parse`` raises; then nothing changed.
        """
        with self._step as now_s:
            lease = self._live_lease(admission, now_s)
            update, warnings = parse(lease.registration)
            plan = self._plan(lease, admission.head.session_id, update)
            check_room(lease, plan, "sessionId")
            self._sessions.apply(lease, plan, now_s)
            return SessionReply(uid=plan.uid, visible=lease.is_visible, warnings=tuple(warnings))

    def end_session(self, admission: Admission) -> None:
        """End the session of the head's id and host, if there is one."""
        with self._step as now_s:
            head = admission.head
            lease = self._live_lease(admission, now_s)
            session = lease.sessions.get(session_uid(head.adapter_id, head.host, head.session_id))
            if session is not None:
                self._sessions.end(session)

    def replace_sessions(self, admission: Admission, parse: Parse[Sequence[BatchItem]]) -> BatchReply:
        """Make what the body lists all that the adapter has, on every host; as :meth:`update_session`."""
        with self._step as now_s:
            lease = self._live_lease(admission, now_s)
            items, warnings = parse(lease.registration)
            if len(items) > MAX_SESSIONS_PER_ADAPTER:
                raise errors.limit_exceeded(
                    "sessions", f"an adapter has at most {MAX_SESSIONS_PER_ADAPTER} sessions"
                )
            plans = [
                self._plan(lease, item.session_id, item.update, path=f"sessions[{index}].", is_whole=True)
                for index, item in enumerate(items)
            ]
            self._sessions.replace_all(lease, plans, now_s)
            replies = tuple(SessionReply(uid=plan.uid, visible=lease.is_visible) for plan in plans)
            return BatchReply(sessions=replies, warnings=tuple(warnings))

    def heartbeat(self, admission: Admission) -> None:
        """Renew the TTL of every session of the adapter."""
        with self._step as now_s:
            self._sessions.renew_all(self._live_lease(admission, now_s), now_s)

    def poll_events(self, admission: Admission, _poll: EventsPoll) -> NoReturn:
        """409 ``events_not_supported``: no adapter has an event channel yet."""
        with self._step as now_s:
            self._live_lease(admission, now_s)
            raise errors.events_not_supported()

    # --- the user's side --------------------------------------------------------------------------------

    def set_api_enabled(self, enabled: bool) -> None:  # noqa: FBT001  the switch's own value
        """Turn the API on, with a new token, or off, which ends every registration."""
        with self._step:
            if enabled == self._access.is_open:
                return
            if enabled:
                self._access.open()
            else:
                self._access.close()
            self._settings = replace(self._settings, api_enabled=enabled)
            self._persistence.save_settings(self._settings)
            self._end_all_leases()
            self._tell(Changes(api=True, settings=True))

    def regenerate_token(self) -> None:
        """Replace the bearer token and end every registration at once (spec section 3). Nothing while the API
        is off.
        """
        with self._step:
            if self._access.is_open:
                self._access.open()
                self._end_all_leases()
                self._tell(Changes(api=True))

    def allow(self, adapter_id: str, fingerprint: str) -> bool:
        """The user allows what was on screen. False: the registration is another one by now, nothing is
        decided.
        """
        return self._decide(adapter_id, fingerprint, RememberedAdapter.allow)

    def deny(self, adapter_id: str, fingerprint: str) -> bool:
        """The user denies what was on screen; it holds until an Allow. False as in :meth:`allow`."""
        return self._decide(adapter_id, fingerprint, RememberedAdapter.deny)

    def turn_off(self, adapter_id: str) -> bool:
        """The user wants nothing shown of this id: a denial, whatever the adapter registers meanwhile.

        It grants nothing, so it carries no fingerprint, and no adapter can outrun it. False: nobody of this
        id is remembered.
        """
        return self._decide(adapter_id, None, RememberedAdapter.deny)

    def forget(self, adapter_id: str) -> None:
        """End the adapter's registration and forget the decision; unknown ids and built-in sources are left
        alone.
        """
        with self._step:
            if self._registrations.forget(adapter_id):
                self._persistence.save_consents()

    def change_settings(self, settings: Settings) -> None:
        """Take over all of ``settings`` but the API switch, which is :meth:`set_api_enabled`'s."""
        with self._step:
            settings = replace(settings, api_enabled=self._settings.api_enabled)
            if settings != self._settings:
                self._settings = settings
                self._persistence.save_settings(settings)
                self._tell(Changes(settings=True))

    def tap(self, uid: str) -> bool:
        """Open what the session points at, by the rules that hold now. False: nothing happened."""
        with self._step:
            session = self._sessions.get(uid)
            if session is None or not session.owner.is_visible:
                return False
            url, pid = resolve_tap(session.content, session.owner.registration)
            if url is not None and self._desktop.open_url(url):
                return True
            # the process is asked for again: it may have ended since, and its number may be another's
            return pid is not None and self._processes.is_own_live(pid) and self._desktop.bring_to_front(pid)

    # --- the read side ----------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        return self._settings

    def session(self, uid: str) -> SessionView | None:
        """The session as it shows; None when it is gone or not visible."""
        return self._board.session(uid)

    def sessions(self) -> list[SessionView]:
        """All visible sessions, in no promised order."""
        return self._board.sessions()

    def adapter(self, adapter_id: str) -> AdapterView | None:
        return self._board.adapter(adapter_id)

    def adapters(self) -> list[AdapterView]:
        """All remembered adapters and built-in sources, in no promised order."""
        return self._board.adapters()

    # --- notices ----------------------------------------------------------------------------------------

    def notices(self) -> list[Notice]:
        return list(self._notices.values())

    def dismiss_notice(self, kind: NoticeKind) -> None:
        """The user has read it."""
        self.clear(kind)

    def report(self, notice: Notice) -> None:
        """An edge has trouble."""
        with self._step:
            if self._notices.get(notice.kind) != notice:
                self._notices[notice.kind] = notice
                self._tell(Changes(notices=True))

    def clear(self, kind: NoticeKind) -> None:
        """The trouble is over."""
        with self._step:
            if self._notices.pop(kind, None) is not None:
                self._tell(Changes(notices=True))

    # --- built-in sources -------------------------------------------------------------------------------

    def add_source(self, info: SourceInfo) -> None:
        """Let a built-in agent show sessions. Raises ValueError for an id that an adapter could have, or a
        second time.
        """
        with self._step:
            if not is_reserved_id(info.source_id) or info.source_id in self._sources:
                raise ValueError(info.source_id)
            self._sources[info.source_id] = Source(info)
            self._touched.adapters.add(info.source_id)

    def remove_source(self, source_id: str) -> None:
        """The built-in agent was turned off: its sessions go with it."""
        with self._step:
            self._sessions.end_all(self._sources[source_id])
            del self._sources[source_id]
            self._touched.adapters.add(source_id)

    def source_update(
        self, source_id: str, session_id: str, update: SessionUpdate, *, evidence_s: float | None = None
    ) -> str:
        """Merge ``update`` into a session of a source; returns its uid.

        ``evidence_s``: for how long what the source saw proves that the session lives; then it shows offline
        and is removed like any other. None: until the source says otherwise. ``update.ttl_s`` is not used.
        """
        with self._step as now_s:
            source = self._sources[source_id]
            plan = plan_update(source, session_id, update)._replace(ttl_s=evidence_s)
            self._sessions.apply(source, plan, now_s)
            return plan.uid

    def source_end(self, source_id: str, session_id: str, host: str = LOCAL_HOST) -> None:
        """End a session of a source, if there is one."""
        with self._step:
            session = self._sources[source_id].sessions.get(session_uid(source_id, host, session_id))
            if session is not None:
                self._sessions.end(session)

    # --- persistence ------------------------------------------------------------------------------------

    def flush(self) -> None:
        """At shutdown: hand over to the store what it does not have yet."""
        self._persistence.flush(is_anyone_live=len(self._registrations) > 0)

    # --- inside -----------------------------------------------------------------------------------------

    def _begin(self) -> float:
        self._now_s = self._clock.monotonic_s()
        self._deadlines.run(self._now_s)
        return self._now_s

    def _settle(self) -> None:
        seen = self._board.settle(self._now_s)
        told, self._told = self._told, _NOTHING
        if self._on_deadline is not None and self._deadlines.moved_up:
            self._on_deadline()
        if seen is not None:
            self._publisher.publish(seen.merged(told) if told else seen)
        elif told:
            self._publisher.publish(told)

    def _tell(self, changes: Changes) -> None:
        self._told = self._told.merged(changes)

    def _owned_lease(self, admission: Admission, now_s: float) -> Lease | None:
        """The caller's lease, renewed, checked as if the request came only now: its body may have taken
        seconds.
        """
        self._access.check(admission)
        lease = self._registrations.get(admission.head.adapter_id)
        if lease is not None:
            if not self._registrations.owns(lease, admission.head.owner_token):
                raise errors.adapter_token_required()
            self._registrations.renew(lease, now_s)
        return lease

    def _live_lease(self, admission: Admission, now_s: float) -> Lease:
        lease = self._owned_lease(admission, now_s)
        if lease is None:
            raise errors.adapter_not_registered()
        return lease

    def _plan(
        self, lease: Lease, session_id: str, update: SessionUpdate, *, path: str = "", is_whole: bool = False
    ) -> Plan:
        plan = plan_update(lease, session_id, update, path=path, is_whole=is_whole)
        if isinstance(update.pid, int) and not self._processes.is_own_live(update.pid):
            raise errors.invalid_field(f"{path}pid", "no live process of this user")
        return plan

    def _decide(
        self, adapter_id: str, fingerprint: str | None, decision: Callable[[RememberedAdapter], None]
    ) -> bool:
        with self._step:
            is_decided = self._registrations.decide(adapter_id, fingerprint, decision)
            if is_decided:
                self._persistence.save_consents()
            return is_decided

    def _end_all_leases(self) -> None:
        if self._registrations.end_all():
            self._persistence.save_consents()

    def _records(self) -> list[ConsentRecord]:
        return self._registrations.records()
