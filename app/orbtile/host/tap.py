"""What a tap on a session does: its ``openURL`` if that may be opened now, else its process's application.

Owns the second check of schemes: the registration may have changed since the update, so it is asked again at
the tap (spec section 3 "openURL"). Must not know how anything is opened (that is the desktop's).
"""

from typing import NamedTuple

from orbtile.host.ports import Desktop, Processes
from orbtile.host.sessions import Content, Session
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


def perform_tap(session: Session, desktop: Desktop, processes: Processes) -> bool:
    """Open what ``session`` points at. False: nothing happened."""
    if not session.owner.is_visible:
        return False
    url, pid = resolve_tap(session.content, session.owner.registration)
    if url is not None and desktop.open_url(url):
        return True
    # the process is asked for again: it may have ended since, and its number may be another's
    return pid is not None and processes.is_own_live(pid) and desktop.bring_to_front(pid)
