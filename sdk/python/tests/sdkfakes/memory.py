"""A client whose world is in memory: no socket, no thread, no waiting. Time is what the test says it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, TypeVar

from orbtile_adapter import Client, DiscoveryError, TransportError
from orbtile_adapter._blocking import BlockingIo, run
from orbtile_adapter._discovery import Discovery
from orbtile_adapter._http import Reply, ReplyReader
from sdkfakes.model import ADAPTER, Model

T = TypeVar("T")

REGISTRATION: dict[str, Any] = {
    "name": "Tiny",
    "palette": {"baseHue": 150},
    "capabilities": ["tap", "approvals", "questions"],
}
DISPLAY_ONLY: dict[str, Any] = {"name": "Tiny", "palette": {"baseHue": 150}}


class FakeClock:
    def __init__(self) -> None:
        self.now_monotonic = 100.0
        self.now_time = 1_900_000_000.0

    def monotonic(self) -> float:
        return self.now_monotonic

    def time(self) -> float:
        return self.now_time

    def advance(self, seconds: float) -> None:
        self.now_monotonic += seconds
        self.now_time += seconds


class Order:
    """One at a time; asking for it inside of it would wait for ever."""

    def __init__(self) -> None:
        self.is_held = False

    async def __aenter__(self) -> None:
        assert not self.is_held
        self.is_held = True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.is_held = False


class MemoryIo(BlockingIo):
    """The real one's type, for ``Client``; nothing of its inside."""

    def __init__(self, model: Model, clock: FakeClock) -> None:
        super().__init__(None, clock)
        self.model = model
        self.fake_clock = clock
        self.order = Order()
        self.pauses: list[float] = []
        self.timeouts: list[float] = []
        self.readings = 0
        self.file_token: str | None = None
        self.file_trouble: DiscoveryError | None = None
        self.on_pause: Callable[[], None] = lambda: None
        self.is_stopped = False

    async def exchange(
        self, address: str | int, request: bytes, timeout_s: float, *, is_farewell: bool = False
    ) -> Reply:
        assert self.is_stopped == is_farewell
        self.timeouts.append(timeout_s)
        if self.model.is_off:
            raise TransportError("no connection to Orbtile (it is off)")
        reader = ReplyReader()
        for byte in self.model.answer(request):
            reader.feed(bytes([byte]))
        if reader.reply is None:
            reader.feed(b"")
        assert reader.reply is not None
        return reader.reply

    async def read_discovery(self) -> Discovery:
        self.readings += 1
        if self.file_trouble is not None:
            raise self.file_trouble
        if self.model.is_off:
            raise DiscoveryError("Orbtile is not running", missing=True)
        return Discovery("/socket", "/a/v1", self.file_token or self.model.token)

    async def run(self, job: Callable[[], T]) -> T:
        assert not self.order.is_held  # a callback may take long, and may make requests
        return job()

    async def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        self.fake_clock.advance(seconds)
        self.on_pause()
        return not self.is_stopped

    def in_order(self) -> AbstractAsyncContextManager[None]:
        return self.order

    def stop(self) -> None:
        self.is_stopped = True


class MemoryClient(Client):
    """Heartbeats only when the test says so."""

    def __init__(
        self, model: Model, registration: Mapping[str, Any] = REGISTRATION, adapter_id: str = ADAPTER
    ) -> None:
        self.clock = FakeClock()
        self.io = MemoryIo(model, self.clock)
        self._set_up(self.io, self.clock, adapter_id, registration, 5, 5)

    def _start_heart(self) -> None:
        pass

    def beat(self) -> float:
        return run(self._core.beat())
