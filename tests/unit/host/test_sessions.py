"""Spec section 3, "Session update" and "Session identity"."""

from dataclasses import replace

import pytest

from orbtile.palette.states import State
from orbtile.protocol.errors import ApiError
from orbtile.protocol.gate import Route
from orbtile.protocol.registration import Capability
from orbtile.protocol.session import (
    ApprovalRequest,
    BatchItem,
    Message,
    Question,
    QuestionOption,
    QuestionRequest,
    SessionUpdate,
)
from tests.fakes.hosts import AdapterClient, Host, make_registration, make_update, refusal

FULL = SessionUpdate(
    title="fix flaky test",
    activity=State.TOOL,
    cwd="/home/me/app",
    project="Customer jobs",
    model="gpt-x",
    tool_label="Bash  npm test",
    tool_kind="shell",
    message=Message(id="m7", text="done"),
    status_detail="3 of 7",
    subagent_count=2,
    open_url="example://run/7",
    pid=4242,
    background=True,
    live_text=True,
    ttl_s=60,
)
APPROVAL = ApprovalRequest(id="approval-91", tool_name="Bash", command_summary="npm test")
QUESTION = QuestionRequest(
    id="question-92",
    questions=(Question(text="Which docs?", options=(QuestionOption(label="A"), QuestionOption(label="B"))),),
)
INTERACTIVE = replace(
    make_registration(), capabilities=frozenset({Capability.APPROVALS, Capability.QUESTIONS})
)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def adapter(host: Host) -> AdapterClient:
    return host.allowed()


# --- merging ------------------------------------------------------------------------------------------------


def test_a_new_session_shows_what_was_sent(adapter: AdapterClient) -> None:
    reply = adapter.update(update=FULL)
    assert (reply.uid, reply.visible) == ("dev.example/local/run-7", True)
    view = adapter.session()
    assert (view.adapter_id, view.host, view.session_id) == ("dev.example", "local", "run-7")
    assert (view.adapter_name, view.badge, view.monogram) == ("Example Agent", "Example Agent", "EA")
    assert (view.title, view.state, view.cwd, view.project) == (
        "fix flaky test",
        State.TOOL,
        "/home/me/app",
        "Customer jobs",
    )
    assert (view.model, view.tool_label, view.tool_kind) == ("gpt-x", "Bash  npm test", "shell")
    assert (view.message_id, view.message_text, view.status_detail) == ("m7", "done", "3 of 7")
    assert (view.subagent_count, view.background, view.live_text) == (2, True, True)
    assert view.can_open
    assert not view.is_remote


@pytest.mark.parametrize(
    ("update", "field"),
    [
        (SessionUpdate(), "title"),
        (SessionUpdate(activity=State.IDLE), "title"),
        (SessionUpdate(title="x"), "activity"),
    ],
)
def test_a_new_session_needs_title_and_activity(
    adapter: AdapterClient, update: SessionUpdate, field: str
) -> None:
    with pytest.raises(ApiError) as refused:
        adapter.update(update=update)
    assert refusal(refused.value) == (422, "invalid_field", field)
    assert adapter.state() is None


def test_an_absent_field_keeps_its_value(adapter: AdapterClient) -> None:
    adapter.update(update=FULL)
    before = adapter.session()
    adapter.update(update=SessionUpdate())
    assert adapter.session() == before


def test_null_clears_to_the_default(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=FULL)
    cleared = SessionUpdate(
        cwd=None,
        project=None,
        model=None,
        tool_label=None,
        tool_kind=None,
        message=None,
        status_detail=None,
        subagent_count=None,
        host=None,
        open_url=None,
        pid=None,
        background=None,
        live_text=None,
        ttl_s=None,
        approval=None,
        question=None,
    )
    adapter.update(update=cleared)
    fresh = host.allowed("dev.other")
    fresh.update(update=make_update(activity=State.TOOL))
    expected = replace(fresh.session(), uid="dev.example/local/run-7", adapter_id="dev.example")
    assert adapter.session() == expected
    for _ in range(12):
        host.advance(9.9)
        adapter.touch()
        fresh.heartbeat()
    assert adapter.state() is State.TOOL
    host.advance(9.9)
    assert adapter.state() is State.OFFLINE


