"""HTTP/1.1 as far as a strict host needs it: one request head off a socket, one response onto it.

Owns bytes and deadlines. Must not know routes. What is no request is 400, whatever it was meant to be.
"""

from __future__ import annotations

import json
import re
import socket
import time
from http import HTTPStatus
from typing import Any

from orbtile_adapter.host import limits
from orbtile_adapter.host.gate import Head
from orbtile_adapter.host.refusals import Refusal, bad_request

_METHODS = "GET|HEAD|PUT|POST|DELETE|PATCH|OPTIONS|TRACE"
_TARGETS = r"/[!-~]*|[A-Za-z][A-Za-z0-9+.-]*://[!-~]*|\*"
_REQUEST_LINE = re.compile(rf"({_METHODS}) ({_TARGETS}) HTTP/1\.[01]")
_HEADER_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)", re.DOTALL)
_DRAIN_BYTES = 1 << 20


class PeerGone(Exception):  # noqa: N818 - nothing went wrong on this side
    """The peer hung up or was too slow: there is nobody to answer."""


def parse_head(data: bytes) -> Head:
    """A head without its empty line. Raises 400."""
    first, *lines = data.decode("latin-1").split("\r\n")
    request = _REQUEST_LINE.fullmatch(first)
    if request is None:
        raise bad_request("not an HTTP/1.1 request")
    headers = []
    for line in lines:
        header = _HEADER_LINE.fullmatch(line)
        if header is None:
            raise bad_request("not a header line")
        headers.append((header[1].lower(), header[2].rstrip(" \t")))
    return Head(request[1], request[2], tuple(headers))


def read_head(sock: socket.socket) -> tuple[Head, bytes]:
    """The head and what came behind it. Raises 400 and ``PeerGone``."""
    data = b""
    deadline = time.monotonic() + limits.HEAD_S
    while b"\r\n\r\n" not in data:
        if len(data) > limits.HEAD_BYTES or (b"\n\n" in data) or _is_hopeless(data):
            raise bad_request("not an HTTP/1.1 request")
        data += _receive(sock, deadline)
    head, _, rest = data.partition(b"\r\n\r\n")
    if len(head) > limits.HEAD_BYTES:
        raise bad_request("the head is too long")
    return parse_head(head), rest


def _is_hopeless(data: bytes) -> bool:
    """Whether the first line is whole and wrong, so that waiting for the head's end is no use."""
    line, found, _ = data.partition(b"\r\n")
    return bool(found) and _REQUEST_LINE.fullmatch(line.decode("latin-1")) is None


def read_body(sock: socket.socket, rest: bytes, length: int) -> bytes:
    """``length`` bytes, ``rest`` included. Raises ``PeerGone``."""
    data = rest[:length]
    deadline = time.monotonic() + limits.BODY_S
    while len(data) < length:
        data += _receive(sock, deadline)[: length - len(data)]
    return data


def _receive(sock: socket.socket, deadline: float) -> bytes:
    left = deadline - time.monotonic()
    if left <= 0:
        raise PeerGone
    sock.settimeout(left)
    try:
        data = sock.recv(65_536)
    except OSError:
        raise PeerGone from None
    if not data:
        raise PeerGone
    return data


def render(
    status: int, body: dict[str, Any] | None, headers: dict[str, str], *, for_head: bool = False
) -> bytes:
    """A whole response; the connection ends behind it."""
    data = b"" if body is None else json.dumps(body, separators=(",", ":")).encode("ascii")
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    if body is not None:
        lines.append("Content-Type: application/json")
    if status != 204:
        lines.append(f"Content-Length: {len(data)}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += ["Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1") + (b"" if for_head else data)


def headers_of(refusal: Refusal) -> dict[str, str]:
    """``Retry-After`` and ``Allow``."""
    headers = {}
    if refusal.retry_after is not None:
        headers["Retry-After"] = str(refusal.retry_after)
    if refusal.allow:
        headers["Allow"] = ", ".join(refusal.allow)
    return headers


def send(sock: socket.socket, response: bytes) -> None:
    """Write the response, then read what the peer still sends, so that closing does not cut the reply off."""
    try:
        sock.settimeout(limits.WRITE_S)
        sock.sendall(response)
        sock.shutdown(socket.SHUT_WR)
        sock.settimeout(0.5)
        drained = 0
        while drained < _DRAIN_BYTES and (data := sock.recv(65_536)):
            drained += len(data)
    except OSError:
        return


def is_gone(sock: socket.socket) -> bool:
    """Whether the peer has hung up; reads nothing."""
    try:
        sock.settimeout(0)
        return sock.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
