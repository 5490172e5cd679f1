"""The sessions of one registration: identity, merging, a new one's needs, offline and removal (section 3).

Owns what was said about a session. Must not know leases, consent or prompts' rules beyond holding one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from orbtile_adapter.host import limits
from orbtile_adapter.host.prompts import Prompt
from orbtile_adapter.host.refusals import invalid

_DEFAULTS: dict[str, Any] = {"subagentCount": 0, "background": False, "liveText": True}
_NOT_KEPT = ("id", "host", "ttlSeconds", "approval", "question")


@dataclass
class Session:
    """``fields`` as the wire names them, without those at their default. Times are monotonic seconds."""

    adapter_id: str
    host: str
    session_id: str
    fields: dict[str, Any] = field(default_factory=dict)
    ttl: float = limits.DEFAULT_TTL_S
    renewed: float = 0.0
    prompt: Prompt | None = None

    @property
    def uid(self) -> str:
        return f"{self.adapter_id}/{self.host}/{self.session_id}"

    def lapsed_at(self) -> float | None:
        """When the TTL ends it; an adapter's own ``offline`` never lapses."""
        return None if self.fields["activity"] == "offline" else self.renewed + self.ttl


def merged(session: Session | None, update: dict[str, Any], path: str, *, whole: bool) -> dict[str, Any]:
    """The fields after ``update``; absent keeps (not when ``whole``), null clears. Raises 422 for a new
    session.
    """
    if session is None:
        for name in ("title", "activity"):
            if name not in update:
                raise invalid(path + name, "a new session needs one")
    fields = {} if session is None or whole else dict(session.fields)
    for name, value in update.items():
        if name in _NOT_KEPT:
            continue
        if value is None or value == _DEFAULTS.get(name):
            fields.pop(name, None)
        else:
            fields[name] = value
    return fields


def merged_ttl(session: Session | None, update: dict[str, Any], *, whole: bool) -> float:
    """The TTL after ``update``, in seconds."""
    if update.get("ttlSeconds") is not None:
        return float(update["ttlSeconds"])
    kept = session is not None and not whole and "ttlSeconds" not in update
    return session.ttl if session is not None and kept else limits.DEFAULT_TTL_S


def is_due(session: Session, now: float) -> bool:
    """Whether it was offline by its TTL for so long that it goes."""
    lapsed = session.lapsed_at()
    return lapsed is not None and now >= lapsed + limits.REMOVED_AFTER_S


def state(session: Session, now: float, *, silent: bool) -> str:
    """What it shows."""
    lapsed = session.lapsed_at()
    if silent or (lapsed is not None and now >= lapsed):
        return "offline"
    return str(session.fields["activity"])