def test_without_live_text_only_the_state_word_is_shown(adapter: AdapterClient) -> None:
    adapter.update(update=replace(FULL, live_text=False))
    view = adapter.session()
    assert not view.live_text
    assert (view.message_id, view.message_text, view.tool_label, view.status_detail) == (None,) * 4
    adapter.update(update=SessionUpdate(live_text=True))
    assert adapter.session().message_text == "done"


# --- identity -----------------------------------------------------------------------------------------------


def test_identity_is_adapter_host_and_id(host: Host, adapter: AdapterClient) -> None:
    other = host.allowed("dev.other")
    adapter.update(update=make_update("here"))
    adapter.update(update=replace(make_update("there"), host="jobs-vm"))
    other.update(update=make_update("elsewhere"))
    assert adapter.session().title == "here"
    assert adapter.session(host="jobs-vm").title == "there"
    assert other.session().title == "elsewhere"
    assert adapter.session(host="jobs-vm").is_remote
    assert len(host.service.sessions()) == 3


def test_a_session_is_ended_on_its_own_host_only(adapter: AdapterClient) -> None:
    adapter.update()
    adapter.update(update=replace(make_update(), host="jobs-vm"))
    adapter.end(host="jobs-vm")
    assert adapter.state() is State.THINKING
    assert adapter.state(host="jobs-vm") is None


def test_ending_an_unknown_session_is_no_error(adapter: AdapterClient) -> None:
    adapter.end("never-seen")


# --- pid ----------------------------------------------------------------------------------------------------


def test_a_dead_or_foreign_pid_is_refused_and_changes_nothing(adapter: AdapterClient) -> None:
    adapter.update(update=FULL)
    with pytest.raises(ApiError) as refused:
        adapter.update(update=SessionUpdate(title="other", pid=1))
    assert refusal(refused.value) == (422, "invalid_field", "pid")
    assert adapter.session().title == "fix flaky test"


def test_nobody_is_asked_about_a_pid_that_is_absent_or_cleared(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=make_update())
    adapter.update(update=SessionUpdate(pid=None))
    assert host.processes.asked == []


# --- limits -------------------------------------------------------------------------------------------------


def test_an_adapter_has_at_most_32_sessions(host: Host, adapter: AdapterClient) -> None:
    for index in range(32):
        host.advance(0.05)
        adapter.update(f"s{index}")
    with pytest.raises(ApiError) as refused:
        adapter.update("s32")
    assert refusal(refused.value) == (422, "limit_exceeded", "sessionId")
    adapter.update("s0", SessionUpdate(title="still welcome"))
    adapter.end("s1")
    adapter.update("s32")
    assert adapter.view().session_count == 32


# --- TTL ----------------------------------------------------------------------------------------------------


def keep_in_touch(host: Host, adapter: AdapterClient, seconds: float) -> None:
    """Let time pass with requests that renew the lease but no session."""
    while seconds > 0:
        step_s = min(10.0, seconds)
        host.advance(step_s)
        adapter.touch()
        seconds -= step_s


@pytest.mark.parametrize(("ttl_s", "expected_s"), [(10, 10.0), (3600, 3600.0), (None, 120.0)])
def test_a_session_without_update_or_heartbeat_goes_offline_after_its_ttl(
    host: Host, adapter: AdapterClient, ttl_s: int | None, expected_s: float
) -> None:
    adapter.update(update=replace(make_update(), ttl_s=ttl_s))
    keep_in_touch(host, adapter, expected_s - 0.5)
    assert adapter.state() is State.THINKING
    keep_in_touch(host, adapter, 0.5)
    assert adapter.state() is State.OFFLINE


