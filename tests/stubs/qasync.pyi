# What Orbtile uses of qasync 0.28, which carries no types.

import asyncio
from types import TracebackType
from typing import Self

from PySide6.QtCore import QCoreApplication

class QEventLoop(asyncio.SelectorEventLoop):
    def __init__(
        self,
        app: QCoreApplication | None = None,
        set_running_loop: bool = False,
        already_running: bool = False,
    ) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...
