"""The thread beside the loop's."""

import gc

import pytest

from orbtile.system.files_worker import FilesWorker


@pytest.mark.parametrize("is_collecting", [True, False])
def test_no_garbage_is_collected_on_the_files_thread(is_collecting: bool) -> None:
    before = gc.isenabled()
    try:
        gc.enable() if is_collecting else gc.disable()
        with FilesWorker(max_workers=1) as worker:
            assert worker.submit(gc.isenabled).result(5) is False
        assert gc.isenabled() is is_collecting
    finally:
        gc.enable() if before else gc.disable()
