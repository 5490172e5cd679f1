"""What a tap on a session does: its ``openURL`` if that may be opened now, else its process's application.

Owns the second check of schemes: the registration may have changed since the update, so it is asked again at
the tap (spec section 3 "openURL"). Must not know who is allowed, nor how anything is opened (that is the
desktop's).
"""

from typing import NamedTuple

from orbtile.host.sessions import Content
from orbtile.protocol.grammar import is_openable
from orbtile.protocol.registration import Capability, Registration, TapBehavior


class TapTarget(NamedTuple):
    """What may be tried, ``url`` first; both None: a tap does nothing."""

    url: str | None
    pid: int | None


NOTHING = TapTarget(None, None)


def resolve_tap(content: Content, registration: Registration) -> TapTarget:
    """The target under the current ``registration``; an ``eventOnly`` adapter wants no opening (spec section
    6).
    """
    if Capability.TAP in registration.capabilities and registration.tap_behavior is TapBehavior.EVENT_ONLY:
        return NOTHING
    url = content.open_url
    if url is not None and not is_openable(url, registration.url_schemes):
        url = None
    return TapTarget(url, content.pid)
