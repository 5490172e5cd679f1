"""Two ways to accept: from a reader callback on selector loops, in a task where the loop has no readers
(Windows' proactor, which qasync's loop is there, too).

Owns the listening socket's place in the loop, the peer check at acceptance, and not spinning when the process
is out of file descriptors. Must not know HTTP, or where the socket came from.
"""

import asyncio
import contextlib
import errno
import socket
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from orbtile.server.endpoint import PeerCheck
from orbtile.server.transport import Readiness, SocketTransport

_OUT_OF_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_BROKEN_SOCKET: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOTSOCK, errno.EOPNOTSUPP})

# Windows' proactor says some things in codes of its own (winerror.h), for which errno is EINVAL.
_ONE_CONNECTION_FAILED: Final = frozenset(
    {errno.ECONNABORTED, errno.ECONNRESET, errno.ENOTCONN, errno.ETIMEDOUT, errno.EPROTO}
)
_ONE_CONNECTION_FAILED_WINDOWS: Final = frozenset({64, 121, 1236})
"""ERROR_NETNAME_DELETED (reset before it was accepted), ERROR_SEM_TIMEOUT, ERROR_CONNECTION_ABORTED."""
_OUT_OF_RESOURCES_WINDOWS: Final = frozenset({1450, 1453, 1455})
"""ERROR_NO_SYSTEM_RESOURCES, ERROR_WORKING_SET_QUOTA, ERROR_COMMITMENT_LIMIT."""

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 8.0

BATCH: Final = 64
"""Connections accepted before the loop gets to do anything else."""

BATCH_S: Final = 0.004
"""After this long nobody else is accepted in the same turn, however few it were: whoever is accepted is also
served, and the interface is drawn by the same loop. A quarter of a frame at 60 Hz.
"""


class Acceptor(Protocol):
    """Accepts from a listening socket, which stays the caller's to close, until ``stop``."""

    async def start(self) -> None: ...
    def stop(self) -> None: ...

    async def wait_stopped(self) -> None:
        """After ``stop``: until nothing of ours is on the loop any more; then the socket may be closed."""
        ...


class SelectorLoop(Readiness, Protocol):
    """What our own way of accepting needs of an event loop."""

    def call_later(self, delay: float, callback: Callable[[], object], /) -> asyncio.Handle: ...


class SelectorAcceptor:
    """Accepts and serves from one reader callback, without tasks.

    ``accepted`` is called after a batch whose connections had their first chance to finish. ``troubled`` is
    called with an error when accepting pauses for lack of resources, with None when it goes on, and
    ``broken`` when the listening socket is of no more use (the caller stops us then).
    """

    def __init__(
        self,
        loop: SelectorLoop,
        sock: socket.socket,
        make_protocol: Callable[[], asyncio.Protocol],
        *,
        peer_check: PeerCheck | None,
        monotonic_s: Callable[[], float],
        accepted: Callable[[], None],
        troubled: Callable[[OSError | None], None],
        broken: Callable[[OSError], None],
    ) -> None:
        self._loop = loop
        self._sock = sock
        self._fd = sock.fileno()
        self._make_protocol = make_protocol
        self._peer_check = peer_check
        self._monotonic_s = monotonic_s
        self._accepted = accepted
        self._troubled = troubled
        self._broken = broken
        self._pause_s = FIRST_PAUSE_S
        self._resume_timer: asyncio.Handle | None = None
        self._is_troubled = False
        self._is_stopped = False

    async def start(self) -> None:
        self._loop.add_reader(self._fd, self._accept_batch)

    def stop(self) -> None:
        if self._is_stopped:
            return
        self._is_stopped = True
        self._loop.remove_reader(self._fd)
        if self._resume_timer is not None:
            self._resume_timer.cancel()

    async def wait_stopped(self) -> None:
        """Nothing is left to wait for."""

    def _accept_batch(self) -> None:
        """Whoever is left makes the socket readable again on the loop's next turn."""
        end_s = self._monotonic_s() + BATCH_S
        for _ in range(BATCH):
            if self._is_stopped or not self._accept_one() or self._monotonic_s() >= end_s:
                break
        self._accepted()

    def _accept_one(self) -> bool:
        """Whether there may be another connection to accept now."""
        try:
            sock, _ = self._sock.accept()
        except (BlockingIOError, InterruptedError):
            self._recover()  # without free descriptors it would have been EMFILE
            return False
        except OSError as error:
            if error.errno in _OUT_OF_RESOURCES:
                self._pause(error)
                return False
            if error.errno in _BROKEN_SOCKET:
                self._broken(error)
                return False
            return True  # that connection failed before it was accepted; the next one is another matter
        self._recover()
        if not self._is_welcome(sock):
            sock.close()
            return True
        sock.setblocking(False)
        SocketTransport(self._loop, sock, self._make_protocol()).start()
        return True

    def _is_welcome(self, sock: socket.socket) -> bool:
        if self._peer_check is None:
            return True
        try:
            return self._peer_check(sock)
        except OSError:  # gone already, or the system does not say who it is
            return False

    def _pause(self, error: OSError) -> None:
        """A full process finds the socket readable for ever: look away for a while, longer each time."""
        self._loop.remove_reader(self._fd)
        self._resume_timer = self._loop.call_later(self._pause_s, self._resume)
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)
        if not self._is_troubled:
            self._is_troubled = True
            self._troubled(error)

    def _resume(self) -> None:
        self._resume_timer = None
        self._loop.add_reader(self._fd, self._accept_batch)
        self._accept_batch()

    def _recover(self) -> None:
        if self._is_troubled:
            self._is_troubled = False
            self._pause_s = FIRST_PAUSE_S
            self._troubled(None)


