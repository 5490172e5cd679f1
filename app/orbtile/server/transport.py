"""A stream transport that answers at once: the first read is tried the moment a connection is accepted.

Owns one accepted socket on a selector loop. asyncio's own transport needs a task and six loop callbacks for a
request that is already there, each a Qt timer under qasync, and loses the connection when a nested Qt loop
runs; this one needs none. Must not know HTTP. Differs from asyncio's in one way: ``connection_lost`` is
called from inside ``close``.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Final, Protocol

READ_BYTES: Final = 96 * 1024
"""The largest good request (16 KiB head, 64 KiB body) in one read; below the size for which malloc asks the
system.
"""

READS_AT_ONCE: Final = 8
"""Before other connections get their turn."""

_NOBODY: Final = asyncio.Protocol()
_NOT_NOW: Final = (BlockingIOError, InterruptedError)


class Readiness(Protocol):
    """What is needed of an event loop: callbacks for as long as a descriptor can be read or written."""

    def add_reader(self, fd: int, callback: Callable[[], object], /) -> None: ...
    def remove_reader(self, fd: int, /) -> bool: ...
    def add_writer(self, fd: int, callback: Callable[[], object], /) -> None: ...
    def remove_writer(self, fd: int, /) -> bool: ...


class SocketTransport(asyncio.Transport):
    """Non-blocking; gives the socket to ``protocol`` and is done when either side ends it."""

    def __init__(self, loop: Readiness, sock: socket.socket, protocol: asyncio.Protocol) -> None:
        super().__init__()
        self._loop = loop
        self._sock = sock
        self._fd = sock.fileno()
        self._protocol = protocol
        self._unsent = b""
        self._is_closing = False
        self._is_lost = False
        self._ends_after_flush = False
        self._watches_reads = False

    def start(self) -> None:
        """Introduce the protocol and serve what has already arrived."""
        self._protocol.connection_made(self)
        self._on_readable()

    # --- asyncio.Transport ----------------------------------------------------------------------------------

    def is_closing(self) -> bool:
        return self._is_closing

    def get_write_buffer_size(self) -> int:
        return len(self._unsent)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send now what the peer takes; the rest follows when it reads on."""
        if self._is_closing:
            return
        if self._unsent:
            self._unsent += bytes(data)
            return
        try:
            sent = self._sock.send(data)
        except _NOT_NOW:
            sent = 0
        except OSError as error:
            self._lose(error)
            return
        if sent < len(data):
            self._unsent = bytes(data[sent:])
            self._loop.add_writer(self._fd, self._on_writable)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        """End our side once everything is sent; reading goes on."""
        if self._unsent:
            self._ends_after_flush = True
        elif not self._is_lost:
            self._shut_writing()

    def close(self) -> None:
        """Read no more; close once everything is sent."""
        if self._is_closing:
            return
        self._is_closing = True
        self._unwatch_reads()
        if not self._unsent:
            self._leave()

    def abort(self) -> None:
        self._lose(None)

    # --- loop callbacks -------------------------------------------------------------------------------------

    def _on_readable(self) -> None:
        """Read on until nothing is there: a peer that has sent something and gone is gone at once."""
        for _ in range(READS_AT_ONCE):
            if not self._read():
                return
        self._watch_reads()

    def _read(self) -> bool:
        """Whether there may be more to read."""
        try:
            data = self._sock.recv(READ_BYTES)
        except _NOT_NOW:
            self._watch_reads()
            return False
        except OSError as error:
            self._lose(error)
            return False
        if data:
            self._protocol.data_received(data)
            return not self._is_closing
        self._unwatch_reads()  # an ended stream stays readable for ever
        if self._has_peer_left():
            self._lose(None)
        elif not self._protocol.eof_received():
            self.close()
        return False

    def _on_writable(self) -> None:
        try:
            sent = self._sock.send(self._unsent)
        except _NOT_NOW:
            return
        except OSError as error:
            self._lose(error)
            return
        self._unsent = self._unsent[sent:]
        if self._unsent:
            return
        self._loop.remove_writer(self._fd)
        if self._is_closing:
            self._leave()
        elif self._ends_after_flush:
            self._shut_writing()

    # --- inside ---------------------------------------------------------------------------------------------

    def _watch_reads(self) -> None:
        if not self._watches_reads:
            self._watches_reads = True
            self._loop.add_reader(self._fd, self._on_readable)

    def _unwatch_reads(self) -> None:
        if self._watches_reads:
            self._watches_reads = False
            self._loop.remove_reader(self._fd)

    def _has_peer_left(self) -> bool:
        """Whether the peer whose stream has ended cannot read either. At a socket file writing nothing tells:
        it fails once the other end is closed. At a TCP port only bytes could tell, so there nobody has left.
        """
        try:
            self._sock.send(b"")
        except _NOT_NOW:
            return False
        except OSError:
            return True
        return False

    def _shut_writing(self) -> None:
        with contextlib.suppress(OSError):  # the peer may have gone first
            self._sock.shutdown(socket.SHUT_WR)

    def _leave(self) -> None:
        """Close so that the peer finds what it was sent, and then the end of the stream.

        A socket that is closed with bytes unread (pipelined ones, say, that came a moment ago) resets the
        connection. At a socket file no byte can come once reading is shut; at a TCP port one still can.
        """
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
            for _ in range(READS_AT_ONCE):
                if not self._sock.recv(READ_BYTES):
                    break
        self._lose(None)

    def _lose(self, error: OSError | None) -> None:
        if self._is_lost:
            return
        self._is_lost = True
        self._is_closing = True
        self._unwatch_reads()
        if self._unsent:
            self._unsent = b""
            self._loop.remove_writer(self._fd)
        self._sock.close()
        # Without the cycle between the two, neither waits for the garbage collector.
        protocol, self._protocol = self._protocol, _NOBODY
        protocol.connection_lost(error)
