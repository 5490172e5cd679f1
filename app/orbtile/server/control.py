"""The route by which a second start of the app opens the first one's windows: ``POST
/control/open/<surface>``.

Owns its refusals, in the order of the adapters' gate. Must not know the host or adapters: its token is the
hook token, which adapters do not have, so they cannot open windows.
"""

import re
from collections.abc import Callable, Collection
from typing import Final

from orbtile.protocol.errors import (
    ApiError,
    bad_request,
    forbidden_origin,
    length_required,
    method_not_allowed,
    not_found,
    payload_too_large,
    unauthorized,
)
from orbtile.protocol.gate import RequestHead
from orbtile.protocol.limits import MAX_BODY_BYTES
from orbtile.server.handler import BodyWanted
from orbtile.server.response import NO_CONTENT, Response, error_response

CONTROL_PREFIX: Final = "/control/"
SURFACES: Final = frozenset({"popover", "settings"})

_OPEN_PREFIX: Final = "/control/open/"
_DIGITS: Final = re.compile(r"[0-9]+")
_LENGTH_DIGITS: Final = 18
"""More are refused unread: an integer of many digits is work."""
_BEARER: Final = re.compile(r"bearer +(\S+)", re.IGNORECASE)


class ControlRoutes:
    """``token_matches`` compares in constant time; ``on_open`` shows a surface and must not block or nest a
    loop.
    """

    def __init__(
        self,
        token_matches: Callable[[str], bool],
        on_open: Callable[[str], None],
        surfaces: Collection[str] = SURFACES,
    ) -> None:
        self._token_matches = token_matches
        self._on_open = on_open
        self._surfaces = surfaces

    def begin(self, head: RequestHead) -> Response | BodyWanted:
        """Answer a head whose target starts with ``CONTROL_PREFIX``. A body is read and ignored."""
        try:
            length, surface = self._admit(head)
        except ApiError as refusal:
            return error_response(refusal)

        def show(_body: bytes) -> Response:
            self._on_open(surface)
            return NO_CONTENT

        return BodyWanted(length, show)

    def _admit(self, head: RequestHead) -> tuple[int, str]:
        """The body's length and the surface. Raises ``ApiError``."""
        if _values(head, "host") != ["localhost"]:
            raise bad_request("send exactly one Host: localhost")
        if _values(head, "origin"):
            raise forbidden_origin()
        if not self._is_authorized(head):
            raise unauthorized()
        if _values(head, "transfer-encoding"):
            raise length_required()
        lengths = _values(head, "content-length") or ["0"]
        if len(lengths) != 1 or not _DIGITS.fullmatch(lengths[0]):
            raise bad_request("send one Content-Length, a decimal number")
        if len(lengths[0]) > _LENGTH_DIGITS or int(lengths[0]) > MAX_BODY_BYTES:
            raise payload_too_large(MAX_BODY_BYTES)
        surface = head.target.removeprefix(_OPEN_PREFIX)
        if surface == head.target or surface not in self._surfaces:
            raise not_found()
        if head.method != "POST":
            raise method_not_allowed(("POST",))
        return int(lengths[0]), surface

    def _is_authorized(self, head: RequestHead) -> bool:
        credentials = _values(head, "authorization")
        match = _BEARER.fullmatch(credentials[0]) if len(credentials) == 1 else None
        return match is not None and self._token_matches(match[1])


def _values(head: RequestHead, name: str) -> list[str]:
    return [value for each, value in head.headers if each == name]
