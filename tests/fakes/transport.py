"""A transport that keeps what was written to it. Mirrors what the connection uses of asyncio's."""

import asyncio


class FakeTransport(asyncio.Transport):
    """``reads``: the peer takes what is written. ``is_broken``: it is gone, which a write discovers."""

    def __init__(self, protocol: asyncio.Protocol, *, reads: bool = True) -> None:
        super().__init__()
        self._protocol = protocol
        self.reads = reads
        self.is_broken = False
        self.written = b""
        self.has_ended = False
        self.is_closed = False
        self.was_aborted = False
        protocol.connection_made(self)

    def receive(self, data: bytes) -> None:
        """The peer sends; nobody listens to a closed transport."""
        if not self.is_closed:
            self._protocol.data_received(data)

    def receive_end(self) -> None:
        if not self.is_closed and not self._protocol.eof_received():
            self.close()

    def lose(self) -> None:
        """The peer resets the connection."""
        self.is_closed = True
        self._protocol.connection_lost(ConnectionResetError())

    # --- asyncio.Transport ---

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.has_ended, "written after the end"
        if self.is_broken:
            self.is_closed = True
        else:
            self.written += bytes(data)

    def write_eof(self) -> None:
        self.has_ended = True

    def get_write_buffer_size(self) -> int:
        return 0 if self.reads else len(self.written)

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = True
        self.was_aborted = True
