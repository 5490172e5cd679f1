import asyncio
import gc
import weakref

import pytest

from orbtile.server.answers import PendingAnswers
from orbtile.server.handler import Later
from orbtile.server.response import Response
from tests.conftest import ExpectLog

DONE = Response(200, b"done")


async def done() -> Response:
    await asyncio.sleep(0)
    return DONE


async def stubborn() -> Response:
    """Ends in its own time, with a failure of its own."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.sleep(0)
    raise ValueError("secret")


def test_whoever_asked_gets_the_response() -> None:
    async def scene() -> None:
        answers = PendingAnswers()
        taken: list[Response] = []
        task = answers.start(Later(done), taken.append)
        assert task.get_name() == "orbtile-answer"
        assert len(answers) == 1
        assert await task == DONE
        await asyncio.sleep(0)
        assert taken == [DONE]
        assert len(answers) == 0

    asyncio.run(scene())


def test_the_task_is_kept_by_us_while_it_runs() -> None:
    async def scene() -> None:
        answers = PendingAnswers()
        taken: list[Response] = []
        kept = weakref.ref(answers.start(Later(done), taken.append))
        gc.collect()
        assert kept() is not None
        for _ in range(4):
            await asyncio.sleep(0)
        assert taken == [DONE]
        assert kept() is None

    asyncio.run(scene())


def test_work_that_was_given_up_hands_nothing_over() -> None:
    async def scene() -> None:
        answers = PendingAnswers()
        taken: list[Response] = []
        task = answers.start(Later(done), taken.append)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        assert taken == []
        assert len(answers) == 0

    asyncio.run(scene())


def test_closing_waits_for_work_that_takes_its_time_to_end(expect_log: ExpectLog) -> None:
    expect_log(
        r"^orbtile\.server\.faults: ERROR: a request failed: ValueError at test_answers\.py:\d+ in stubborn$"
    )

    async def scene() -> None:
        answers = PendingAnswers()
        await answers.aclose()  # nothing to wait for
        taken: list[Response] = []
        task = answers.start(Later(stubborn), taken.append)
        await asyncio.sleep(0)
        await answers.aclose()
        assert task.done()
        assert len(answers) == 0

    asyncio.run(scene())
