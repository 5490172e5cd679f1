"""Bytes of a request head to a ``RequestHead``: where the head ends, and llhttp's strict reading of it.

Owns what llhttp leaves open (ARCHITECTURE "the parser's gaps"). The head is parsed once, whole, so an answer
cannot depend on how the bytes were split on their way. Must not know transports, deadlines, or which requests
are welcome.
"""

import re
from typing import Final

import httptools

from orbtile.protocol.gate import RequestHead

# A bare LF ends a line here, so that a head made of them is answered (llhttp refuses it) and not waited for.
_BLANK_LINE: Final = re.compile(rb"\n\r?\n")

# llhttp has its own opinion of these two, out of the gate's order and with other answers (a length beyond 64
# bits, or a second one, is malformed to it). Under another name it passes them on unread.
_FRAMING: Final = re.compile(rb"(?i)\n(content-length|transfer-encoding):")
_DISGUISE: Final = "orbtile-framing-"
_DISGUISED: Final = rb"\n" + _DISGUISE.encode("ascii") + rb"\1:"


class MalformedHeadError(Exception):
    """The head is not a request that we read; the message is for the peer and quotes nothing of it."""


def find_head_end(received: bytes | bytearray, scanned: int) -> int:
    """The index behind the head's blank line, or -1. ``scanned`` bytes were searched before and held none.

    Empty lines before the request line belong to the head (RFC 9112 section 2.2).
    """
    start = max(scanned - 2, 0)
    if received.startswith((b"\r", b"\n")):
        start = max(start, len(received) - len(received.lstrip(b"\r\n")))
    found = _BLANK_LINE.search(received, start)
    return found.end() if found else -1


def parse_head(raw: bytes) -> RequestHead:
    """Parse a whole head, blank line included. Raises ``MalformedHeadError``."""
    try:
        return _parse(raw)
    except httptools.HttpParserError:
        disguised = _FRAMING.sub(_DISGUISED, raw)
    try:
        return _parse(disguised, _DISGUISE)
    except httptools.HttpParserError:
        raise MalformedHeadError("the request head is malformed") from None


class _Collector:
    """What llhttp calls back with."""

    __slots__ = ("complete", "disguise", "headers", "target")

    def __init__(self, disguise: str) -> None:
        self.disguise = disguise
        self.target = b""
        self.headers: list[tuple[str, str]] = []
        self.complete = False

    def on_url(self, url: bytes) -> None:
        self.target = url

    def on_header(self, name: bytes, value: bytes) -> None:
        # llhttp keeps the blanks behind a value.
        text = value.decode("latin-1").rstrip(" \t")
        self.headers.append((name.decode("ascii").lower().removeprefix(self.disguise), text))

    def on_headers_complete(self) -> None:
        self.complete = True


def _parse(raw: bytes, disguise: str = "") -> RequestHead:
    start_line, _, _ = raw.lstrip(b"\r\n").partition(b"\r\n")
    if not start_line.endswith((b" HTTP/1.1", b" HTTP/1.0")):
        # llhttp also reads HTTP/0.9, HTTP/2.0, RTSP and ICE.
        raise MalformedHeadError("only HTTP/1.0 and HTTP/1.1 requests are served")
    collector = _Collector(disguise)
    parser = httptools.HttpRequestParser(collector)
    try:
        parser.feed_data(raw)
    except httptools.HttpParserUpgrade:
        raise MalformedHeadError("CONNECT and protocol upgrades are refused") from None
    if not collector.complete:
        raise MalformedHeadError("the request head is malformed")
    return RequestHead(
        parser.get_method().decode("ascii"), collector.target.decode("ascii"), tuple(collector.headers)
    )
