"""One endpoint that is listened on for as long as the app runs, whatever happens to it.

Owns binding, accepting, and coming back with back-off after a failure. Must not know requests beyond handing
its connections a handler, nor the discovery file (whoever gets ``on_state`` writes that).
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from orbtile.protocol.limits import HEAD_DEADLINE_S
from orbtile.server.acceptor import Acceptor, SelectorAcceptor, ServerAcceptor, has_readers
from orbtile.server.answers import PendingAnswers
from orbtile.server.connection import Connection
from orbtile.server.dispatch import WithoutAdapters
from orbtile.server.endpoint import BoundSocket, Endpoint, PeerCheck, PrepareFolder, UnixEndpoint, bind
from orbtile.server.handler import Handler
from orbtile.server.table import ConnectionTable

FIRST_RETRY_S: Final = 0.5
LONGEST_RETRY_S: Final = 30.0

_log = logging.getLogger(__name__)

OnState = Callable[[bool, str], None]
"""``(is_listening, detail)``: told on every change; ``detail`` is the system's short reason when not
listening.
"""


class Listener:
    """Listens from ``start`` to ``aclose``. Everything happens on the loop that ``start`` ran on.

    ``peer_check`` judges the peers of a socket file (a TCP port has none to ask about). Without
    ``serves_adapters`` only control requests are answered.
    """

    def __init__(
        self,
        handler: Handler,
        endpoint: Endpoint,
        on_state: OnState,
        *,
        prepare_folder: PrepareFolder,
        peer_check: PeerCheck,
        serves_adapters: bool = True,
    ) -> None:
        self._handler = handler if serves_adapters else WithoutAdapters(handler)
        self._endpoint = endpoint
        self._on_state = on_state
        self._prepare_folder = prepare_folder
        self._peer_check = peer_check
        self._bound: BoundSocket | None = None
        self._acceptor: Acceptor | None = None
        self._table: ConnectionTable | None = None
        self._answers = PendingAnswers()
        self._retrying: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def port(self) -> int | None:
        """The TCP port while listening; None for a socket file, or when down."""
        return self._bound.port if self._bound is not None else None

    @property
    def is_listening(self) -> bool:
        return self._bound is not None

    @property
    def open_connections(self) -> int:
        """Accepted connections that are not closed yet."""
        return len(self._table) if self._table is not None else 0

    async def start(self) -> None:
        """Listen now, or as soon as it becomes possible; ``on_state`` has been told which on return."""
        self._table = ConnectionTable(asyncio.get_running_loop())
        await self._open_or_retry()

    async def aclose(self) -> None:
        """Stop listening, drop what is open, give up what is worked on, remove our socket file. ``on_state``
        is not told.
        """
        self._is_closed = True
        await self._stop_retrying()
        await self._stop_listening()
        if self._table is not None:
            self._table.abort_all()
        await self._answers.aclose()

    async def check(self) -> bool:
        """Listen anew if the socket file is gone or replaced, or the socket died. Whether it listens now."""
        if self._bound is not None and not self._bound.is_in_place():
            await self.rebind()
        return self.is_listening

    async def rebind(self) -> None:
        """Close the socket and listen anew. Open connections go on."""
        await self._stop_retrying()
        await self._stop_listening()
        if not self._is_closed:
            await self._open_or_retry()

    # --- coming back ----------------------------------------------------------------------------------------

    async def _open_or_retry(self) -> None:
        try:
            await self._open()
        except OSError as error:
            self._went_down(error)

    async def _open(self) -> None:
        if self._table is None:
            raise RuntimeError("start() comes first")
        bound = bind(self._endpoint, self._prepare_folder)
        acceptor = self._new_acceptor(bound, self._table)
        try:
            await acceptor.start()
        except BaseException:
            acceptor.stop()
            bound.close()
            raise
        self._bound = bound
        self._acceptor = acceptor
        self._on_state(True, "")

    def _went_down(self, error: OSError) -> None:
        self._close_socket()
        self._tell_trouble(error)
        self._retrying = asyncio.create_task(self._retry(), name="orbtile-listener-retry")

    def _tell_trouble(self, error: OSError) -> None:
        detail = error.strerror or str(error)
        _log.warning("the listener is down: %s", detail)
        self._on_state(False, detail)

    async def _retry(self) -> None:
        pause_s = FIRST_RETRY_S
        while not self.is_listening:
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_RETRY_S)
            with contextlib.suppress(OSError):  # the first reason was told
                await self._open()

    async def _stop_retrying(self) -> None:
        task, self._retrying = self._retrying, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _stop_listening(self) -> None:
        if self._acceptor is not None:
            # A pending accept takes its descriptor off the loop when it is cancelled, which must not be the
            # one that a next socket got meanwhile.
            self._acceptor.stop()
            await self._acceptor.wait_stopped()
        self._close_socket()

    def _close_socket(self) -> None:
        if self._acceptor is not None:
            self._acceptor.stop()
            self._acceptor = None
        if self._bound is not None:
            self._bound.close()
            self._bound = None

    # --- accepting ------------------------------------------------------------------------------------------

    def _new_acceptor(self, bound: BoundSocket, table: ConnectionTable) -> Acceptor:
        def watch_newcomers() -> None:
            if len(table):
                table.watch(table.now() + HEAD_DEADLINE_S)

        def make_and_watch() -> Connection:
            table.watch(table.now() + HEAD_DEADLINE_S)
            return make_connection()

        make_connection = partial(Connection, self._handler, table, self._answers)
        loop = asyncio.get_running_loop()
        if not has_readers(loop):
            return ServerAcceptor(
                loop,
                bound.sock,
                make_and_watch,
                troubled=self._accepting_changed,
                broken=self._went_down,
            )
        return SelectorAcceptor(
            loop,
            bound.sock,
            make_connection,
            peer_check=self._peer_check if isinstance(self._endpoint, UnixEndpoint) else None,
            monotonic_s=loop.time,
            accepted=watch_newcomers,
            troubled=self._accepting_changed,
            broken=self._went_down,
        )

    def _accepting_changed(self, error: OSError | None) -> None:
        if error is None:
            self._on_state(True, "")
        else:
            self._tell_trouble(error)
