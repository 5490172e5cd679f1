"""Bytes to replies, whole, byte by byte and broken."""

from __future__ import annotations

import pytest

from orbtile_adapter import TransportError
from orbtile_adapter._http import MAX_HEAD_BYTES, MAX_REPLY_BYTES, Reply, ReplyReader, encode_request, quote

HEAD = b"HTTP/1.1 200 OK\r\n"

REPLIES = [
    (HEAD + b"Content-Length: 2\r\nX-A: b\r\n\r\n{}", 200, b"{}"),
    (HEAD + b"Content-Length: 0\r\n\r\n", 200, b""),
    (b"HTTP/1.0 204 No Content\r\n\r\n", 204, b""),
    (b"HTTP/1.1 204\r\nContent-Length: 5\r\n\r\n", 204, b""),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n", 200, b"{}"),
    (HEAD + b"Transfer-Encoding: Chunked\r\n\r\n0\r\nTrailer: x\r\n\r\n", 200, b""),
    (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 x\r\nA: b\r\n\r\n" + HEAD + b"content-length:1\r\n\r\nx",
        200,
        b"x",
    ),
]


@pytest.mark.parametrize(("data", "status", "body"), REPLIES)
@pytest.mark.parametrize("junk", [b"", b"HTTP/1.1 500 Later\r\n\r\n"])
def test_a_reply_is_the_same_whole_byte_by_byte_and_with_junk_behind_it(
    data: bytes, status: int, body: bytes, junk: bytes
) -> None:
    whole = ReplyReader()
    whole.feed(data + junk)
    bytewise = ReplyReader()
    for byte in data + junk:
        bytewise.feed(bytes([byte]))
    assert whole.reply == bytewise.reply
    assert whole.reply is not None
    assert (whole.reply.status, whole.reply.body) == (status, body)


@pytest.mark.parametrize(("data", "status", "body"), REPLIES)
def test_a_reply_that_is_cut_short_anywhere_is_an_error(data: bytes, status: int, body: bytes) -> None:
    for end in range(len(data)):
        reader = ReplyReader()
        if data[:end]:
            reader.feed(data[:end])
        if reader.reply is None:
            with pytest.raises(TransportError):
                reader.feed(b"")


def test_without_a_length_the_body_ends_with_the_connection() -> None:
    reader = ReplyReader()
    reader.feed(HEAD + b"\r\n{")
    assert reader.reply is None
    reader.feed(b"}")
    reader.feed(b"")
    assert reader.reply == Reply(200, {}, b"{}")


@pytest.mark.parametrize(
    "data",
    [
        b"\x00",
        b"SSH-2.0-x\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        HEAD + b"no colon\r\n\r\n",
        HEAD + b" Folded: x\r\n\r\n",
        HEAD + b"A : x\r\n\r\n",
        HEAD + b": x\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 1, 1\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        HEAD + b"Content-Length: %d\r\n\r\n" % (MAX_REPLY_BYTES + 1),
        HEAD + b"A: " + b"x" * MAX_HEAD_BYTES,
        HEAD + b"A: " + b"x" * MAX_HEAD_BYTES + b"\r\n\r\n",
    ],
)
def test_what_is_not_http_is_trouble_on_the_wire(data: bytes) -> None:
    reader = ReplyReader()
    with pytest.raises(TransportError) as caught:
        reader.feed(data)
    assert "x" * 9 not in str(caught.value)


def test_a_body_without_end_is_given_up() -> None:
    reader = ReplyReader()
    reader.feed(HEAD + b"\r\n")
    for _ in range(MAX_REPLY_BYTES // 65536):
        reader.feed(b"x" * 65536)
    with pytest.raises(TransportError, match="too long"):
        reader.feed(b"x")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        ("999999", 3600),
        ("-1", None),
        ("1.5", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
    ],
)
def test_retry_after_is_read_in_seconds(value: str, seconds: float | None) -> None:
    reader = ReplyReader()
    reader.feed(f"HTTP/1.1 503 x\r\nRetry-After: {value}\r\nContent-Length: 0\r\n\r\n".encode())
    assert reader.reply is not None
    assert reader.reply.retry_after_s == seconds


def test_a_request_is_one_piece_with_a_length_where_it_has_a_body() -> None:
    data = encode_request("POST", "/a/v1/x", {"Authorization": "Bearer t"}, b"{}")
    assert data == (
        b"POST /a/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer t\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
    )
    assert b"Content-Length" not in encode_request("GET", "/", {}, None)
    assert b"Content-Length: 0\r\n" in encode_request("POST", "/", {}, b"")


def test_quoting_agrees_with_the_standard_library() -> None:
    from urllib.parse import quote as standard

    for text in ("run-7", "a/b?c#d", "é\U0001f600", "~._-", "", " %", "".join(map(chr, range(256)))):
        assert quote(text) == standard(text, safe="")
