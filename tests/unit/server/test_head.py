from itertools import pairwise

import pytest

from orbtile.protocol.gate import RequestHead
from orbtile.server.head import MalformedHeadError, find_head_end, parse_head

HOST = b"Host: localhost\r\n"


def head(*lines: bytes, start: bytes = b"GET /a/v1/info HTTP/1.1") -> bytes:
    return b"\r\n".join([start, b"Host: localhost", *lines, b"", b""])


def test_a_head_gives_method_target_and_headers_with_lowercase_names() -> None:
    raw = head(b"Content-Type: application/json", b"X-Thing:  two  words \t")
    assert parse_head(raw) == RequestHead(
        "GET",
        "/a/v1/info",
        (("host", "localhost"), ("content-type", "application/json"), ("x-thing", "two  words")),
    )


def test_repeated_headers_stay_repeated() -> None:
    assert parse_head(head(b"Host: other", b"host: localhost")).headers == (
        ("host", "localhost"),
        ("host", "other"),
        ("host", "localhost"),
    )


def test_bytes_above_ascii_in_a_value_are_read_as_latin_1() -> None:
    assert parse_head(head(b"X-Name: caf\xe9")).headers[-1] == ("x-name", "café")


def test_http_1_0_is_served() -> None:
    assert parse_head(head(start=b"GET / HTTP/1.0")).target == "/"


def test_empty_lines_before_the_request_line_are_skipped() -> None:
    assert parse_head(b"\r\n\r\n" + head()).target == "/a/v1/info"


@pytest.mark.parametrize(
    "start",
    [
        b"GET /",
        b"GET / HTTP/0.9",
        b"GET / HTTP/1.2",
        b"GET / HTTP/2.0",
        b"GET / http/1.1",
        b"GET / RTSP/1.0",
        b"SETUP / RTSP/1.0",
        b"SOURCE / ICE/1.0",
        b"GET / HTTP/1.1 ",
        b"PRI * HTTP/2.0",
    ],
)
def test_other_versions_and_protocols_are_refused(start: bytes) -> None:
    with pytest.raises(MalformedHeadError, match=r"only HTTP/1\.0 and HTTP/1\.1"):
        parse_head(head(start=start))


@pytest.mark.parametrize(
    "start", [b"FOO / HTTP/1.1", b"get / HTTP/1.1", b" GET / HTTP/1.1", b"GET localhost HTTP/1.1"]
)
def test_unknown_methods_and_targets_that_are_none_are_malformed(start: bytes) -> None:
    with pytest.raises(MalformedHeadError, match="malformed"):
        parse_head(head(start=start))


def test_a_target_beyond_ascii_is_malformed() -> None:
    with pytest.raises(MalformedHeadError, match="malformed"):
        parse_head(head(start=b"GET /caf\xe9 HTTP/1.1"))


@pytest.mark.parametrize(
    "line",
    [
        b"X-Fold: a\r\n b",
        b" X-Indented: a",
        b"X-Space : a",
        b"X-NoColon",
        b": no name",
        b"X-Nul: a\x00b",
        b"X-Bell: a\x07b",
        b"X-Return: a\rb",
        b"X-Feed: a\nX-Next: b",
        b"Content-Length: 1\r\n 2",
        b"Content-Length : 1",
        b"Content-Length: 1\x00",
        b"Transfer-Encoding: chunked\r\n , gzip",
    ],
)
def test_malformed_header_lines_are_refused(line: bytes) -> None:
    with pytest.raises(MalformedHeadError, match="malformed"):
        parse_head(head(line))


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\n" + HOST + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\n\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\n",
    ],
)
def test_lines_that_end_without_cr_are_refused(raw: bytes) -> None:
    assert find_head_end(raw, 0) == len(raw)
    with pytest.raises(MalformedHeadError):
        parse_head(raw)


@pytest.mark.parametrize("end", [b"", b"\r\n"])
def test_a_head_without_its_blank_line_is_malformed(end: bytes) -> None:
    with pytest.raises(MalformedHeadError, match="malformed"):
        parse_head(b"GET / HTTP/1.1\r\nHost: localhost" + end)


@pytest.mark.parametrize(
    "raw",
    [
        head(b"Connection: Upgrade", b"Upgrade: h2c"),
        head(b"Connection: Upgrade", b"Upgrade: websocket", b"Content-Length: 3", start=b"POST / HTTP/1.1"),
        head(start=b"CONNECT localhost:80 HTTP/1.1"),
    ],
)
def test_upgrades_and_connect_are_refused(raw: bytes) -> None:
    with pytest.raises(MalformedHeadError, match="upgrades are refused"):
        parse_head(raw)


def test_an_upgrade_header_that_asks_for_nothing_is_ignored() -> None:
    assert parse_head(head(b"Upgrade: h2c")).headers[-1] == ("upgrade", "h2c")


@pytest.mark.parametrize(
    "lines",
    [
        ("content-length: 3", "content-length: 3"),
        ("content-length: 3", "content-length: 4"),
        ("content-length: 3, 3",),
        ("content-length: -3",),
        ("content-length: +3",),
        ("content-length: 0x3",),
        ("content-length: ",),
        ("content-length: 18446744073709551615",),
        ("content-length: 18446744073709551616",),
        ("content-length: " + "9" * 10_000,),
        ("transfer-encoding: chunked",),
        ("transfer-encoding: gzip",),
        ("transfer-encoding: chunked, gzip",),
        ("content-length: 3", "transfer-encoding: chunked"),
        ("transfer-encoding: chunked", "content-length: 3"),
    ],
)
def test_what_frames_the_body_reaches_the_gate_whatever_it_says(lines: tuple[str, ...]) -> None:
    raw = head(*(line.title().encode() for line in lines), start=b"POST / HTTP/1.1")
    headers = parse_head(raw).headers[1:]
    assert [f"{name}: {value.lower()}" for name, value in headers] == list(lines)


def test_the_head_ends_behind_its_blank_line() -> None:
    assert find_head_end(head() + b"body\r\n\r\n", 0) == len(head())
    assert find_head_end(head()[:-1], 0) == -1


@pytest.mark.parametrize(
    "raw", [head(), b"\r\n\n\r\n" + head(), b"GET / HTTP/1.1\nHost: x\n\n", b"\n" + head()]
)
def test_the_end_is_found_wherever_the_bytes_are_split(raw: bytes) -> None:
    received = bytearray()
    for start, end in pairwise(range(len(raw) + 1)):
        assert find_head_end(received, max(start - 1, 0)) == -1
        received += raw[start:end]
    assert find_head_end(received, len(raw) - 1) == len(raw)
