"""A handler that answers what a test tells it to. Mirrors ``server.handler.Handler``."""

from collections.abc import Callable

from orbtile.protocol.gate import RequestHead
from orbtile.server.handler import BodyWanted
from orbtile.server.response import Response

Answer = Callable[[RequestHead], Response | BodyWanted]


def echo(head: RequestHead) -> BodyWanted:
    """Wants the announced body and sends it back behind the target."""
    length = sum(int(value) for name, value in head.headers if name == "content-length")
    return BodyWanted(length, lambda body: Response(200, f"{head.target} ".encode() + body))


class ScriptedHandler:
    """``/free`` targets need no slot, as the app's own requests do."""

    def __init__(self, answer: Answer = echo) -> None:
        self.answer = answer
        self.heads: list[RequestHead] = []

    def needs_slot(self, head: RequestHead) -> bool:
        return not head.target.startswith("/free")

    def begin(self, head: RequestHead) -> Response | BodyWanted:
        self.heads.append(head)
        return self.answer(head)
