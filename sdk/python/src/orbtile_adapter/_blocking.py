"""The world for threads: blocking sockets with deadlines, and a stop that reaches all of them.

Owns every socket and lock that ``Client`` uses. Must not know the protocol.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orbtile_adapter._discovery import Discovery, read_discovery
from orbtile_adapter._errors import TransportError
from orbtile_adapter._http import Reply, ReplyReader

if TYPE_CHECKING:
    from orbtile_adapter._ports import Clock

T = TypeVar("T")

Connect = Callable[["str | int", float], socket.socket]
CHUNK_BYTES: Final = 65536
WAS_CLOSED: Final = "the client was closed"


def run(operation: Coroutine[Any, Any, T]) -> T:
    """Run an operation of the core whose ``Io`` blocks: it goes through to its end without suspending."""
    try:
        operation.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    operation.close()
    raise RuntimeError("a blocking operation has suspended")


def connect(address: str | int, timeout_s: float) -> socket.socket:
    """A connection to a Unix socket's path, or to a TCP port of 127.0.0.1."""
    if isinstance(address, int):
        return socket.create_connection(("127.0.0.1", address), timeout_s)
    connection = unix_socket()
    try:
        connection.settimeout(timeout_s)
        connection.connect(address)
    except BaseException:
        connection.close()
        raise
    return connection


def unix_socket() -> socket.socket:
    """Not connected yet. Raises OSError where there are none."""
    if sys.platform != "win32":
        return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    else:  # noqa: RET505  mypy sees one branch on each system
        raise OSError("no Unix sockets here")


def failure(error: Exception) -> TransportError:
    """What to tell about an operating system's error: its kind, never a path or a peer's words."""
    if isinstance(error, TimeoutError):  # socket.timeout is the same since Python 3.10
        return TransportError("Orbtile did not answer in time")
    number = getattr(error, "errno", None)
    reason = os.strerror(number) if isinstance(number, int) and number > 0 else type(error).__name__
    return TransportError(f"no connection to Orbtile ({reason})")


class BlockingIo:
    """``_ports.Io`` whose methods block. Safe to use from several threads."""

    def __init__(self, discovery_file: str | None, clock: Clock = time, connect: Connect = connect) -> None:
        self._discovery_file = discovery_file
        self._clock = clock
        self._connect = connect
        self._order = threading.Lock()
        self._state = threading.Condition()
        self._stopped = threading.Event()
        self._running: list[int] = []  # the thread of each exchange
        self._sockets: set[socket.socket] = set()

    # --- Io ---------------------------------------------------------------------------------------------

    async def exchange(
        self, address: str | int, request: bytes, timeout_s: float, *, is_farewell: bool = False
    ) -> Reply:
        deadline = self._clock.monotonic() + timeout_s
        with self._counted(is_farewell=is_farewell):
            try:
                connection = self._connect(address, timeout_s)
                with connection, self._stoppable(connection, is_farewell=is_farewell):
                    return self._talk(connection, request, deadline)
            except (OSError, ValueError) as error:  # ValueError: a path that no socket can have
                stopped = self._stopped.is_set() and not is_farewell
                raise (TransportError(WAS_CLOSED) if stopped else failure(error)) from None

    async def read_discovery(self) -> Discovery:
        return read_discovery(self._discovery_file)

    async def run(self, job: Callable[[], T]) -> T:
        return job()

    async def pause(self, seconds: float) -> bool:
        return not self._stopped.wait(seconds)

    def in_order(self) -> AbstractAsyncContextManager[None]:
        return _Held(self._order)

    # --- the end ----------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Cut every exchange short, and wait until none is left. Pauses end, and new exchanges are refused.

        This thread's own is not waited for: a signal's handler may have interrupted it to come here.
        """
        this_thread = threading.get_ident()
        self._stopped.set()
        with self._state:
            for connection in self._sockets:
                with contextlib.suppress(OSError):  # it may not be connected any more
                    connection.shutdown(socket.SHUT_RDWR)
            while any(thread != this_thread for thread in self._running):
                self._state.wait()

    def abandon(self) -> None:
        """In a child after ``fork``: the connections are the parent's. Close our copies, disturb nothing."""
        sockets, self._sockets = self._sockets, set()
        for connection in sockets:
            connection.close()
        self._stopped = threading.Event()
        self._stopped.set()

    # --- one exchange -----------------------------------------------------------------------------------

    def _talk(self, connection: socket.socket, request: bytes, deadline: float) -> Reply:
        # It may have refused before it has read all of it: its answer is there then.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        reader = ReplyReader()
        while reader.reply is None:
            rest_s = deadline - self._clock.monotonic()
            if rest_s <= 0:
                raise TimeoutError
            connection.settimeout(rest_s)
            reader.feed(connection.recv(CHUNK_BYTES))
        return reader.reply

    @contextlib.contextmanager
    def _counted(self, *, is_farewell: bool) -> Iterator[None]:
        with self._state:
            if self._stopped.is_set() and not is_farewell:
                raise TransportError(WAS_CLOSED)
            self._running.append(threading.get_ident())
        try:
            yield
        finally:
            with self._state:
                self._running.remove(threading.get_ident())
                self._state.notify_all()

    @contextlib.contextmanager
    def _stoppable(self, connection: socket.socket, *, is_farewell: bool) -> Iterator[None]:
        with self._state:
            if self._stopped.is_set() and not is_farewell:
                raise TransportError(WAS_CLOSED)
            self._sockets.add(connection)
        try:
            yield
        finally:
            with self._state:
                self._sockets.discard(connection)


class _Held:
    """A lock as the core wants it."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
