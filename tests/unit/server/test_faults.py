import asyncio
import json

import pytest

from orbtile.server.faults import guarded, guarded_work
from orbtile.server.response import NO_CONTENT, Response
from tests.conftest import ExpectLog


def fail(text: str) -> Response:
    raise ValueError(text)


async def fail_later() -> Response:
    return fail("secret")


async def succeed() -> Response:
    return NO_CONTENT


def test_what_succeeds_goes_through() -> None:
    assert guarded(len, "four") == 4
    assert asyncio.run(guarded_work(succeed)) == NO_CONTENT


def test_what_fails_is_500_and_one_line_about_the_place(
    expect_log: ExpectLog, caplog: pytest.LogCaptureFixture
) -> None:
    expect_log(
        r"^orbtile\.server\.faults: ERROR: a request failed: ValueError at test_faults\.py:\d+ in fail$"
    )
    for response in (guarded(fail, "secret"), asyncio.run(guarded_work(fail_later))):
        assert response.status == 500
        assert json.loads(response.body) == {"error": {"code": "internal", "message": "internal error"}}
    assert len(caplog.records) == 2
    assert "secret" not in caplog.text


def test_being_cancelled_is_no_fault() -> None:
    async def scene() -> None:
        async def work() -> Response:
            await asyncio.Event().wait()
            return NO_CONTENT

        task = asyncio.create_task(guarded_work(work))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scene())