def test_a_session_offline_by_ttl_is_removed_600_s_later(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), ttl_s=10))
    keep_in_touch(host, adapter, 609.5)
    assert adapter.state() is State.OFFLINE
    keep_in_touch(host, adapter, 0.5)
    assert adapter.state() is None
    assert adapter.view().session_count == 0


def test_only_an_update_or_a_heartbeat_brings_back_a_session_offline_by_ttl(
    host: Host, adapter: AdapterClient
) -> None:
    adapter.update("one", replace(make_update(), ttl_s=10))
    adapter.update("two", replace(make_update(), ttl_s=10))
    keep_in_touch(host, adapter, 30.0)
    assert (adapter.state("one"), adapter.state("two")) == (State.OFFLINE, State.OFFLINE)
    adapter.update("one", SessionUpdate())
    assert (adapter.state("one"), adapter.state("two")) == (State.THINKING, State.OFFLINE)
    adapter.heartbeat()
    assert adapter.state("two") is State.THINKING
    keep_in_touch(host, adapter, 9.0)
    assert (adapter.state("one"), adapter.state("two")) == (State.THINKING, State.THINKING)
    keep_in_touch(host, adapter, 1.0)
    assert (adapter.state("one"), adapter.state("two")) == (State.OFFLINE, State.OFFLINE)


def test_a_ttl_that_ran_out_during_silence_stays_out_when_the_adapter_speaks_again(
    host: Host, adapter: AdapterClient
) -> None:
    adapter.update("short", replace(make_update(), ttl_s=18))
    adapter.update("long", replace(make_update(), ttl_s=60))
    host.advance(20.0)
    adapter.touch()
    assert (adapter.state("short"), adapter.state("long")) == (State.OFFLINE, State.THINKING)


def test_offline_shows_since_when_whichever_cause_came_first(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), ttl_s=10))
    began_s = adapter.session().since_monotonic_s
    host.advance(20.0)
    assert adapter.session().since_monotonic_s == began_s + 10.0


def test_a_heartbeat_renews_every_ttl(host: Host, adapter: AdapterClient) -> None:
    adapter.update("one", replace(make_update(), ttl_s=10))
    adapter.update("two", replace(make_update(), ttl_s=12))
    for _ in range(20):
        host.advance(9.0)
        adapter.heartbeat()
    assert (adapter.state("one"), adapter.state("two")) == (State.THINKING, State.THINKING)


def test_a_shorter_ttl_counts_from_the_update_that_sent_it(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), ttl_s=3600))
    adapter.update(update=SessionUpdate(ttl_s=10))
    keep_in_touch(host, adapter, 10.0)
    assert adapter.state() is State.OFFLINE


def test_an_adapters_own_offline_is_not_removed(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(activity=State.OFFLINE), ttl_s=10))
    keep_in_touch(host, adapter, 1000.0)
    assert adapter.state() is State.OFFLINE
    adapter.update(update=SessionUpdate(activity=State.IDLE))
    assert adapter.state() is State.IDLE
    keep_in_touch(host, adapter, 10.0)
    assert adapter.state() is State.OFFLINE


def test_own_offline_stays_as_it_was_through_silence(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=make_update(activity=State.OFFLINE))
    before = adapter.session()
    host.advance(20.0)
    assert adapter.session() == before
    adapter.touch()
    assert adapter.session() == before


# --- time in state ------------------------------------------------------------------------------------------


def test_time_in_state_starts_with_a_new_activity_only(host: Host, adapter: AdapterClient) -> None:
    adapter.update()
    began = adapter.session()
    host.advance(5.0)
    adapter.update(update=SessionUpdate(title="renamed", activity=State.THINKING))
    view = adapter.session()
    assert (view.since_monotonic_s, view.since_epoch_s) == (began.since_monotonic_s, began.since_epoch_s)
    assert view.changed_monotonic_s == began.changed_monotonic_s + 5.0
    adapter.update(update=SessionUpdate(activity=State.DONE))
    assert adapter.session().since_monotonic_s == began.since_monotonic_s + 5.0
    assert adapter.session().since_epoch_s == began.since_epoch_s + 5.0


