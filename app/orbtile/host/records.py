"""What outlives a restart about an adapter: the decision, what it was taken on, and when the adapter was last
seen.

Owns the value types of ``consents.json`` (the JSON form is storage's). Must not know leases or tokens.
"""

from enum import StrEnum
from typing import NamedTuple

from orbtile.protocol.registration import Registration


class Decision(StrEnum):
    """The user's word on an adapter id. ``UNDECIDED``: it has asked and nobody answered yet."""

    UNDECIDED = "undecided"
    ALLOWED = "allowed"
    DENIED = "denied"


class ConsentRecord(NamedTuple):
    """One remembered adapter.

    ``allowed`` is the last registration that the user allowed (None: never), kept for "what changed";
    ``seen`` is the last one registered, so that a disconnected adapter can be listed. Both hold the
    fingerprint's fields, and ``seen`` its version and glyph too. The adapter shows only when ``decision`` is
    ALLOWED and the fingerprints of both are equal. ``last_seen_epoch_s`` is the last registration or sign of
    life that was written. ``user_hue_deg`` is the hue that the user chose for it, 0..<360 (None: none).
    """

    adapter_id: str
    decision: Decision
    seen: Registration
    allowed: Registration | None
    last_seen_epoch_s: float
    user_hue_deg: float | None = None
