"""``Client``: the adapter's side for programs with threads, or with none.

Owns the heartbeat thread and the order of closing. Everything about the protocol is in ``_core``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any

from orbtile_adapter import _lifecycle
from orbtile_adapter._blocking import BlockingIo, run
from orbtile_adapter._core import Core
from orbtile_adapter._errors import AdapterError
from orbtile_adapter._events import WAIT_S, EventStream
from orbtile_adapter._state import ClientState

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from orbtile_adapter._messages import (
        AdapterRegistration,
        ApprovalRequest,
        BatchReply,
        Commit,
        Event,
        EventsReply,
        Info,
        LocalCommit,
        QuestionRequest,
        RegistrationReply,
        SessionBatchItem,
        SessionReply,
        SessionUpdate,
    )
    from orbtile_adapter._ports import Clock

HEARTBEAT_S = 5.0
TIMEOUT_S = 5.0


def positive(name: str, seconds: float) -> float:
    """A number of seconds that one can wait."""
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise ValueError(f"{name} must be a positive number of seconds")
    return float(seconds)


class Client(ClientState):
    """An adapter's connection to Orbtile. Safe to use from several threads.

    ``adapter_id`` is a reverse-DNS name that you own. ``registration`` is copied. ``discovery_file``
    overrides ``ORBTILE_API_FILE`` and the usual places. ``heartbeat_interval`` and ``timeout`` (of one
    request) are in seconds. As a context manager it connects, and closes at the end.

    Every method raises ``AdapterError``; see its subclasses. A method that raises was not necessarily without
    effect: display fields that could not be sent are sent again with a later heartbeat.
    """

    def __init__(
        self,
        adapter_id: str,
        registration: AdapterRegistration | Mapping[str, Any],
        *,
        discovery_file: str | PathLike[str] | None = None,
        heartbeat_interval: float = HEARTBEAT_S,
        timeout: float = TIMEOUT_S,
    ) -> None:
        clock: Clock = time
        io = BlockingIo(None if discovery_file is None else fspath(discovery_file), clock)
        self._set_up(io, clock, adapter_id, registration, heartbeat_interval, timeout)

    def _set_up(
        self,
        io: BlockingIo,
        clock: Clock,
        adapter_id: str,
        registration: Mapping[str, Any],
        heartbeat_interval: float,
        timeout: float,
    ) -> None:
        self._io = io
        self._clock = clock
        self._core = Core(io, clock, adapter_id, registration, positive("timeout", timeout))
        self._heartbeat_s = positive("heartbeat_interval", heartbeat_interval)
        self._closing = threading.RLock()  # a signal's handler may close during a close
        self._heart: threading.Thread | None = None
        self._is_connected = False
        self._is_orphan = False

    # --- life -------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def connect(self) -> RegistrationReply:
        """Find Orbtile, have it prove itself, register, and keep the registration alive from now on.

        ``enabled`` in the reply is False until the user allows the adapter. Connected already: does nothing.
        """
        self._require_own()
        if self._is_connected and not self._core.is_closed:
            return self.registration_reply
        _lifecycle.watch(self)
        reply = run(self._core.connect())
        self._is_connected = True
        self._start_heart()
        return reply

    def verify(self) -> Info:
        """Read the discovery file anew and have the listener there prove that it is Orbtile."""
        self._require_own()
        return run(self._core.verify())

    def register(self) -> RegistrationReply:
        """Register again, to see whether the user has decided."""
        self._require_own()
        return run(self._core.register())

    def heartbeat(self) -> None:
        """Say that the adapter is alive. The client does this by itself, see ``heartbeat_error``."""
        self._require_own()
        run(self._core.heartbeat())

    def close(self) -> None:
        """Tell Orbtile that the adapter leaves (its sessions end), and leave nothing behind. May be repeated.

        Calls of other threads end with ``TransportError``. In a child after ``fork`` this does nothing: the
        registration is the parent's.
        """
        if self._is_orphan:
            return
        with self._closing:
            self._core.begin_close()
            self._io.stop()
            heart, self._heart = self._heart, None
            if heart is not None and heart is not threading.current_thread():
                heart.join()
            run(self._core.farewell())
        _lifecycle.unwatch(self)

    def end_at_exit(self) -> None:
        """Called when the interpreter exits without a ``close``."""
        self.close()

    def end_in_child(self) -> None:
        """Called in a child after ``fork``: of no use there, the client must not disturb the parent's."""
        self._is_orphan = True
        self._heart = None
        self._core.begin_close()
        self._io.abandon()

    def _start_heart(self) -> None:
        with self._closing:
            if self._heart is None and not self._core.is_closed:  # others may have come first
                self._heart = threading.Thread(target=self._beat, name="orbtile-adapter", daemon=True)
                self._heart.start()

    def _beat(self) -> None:
        wait_s = self._heartbeat_s
        while run(self._io.pause(wait_s)):
            wait_s = max(self._heartbeat_s, run(self._core.beat()))

    def _require_own(self) -> None:
        if self._is_orphan:
            raise AdapterError("this client belongs to the parent process")

    # --- sessions ---------------------------------------------------------------------------------------

    def upsert_session(self, id: str, **fields: Unpack[SessionUpdate]) -> SessionReply:
        """Show a session, or change what it shows: absent fields keep their value, None clears.

        A new session needs ``title`` and ``activity``.
        """
        self._require_own()
        return run(self._core.upsert_session(id, fields))

    def remove_session(self, id: str, host: str | None = "local") -> None:
        """Show the session no more."""
        self._require_own()
        run(self._core.remove_session(id, host))

    def replace_sessions(self, sessions: Iterable[SessionBatchItem]) -> BatchReply:
        """Show these sessions and no others. For display only; open prompts end."""
        self._require_own()
        return run(self._core.replace_sessions(sessions))

    # --- prompts and events -----------------------------------------------------------------------------

    def request_approval(
        self, id: str, request: ApprovalRequest, **fields: Unpack[SessionUpdate]
    ) -> SessionReply:
        """Ask whether a tool may run. Keep your own dialog open: nobody may look at Orbtile."""
        self._require_own()
        return run(self._core.publish("approval", id, request, fields))

    def ask_question(
        self, id: str, request: QuestionRequest, **fields: Unpack[SessionUpdate]
    ) -> SessionReply:
        """Ask one to four questions. Keep your own dialog open: nobody may look at Orbtile."""
        self._require_own()
        return run(self._core.publish("question", id, request, fields))

    def reconcile(self) -> None:
        """Your own interface has dealt with the prompts that were lost; new ones may be published."""
        self._require_own()
        self._core.ledger.reconcile()

    def poll_events(self, wait_seconds: int = WAIT_S) -> EventsReply:
        """Ask once for events after ``cursor`` and wait up to two seconds for one. One poll at a time."""
        self._require_own()
        return run(self._core.poll_events(wait_seconds))

    def events(self) -> Iterator[Event]:
        """Events for as long as the client is open, through Orbtile's absence. ``apply`` or ``acknowledge``
        each one: an event that was neither comes again.
        """
        self._require_own()
        return Events(EventStream(self._core, self._io, self._clock))

    def apply(self, event: Event, commit: Commit) -> bool:
        """Carry an event out with ``commit(event)``, unless anything about it does not fit: then it is
        discarded, and the answer is False.

        No other answer to a prompt counts while ``commit`` runs. When it raises it must have done nothing;
        the prompt and the event stay open.
        """
        self._require_own()
        return run(self._core.apply(event, commit))

    def answer_locally(
        self, id: str, commit: LocalCommit, host: str | None = "local", request_id: str | None = None
    ) -> bool:
        """Carry out an answer given in your own interface with ``commit()``, and take the prompt off the
        keypad. False, without calling it, when the prompt was answered or replaced already.
        """
        self._require_own()
        return run(self._core.answer_locally(id, commit, host, request_id))

    def acknowledge(self, event: Event) -> None:
        """Discard an event without carrying it out."""
        self._require_own()
        run(self._core.acknowledge(event))


class Events(Iterator["Event"]):
    """An iterator that can go on after an error."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream

    def __next__(self) -> Event:
        event = run(self._stream.next())
        if event is None:
            raise StopIteration
        return event
