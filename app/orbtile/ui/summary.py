"""All sessions in a few words: the popover's header, the tray's tooltip, the fold's line.

Owns the wording of counts, and which look the tray takes. Pure but for the translation; must not know
widgets.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from orbtile.host.views import AdapterView, Consent
from orbtile.ui.models import Counts, Group


class Look(StrEnum):
    """What the tray icon says, in the order in which the strongest wins (``OFF`` aside)."""

    OFF = "off"
    WAITING = "waiting"
    ERROR = "error"
    WORKING = "working"
    DONE = "done"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Headline:
    """``title`` says what needs the user, ``detail`` the rest."""

    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class Agents:
    """How many adapters are in which situation. ``known``: allowed ones, connected or not."""

    asking: int = 0
    connected: int = 0
    known: int = 0
    denied: int = 0


def agents_of(adapters: Iterable[AdapterView]) -> Agents:
    """Count ``adapters`` by situation."""
    views = list(adapters)
    allowed = [view for view in views if view.consent is Consent.ALLOWED]
    return Agents(
        asking=sum(view.consent is Consent.AWAITING and view.connected for view in views),
        connected=sum(view.connected for view in allowed),
        known=len(allowed),
        denied=sum(view.consent is Consent.DENIED for view in views),
    )


def needs_user(counts: Counts, agents: Agents) -> int:
    """How many need an answer, the tray's badge: sessions that wait and adapters that ask to connect."""
    return counts[Group.WAITING] + agents.asking


def look_of(counts: Counts, agents: Agents, *, api_enabled: bool) -> Look:
    """The tray's look. An adapter that asks waits for the user as a session does. What works in the
    background counts as working; finished background work does not shout.
    """
    if not api_enabled:
        return Look.OFF
    if needs_user(counts, agents):
        return Look.WAITING
    if counts[Group.ERROR]:
        return Look.ERROR
    if counts[Group.WORKING] or counts.folded[Group.WORKING]:
        return Look.WORKING
    return Look.DONE if counts[Group.DONE] else Look.QUIET


def headline(counts: Counts, agents: Agents, *, api_enabled: bool) -> Headline:
    """What the popover's header says."""
    if not api_enabled:
        return Headline(_tr("Adapter API is off"), _tr("No agent can show here"))
    asking = agents_asking_text(agents.asking) if agents.asking else ""
    groups = _group_texts(counts, upto=Group.DONE)
    if counts[Group.WAITING]:
        rest = [asking, *groups]
        return Headline(_waiting_text(counts[Group.WAITING]), _joined(rest) or _tr("Nothing else running"))
    if asking:
        return Headline(asking, _joined(groups) or _tr("No sessions"))
    if not counts.listed_total and not counts.folded_total:
        if agents.connected:
            return Headline(_tr("All quiet"), _connected_text(agents.connected))
        if agents.known:
            return Headline(_tr("All quiet"), _tr("No agent is connected"))
        if agents.denied:
            return Headline(_denied_text(agents.denied), _tr("No agent is allowed to show here"))
        return Headline(_tr("No agents yet"), _tr("Ready for the first one"))
    if counts[Group.ERROR] or counts[Group.WORKING]:
        return Headline(groups[0], _joined(groups[1:]) or _tr("Nothing needs you"))
    title = _tr("All done") if counts[Group.DONE] else _tr("All quiet")
    folded = folded_text(counts) if counts.folded_total else ""
    return Headline(title, _joined([*_group_texts(counts, upto=Group.OFFLINE), folded]))


def tray_tooltip(counts: Counts, agents: Agents, *, api_enabled: bool) -> str:
    """The tray's look in words: "2 waiting, 3 working"."""
    if not api_enabled:
        return _tr("Adapter API is off")
    parts = [agents_asking_text(agents.asking)] if agents.asking else []
    if counts[Group.WAITING]:
        parts.insert(0, _tr("{count} waiting").format(count=counts[Group.WAITING]))
    parts += _group_texts(counts, upto=Group.DONE)
    if counts.folded[Group.WORKING]:
        parts.append(_tr("{count} working in the background").format(count=counts.folded[Group.WORKING]))
    return _joined(parts) or _tr("Nothing running")


def folded_text(counts: Counts) -> str:
    """What the fold hides: "3 in the background, 1 working"."""
    text = _tr("{count} in the background").format(count=counts.folded_total)
    working = counts.folded[Group.WORKING]
    return _joined([text, _tr("{count} working").format(count=working) if working else ""])


def agents_asking_text(count: int) -> str:
    """How many adapters wait for an Allow."""
    if count == 1:
        return _tr("1 agent asks to connect")
    return _tr("{count} agents ask to connect").format(count=count)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Summary", text)


def _joined(parts: list[str]) -> str:
    return _tr(", ").join(part for part in parts if part)


def _waiting_text(count: int) -> str:
    return _tr("{count} waiting for you").format(count=count)


def _connected_text(count: int) -> str:
    if count == 1:
        return _tr("1 agent connected, no sessions")
    return _tr("{count} agents connected, no sessions").format(count=count)


def _denied_text(count: int) -> str:
    if count == 1:
        return _tr("1 agent denied")
    return _tr("{count} agents denied").format(count=count)


def _group_texts(counts: Counts, *, upto: Group) -> list[str]:
    """Every listed group after waiting that has sessions, in order."""
    errors = _tr("1 error") if counts[Group.ERROR] == 1 else _tr("{count} errors")
    texts = {
        Group.ERROR: errors,
        Group.WORKING: _tr("{count} working"),
        Group.DONE: _tr("{count} done"),
        Group.IDLE: _tr("{count} idle"),
        Group.OFFLINE: _tr("{count} offline"),
    }
    return [
        text.format(count=counts[group]) for group, text in texts.items() if counts[group] and group <= upto
    ]
