"""One HTTP response as a value, and its bytes.

Owns the reply's head. Must not know which request it answers, nor transports.
"""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from orbtile.protocol import wire
from orbtile.protocol.errors import ApiError
from orbtile.protocol.fields import JsonObject

JSON: Final = "application/json"
PLAIN_TEXT: Final = "text/plain; charset=utf-8"

_START_LINES: Final = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class Response:
    """``status`` 200..599. An empty ``body`` is sent without type and length (204)."""

    status: int
    body: bytes = b""
    media_type: str = JSON
    retry_after_s: int | None = None
    allow: tuple[str, ...] = ()

    def encode(self, *, with_body: bool = True) -> bytes:
        """The whole response. ``with_body`` False answers HEAD: the same head, nothing behind it."""
        head = _START_LINES[self.status]
        if self.body:
            head += f"Content-Type: {self.media_type}\r\nContent-Length: {len(self.body)}\r\n"
        if self.retry_after_s is not None:
            head += f"Retry-After: {self.retry_after_s}\r\n"
        if self.allow:
            head += f"Allow: {', '.join(self.allow)}\r\n"
        encoded_head = (head + "Connection: close\r\n\r\n").encode("ascii")
        return encoded_head + self.body if with_body else encoded_head


NO_CONTENT: Final = Response(204)
PLAIN_NOT_FOUND: Final = Response(404, b"not found\n", PLAIN_TEXT)
"""Spec section 1: what ``/a/`` gets on a listener that does not serve adapters."""


def json_response(value: JsonObject, status: int = 200) -> Response:
    """A JSON body; 200 unless said otherwise."""
    return Response(status, wire.dump_json(value))


def error_response(error: ApiError) -> Response:
    """The error body of spec section 4, with ``Retry-After`` and ``Allow`` where the error names them."""
    return Response(
        error.status,
        wire.dump_json(wire.encode_error(error)),
        retry_after_s=error.retry_after_s,
        allow=error.allow,
    )
