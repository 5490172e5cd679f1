"""The first words and the rest of a status line, for every activity."""

import re
from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import QLocale

from orbtile.host.views import SessionView
from orbtile.palette.states import ACTIVITIES, State
from orbtile.protocol.session import ApprovalRequest
from orbtile.ui.status_text import (
    StatusLine,
    accessible_name,
    elapsed_text,
    last_finished_text,
    local_clock_text,
    state_word,
    status_line,
)
from tests.fakes.views import EXAMPLE_SESSION


def line(state: State, **fields: object) -> StatusLine:
    view = replace(EXAMPLE_SESSION, state=state)
    for name, value in fields.items():
        view = _with(view, name, value)
    return status_line(view, lambda epoch_s: f"<{epoch_s:.0f}>")


def _with(view: SessionView, name: str, value: object) -> SessionView:
    fields = {field: getattr(view, field) for field in SessionView.__slots__}
    return SessionView(**(fields | {name: value}))


@pytest.mark.parametrize(
    ("state", "fields", "first", "rest"),
    [
        (State.TOOL, {"tool_label": "Bash  npm test"}, "Bash", "npm test"),
        (State.TOOL, {"tool_label": "Edit"}, "Edit", ""),
        (State.TOOL, {}, "Tool", ""),
        (State.TOOL, {"tool_label": "Bash", "message_text": "not this"}, "Bash", ""),
        (State.DONE, {"message_text": "First.\nAll 14 updated  \n\n"}, "Done", "All 14 updated"),
        (State.DONE, {}, "Done", ""),
        (State.STARTING, {"model": "gpt-x"}, "", "gpt-x"),
        (State.STARTING, {}, "", "Starting"),
        (State.THINKING, {"status_detail": "Comparing"}, "", "Comparing"),
        (State.THINKING, {}, "", "Thinking"),
        (State.COMPACTING, {"status_detail": "182k to 40k"}, "", "182k to 40k"),
        (State.COMPACTING, {}, "", "Compacting"),
        (State.WAITING_PERMISSION, {"status_detail": "Bash"}, "Allow Bash?", ""),
        (State.WAITING_PERMISSION, {}, "Permission", ""),
        (State.WAITING_QUESTION, {"status_detail": "not this"}, "Question", ""),
        (State.ERROR, {"status_detail": "API error: 529: overloaded"}, "API error", "529: overloaded"),
        (State.ERROR, {"status_detail": "Out of memory"}, "Out of memory", ""),
        (State.ERROR, {}, "Error", ""),
        (State.IDLE, {"status_detail": "not this", "message_text": "nor this"}, "", "Idle"),
        (State.OFFLINE, {"status_detail": "not this"}, "", "Offline since <1790000000>"),
        (State.STREAMING, {"message_text": "one\ntwo   three"}, "", "one two three"),
        (State.STREAMING, {}, "", "Streaming"),
    ],
)
def test_each_activity_shows_its_own_text(
    state: State, fields: dict[str, object], first: str, rest: str
) -> None:
    shown = line(state, **fields)
    assert (shown.first, shown.rest) == (first, rest)


def test_a_permission_names_the_tool_of_its_approval_first() -> None:
    approval = ApprovalRequest(id="a", tool_name="Bash", command_summary="rm -rf /")
    shown = line(State.WAITING_PERMISSION, approval=approval, status_detail="Write")
    assert shown == StatusLine("Allow Bash?", "", "Allow Bash?")


def test_only_streamed_text_is_a_tail() -> None:
    assert [state for state in ACTIVITIES if line(state, message_text="text").is_tail] == [State.STREAMING]
    assert not line(State.STREAMING).is_tail


def test_a_streamed_message_is_not_read_out_with_every_token() -> None:
    assert line(State.STREAMING, message_text="some words").spoken == "Streaming"


@pytest.mark.parametrize("state", [state for state in ACTIVITIES if state is not State.OFFLINE])
def test_without_live_text_only_the_states_word_shows(state: State) -> None:
    approval = ApprovalRequest(id="a", tool_name="Bash", command_summary="secret")
    fields = {"tool_label": "secret", "status_detail": "secret", "message_text": "secret", "model": "secret"}
    shown = line(state, live_text=False, approval=approval, **fields)
    assert shown == StatusLine("", state_word(state), state_word(state))


def test_every_state_has_a_word_of_its_own() -> None:
    words = [state_word(state) for state in ACTIVITIES]
    assert all(words)
    assert len(set(words)) == len(words)
    assert state_word(State.EMPTY) == ""


def test_a_row_is_named_by_title_status_and_agent() -> None:
    view = replace(EXAMPLE_SESSION, state=State.WAITING_QUESTION)
    assert accessible_name(view, line(State.WAITING_QUESTION)) == "Fix flaky test, Question, Example Agent"


def test_a_remote_offline_row_says_both_at_the_end_of_its_name() -> None:
    view = replace(EXAMPLE_SESSION, state=State.OFFLINE, host="build-vm")
    name = accessible_name(view, line(State.OFFLINE))
    assert name == "Fix flaky test, Offline, Example Agent, on build-vm, offline"


def test_braces_in_a_title_are_only_text() -> None:
    view = replace(EXAMPLE_SESSION, title="{status} {0} {", host="{name}")
    assert accessible_name(view, line(State.IDLE)) == "{status} {0} {, Idle, Example Agent, on {name}"
    assert line(State.WAITING_PERMISSION, status_detail="{x}").first == "Allow {x}?"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0s"),
        (0, "0s"),
        (59.9, "59s"),
        (60, "1m"),
        (3599, "59m"),
        (3600, "1h"),
        (86399, "23h"),
        (86400, "1d"),
        (10 * 86400, "10d"),
    ],
)
def test_time_in_state_is_told_in_its_largest_unit(seconds: float, text: str) -> None:
    assert elapsed_text(seconds) == text


def test_a_time_of_another_day_carries_its_date() -> None:
    assert len(local_clock_text(0.0).split(", ")) == 2


def today_at(hour: int, minute: int) -> float:
    return datetime.now().astimezone().replace(hour=hour, minute=minute).timestamp()


@pytest.mark.parametrize(
    ("locale", "text"),
    [("C", "13:20"), ("de_DE", "13:20"), ("en_US", "1:20\u202fPM"), ("fi_FI", "13.20")],
)
def test_the_time_of_day_is_written_as_the_users_locale_does(locale: str, text: str) -> None:
    assert local_clock_text(today_at(13, 20), QLocale(locale)) == text
    assert (
        last_finished_text("Release", today_at(13, 20), QLocale(locale)) == f"Last: Release, done at {text}"
    )


def test_a_date_of_nobodys_locale_is_written_so_that_day_and_month_cannot_be_mixed_up() -> None:
    december = datetime(2001, 12, 1, 13, 20).astimezone().timestamp()
    assert local_clock_text(december, QLocale("C")) == "2001-12-01, 13:20"


def test_the_last_moment_that_a_file_may_hold_is_written_too() -> None:
    assert local_clock_text(253_402_300_799.0, QLocale("C")).startswith(("9999-12-30", "9999-12-31"))


def test_what_was_done_on_another_day_says_the_day() -> None:
    text = last_finished_text("{time}", 0.0, QLocale("de_DE"))
    assert re.fullmatch(r"Last: \{time\}, done on \d\d\.\d\d\.\d\d, \d\d:\d\d", text)
