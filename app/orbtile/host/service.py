"""The host's one door: a method per endpoint and per user action, and the read side that surfaces use.

Owns the order in which the parts act. Must not know sockets, JSON, widgets or files. Not thread-safe:
everything happens on the loop's thread.

Everything is a step: what is due happens first, so a late :meth:`Service.tick` never shows in an answer, and
one ``Changes`` record follows.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

from orbtile.host.access import Access, Admission
from orbtile.host.adapters import Lease, Registrations
from orbtile.host.appearance import Appearance, effective_palette
from orbtile.host.board import Board
from orbtile.host.changes import Changes, Listener, Unsubscribe
from orbtile.host.consent import ConsentBook, RememberedAdapter
from orbtile.host.deadlines import Deadlines
from orbtile.host.icons import IconImages
from orbtile.host.persistence import Persistence
from orbtile.host.ports import AppBundles, Clock, Desktop, Parse, Processes, Store, TokenSource
from orbtile.host.records import ConsentRecord
from orbtile.host.sessions import Plan, SessionTable, Touched, check_room, plan_update, session_uid
from orbtile.host.settings import Settings
from orbtile.host.sources import SourceInfo, Sources
from orbtile.host.step import Step
from orbtile.host.tap import perform_tap
from orbtile.host.views import AdapterView, Notice, NoticeKind, SessionView
from orbtile.protocol import errors
from orbtile.protocol.events import EventsPoll
from orbtile.protocol.gate import Admitted, GateState, Route
from orbtile.protocol.grammar import LOCAL_HOST, is_reserved_id
from orbtile.protocol.limits import HUE_END_DEG, MAX_SESSIONS_PER_ADAPTER
from orbtile.protocol.registration import Icon, Registration
from orbtile.protocol.replies import BatchReply, Info, RegistrationReply, SessionReply
from orbtile.protocol.session import BatchItem, SessionUpdate

__all__ = ["Admission", "Service"]


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
        self._processes = processes
        self._bundles = bundles
        self._desktop = desktop
        self._version = version
        self._settings = settings
        self._notices: dict[NoticeKind, Notice] = {}
        self._deadlines = Deadlines()
        self._access = Access(tokens, clock.monotonic_s())
        touched = Touched()
        self._sessions = SessionTable(clock, self._deadlines, touched)
        self._sources = Sources(self._sessions, touched)
        self._persistence = Persistence(store, clock, self._deadlines, self._records)
        book = ConsentBook(consents)
        self._registrations = Registrations(
            clock=clock,
            tokens=tokens,
            deadlines=self._deadlines,
            sessions=self._sessions,
            book=book,
            touched=touched,
            save_soon=self._persistence.save_consents_soon,
        )
        self._appearance = Appearance(settings, book, self._sources.by_id, touched)
        self._board = Board(
            touched=touched,
            sessions=self._sessions,
            book=book,
            registrations=self._registrations,
            sources=self._sources.by_id,
            appearance=self._appearance,
        )
        self._step = Step(clock, self._deadlines, self._board.settle)
        with self._step:
            touched.adapters.update(book.ids())
        if settings.api_enabled:
            self._access.open()

    # --- observation ------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Unsubscribe:
        """Call ``listener`` after each step that changed something; it may read, act and (un)subscribe."""
        return self._step.subscribe(listener)

    def next_deadline(self) -> float | None:
        """Monotonic seconds of the next :meth:`tick` worth a call; None: nothing is due by itself."""
        return self._deadlines.next_s()

    def watch_deadline(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` after a step that made something due earlier than :meth:`next_deadline` last
        said.

        A step may do so without a ``Changes`` record. Whoever arms a loop timer asks :meth:`next_deadline`
        after each :meth:`tick` and in ``callback``, and need not otherwise. There is one watcher.
        """
        self._step.watch_deadline(callback)

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

    def put_off(self, admission: Admission) -> Admission:
        """For a registration whose icon is still to be rendered: :meth:`register` takes it only if nothing
        newer of this id came meanwhile.
        """
        lease = self._registrations.get(admission.head.adapter_id)
        return admission._replace(over=(None if lease is None else lease.registration,))

    def register(
        self,
        admission: Admission,
        registration: Registration,
        warnings: Sequence[str],
        icon: IconImages | None = None,
    ) -> RegistrationReply:
        """Open a lease or replace what it registered; ``icon`` is what ``registration.icon`` was rendered to.

        The reply is about the colours in use. Its warnings are the palette generator's, then ``warnings``
        (the parser's), then those about the application that the icon names. Raises 422 ``limit_exceeded`` on
        ``adapterId`` for one live adapter too many, and 409 ``registration_changed`` for one that was put off
        too long.
        """
        with self._step as now_s:
            lease = self._owned_lease(admission, now_s)
            now_registered = None if lease is None else lease.registration
            is_late = admission.over is not None and admission.over[0] is not now_registered
            if is_late and registration != now_registered:
                raise errors.registration_changed()
            adapter_id = admission.head.adapter_id
            # the gate refuses these; nobody may pose as a built-in source by a slip there
            if is_reserved_id(adapter_id):
                raise errors.reserved_id()
            is_new = lease is None
            lease, adapter = self._registrations.register(lease, adapter_id, registration, now_s)
            if registration.icon is not None:
                self._appearance.put_icon(registration.icon, icon)
            self._appearance.tidy()
            scheme = self._appearance.look(
                adapter_id, adapter.registration, adapter.allowed, adapter.user_hue_deg
            ).scheme
            adapter.warnings = (*scheme.warnings, *warnings, *self._bundle_warnings(registration.icon))
            return RegistrationReply(
                adapter_id=adapter_id,
                palette=effective_palette(registration.palette, adapter.user_hue_deg),
                resolved_base_hue=scheme.resolved_base_hue_deg,
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
            self._step.tell(Changes(api=True, settings=True))

    def regenerate_token(self) -> None:
        """Replace the bearer token and end every registration at once (spec section 3). Nothing while the API
        is off.
        """
        with self._step:
            if self._access.is_open:
                self._access.open()
                self._end_all_leases()
                self._step.tell(Changes(api=True))

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
                self._appearance.tidy()
                self._persistence.save_consents()

    def set_hue(self, adapter_id: str, hue_deg: float | None) -> bool:
        """The user wants the adapter in one hue (OKLCH degrees, 0..<360), whatever it registers; None: in its
        own colours again. Concerns neither fingerprint nor consent.

        False: nobody of this id is remembered. Raises ValueError for what is no hue.
        """
        if hue_deg is not None and not 0 <= hue_deg < HUE_END_DEG:
            raise ValueError(hue_deg)
        return self._decide(adapter_id, None, partial(RememberedAdapter.choose_hue, hue_deg=hue_deg))

    def change_settings(self, settings: Settings) -> None:
        """Take over all of ``settings`` but the API switch, which is :meth:`set_api_enabled`'s."""
        with self._step:
            settings = replace(settings, api_enabled=self._settings.api_enabled)
            if settings != self._settings:
                self._settings = settings
                self._appearance.change_settings(settings)
                self._persistence.save_settings(settings)
                self._step.tell(Changes(settings=True))

    def tap(self, uid: str) -> bool:
        """Open what the session points at, by the rules that hold now. False: nothing happened."""
        with self._step:
            session = self._sessions.get(uid)
            return session is not None and perform_tap(session, self._desktop, self._processes)

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

    # --- icons ------------------------------------------------------------------------------------------

    def icons_to_render(self) -> list[Icon]:
        """The icons that are remembered from earlier runs, or are a source's, and have no images yet."""
        return self._appearance.icons_to_render()

    def rendered_icon(self, icon: Icon) -> IconImages | None:
        """The images of ``icon`` if it was rendered before and somebody still has it."""
        return self._appearance.images(icon)

    def keep_icon(self, icon: Icon, images: IconImages) -> None:
        """``icon`` was rendered outside of a registration; nothing happens if nobody has it by now."""
        with self._step:
            self._appearance.put_icon(icon, images)

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
                self._step.tell(Changes(notices=True))

    def clear(self, kind: NoticeKind) -> None:
        """The trouble is over."""
        with self._step:
            if self._notices.pop(kind, None) is not None:
                self._step.tell(Changes(notices=True))

    # --- built-in sources -------------------------------------------------------------------------------

    def add_source(self, info: SourceInfo) -> None:
        """Let a built-in agent show sessions. Raises ValueError for an id that an adapter could have, or a
        second time.
        """
        with self._step:
            self._sources.add(info)

    def remove_source(self, source_id: str) -> None:
        """The built-in agent was turned off: its sessions go with it."""
        with self._step:
            self._sources.remove(source_id)
            self._appearance.tidy()

    def source_update(
        self, source_id: str, session_id: str, update: SessionUpdate, *, evidence_s: float | None = None
    ) -> str:
        """Merge ``update`` into a session of a source; returns its uid.

        ``evidence_s``: for how long what the source saw proves that the session lives; then it shows offline
        and is removed like any other. None: until the source says otherwise. ``update.ttl_s`` is not used.
        """
        with self._step as now_s:
            return self._sources.update(source_id, session_id, update, evidence_s, now_s)

    def source_end(self, source_id: str, session_id: str, host: str = LOCAL_HOST) -> None:
        """End a session of a source, if there is one."""
        with self._step:
            self._sources.end(source_id, session_id, host)

    # --- persistence ------------------------------------------------------------------------------------

    def flush(self) -> None:
        """At shutdown: hand over to the store what it does not have yet."""
        self._persistence.flush(is_anyone_live=len(self._registrations) > 0)

    # --- inside -----------------------------------------------------------------------------------------

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
                self._appearance.tidy()
                self._persistence.save_consents()
            return is_decided

    def _bundle_warnings(self, icon: Icon | None) -> list[str]:
        bundle_id = None if icon is None else icon.app_bundle_id
        return [] if bundle_id is None else self._bundles.warnings(bundle_id)

    def _end_all_leases(self) -> None:
        if self._registrations.end_all():
            self._persistence.save_consents()

    def _records(self) -> list[ConsentRecord]:
        return self._registrations.records()
