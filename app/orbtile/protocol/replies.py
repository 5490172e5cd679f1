"""What the endpoints answer, as values (spec sections 2, 3 and 6). ``wire`` writes them.

Owns the types. Must not know JSON or HTTP.
"""

from enum import StrEnum
from typing import NamedTuple

from orbtile.protocol.registration import Palette


class DisabledReason(StrEnum):
    """Why an adapter's sessions are not shown."""

    AWAITING_USER = "awaiting_user"
    DISABLED_BY_USER = "disabled_by_user"


class SessionReply(NamedTuple):
    """``uid`` is Orbtile's name of the session; ``visible`` is true while the user allows the adapter."""

    uid: str
    visible: bool
    warnings: tuple[str, ...] = ()


class BatchReply(NamedTuple):
    """One reply per listed session, in the request's order, and the warnings of all of them."""

    sessions: tuple[SessionReply, ...]
    warnings: tuple[str, ...] = ()


class RegistrationReply(NamedTuple):
    """``palette`` is the effective one; ``resolved_base_hue`` is the hue in use, in degrees, after the
    reserved arc.

    ``reason`` is None exactly when ``enabled``. ``adapter_token`` is a secret: None for a lease without one.
    ``created``: the first registration of this lease (201, otherwise 200).
    """

    adapter_id: str
    palette: Palette
    resolved_base_hue: float
    enabled: bool
    reason: DisabledReason | None
    keypad_decisions: bool
    warnings: tuple[str, ...]
    adapter_token: str | None
    created: bool


class Info(NamedTuple):
    """``version`` is the application's; ``proof`` answers a nonce (64 hex digits), None without one."""

    version: str
    proof: str | None
