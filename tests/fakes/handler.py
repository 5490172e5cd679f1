"""A handler that answers what a test tells it to. Mirrors ``server.handler.Handler``."""

import asyncio
from collections.abc import Callable

from orbtile.protocol.gate import RequestHead
from orbtile.server.handler import BodyWanted, Later
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


class HeldAnswer:
    """Wants the announced body; the answer comes when the test gives it, to everybody who waits then."""

    def __init__(self) -> None:
        self.is_begun = False
        self.is_given_up = False
        self._waiting: list[asyncio.Future[Response]] = []

    def __call__(self, head: RequestHead) -> BodyWanted:
        return BodyWanted(echo(head).length, lambda _body: Later(self._work))

    def give(self, response: Response) -> None:
        for each in self._waiting:
            each.set_result(response)

    def fail(self, error: Exception) -> None:
        for each in self._waiting:
            each.set_exception(error)

    def drop(self) -> None:
        """What the work waits for is cancelled by somebody else."""
        for each in self._waiting:
            each.cancel()

    async def _work(self) -> Response:
        self.is_begun = True
        mine: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        try:
            return await mine
        except asyncio.CancelledError:
            self.is_given_up = True
            raise
        finally:
            self._waiting.remove(mine)
