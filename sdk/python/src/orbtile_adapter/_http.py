"""HTTP/1.1 as the protocol uses it: one request, one reply, then the connection ends (protocol section 1).

Owns bytes to values and back. Must not know sockets, time or what the requests are for.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from orbtile_adapter._errors import TransportError

MAX_HEAD_BYTES: Final = 64 * 1024
MAX_REPLY_BYTES: Final = 4 * 1024 * 1024
"""Many times what the largest reply of the protocol needs (128 events)."""

_MAX_RETRY_AFTER_S: Final = 3600.0
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?")
_LENGTH: Final = re.compile(r"\d{1,15}")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?")
_WITHOUT_BODY: Final = frozenset({204, 304})


class Reply(NamedTuple):
    """A whole reply. Header names are lowercase."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def retry_after_s(self) -> float | None:
        """What ``Retry-After`` says in seconds, at most an hour; its other form, a date, is not read."""
        value = self.headers.get("retry-after", "")
        return min(float(value), _MAX_RETRY_AFTER_S) if _LENGTH.fullmatch(value) else None


_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def quote(text: str) -> str:
    """``text`` as one segment of a path or one value of a query (RFC 3986). The standard library's own comes
    with more than this whole package takes to import.
    """
    data = text.encode("utf-8", "replace")
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in data)


def encode_request(method: str, target: str, headers: dict[str, str], body: bytes | None) -> bytes:
    """One request in one piece, so that it leaves in one write. ``target`` is percent-encoded already."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append("Connection: close")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join((*lines, "", "")).encode("ascii") + (body or b"")


class ReplyReader:
    """Takes bytes as they come; ``reply`` is None until it is whole.

    ``feed(b"")`` says that the other side has closed. Raises TransportError when this cannot become a reply.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: tuple[int, dict[str, str]] | None = None
        self._length: int | None = None
        self._is_chunked = False
        self.reply: Reply | None = None

    def feed(self, data: bytes) -> None:
        """The next bytes, as many or few as there are; what follows the reply is ignored."""
        if self.reply is not None:
            return
        self._buffer += data
        while self._head is None:
            if not self._read_head():
                if not data:
                    raise TransportError("the connection was closed before an answer came")
                return
        status, headers = self._head
        body = self._read_body(at_end=not data)
        if body is not None:
            self.reply = Reply(status, headers, body)
        elif not data:
            raise TransportError("the connection was closed in the middle of the answer")

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD_BYTES or not _may_be_http(self._buffer):
                raise TransportError("the answer is not HTTP")
            return False
        status_line, *lines = bytes(self._buffer[:end]).split(b"\r\n")
        del self._buffer[: end + 4]
        match = _STATUS_LINE.fullmatch(status_line)
        if match is None or end > MAX_HEAD_BYTES:
            raise TransportError("the answer is not HTTP")
        status = int(match[1])
        if status < 200:  # an interim reply, the real one follows
            return True
        headers: dict[str, str] = {}
        for line in lines:
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon or not name or name != name.strip():
                raise TransportError("the answer is not HTTP")
            headers[name.lower()] = value.strip()
        self._frame(status, headers)
        self._head = status, headers
        return True

    def _frame(self, status: int, headers: dict[str, str]) -> None:
        """How long the body is (RFC 9112 section 6.3)."""
        if status in _WITHOUT_BODY:
            self._length = 0
        elif "transfer-encoding" in headers:
            if headers["transfer-encoding"].lower() != "chunked":
                raise TransportError("the answer is encoded in an unknown way")
            self._is_chunked = True
        elif "content-length" in headers:
            if not _LENGTH.fullmatch(headers["content-length"]):
                raise TransportError("the answer is not HTTP")
            self._length = int(headers["content-length"])

    def _read_body(self, *, at_end: bool) -> bytes | None:
        if max(self._length or 0, len(self._buffer)) > MAX_REPLY_BYTES:
            raise TransportError("the answer is too long")
        if self._is_chunked:
            return _join_chunks(bytes(self._buffer))
        if self._length is None:
            return bytes(self._buffer) if at_end else None
        return bytes(self._buffer[: self._length]) if len(self._buffer) >= self._length else None


def _may_be_http(start: bytes | bytearray) -> bool:
    return start[:7] == b"HTTP/1."[: len(start)]


def _join_chunks(data: bytes) -> bytes | None:
    """The body, or None while chunks are missing. Replies are small, so each look starts from the front."""
    body: list[bytes] = []
    at = 0
    while (end := data.find(b"\r\n", at)) >= 0:
        match = _CHUNK_SIZE.fullmatch(data, at, end)
        if match is None:
            raise TransportError("the answer is not HTTP")
        size = int(match[1], 16)
        if size == 0:
            is_whole = data.startswith(b"\r\n", end + 2) or data.find(b"\r\n\r\n", end + 2) >= 0
            return b"".join(body) if is_whole else None
        at = end + 2 + size + 2
        if len(data) < at:
            return None
        if data[at - 2 : at] != b"\r\n":
            raise TransportError("the answer is not HTTP")
        body.append(data[end + 2 : at - 2])
    return None
