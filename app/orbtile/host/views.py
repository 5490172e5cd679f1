"""What surfaces may see: frozen snapshots of one session, one adapter, one notice.

Owns the read side of the service. Must not know Qt, wording for people, or how anything is drawn.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from orbtile.host.icons import IconImages
from orbtile.palette.scheme import Scheme
from orbtile.palette.states import State
from orbtile.protocol.registration import Registration
from orbtile.protocol.session import ApprovalRequest, QuestionRequest


class Consent(StrEnum):
    """Where an adapter stands with the user, for the registration that it has now."""

    ALLOWED = "allowed"
    AWAITING = "awaiting"
    """Asks for the first time, or asks again with a changed registration (``AdapterView.allowed`` tells
    which).
    """
    DENIED = "denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterView:
    """An adapter as Settings and banners show it.

    ``fingerprint`` is what an Allow or Deny of this view must carry. ``allowed`` is the last allowed
    registration, or None; ``changed_fields`` names what differs between it and ``registration`` (wire names
    such as ``urlSchemes``, ``palette.baseHue``), empty when equal or never allowed. ``built_in`` sources have
    no lease and no banner.
    """

    adapter_id: str
    registration: Registration
    connected: bool
    consent: Consent
    fingerprint: str
    allowed: Registration | None
    changed_fields: tuple[str, ...]
    warnings: tuple[str, ...]
    """The developer warnings of the last registration, exactly as replied."""
    session_count: int
    last_seen_epoch_s: float
    built_in: bool = False
    scheme: Scheme
    """The colours in use: the user's hue and the shared alarm colour applied."""
    user_hue_deg: float | None = None
    """The hue that the user chose for this adapter; None: the adapter's own colours."""
    icon: IconImages | None = None
    """None: the glyph (no icon, not rendered yet, or the user prefers glyphs)."""
    allowed_scheme: Scheme | None = None
    allowed_icon: IconImages | None = None
    """How ``allowed`` looked, for a banner that shows old and new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A visible session as rows, keys and the tray show it. Times are the clock port's.

    ``state`` is what is shown now: ``OFFLINE`` while the adapter is silent or the TTL ran out, else the sent
    activity. ``since_*`` is when ``state`` began; a session that comes back from offline continues the time
    of its activity. ``changed_monotonic_s`` is when anything shown last changed (for sorting; two views that
    differ only there are equal). ``live_text`` False shows the state word only: message, tool label and
    status detail are None then. ``approval`` and ``question`` are there only while ``state`` is a waiting
    one.
    """

    uid: str
    adapter_id: str
    adapter_name: str
    badge: str
    monogram: str
    host: str
    session_id: str
    title: str
    state: State
    since_monotonic_s: float
    since_epoch_s: float
    changed_monotonic_s: float = field(compare=False)
    tool_label: str | None
    tool_kind: str | None
    status_detail: str | None
    model: str | None
    message_id: str | None
    message_text: str | None
    cwd: str | None
    project: str | None
    subagent_count: int
    background: bool
    live_text: bool
    can_open: bool
    """Whether a tap does something: an ``openURL`` or a ``pid`` is known."""
    approval: ApprovalRequest | None
    question: QuestionRequest | None
    scheme: Scheme
    icon: IconImages | None = None
    symbol: str | None = None
    """The glyph's symbol name, for when there is no icon; the monogram is there always."""

    @property
    def is_remote(self) -> bool:
        return self.host != "local"


class NoticeKind(StrEnum):
    """Trouble that the user should know of. The wording is the UI's."""

    SETTINGS_NOT_SAVED = "settings_not_saved"
    CONSENTS_NOT_SAVED = "consents_not_saved"
    SETTINGS_BROKEN = "settings_broken"
    """The file could not be read; defaults are in use. ``detail``: its new name, empty where it could not be
    set aside.
    """
    CONSENTS_BROKEN = "consents_broken"
    LISTENER_DOWN = "listener_down"
    DISCOVERY_NOT_WRITTEN = "discovery_not_written"


class Notice(NamedTuple):
    """``detail`` is a file name or the system's short reason (``No space left on device``); never session
    text.
    """

    kind: NoticeKind
    detail: str = ""
