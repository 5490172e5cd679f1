"""The one thread beside the loop's: it writes the files and decodes the icons, one job at a time.

Owns what holds for every job on it. Must not know any.
"""

import contextlib
import gc
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class FilesWorker(ThreadPoolExecutor):
    """No garbage is collected while it has work: an object of Qt among it would end on this thread, and Qt
    crashes then.

    ``call_soon`` runs something on the loop's thread (``loop.call_soon_threadsafe``). The collector is given
    back there: what a job allocated still counts, so here the next allocation would start a collection.
    """

    def __init__(self, call_soon: Callable[[Callable[[], None]], object]) -> None:
        super().__init__(max_workers=1, thread_name_prefix="orbtile-files")
        self._call_soon = call_soon
        self._lock = threading.Lock()
        self._jobs = 0
        self._was_collecting = False

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        self._hold()
        try:
            job = super().submit(fn, *args, **kwargs)
        except RuntimeError:  # it is shut down
            self._let_go()
            raise
        job.add_done_callback(self._leave)
        return job

    def _hold(self) -> None:
        with self._lock:
            if self._jobs == 0:
                self._was_collecting = gc.isenabled()
                gc.disable()
            self._jobs += 1

    def _leave(self, _job: Future[R]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and the process about to end
            self._call_soon(self._let_go)

    def _let_go(self) -> None:
        with self._lock:
            self._jobs -= 1
            if self._jobs == 0 and self._was_collecting:
                gc.enable()
