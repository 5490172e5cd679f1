"""The answers of one listener that are still being worked on.

Owns their tasks: named, kept until they end, cancelled and awaited when the listener closes. Must not know
connections, deadlines or what the work is.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from orbtile.server.faults import guarded_work
from orbtile.server.handler import Later
from orbtile.server.response import Response


class PendingAnswers:
    """Everything happens on the running loop."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Response]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, later: Later, take: Callable[[Response], None]) -> asyncio.Task[Response]:
        """Begin the work on the loop's next turn; ``take`` gets the response, or 500 if the work failed.

        Cancel the task to give the work up; then ``take`` gets nothing.
        """
        task = asyncio.get_running_loop().create_task(guarded_work(later.work), name="orbtile-answer")
        self._tasks.add(task)
        task.add_done_callback(partial(self._hand_over, take))
        return task

    async def aclose(self) -> None:
        """Give all work up and wait until it has ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _hand_over(self, take: Callable[[Response], None], task: asyncio.Task[Response]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            take(task.result())
