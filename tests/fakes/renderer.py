"""Draws icons as a test tells it to. Mirrors ``server.dispatch.IconRenderer``."""

import asyncio
from typing import Final

from orbtile.host.icons import IconImages
from orbtile.protocol.registration import Icon

IMAGES: Final = IconImages(b"28 pixels", b"56 pixels")


class FakeRenderer:
    """Gives ``images`` at once, or raises ``error``; while ``is_held`` each icon waits for ``release``."""

    def __init__(self) -> None:
        self.images: IconImages | None = IMAGES
        self.error: Exception | None = None
        self.is_held = False
        self.asked: list[Icon] = []
        self.given_up = 0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return len(self._waiting)

    async def __call__(self, icon: Icon) -> IconImages | None:
        self.asked.append(icon)
        if self.is_held:
            await self._wait()
        if self.error is not None:
            raise self.error
        return self.images

    async def _wait(self) -> None:
        gate: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(gate)
        try:
            await gate
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        finally:
            self._waiting.remove(gate)

    def release(self) -> None:
        """Let everybody go on who waits."""
        for gate in self._waiting:
            if not gate.done():
                gate.set_result(None)
