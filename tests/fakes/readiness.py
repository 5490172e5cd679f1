"""A loop that calls when a test says that a socket is ready. Mirrors ``server.acceptor.SelectorLoop``."""

import asyncio
import socket
from collections.abc import Callable

from tests.fakes.scheduler import FakeScheduler


class FakeReadiness:
    def __init__(self) -> None:
        self.time = FakeScheduler()
        self.readers: dict[int, Callable[[], object]] = {}
        self.writers: dict[int, Callable[[], object]] = {}

    def add_reader(self, fd: int, callback: Callable[[], object], /) -> None:
        self.readers[fd] = callback

    def remove_reader(self, fd: int, /) -> bool:
        return self.readers.pop(fd, None) is not None

    def add_writer(self, fd: int, callback: Callable[[], object], /) -> None:
        self.writers[fd] = callback

    def remove_writer(self, fd: int, /) -> bool:
        return self.writers.pop(fd, None) is not None

    def call_later(self, delay: float, callback: Callable[[], object], /) -> asyncio.Handle:
        return self.time.call_later(delay, callback)

    def readable(self, sock: socket.socket) -> None:
        """The socket can be read; nothing happens when nobody watches it."""
        if callback := self.readers.get(sock.fileno()):
            callback()

    def writable(self, sock: socket.socket) -> None:
        if callback := self.writers.get(sock.fileno()):
            callback()
