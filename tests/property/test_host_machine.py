"""The service against a model that recomputes everything from what was sent and when.

The model knows the rules as the specification words them (silence, lease, TTL, removal, consent, limits) and
none of the machinery: no timers, no views, no records of changes.
"""

from dataclasses import dataclass, field

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from orbtile.host.changes import Changes
from orbtile.host.sources import SourceInfo
from orbtile.host.views import AdapterView, Consent, SessionView
from orbtile.palette.states import State
from orbtile.protocol.errors import ApiError
from orbtile.protocol.fields import UNSET, Unset
from orbtile.protocol.session import BatchItem, SessionUpdate
from tests.fakes.hosts import Host, make_registration, make_update

pytestmark = pytest.mark.slow

TICK_S = 1 / 16
"""Before each request: enough for both buckets, and exact in binary."""

ADAPTERS = [f"dev.a{index}" for index in range(11)]
NAMES = ["Alpha", "Beta"]
ACTIVITIES = [State.THINKING, State.TOOL, State.DONE, State.OFFLINE]
adapter_ids = st.sampled_from(ADAPTERS[:2]) | st.sampled_from(ADAPTERS)
"""Mostly the same two, so that they get to do something, and all of them for the limits."""

session_ids = st.sampled_from(["s1", "s2", "s3"])
hosts = st.sampled_from(["local", "vm"])


@dataclass
class ModelSession:
    title: str
    activity: State
    ttl_s: int
    renewed_s: float
    lapsed_s: float | None = None


@dataclass
class ModelLease:
    seen_s: float
    heartbeat_s: float = float("-inf")
    sessions: dict[str, ModelSession] = field(default_factory=dict)


@dataclass
class ModelAdapter:
    name: str
    decision: Consent = Consent.AWAITING
    allowed_name: str | None = None
    last_seen_s: float = 0.0

    @property
    def consent(self) -> Consent:
        if self.decision is Consent.ALLOWED and self.allowed_name != self.name:
            return Consent.AWAITING
        return self.decision


class HostMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.host = Host()
        self.service = self.host.service
        self.service.add_source(SourceInfo(source_id="codex", registration=make_registration("Codex")))
        self.shown: dict[str, SessionView] = {}
        self.listed: dict[str, AdapterView] = {view.adapter_id: view for view in self.service.adapters()}
        self.service.subscribe(self.check_record)
        self.leases: dict[str, ModelLease] = {}
        self.adapters: dict[str, ModelAdapter] = {}
        self.source_sessions: dict[str, ModelSession] = {}
        self.is_settled = True

    # --- what the model says ----------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        return self.host.clock.monotonic_s()

    def settle(self) -> None:
        """Forget what ended by itself until now."""
        for adapter_id, lease in list(self.leases.items()):
            if self.now_s >= lease.seen_s + 60:
                self.end_lease(adapter_id)
            else:
                self.expire(lease.sessions, lease.heartbeat_s)
        self.is_settled = True

    def expire(self, sessions: dict[str, ModelSession], heartbeat_s: float) -> None:
        for uid, session in list(sessions.items()):
            due_s = max(session.renewed_s, heartbeat_s) + session.ttl_s
            if session.lapsed_s is None and session.activity is not State.OFFLINE and self.now_s >= due_s:
                session.lapsed_s = due_s
            if session.lapsed_s is not None and self.now_s >= session.lapsed_s + 600:
                del sessions[uid]

    def end_lease(self, adapter_id: str) -> None:
        self.adapters[adapter_id].last_seen_s = self.leases.pop(adapter_id).seen_s

    def expected_states(self) -> dict[str, State]:
        states = {uid: session.activity for uid, session in self.source_sessions.items()}
        for adapter_id, lease in self.leases.items():
            if self.adapters[adapter_id].consent is Consent.ALLOWED:
                is_silent = self.now_s > lease.seen_s + 15
                for uid, session in lease.sessions.items():
                    is_offline = is_silent or session.lapsed_s is not None
                    states[uid] = State.OFFLINE if is_offline else session.activity
        return states

    def request(self, adapter_id: str) -> ModelLease | None:
        """Time passes, then a request of this adapter comes in."""
        self.host.clock.advance(TICK_S)
        self.settle()
        lease = self.leases.get(adapter_id)
        if lease is not None:
            lease.seen_s = self.now_s
        return lease

    @staticmethod
    def outcome(call: object, *args: object) -> int:
        """The status that a call ends in; 200 for success."""
        assert callable(call)
        try:
            call(*args)
        except ApiError as error:
            return error.status
        return 200

    # --- listeners --------------------------------------------------------------------------------------

    def check_record(self, changes: Changes) -> None:
        """A record names every id that looks different, and no other."""
        assert changes
        shown = {view.uid: view for view in self.service.sessions()}
        listed = {view.adapter_id: view for view in self.service.adapters()}
        assert changes.sessions == {
            uid for uid in shown.keys() | self.shown.keys() if shown.get(uid) != self.shown.get(uid)
        }
        assert changes.adapters == {
            one for one in listed.keys() | self.listed.keys() if listed.get(one) != self.listed.get(one)
        }
        self.shown, self.listed = shown, listed

    # --- adapters' doings -------------------------------------------------------------------------------

    @rule(adapter_id=adapter_ids, name=st.sampled_from(NAMES))
    def register(self, adapter_id: str, name: str) -> None:
        lease = self.request(adapter_id)
        status = self.outcome(self.host.adapter(adapter_id).register, make_registration(name))
        if lease is None and len(self.leases) == 8:
            assert status == 422
            return
        assert status == 200
        if lease is None:
            self.leases[adapter_id] = ModelLease(self.now_s)
        adapter = self.adapters.setdefault(adapter_id, ModelAdapter(name))
        adapter.name = name
        if len(self.adapters) > 32:
            idle = [one for one in self.adapters if one not in self.leases]
            del self.adapters[min(idle, key=self.worth_keeping)]

    def worth_keeping(self, adapter_id: str) -> tuple[bool, float]:
        adapter = self.adapters[adapter_id]
        return adapter.decision is not Consent.AWAITING, adapter.last_seen_s

    def many_come_and_go(self, first: int, count: int) -> None:
        if len(self.leases) == 8:
            return
        for index in range(first, first + count):
            self.register(f"dev.passing{index}", "Passing")
            self.unregister(f"dev.passing{index}")

    def unregister(self, adapter_id: str) -> None:
        lease = self.request(adapter_id)
        assert self.outcome(self.host.adapter(adapter_id).unregister) == (404 if lease is None else 200)
        if lease is not None:
            self.end_lease(adapter_id)

    def heartbeat(self, adapter_id: str) -> None:
        lease = self.request(adapter_id)
        assert self.outcome(self.host.adapter(adapter_id).heartbeat) == (404 if lease is None else 200)
        if lease is not None:
            lease.heartbeat_s = self.now_s
            for session in lease.sessions.values():
                session.lapsed_s = None

    def touch(self, adapter_id: str) -> None:
        lease = self.request(adapter_id)
        assert self.outcome(self.host.adapter(adapter_id).touch) == (404 if lease is None else 200)

    @rule(
        adapter_id=adapter_ids,
        session_id=session_ids,
        host=hosts,
        title=st.sampled_from([UNSET, "one", "two"]),
        activity=st.sampled_from([UNSET, *ACTIVITIES]),
        ttl_s=st.sampled_from([UNSET, None, 10, 40, 3600]),
    )
    def update(
        self,
        adapter_id: str,
        session_id: str,
        host: str,
        title: str | Unset,
        activity: State | Unset,
        ttl_s: int | Unset | None,
    ) -> None:
        lease = self.request(adapter_id)
        update = SessionUpdate(title=title, activity=activity, host=host, ttl_s=ttl_s)
        status = self.outcome(self.host.adapter(adapter_id).update, session_id, update)
        if lease is None:
            assert status == 404
            return
        uid = f"{adapter_id}/{host}/{session_id}"
        session = lease.sessions.get(uid)
        if session is None and (title is UNSET or activity is UNSET):
            assert status == 422
            return
        assert status == 200
        if session is None:
            session = lease.sessions[uid] = ModelSession("", State.IDLE, 120, self.now_s)
        session.renewed_s, session.lapsed_s = self.now_s, None
        session.title = session.title if isinstance(title, Unset) else title
        session.activity = session.activity if isinstance(activity, Unset) else activity
        if not isinstance(ttl_s, Unset):
            session.ttl_s = 120 if ttl_s is None else ttl_s

    def end(self, adapter_id: str, session_id: str, host: str) -> None:
        lease = self.request(adapter_id)
        assert self.outcome(self.host.adapter(adapter_id).end, session_id, host) == (
            404 if lease is None else 200
        )
        if lease is not None:
            lease.sessions.pop(f"{adapter_id}/{host}/{session_id}", None)

    @rule(adapter_id=adapter_ids, count=st.integers(0, 34), activity=st.sampled_from(ACTIVITIES))
    def replace(self, adapter_id: str, count: int, activity: State) -> None:
        lease = self.request(adapter_id)
        items = [BatchItem(session_id=f"s{i}", update=make_update(activity=activity)) for i in range(count)]
        status = self.outcome(self.host.adapter(adapter_id).replace, *items)
        if lease is None or count > 32:
            assert status == (404 if lease is None else 422)
            return
        assert status == 200
        lease.sessions = {
            f"{adapter_id}/local/{item.session_id}": ModelSession("fix flaky test", activity, 120, self.now_s)
            for item in items
        }

    def source_update(self, session_id: str, activity: State) -> None:
        self.settle()
        uid = self.service.source_update("codex", session_id, make_update(activity=activity))
        self.source_sessions[uid] = ModelSession("fix flaky test", activity, 0, self.now_s)

    def source_end(self, session_id: str) -> None:
        self.settle()
        self.service.source_end("codex", session_id)
        self.source_sessions.pop(f"codex/local/{session_id}", None)

    @rule(adapter_id=adapter_ids, ttl_s=st.sampled_from([10, 40, 3600]), activity=st.sampled_from(ACTIVITIES))
    def arrive(self, adapter_id: str, ttl_s: int, activity: State) -> None:
        """What most adapters' lives begin with."""
        self.register(adapter_id, NAMES[0])
        self.decide(adapter_id, is_allow=True, is_outdated=False)
        self.update(adapter_id, "s1", "local", "one", activity, ttl_s)

    @rule(adapter_id=adapter_ids, is_heartbeat=st.booleans())
    def stay_in_touch(self, adapter_id: str, is_heartbeat: bool) -> None:
        if is_heartbeat:
            self.heartbeat(adapter_id)
        else:
            self.touch(adapter_id)

    @rule(session_id=session_ids, activity=st.sampled_from([None, *ACTIVITIES]))
    def source(self, session_id: str, activity: State | None) -> None:
        if activity is None:
            self.source_end(session_id)
        else:
            self.source_update(session_id, activity)

    @rule(
        adapter_id=adapter_ids,
        how=st.sampled_from(
            ["end", "end", "unregister", "turn off", "forget", "off", "new token", "passing"]
        ),
        session_id=session_ids,
        host=hosts,
        count=st.integers(1, 40),
    )
    def leave(self, adapter_id: str, how: str, session_id: str, host: str, count: int) -> None:
        match how:
            case "end":
                self.end(adapter_id, session_id, host)
            case "unregister":
                self.unregister(adapter_id)
            case "turn off":
                self.turn_off(adapter_id)
            case "forget":
                self.forget(adapter_id)
            case "passing":
                self.many_come_and_go(count, count)
            case _:
                self.end_everything(is_off_for_a_while=how == "off")

    # --- the user's doings ------------------------------------------------------------------------------

    @rule(adapter_id=adapter_ids, is_allow=st.booleans(), is_outdated=st.booleans())
    def decide(self, adapter_id: str, is_allow: bool, is_outdated: bool) -> None:
        self.settle()
        view = self.service.adapter(adapter_id)
        fingerprint = "outdated" if view is None or is_outdated else view.fingerprint
        decide = self.service.allow if is_allow else self.service.deny
        adapter = self.adapters.get(adapter_id)
        assert decide(adapter_id, fingerprint) is (adapter is not None and not is_outdated)
        if adapter is not None and not is_outdated:
            adapter.decision = Consent.ALLOWED if is_allow else Consent.DENIED
            if is_allow:
                adapter.allowed_name = adapter.name

    def turn_off(self, adapter_id: str) -> None:
        self.settle()
        adapter = self.adapters.get(adapter_id)
        assert self.service.turn_off(adapter_id) is (adapter is not None)
        if adapter is not None:
            adapter.decision = Consent.DENIED

    def forget(self, adapter_id: str) -> None:
        self.settle()
        self.service.forget(adapter_id)
        self.leases.pop(adapter_id, None)
        self.adapters.pop(adapter_id, None)

    def end_everything(self, is_off_for_a_while: bool) -> None:
        self.settle()
        old = self.service.api_token
        if is_off_for_a_while:
            self.service.set_api_enabled(False)
            assert self.outcome(self.host.adapter().touch) == 503
            self.service.set_api_enabled(True)
        else:
            self.service.regenerate_token()
        assert self.service.api_token not in {"", old}
        for adapter_id in list(self.leases):
            self.end_lease(adapter_id)

    # --- time -------------------------------------------------------------------------------------------

    @rule(
        seconds=st.sampled_from([0.5, 5.0, 14.5, 15.5, 16.0, 20.0, 40.0, 59.5, 61.0, 700.0]),
        is_ticked=st.booleans(),
    )
    def advance(self, seconds: float, is_ticked: bool) -> None:
        self.host.clock.advance(seconds)
        self.is_settled = False
        if is_ticked:
            self.service.tick()
            self.settle()

    @rule(
        seconds=st.sampled_from([10, 15, 20, 50, 150, 650]),
        is_heartbeat=st.booleans(),
        is_ticked=st.booleans(),
    )
    def live_on(self, seconds: int, is_heartbeat: bool, is_ticked: bool) -> None:
        """Time passes while every live adapter stays in touch."""
        for _ in range(0, seconds, 5):
            self.advance(5.0, is_ticked)
            for adapter_id in list(self.leases):
                if is_heartbeat:
                    self.heartbeat(adapter_id)
                else:
                    self.touch(adapter_id)

    @rule(count=st.integers(1, 12))
    def advance_from_deadline_to_deadline(self, count: int) -> None:
        """As the loop does it; nothing happens between two deadlines."""
        for _ in range(count):
            self.service.tick()
            due_s = self.service.next_deadline()
            if due_s is None:
                break
            shown = self.shown
            self.host.clock.advance(max(0.0, (due_s - self.now_s) / 2))
            self.service.tick()
            assert self.shown is shown
            self.host.clock.advance(max(0.0, due_s - self.now_s))
        self.service.tick()
        self.settle()

    # --- what holds after every rule --------------------------------------------------------------------

    @precondition(lambda self: self.is_settled)
    @invariant()
    def sessions_are_as_the_model_says(self) -> None:
        assert {view.uid: view.state for view in self.service.sessions()} == self.expected_states()
        for adapter_id, lease in self.leases.items():
            view = self.service.adapter(adapter_id)
            assert view is not None
            assert view.session_count == len(lease.sessions)

    @precondition(lambda self: self.is_settled)
    @invariant()
    def adapters_are_as_the_model_says(self) -> None:
        views = [view for view in self.service.adapters() if not view.built_in]
        assert {view.adapter_id: (view.consent, view.connected) for view in views} == {
            adapter_id: (adapter.consent, adapter_id in self.leases)
            for adapter_id, adapter in self.adapters.items()
        }

    @invariant()
    def limits_hold(self) -> None:
        views = [view for view in self.service.adapters() if not view.built_in]
        assert len(views) <= 32
        assert sum(view.connected for view in views) <= 8
        assert all(view.session_count <= 32 for view in views)

    @invariant()
    def only_the_allowed_show(self) -> None:
        for view in self.service.sessions():
            adapter = self.service.adapter(view.adapter_id)
            assert adapter is not None
            assert adapter.consent is Consent.ALLOWED
            assert adapter.built_in or adapter.connected

    @invariant()
    def nothing_changed_without_a_record(self) -> None:
        assert {view.uid: view for view in self.service.sessions()} == self.shown
        assert {view.adapter_id: view for view in self.service.adapters()} == self.listed

    @precondition(lambda self: self.is_settled)
    @invariant()
    def the_next_deadline_is_ahead_and_the_heap_is_small(self) -> None:
        self.service.tick()
        due_s = self.service.next_deadline()
        assert due_s is None or due_s > self.now_s
        timers = 1 + len(self.leases) + sum(len(lease.sessions) for lease in self.leases.values())
        assert len(self.service._deadlines) <= 2 * timers + 18

    def teardown(self) -> None:
        """What the user decided and what changed since is the same after a restart."""
        self.service.tick()
        self.service.flush()
        if not self.host.store.consents:
            return
        after = Host(consents=self.host.store.consents[-1]).service
        before = {view.adapter_id: view for view in self.service.adapters() if not view.built_in}
        assert {view.adapter_id for view in after.adapters()} == before.keys()
        for adapter_id, view in before.items():
            again = after.adapter(adapter_id)
            assert again is not None
            assert (again.consent, again.changed_fields, again.registration, again.allowed) == (
                view.consent,
                view.changed_fields,
                view.registration,
                view.allowed,
            )


HostMachine.TestCase.settings = settings(max_examples=250, stateful_step_count=50, deadline=None)
TestHostMachine = HostMachine.TestCase