# --- requests -----------------------------------------------------------------------------------------------


def test_an_approval_shows_while_the_session_waits_and_hides_when_it_moves_on(host: Host) -> None:
    adapter = host.allowed(registration=INTERACTIVE)
    adapter.update(update=replace(make_update(activity=State.WAITING_PERMISSION), approval=APPROVAL))
    assert adapter.session().approval == APPROVAL
    adapter.update(update=SessionUpdate(activity=State.TOOL))
    assert adapter.session().approval is None
    adapter.update(update=SessionUpdate(activity=State.WAITING_PERMISSION))
    assert adapter.session().approval == APPROVAL
    adapter.update(update=SessionUpdate(approval=None))
    assert adapter.session().approval is None


def test_a_session_has_one_request_and_a_new_one_replaces_it(host: Host) -> None:
    adapter = host.allowed(registration=INTERACTIVE)
    adapter.update(update=replace(make_update(activity=State.WAITING_PERMISSION), approval=APPROVAL))
    adapter.update(update=SessionUpdate(activity=State.WAITING_QUESTION, question=QUESTION))
    assert (adapter.session().approval, adapter.session().question) == (None, QUESTION)
    again = APPROVAL._replace(id="approval-93")
    adapter.update(update=SessionUpdate(approval=again))
    assert (adapter.session().approval, adapter.session().question) == (again, None)


def test_identical_pending_contents_are_fine_and_changed_ones_are_stale(host: Host) -> None:
    adapter = host.allowed(registration=INTERACTIVE)
    adapter.update(update=replace(make_update(activity=State.WAITING_PERMISSION), approval=APPROVAL))
    adapter.update(update=SessionUpdate(approval=APPROVAL))
    for changed, field in (
        (SessionUpdate(approval=APPROVAL._replace(command_summary="rm -rf /")), "approval"),
        (SessionUpdate(question=QUESTION._replace(id=APPROVAL.id)), "question"),
    ):
        with pytest.raises(ApiError) as refused:
            adapter.update(update=changed)
        assert refusal(refused.value) == (409, "stale_request", field)
    assert adapter.session().approval == APPROVAL


# --- PUT sessions -------------------------------------------------------------------------------------------


def item(session_id: str, update: SessionUpdate | None = None) -> BatchItem:
    return BatchItem(session_id=session_id, update=update or make_update())


def test_a_batch_is_all_that_the_adapter_has_on_every_host(host: Host, adapter: AdapterClient) -> None:
    adapter.update("old")
    adapter.update("kept", replace(make_update(), host="jobs-vm"))
    adapter.update("gone", replace(make_update(), host="jobs-vm"))
    reply = adapter.replace(item("new"), item("kept", replace(make_update(), host="jobs-vm")))
    assert [(one.uid, one.visible) for one in reply.sessions] == [
        ("dev.example/local/new", True),
        ("dev.example/jobs-vm/kept", True),
    ]
    assert {view.uid for view in host.service.sessions()} == {one.uid for one in reply.sessions}
    adapter.replace()
    assert host.service.sessions() == []


def test_a_listed_session_is_replaced_whole_but_keeps_its_time_in_state(
    host: Host, adapter: AdapterClient
) -> None:
    adapter.update(update=FULL)
    began = adapter.session()
    host.advance(5.0)
    adapter.replace(item("run-7", replace(make_update(activity=State.TOOL), message=FULL.message)))
    view = adapter.session()
    assert (view.since_monotonic_s, view.since_epoch_s) == (began.since_monotonic_s, began.since_epoch_s)
    assert (view.message_id, view.cwd, view.subagent_count, view.background) == ("m7", None, 0, False)
    keep_in_touch(host, adapter, 119.0)
    assert adapter.state() is State.TOOL
    keep_in_touch(host, adapter, 1.0)
    assert adapter.state() is State.OFFLINE


def test_a_batch_brings_back_a_session_offline_by_ttl(host: Host, adapter: AdapterClient) -> None:
    adapter.update(update=replace(make_update(), ttl_s=10))
    keep_in_touch(host, adapter, 20.0)
    assert adapter.state() is State.OFFLINE
    adapter.replace(item("run-7"))
    assert adapter.state() is State.THINKING


