"""The model behind a real socket, with the faults that real sockets have."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sdkfakes.model import Model, is_whole

Fault = Callable[[socket.socket, bytes], None]
"""What to do with a connection instead of sending the reply; the connection is closed after it."""


class Served:
    """Listens on a Unix socket (or on TCP), writes the discovery file. ``faults`` meet the next replies."""

    def __init__(self, folder: Path, model: Model | None = None, *, is_tcp: bool = False) -> None:
        self.model = model or Model()
        self.file = folder / "api.json"
        self.path = folder / "s"
        self.is_tcp = is_tcp
        self.faults: list[Fault | None] = []
        self.connections = 0
        self.open = 0
        self.lock = threading.Lock()
        self.listener: socket.socket | None = None
        self.threads: list[threading.Thread] = []
        self.hold = threading.Event()
        """Set: polls without events are answered at once. Otherwise they are held for up to ``hold_s``."""
        self.hold_s = 0.05

    def start(self) -> None:
        listener = socket.socket(socket.AF_INET if self.is_tcp else socket.AF_UNIX)
        listener.bind(("127.0.0.1", 0) if self.is_tcp else str(self.path))
        listener.listen(64)
        self.listener = listener
        self.model.is_off = False
        self.publish()
        thread = threading.Thread(target=self._accept, args=(listener,))
        self.threads.append(thread)
        thread.start()

    def publish(self) -> None:
        content: dict[str, object] = {
            "api": 1,
            "basePath": "/a/v1",
            "token": self.model.token,
            "pid": os.getpid(),
        }
        if self.is_tcp:
            assert self.listener is not None
            port = self.listener.getsockname()[1]
            content.update(url=f"http://127.0.0.1:{port}", port=port)
        else:
            content["socketPath"] = str(self.path)
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(content))
        new.chmod(0o600)
        new.replace(self.file)

    def stop(self, *, is_crash: bool = False) -> None:
        listener, self.listener = self.listener, None
        if listener is None:
            return
        if not is_crash:
            self.file.unlink()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        self.hold.set()
        for thread in self.threads:
            thread.join()
        self.threads.clear()
        self.hold.clear()
        if not self.is_tcp:
            self.path.unlink()

    def restart(self, *, is_crash: bool = False) -> None:
        self.stop(is_crash=is_crash)
        self.model.regenerate_token()
        self.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            with self.lock:
                self.connections += 1
                self.threads = [other for other in self.threads if other.is_alive()]
                self.threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with self.lock:
            self.open += 1
        try:
            with connection:
                connection.settimeout(5)
                data = b""
                while not is_whole(data):
                    chunk = connection.recv(65536)
                    if not chunk:
                        return
                    data += chunk
                with self.lock:
                    reply = self.model.answer(data)
                    fault = self.faults.pop(0) if self.faults else None
                if fault is not None:
                    fault(connection, reply)
                    return
                if b'"events": []' in reply:
                    self.hold.wait(self.hold_s)
                connection.sendall(reply)
        except OSError:
            pass  # the client has gone
        finally:
            with self.lock:
                self.open -= 1


# --- faults ----------------------------------------------------------------------------------------------


def drop(connection: socket.socket, reply: bytes) -> None:
    """The request was carried out, its answer never comes."""


def half(connection: socket.socket, reply: bytes) -> None:
    connection.sendall(reply[: len(reply) // 2])


def half_close(connection: socket.socket, reply: bytes) -> None:
    connection.shutdown(socket.SHUT_WR)


def garbage(connection: socket.socket, reply: bytes) -> None:
    connection.sendall(b"\x00\xffSSH-2.0-what\r\n\r\n" * 3)


def garbage_body(connection: socket.socket, reply: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{\xff\xfe\xfd]")


def slow(connection: socket.socket, reply: bytes) -> None:
    for at in range(0, len(reply), 40):
        connection.sendall(reply[at : at + 40])
        time.sleep(0.0005)


def hang(connection: socket.socket, reply: bytes) -> None:
    """Say nothing until the client gives up."""
    connection.recv(1)
