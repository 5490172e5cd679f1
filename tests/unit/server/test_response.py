import pytest

from orbtile.protocol import errors
from orbtile.server.response import NO_CONTENT, PLAIN_NOT_FOUND, Response, error_response, json_response


def test_a_json_response_carries_type_length_and_the_end_of_the_connection() -> None:
    assert json_response({"ok": True}).encode() == (
        b"HTTP/1.1 200 OK\r\n"
        b"Content-Type: application/json\r\nContent-Length: 11\r\nConnection: close\r\n\r\n"
        b'{"ok":true}'
    )


def test_no_content_carries_neither_type_nor_length() -> None:
    assert NO_CONTENT.encode() == b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


def test_the_answer_to_head_has_the_same_head_and_nothing_behind_it() -> None:
    response = json_response({"ok": True}, 201)
    whole = response.encode()
    assert response.encode(with_body=False) == whole[: whole.index(b"\r\n\r\n") + 4]


def test_the_plain_404_is_text() -> None:
    assert b"404 Not Found\r\nContent-Type: text/plain" in PLAIN_NOT_FOUND.encode()


def test_an_error_becomes_the_error_body_of_the_protocol() -> None:
    response = error_response(errors.invalid_field("title", "too long"))
    assert response == Response(
        422, b'{"error":{"code":"invalid_field","message":"title: too long","field":"title"}}'
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (errors.rate_limited(7), b"Retry-After: 7\r\n"),
        (errors.busy(), b"Retry-After: 1\r\n"),
        (errors.method_not_allowed(("PUT", "DELETE")), b"Allow: PUT, DELETE\r\n"),
    ],
)
def test_an_error_names_when_and_how_to_retry(error: errors.ApiError, line: bytes) -> None:
    assert line in error_response(error).encode()