def test_a_listed_session_without_a_request_has_it_cleared(host: Host) -> None:
    adapter = host.allowed(registration=INTERACTIVE)
    waiting = make_update(activity=State.WAITING_PERMISSION)
    adapter.update(update=replace(waiting, approval=APPROVAL))
    adapter.replace(item("run-7", replace(waiting, approval=APPROVAL)))
    assert adapter.session().approval == APPROVAL
    adapter.replace(item("run-7", waiting))
    assert adapter.session().approval is None


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (replace(make_update(), pid=1), (422, "invalid_field", "sessions[1].pid")),
        (SessionUpdate(title="x"), (422, "invalid_field", "sessions[1].activity")),
        (SessionUpdate(activity=State.IDLE), (422, "invalid_field", "sessions[1].title")),
    ],
)
def test_a_batch_is_all_or_nothing(
    host: Host, adapter: AdapterClient, bad: SessionUpdate, expected: tuple[int, str, str]
) -> None:
    adapter.update("old")
    before = host.service.sessions()
    with pytest.raises(ApiError) as refused:
        adapter.replace(item("new"), item("bad", bad))
    assert refusal(refused.value) == expected
    assert host.service.sessions() == before


def test_a_stale_request_in_a_batch_names_its_place(host: Host) -> None:
    adapter = host.allowed(registration=INTERACTIVE)
    waiting = make_update(activity=State.WAITING_PERMISSION)
    adapter.update(update=replace(waiting, approval=APPROVAL))
    with pytest.raises(ApiError) as refused:
        adapter.replace(item("run-7", replace(waiting, approval=APPROVAL._replace(tool_name="Zsh"))))
    assert refusal(refused.value) == (409, "stale_request", "sessions[0].approval")


def test_a_batch_of_more_than_32_is_refused(adapter: AdapterClient) -> None:
    with pytest.raises(ApiError) as refused:
        adapter.replace(*[item(f"s{index}") for index in range(33)])
    assert refusal(refused.value) == (422, "limit_exceeded", "sessions")


def test_a_full_batch_may_replace_a_full_adapter(host: Host, adapter: AdapterClient) -> None:
    adapter.replace(*[item(f"a{index}") for index in range(32)])
    adapter.replace(*[item(f"b{index}") for index in range(32)])
    assert {view.session_id for view in host.service.sessions()} == {f"b{index}" for index in range(32)}


# --- bounds -------------------------------------------------------------------------------------------------


def test_heartbeats_and_updates_leave_the_heap_alone(host: Host, adapter: AdapterClient) -> None:
    adapter.replace(*[item(f"s{index}", replace(make_update(), ttl_s=10 + index)) for index in range(32)])
    for index in range(2_000):
        host.advance(0.5)
        adapter.heartbeat()
        adapter.update("s0", SessionUpdate(ttl_s=10 if index % 2 else 3600))
    assert len(host.service._deadlines) <= 2 * 34 + 18


def test_ten_thousand_registrations_leave_nothing_behind(host: Host) -> None:
    for _ in range(10_000):
        host.clock.advance(0.15)
        client = host.registered()
        client.update()
        client.unregister()
        host.published.clear()
    assert len(host.service._deadlines) <= 20
    assert len(host.service._sessions) == 0
    assert host.service.next_deadline() is not None  # the save that the last one caused
    host.advance(1.0)
    assert host.service.next_deadline() is None


def test_with_no_adapter_nothing_is_ever_due(host: Host) -> None:
    assert host.service.next_deadline() is None


def test_a_reply_says_not_visible_until_the_user_allows(host: Host) -> None:
    client = host.registered()
    assert not client.update().visible
    assert not client.replace(item("run-7")).sessions[0].visible
    assert host.service.sessions() == []
    assert client.admit(Route.HEARTBEAT).head.adapter_id == "dev.example"
