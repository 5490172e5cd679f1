"""What a peer gets when our own code fails: 500 without detail.

Owns the barrier around whatever answers a request, and the log line: the kind of the error and its place,
never a text, which may quote a request. Must not know what was called.
"""

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine
from pathlib import PurePath
from typing import TypeVar

from orbtile.protocol.errors import internal
from orbtile.server.response import Response, error_response

_log = logging.getLogger(__name__)

_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")


def guarded(call: Callable[[_Argument], _Result], argument: _Argument) -> _Result | Response:
    """The call's result, or 500."""
    try:
        return call(argument)
    except Exception as error:  # noqa: BLE001 - whatever fails behind us, this peer gets 500 and the others their turn
        return _fault(error)


async def guarded_work(work: Callable[[], Coroutine[object, object, Response]]) -> Response:
    """The response that ``work()`` comes to, or 500. Raises CancelledError when this task is cancelled, and
    only then: that something was cancelled which ``work`` waited for is a fault like any other.
    """
    try:
        return await work()
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return _fault(error)
    except Exception as error:  # noqa: BLE001 - the same after a wait: one peer gets 500, nobody else notices
        return _fault(error)


def _fault(error: BaseException) -> Response:
    _log.error("a request failed: %s at %s", type(error).__name__, _place_of(error))
    return error_response(internal())


def _place_of(error: BaseException) -> str:
    [frame] = traceback.extract_tb(error.__traceback__, limit=-1)
    return f"{PurePath(frame.filename).name}:{frame.lineno} in {frame.name}"
