"""What a session's status line says: its first words and the rest, by the protocol's text rules.

Owns the wording of states and times (spec section 3 "Session update"). Pure but for the translation; must
not know fonts, widths or colours.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QTime

from orbtile.host.views import SessionView
from orbtile.palette.states import State

_TAIL_SCALARS: Final = 400
"""How much of a streamed message can matter to a line of at most 300 px."""

_BLANKS: Final = re.compile(r"\s+")

_LATEST_EPOCH_S: Final = 253_402_214_400
"""The last day of the year 9999, which begins the next year nowhere: times beyond it cannot be written."""

_NOBODYS_DATE: Final = QLocale.c().dateFormat(QLocale.FormatType.ShortFormat)
"""Also the system's where only its LC_TIME is C."""


@dataclass(frozen=True, slots=True)
class StatusLine:
    """``first`` stands out, ``rest`` follows; either may be empty, not both.

    ``spoken`` is the STATUS of the accessible name: the first words as drawn; for streaming the state's
    word, since a name that changes with every token would be read out without end. ``is_tail``: ``rest``
    grows at its end; elide its start and show the cursor.
    """

    first: str
    rest: str
    spoken: str
    is_tail: bool = False


def status_line(view: SessionView, clock_text: Callable[[float], str]) -> StatusLine:
    """The status of ``view``. ``clock_text`` turns epoch seconds into the time of day as people read it."""
    word = state_word(view.state)
    if view.state is State.OFFLINE:
        since = _tr("Offline since {time}").format(time=clock_text(view.since_epoch_s))
        return StatusLine("", since, word)
    if not view.live_text or view.state in (State.IDLE, State.EMPTY):
        return StatusLine("", word, word)
    match view.state:
        case State.STREAMING:
            tail = _one_line((view.message_text or "")[-_TAIL_SCALARS:])
            return StatusLine("", tail or word, word, is_tail=bool(tail))
        case State.TOOL:
            return _spoken_first(*_split_words(view.tool_label), word)
        case State.DONE:
            return StatusLine(word, _last_line(view.message_text), word)
        case State.WAITING_PERMISSION:
            return _permission(view, word)
        case State.WAITING_QUESTION:
            return StatusLine(word, "", word)
        case State.ERROR:
            head, _, rest = _one_line(view.status_detail).partition(": ")
            return _spoken_first(head, rest, word)
        case State.STARTING:
            return _detail(view.model, word)
        case _:
            return _detail(view.status_detail, word)


def state_word(state: State) -> str:
    """The state in one word."""
    words = {
        State.STARTING: _tr("Starting"),
        State.IDLE: _tr("Idle"),
        State.THINKING: _tr("Thinking"),
        State.TOOL: _tr("Tool"),
        State.STREAMING: _tr("Streaming"),
        State.WAITING_PERMISSION: _tr("Permission"),
        State.WAITING_QUESTION: _tr("Question"),
        State.DONE: _tr("Done"),
        State.ERROR: _tr("Error"),
        State.COMPACTING: _tr("Compacting"),
        State.OFFLINE: _tr("Offline"),
        State.EMPTY: "",
    }
    return words[state]


def accessible_name(view: SessionView, status: StatusLine) -> str:
    """Name a row: "TITLE, STATUS, AGENT", with ", on HOST" when remote and ", offline" when so."""
    name = _tr("{title}, {status}, {agent}").format(
        title=view.title, status=status.spoken, agent=view.adapter_name
    )
    if view.is_remote:
        name = _tr("{name}, on {host}").format(name=name, host=view.host)
    if view.state is State.OFFLINE:
        name = _tr("{name}, offline").format(name=name)
    return name


def elapsed_text(elapsed_s: float) -> str:
    """Time in state, in its largest unit: 0s, 59s, 1m, 59m, 1h, 23h, 1d. Below zero counts as zero."""
    seconds = max(0, int(elapsed_s))
    if seconds < 60:
        return _tr("{count}s").format(count=seconds)
    if seconds < 3600:
        return _tr("{count}m").format(count=seconds // 60)
    if seconds < 86400:
        return _tr("{count}h").format(count=seconds // 3600)
    return _tr("{count}d").format(count=seconds // 86400)


def local_clock_text(epoch_s: float, locale: QLocale | None = None) -> str:
    """The local time of day as the user's ``locale`` (default: the system's) writes it, such as 14:02 or
    2:02 PM; with the date when it is not today.
    """
    then = datetime.fromtimestamp(min(epoch_s, _LATEST_EPOCH_S)).astimezone()
    time, date = _written(then, locale or QLocale.system())
    if then.date() == datetime.now().astimezone().date():
        return time
    return _tr("{date}, {time}").format(date=date, time=time)


def last_finished_text(title: str, epoch_s: float, locale: QLocale | None = None) -> str:
    """Says what was done last, and when."""
    then = datetime.fromtimestamp(epoch_s).astimezone()
    is_today = then.date() == datetime.now().astimezone().date()
    text = _tr("Last: {title}, done at {time}") if is_today else _tr("Last: {title}, done on {time}")
    return text.format(title=title, time=local_clock_text(epoch_s, locale))


def _written(then: datetime, locale: QLocale) -> tuple[str, str]:
    """Time of day and date. Where the format is the C locale's, which is nobody's, both are written as ISO
    8601 has them: it would add seconds, and nobody knows whether "1 12 2026" is in January or in December.
    """
    short = QLocale.FormatType.ShortFormat
    time = locale.toString(QTime(then.hour, then.minute), short)
    if locale.language() is QLocale.Language.C:
        time = f"{then:%H:%M}"
    date = locale.toString(QDate(then.year, then.month, then.day), short)
    if locale.dateFormat(short) == _NOBODYS_DATE:
        date = f"{then:%Y-%m-%d}"
    return time, date


def _tr(text: str) -> str:
    return QCoreApplication.translate("Session", text)


def _permission(view: SessionView, word: str) -> StatusLine:
    tool = view.approval.tool_name if view.approval else _one_line(view.status_detail)
    if not tool:
        return StatusLine(word, "", word)
    asks = _tr("Allow {tool}?").format(tool=tool)
    return StatusLine(asks, "", asks)


def _spoken_first(first: str, rest: str, word: str) -> StatusLine:
    first = first or word
    return StatusLine(first, rest, first)


def _detail(detail: str | None, word: str) -> StatusLine:
    text = _one_line(detail) or word
    return StatusLine("", text, text)


def _split_words(text: str | None) -> tuple[str, str]:
    first, _, rest = _one_line(text).partition(" ")
    return first, rest


def _one_line(text: str | None) -> str:
    return _BLANKS.sub(" ", text or "").strip()


def _last_line(text: str | None) -> str:
    for line in reversed((text or "").splitlines()):
        if line.strip():
            return _one_line(line)
    return ""
