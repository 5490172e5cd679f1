"""The listener of the strict host: a Unix socket or loopback TCP, a thread for each connection.

Owns sockets, the eight connection slots and the discovery file's comings and goings. Must not know rules.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import sys
import threading
from pathlib import Path

from orbtile_adapter.host import http, limits, places
from orbtile_adapter.host.refusals import Refusal, busy
from orbtile_adapter.host.stage import Answer, Exchange, Stage


class HostServer:
    """Serves ``stage`` and publishes it in ``discovery``; ``tcp``: always so on Windows."""

    def __init__(self, stage: Stage, discovery: Path, *, tcp: bool = sys.platform == "win32") -> None:
        self.stage = stage
        self.discovery = discovery
        self._tcp = tcp
        self._address: Path | int = 0
        self._listener: socket.socket | None = None
        self._wake: socket.socket | None = None
        self._accepting: threading.Thread | None = None
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._slots = 0

    def __enter__(self) -> HostServer:  # noqa: PYI034 - typing.Self is younger than Python 3.10
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- coming and going -------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen, then publish. Raises OSError."""
        places.make_folder(self.discovery)
        if self._tcp or sys.platform == "win32":
            listener = socket.create_server(("127.0.0.1", 0))
            self._address = int(listener.getsockname()[1])
        else:
            path = places.socket_path(self.discovery)
            path.unlink(missing_ok=True)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(path))
            path.chmod(0o600)
            listener.listen(64)
            self._address = path
        listener.setblocking(False)
        self._listener = listener
        self._wake, woken = socket.socketpair()
        self._accepting = threading.Thread(
            target=self._accept, args=(listener, woken), name="strict-host", daemon=True
        )
        self._accepting.start()
        try:
            self.publish()
        except OSError:
            self.stop()
            raise

    def stop(self) -> None:
        """Withdraw the file, hang up on everybody and close."""
        self.withdraw()
        if self._wake is not None:
            self._wake.close()
            self._wake = None
        if self._accepting is not None:
            self._accepting.join()
        with self.stage.host.changed:
            self.stage.host.changed.notify_all()
        with self._lock:
            serving = dict(self._open)
        for sock, thread in serving.items():
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            thread.join()
        if isinstance(self._address, Path):
            self._address.unlink(missing_ok=True)
            if self._address.parent != self.discovery.parent:
                with contextlib.suppress(OSError):
                    self._address.parent.rmdir()

    def publish(self) -> None:
        """Write the discovery file with the current token."""
        places.write_discovery(self.discovery, self._address, self.stage.host.token)

    def withdraw(self) -> None:
        """No file: off, or not running."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            self.discovery.unlink()

    def regenerate_token(self) -> None:
        """As the button in Settings does."""
        self.stage.host.regenerate_token()
        self.publish()

    def switch_off(self) -> None:
        """The API goes off while the program stays: no file, and 503 for who still asks."""
        self.withdraw()
        self.stage.host.switch_off()

    def switch_on(self) -> None:
        """The API comes back, with a new token."""
        self.stage.host.switch_on()
        self.publish()

    # --- connections ------------------------------------------------------------------------------------

    def _accept(self, listener: socket.socket, woken: socket.socket) -> None:
        with listener, woken, selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(woken, selectors.EVENT_READ)
            while True:
                if any(key.fileobj is woken for key, _ in selector.select()):
                    return
                try:
                    sock, _ = listener.accept()
                except OSError:
                    continue
                sock.setblocking(True)
                thread = threading.Thread(
                    target=self._serve, args=(sock,), name="strict-host-peer", daemon=True
                )
                with self._lock:
                    self._open[sock] = thread
                thread.start()

    def _serve(self, sock: socket.socket) -> None:
        has_slot = self._take_slot()
        try:
            self._answer(sock, has_slot=has_slot)
        except http.PeerGone:
            pass
        finally:
            sock.close()
            with self._lock:
                del self._open[sock]
                self._slots -= has_slot

    def _take_slot(self) -> bool:
        with self._lock:
            if self._slots >= limits.CONNECTIONS:
                return False
            self._slots += 1
            return True

    def _answer(self, sock: socket.socket, *, has_slot: bool) -> None:
        try:
            head, rest = http.read_head(sock)
            if not has_slot:
                raise busy()
        except Refusal as refusal:
            http.send(sock, http.render(refusal.status, refusal.body, http.headers_of(refusal)))
            return
        exchange, ask, generation, answer = self.stage.begin(head)
        if answer is None and ask is not None:
            body = http.read_body(sock, rest, ask.length)
            answer = self.stage.finish(exchange, ask, generation, body, lambda: http.is_gone(sock))
        if answer is not None:
            self._send(sock, exchange, answer, for_head=head.method == "HEAD")

    def _send(self, sock: socket.socket, exchange: Exchange, answer: Answer, *, for_head: bool) -> None:
        self.stage.told(exchange, answer)
        if answer.drop:
            return
        response = http.render(answer.status, answer.body, answer.headers, for_head=for_head)
        if answer.cut:
            with contextlib.suppress(OSError):
                sock.sendall(response[: len(response) // 2])
            return
        http.send(sock, response)
