"""The one thread beside the loop's: it writes the files and decodes the icons, one job at a time.

Owns what holds for every job on it. Must not know any.
"""

import gc
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class FilesWorker(ThreadPoolExecutor):
    """No garbage is collected while it works: an object of Qt among it would end on this thread, and Qt
    crashes then.
    """

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        return super().submit(_without_collecting, fn, *args, **kwargs)


def _without_collecting(work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        return work(*args, **kwargs)
    finally:
        if was_collecting:
            gc.enable()