class AcceptingLoop(Protocol):
    """What accepting in a task needs of an event loop."""

    async def sock_accept(self, sock: socket.socket, /) -> tuple[socket.socket, object]: ...
    async def connect_accepted_socket(
        self, protocol_factory: Callable[[], asyncio.Protocol], sock: socket.socket, /
    ) -> object: ...


class ServerAcceptor:
    """Accepts in a task of its own, for loops without readers. TCP only, whose peers cannot be checked.

    Not asyncio's server: on the proactor that one closes the listening socket after any error of a single
    accept, a peer that hung up early included, and nobody is told. ``troubled`` and ``broken`` are called as
    ``SelectorAcceptor`` calls them. ``sleep`` is for tests.
    """

    def __init__(
        self,
        loop: AcceptingLoop,
        sock: socket.socket,
        make_protocol: Callable[[], asyncio.Protocol],
        *,
        troubled: Callable[[OSError | None], None],
        broken: Callable[[OSError], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._loop = loop
        self._sock = sock
        self._make_protocol = make_protocol
        self._troubled = troubled
        self._broken = broken
        self._sleep = sleep
        self._pause_s = FIRST_PAUSE_S
        self._is_troubled = False
        self._accepting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._accepting = asyncio.create_task(self._accept_all(), name="orbtile-accept")

    def stop(self) -> None:
        # A task that reports the socket as broken is stopped from inside that call, and ends by itself.
        if self._accepting is not None and self._accepting is not asyncio.current_task():
            self._accepting.cancel()

    async def wait_stopped(self) -> None:
        task, self._accepting = self._accepting, None
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _accept_all(self) -> None:
        try:
            while True:
                await self._accept_or_pause()
        except Exception as error:  # noqa: BLE001 - whatever it was, nobody is accepted any more and it must be told
            self._broken(error if isinstance(error, OSError) else OSError(type(error).__name__))

    async def _accept_or_pause(self) -> None:
        """Serve one connection, or get over one failure. Raises what makes the listening socket useless."""
        try:
            await self._accept_one()
        except OSError as error:
            if _is_out_of_resources(error):
                await self._pause(error)
            elif _concerns_one_connection(error):
                await self._sleep(0)  # others on the loop get their turn, however many fail
            else:
                raise

    async def _accept_one(self) -> None:
        # Without resources the call fails before it waits. That it waits is the only sign of better times:
        # while adapters are told that we do not listen, nobody may come.
        recovery = asyncio.get_running_loop().call_soon(self._recover) if self._is_troubled else None
        try:
            conn, _ = await self._loop.sock_accept(self._sock)
        except BaseException:
            if recovery is not None:
                recovery.cancel()
            raise
        try:
            await self._loop.connect_accepted_socket(self._make_protocol, conn)
        except OSError:  # whatever it is, it is this connection's
            conn.close()
        except BaseException:
            conn.close()
            raise

    async def _pause(self, error: OSError) -> None:
        if not self._is_troubled:
            self._is_troubled = True
            self._troubled(error)
        pause_s, self._pause_s = self._pause_s, min(self._pause_s * 2, LONGEST_PAUSE_S)
        await self._sleep(pause_s)

    def _recover(self) -> None:
        self._is_troubled = False
        self._pause_s = FIRST_PAUSE_S
        self._troubled(None)


def _is_out_of_resources(error: OSError) -> bool:
    return error.errno in _OUT_OF_RESOURCES or _windows_code(error) in _OUT_OF_RESOURCES_WINDOWS


def _concerns_one_connection(error: OSError) -> bool:
    return error.errno in _ONE_CONNECTION_FAILED or _windows_code(error) in _ONE_CONNECTION_FAILED_WINDOWS


def _windows_code(error: OSError) -> int | None:
    code: int | None = getattr(error, "winerror", None)
    return code


def has_readers(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether the loop can watch sockets; Windows' default loop cannot."""
    return isinstance(loop, asyncio.SelectorEventLoop)
