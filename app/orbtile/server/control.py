"""The route by which a second start of the app opens the first one's windows: ``POST
/control/open/<surface>``.

Owns its refusals, in the order of the adapters' gate. Must not know the host or adapters: its token is the
hook token, which adapters do not have, so they cannot open windows.
"""

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
from orbtile.protocol.gate import RequestHead, announced_length, bearer_token
from orbtile.protocol.limits import MAX_BODY_BYTES
from orbtile.server.handler import BodyWanted
from orbtile.server.response import NO_CONTENT, Response, error_response

CONTROL_PREFIX: Final = "/control/"

_OPEN_PREFIX: Final = "/control/open/"


class ControlRoutes:
    """``token_matches`` compares in constant time; ``on_open`` shows one of ``surfaces`` and must neither
    block nor nest a loop.
    """

    def __init__(
        self,
        token_matches: Callable[[str], bool],
        on_open: Callable[[str], None],
        *,
        surfaces: Collection[str],
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
        length = announced_length(lengths[0]) if len(lengths) == 1 else None
        if length is None:
            raise bad_request("send one Content-Length, a decimal number")
        if length > MAX_BODY_BYTES:
            raise payload_too_large(MAX_BODY_BYTES)
        surface = head.target.removeprefix(_OPEN_PREFIX)
        if surface == head.target or surface not in self._surfaces:
            raise not_found()
        if head.method != "POST":
            raise method_not_allowed(("POST",))
        return length, surface

    def _is_authorized(self, head: RequestHead) -> bool:
        credentials = _values(head, "authorization")
        token = bearer_token(credentials[0]) if len(credentials) == 1 else None
        return token is not None and self._token_matches(token)


def _values(head: RequestHead, name: str) -> list[str]:
    return [value for each, value in head.headers if each == name]
