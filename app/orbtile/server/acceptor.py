"""Two ways to accept: our own on selector loops, asyncio's server where the loop has no readers (Windows'
proactor).

Owns the listening socket's place in the loop, the peer check at acceptance, and not spinning when the process
is out of file descriptors. Must not know HTTP, or where the socket came from.
"""

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Final, Protocol

from orbtile.server.endpoint import BACKLOG, PeerCheck
from orbtile.server.transport import Readiness, SocketTransport

_OUT_OF_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_BROKEN_SOCKET: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOTSOCK, errno.EOPNOTSUPP})

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 8.0

BATCH: Final = 64
"""Connections accepted before the loop gets to do anything else."""


class Acceptor(Protocol):
    """Accepts from a listening socket, which stays the caller's to close, until ``stop``."""

    async def start(self) -> None: ...
    def stop(self) -> None: ...


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
        accepted: Callable[[], None],
        troubled: Callable[[OSError | None], None],
        broken: Callable[[OSError], None],
    ) -> None:
        self._loop = loop
        self._sock = sock
        self._fd = sock.fileno()
        self._make_protocol = make_protocol
        self._peer_check = peer_check
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

    def _accept_batch(self) -> None:
        for _ in range(BATCH):
            if self._is_stopped or not self._accept_one():
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


class ServerAcceptor:
    """asyncio's own server: for loops without readers. It accepts TCP only, whose peers cannot be checked."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        sock: socket.socket,
        make_protocol: Callable[[], asyncio.Protocol],
    ) -> None:
        self._loop = loop
        self._sock = sock
        self._make_protocol = make_protocol
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await self._loop.create_server(self._make_protocol, sock=self._sock, backlog=BACKLOG)

    def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


def has_readers(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether the loop can watch sockets; Windows' default loop cannot."""
    return isinstance(loop, asyncio.SelectorEventLoop)
