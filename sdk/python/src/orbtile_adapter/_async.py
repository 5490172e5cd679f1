"""``AsyncClient``: the adapter's side for programs on asyncio.

Owns its sockets, the heartbeat task and what cancellation leaves behind: nothing. Everything about the
protocol is in ``_core``. Callbacks run in a thread of their own, since they may take their time.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from orbtile_adapter import _lifecycle
from orbtile_adapter._blocking import CHUNK_BYTES, WAS_CLOSED, failure, unix_socket
from orbtile_adapter._client import HEARTBEAT_S, TIMEOUT_S, positive
from orbtile_adapter._core import Core
from orbtile_adapter._discovery import read_discovery
from orbtile_adapter._errors import AdapterError, TransportError
from orbtile_adapter._events import WAIT_S, EventStream
from orbtile_adapter._http import Reply, ReplyReader
from orbtile_adapter._state import ClientState

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from orbtile_adapter._discovery import Discovery
    from orbtile_adapter._messages import (
        AdapterRegistration,
        ApprovalRequest,
        BatchReply,
        Commit,
        Event,
        EventsReply,
        Info,
        LocalCommit,
        QuestionRequest,
        RegistrationReply,
        SessionBatchItem,
        SessionReply,
        SessionUpdate,
    )
    from orbtile_adapter._ports import Clock

T = TypeVar("T")


class AsyncIo:
    """``_ports.Io`` on the running loop."""

    def __init__(self, discovery_file: str | None) -> None:
        self._discovery_file = discovery_file
        self._order = asyncio.Lock()
        self._exchanges: set[asyncio.Task[Reply]] = set()
        self._pauses: set[asyncio.Future[None]] = set()
        self._jobs: set[asyncio.Future[None]] = set()
        self._is_stopped = False

    # --- Io ---------------------------------------------------------------------------------------------

    async def exchange(
        self, address: str | int, request: bytes, timeout_s: float, *, is_farewell: bool = False
    ) -> Reply:
        if self._is_stopped and not is_farewell:
            raise TransportError(WAS_CLOSED)
        task = asyncio.create_task(_talk(address, request), name="orbtile-adapter-exchange")
        if not is_farewell:
            self._exchanges.add(task)
        try:
            await asyncio.wait({task}, timeout=timeout_s)
            if not task.done():
                raise failure(TimeoutError())
            if task.cancelled():  # by stop(); a cancellation of ours is raised by the wait
                raise TransportError(WAS_CLOSED)
            return task.result()
        except (OSError, ValueError) as error:
            raise failure(error) from None
        finally:
            await _end(task)
            self._exchanges.discard(task)

    async def read_discovery(self) -> Discovery:
        return await self.run(lambda: read_discovery(self._discovery_file))

    async def run(self, job: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        results: list[T] = []
        problems: list[BaseException] = []

        def work() -> None:
            try:
                results.append(job())
            except BaseException as error:  # noqa: BLE001  raised again where the result is awaited
                problems.append(error)
            with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
                loop.call_soon_threadsafe(future.set_result, None)

        thread = threading.Thread(target=work, name="orbtile-adapter-callback", daemon=True)
        self._jobs.add(future)
        try:
            thread.start()
            await _outlast(future)
        finally:
            self._jobs.discard(future)
        thread.join()
        if problems:
            raise problems[0]
        return results[0]

    async def pause(self, seconds: float) -> bool:
        if self._is_stopped:
            return False
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pauses.add(future)
        try:
            await asyncio.wait({future}, timeout=seconds)
            return not future.done()
        finally:
            self._pauses.discard(future)
            future.cancel()

    def in_order(self) -> AbstractAsyncContextManager[None]:
        return self._order

    # --- the end ----------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """Cut every exchange short and wait until none is left. Pauses end, and new exchanges are refused."""
        self._is_stopped = True
        for pause in self._pauses:
            if not pause.done():
                pause.set_result(None)
        exchanges = set(self._exchanges)
        for exchange in exchanges:
            exchange.cancel()
        if exchanges:
            await asyncio.wait(exchanges)

    async def wait_for_jobs(self) -> None:
        """Callbacks run to their end; see ``run``."""
        if self._jobs:
            await asyncio.wait(set(self._jobs))


async def _talk(address: str | int, request: bytes) -> Reply:
    loop = asyncio.get_running_loop()
    where: str | tuple[str, int] = address if isinstance(address, str) else ("127.0.0.1", address)
    connection = unix_socket() if isinstance(address, str) else socket.socket()
    with connection:
        connection.setblocking(False)
        await loop.sock_connect(connection, where)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # see BlockingIo
            await loop.sock_sendall(connection, request)
        reader = ReplyReader()
        while reader.reply is None:
            reader.feed(await loop.sock_recv(connection, CHUNK_BYTES))
        return reader.reply


async def _outlast(future: asyncio.Future[Any]) -> None:
    """Wait for the end of ``future``, also when cancelled meanwhile; the cancellation is raised then."""
    cancellation: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation


async def _end(task: asyncio.Task[Any]) -> None:
    """Have a task end, and let nobody complain that its outcome was not looked at."""
    task.cancel()
    try:
        await _outlast(task)
    finally:
        if not task.cancelled():
            task.exception()


class AsyncClient(ClientState):
    """``Client`` for asyncio: the same methods, awaited. Use one from one event loop.

    Cancelling a call cuts its request short; only a callback that has begun runs to its end first. Callbacks
    are plain functions and run in a thread of their own.
    """

    def __init__(
        self,
        adapter_id: str,
        registration: AdapterRegistration | Mapping[str, Any],
        *,
        discovery_file: str | PathLike[str] | None = None,
        heartbeat_interval: float = HEARTBEAT_S,
        timeout: float = TIMEOUT_S,
    ) -> None:
        self._clock: Clock = time
        self._io = AsyncIo(None if discovery_file is None else fspath(discovery_file))
        self._core = Core(self._io, self._clock, adapter_id, registration, positive("timeout", timeout))
        self._heartbeat_s = positive("heartbeat_interval", heartbeat_interval)
        self._heart: asyncio.Task[None] | None = None
        self._is_connected = False
        self._has_left = False
        self._is_orphan = False

    # --- life -------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def connect(self) -> RegistrationReply:
        """See ``Client.connect``."""
        self._require_own()
        if self._is_connected and not self._core.is_closed:
            return self.registration_reply
        _lifecycle.watch(self)
        reply = await self._core.connect()
        self._is_connected = True
        self._start_heart()
        return reply

    async def verify(self) -> Info:
        """See ``Client.verify``."""
        self._require_own()
        return await self._core.verify()

    async def register(self) -> RegistrationReply:
        """See ``Client.register``."""
        self._require_own()
        return await self._core.register()

    async def heartbeat(self) -> None:
        """See ``Client.heartbeat``."""
        self._require_own()
        await self._core.heartbeat()

    async def close(self) -> None:
        """See ``Client.close``. Callbacks under way run to their end."""
        if self._is_orphan:
            return
        self._core.begin_close()
        heart, self._heart = self._heart, None
        if heart is not None:
            heart.cancel()
        await self._io.stop()
        if heart is not None:
            await _end(heart)
        if not self._has_left:
            self._has_left = True
            await self._core.farewell()
        await self._io.wait_for_jobs()
        _lifecycle.unwatch(self)

    def end_at_exit(self) -> None:
        """Called when the interpreter exits without a ``close``: the loop has ended, its tasks with it."""

    def end_in_child(self) -> None:
        """Called in a child after ``fork``: see ``Client``. The loop and its sockets are the parent's."""
        self._is_orphan = True
        self._core.begin_close()

    def _start_heart(self) -> None:
        if self._heart is None and not self._core.is_closed:  # others may have come first
            self._heart = asyncio.create_task(self._beat(), name="orbtile-adapter")

    async def _beat(self) -> None:
        wait_s = self._heartbeat_s
        while await self._io.pause(wait_s):
            wait_s = max(self._heartbeat_s, await self._core.beat())

    def _require_own(self) -> None:
        if self._is_orphan:
            raise AdapterError("this client belongs to the parent process")

    # --- sessions ---------------------------------------------------------------------------------------

    async def upsert_session(self, id: str, **fields: Unpack[SessionUpdate]) -> SessionReply:
        """See ``Client.upsert_session``."""
        self._require_own()
        return await self._core.upsert_session(id, fields)

    async def remove_session(self, id: str, host: str | None = "local") -> None:
        """See ``Client.remove_session``."""
        self._require_own()
        await self._core.remove_session(id, host)

    async def replace_sessions(self, sessions: Iterable[SessionBatchItem]) -> BatchReply:
        """See ``Client.replace_sessions``."""
        self._require_own()
        return await self._core.replace_sessions(sessions)

    # --- prompts and events -----------------------------------------------------------------------------

    async def request_approval(
        self, id: str, request: ApprovalRequest, **fields: Unpack[SessionUpdate]
    ) -> SessionReply:
        """See ``Client.request_approval``."""
        self._require_own()
        return await self._core.publish("approval", id, request, fields)

    async def ask_question(
        self, id: str, request: QuestionRequest, **fields: Unpack[SessionUpdate]
    ) -> SessionReply:
        """See ``Client.ask_question``."""
        self._require_own()
        return await self._core.publish("question", id, request, fields)

    async def reconcile(self) -> None:
        """See ``Client.reconcile``."""
        self._require_own()
        self._core.ledger.reconcile()

    async def poll_events(self, wait_seconds: int = WAIT_S) -> EventsReply:
        """See ``Client.poll_events``."""
        self._require_own()
        return await self._core.poll_events(wait_seconds)

    def events(self) -> AsyncIterator[Event]:
        """See ``Client.events``."""
        self._require_own()
        return AsyncEvents(EventStream(self._core, self._io, self._clock))

    async def apply(self, event: Event, commit: Commit) -> bool:
        """See ``Client.apply``. ``commit`` runs in a thread of its own."""
        self._require_own()
        return await self._core.apply(event, commit)

    async def answer_locally(
        self, id: str, commit: LocalCommit, host: str | None = "local", request_id: str | None = None
    ) -> bool:
        """See ``Client.answer_locally``. ``commit`` runs in a thread of its own."""
        self._require_own()
        return await self._core.answer_locally(id, commit, host, request_id)

    async def acknowledge(self, event: Event) -> None:
        """See ``Client.acknowledge``."""
        self._require_own()
        await self._core.acknowledge(event)


class AsyncEvents(AsyncIterator["Event"]):
    """An iterator that can go on after an error."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream

    async def __anext__(self) -> Event:
        event = await self._stream.next()
        if event is None:
            raise StopAsyncIteration
        return event
