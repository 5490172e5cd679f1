"""The client of every benchmark: one blocking connection per request, each request sent in one piece.

Owns the bytes on the wire. The floor and the application get the same bytes from the same code.
"""

import json
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

TIMEOUT_S = 10.0

REGISTRATION = {"name": "Bench", "palette": {"baseHue": 250}, "urlSchemes": ["https"], "version": "1"}


class Response(NamedTuple):
    """Status, raw head and body."""

    status: int
    head: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to send requests, and the token they carry."""

    socket: Path
    token: str = "0" * 43

    def prepare(self, method: str, path: str, body: object = None, nonce: str = "") -> bytes:
        """A whole request as bytes; ``path`` is what follows ``/a/v1``."""
        data = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        length = f"Content-Length: {len(data)}\r\n" if body is not None else ""
        if nonce:
            length += f"X-Orbtile-Nonce: {nonce}\r\n"
        head = (
            f"{method} /a/v1{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self.token}\r\n{length}\r\n"
        )
        return head.encode() + data

    def send(self, request: bytes) -> Response:
        """Connect, send, and read until the server closes."""
        with connect(self.socket) as connection:
            connection.sendall(request)
            chunks = []
            while chunk := connection.recv(65536):
                chunks.append(chunk)
        head, _, body = b"".join(chunks).partition(b"\r\n\r\n")
        return Response(int(head[9:12]), head.decode("latin-1"), body)

    def expect(self, status: int, method: str, path: str, body: object = None) -> Response:
        """Send a request that must be answered with ``status``."""
        response = self.send(self.prepare(method, path, body))
        assert response.status == status, f"{method} {path}: {response.status} {response.body.decode()}"
        return response


def connect(path: Path) -> socket.socket:
    if sys.platform == "win32":
        raise OSError("this system has no Unix-domain sockets")
    else:  # noqa: RET506 - type checkers of other systems follow this form
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(TIMEOUT_S)
        try:
            connection.connect(str(path))
        except OSError:
            connection.close()
            raise
        return connection


def adapter_id(number: int) -> str:
    return f"org.example.bench-{number}"


def session_path(adapter: int, session: int) -> str:
    return f"/adapters/{adapter_id(adapter)}/sessions/session-{session}"


def update(step: int) -> dict[str, object]:
    """A usual update of some 500 bytes. Another ``step`` has another title and message to show."""
    return {
        "title": f"Fix the flaky checkout test, attempt {step}",
        "activity": "tool",
        "toolLabel": "Bash  npm test -- checkout",
        "toolKind": "shell",
        "cwd": "/home/someone/src/webshop/packages/checkout",
        "model": "sonata-2",
        "message": {
            "id": f"message-{step // 20}",
            "text": f"Run {step}: the cart is read before the price is in. " * 3,
        },
        "statusDetail": None,
        "subagentCount": step % 3,
        "openURL": "https://example.org/runs/7",
        "ttlSeconds": 3600,
    }
