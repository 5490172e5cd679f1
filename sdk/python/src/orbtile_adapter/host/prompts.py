"""Approvals and questions: which ids were used, what is pending, what may still be answered (section 6).

Owns one ledger per registration. Must not know the event queue or who presses a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orbtile_adapter.host import limits
from orbtile_adapter.host.refusals import conflict, too_many

LIFETIMES = {"approval": limits.APPROVAL_S, "question": limits.QUESTION_S}


@dataclass
class Prompt:
    """A published request. ``published`` is monotonic, ``expires_at`` epoch seconds."""

    kind: str
    content: dict[str, Any]
    published: float
    expires_at: float
    consumed: bool = False

    @property
    def id(self) -> str:
        return str(self.content["id"])

    def is_live(self, now: float, epoch: float) -> bool:
        """Whether a decision may still be taken. Either clock can end it."""
        return not self.consumed and now < self.published + LIFETIMES[self.kind] and epoch < self.expires_at


class Ledger:
    """The ids that a registration has used, over all sessions and both kinds."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def plan(
        self, pending: Prompt | None, update: dict[str, Any], path: str, claimed: set[str], *, whole: bool
    ) -> tuple[str, dict[str, Any]] | Prompt | None:
        """What is pending after ``update``: a new request (kind and content), the one as it was, or nothing.

        ``claimed`` collects new ids of one batch. Raises 409 and 422; changes nothing else.
        """
        for kind in ("approval", "question"):
            content = update.get(kind)
            if content is not None:
                if pending is not None and pending.id == content["id"]:
                    if pending.kind == kind and pending.content == content:
                        return pending
                    raise conflict(
                        "stale_request", f"{path}{kind}: a pending request cannot change", f"{path}{kind}"
                    )
                self._claim(content["id"], f"{path}{kind}", claimed)
                return kind, content
        if pending is None or whole or (pending.kind in update and update[pending.kind] is None):
            return None
        return pending

    def use(self, request_id: str) -> None:
        """The id is spent, whatever becomes of the request."""
        self._used.add(request_id)

    def _claim(self, request_id: str, field: str, claimed: set[str]) -> None:
        if request_id in self._used or request_id in claimed:
            raise conflict("stale_request", f"{field}: this id was used before; take a fresh one", field)
        if len(self._used) + len(claimed) >= limits.REQUEST_IDS:
            raise too_many(field, f"more than {limits.REQUEST_IDS} ids; register anew")
        claimed.add(request_id)
