"""What an adapter tells Orbtile, and what it hears back (protocol sections 3 and 6).

Owns the operations, the order of requests and the recovery of a lost registration. Must not know sockets,
threads or asyncio: all waiting is in the ``Io`` it is given, so this one text serves both clients.

The law of this file: every request but a held poll goes out inside ``in_order``, so what Orbtile has is what
was asked last. A session's update counts as unsure until Orbtile confirmed it, whatever ended the request.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from orbtile_adapter._bodies import NOTHING, JsonObject, code_of, encode_body, error_of, require_success
from orbtile_adapter._errors import (
    AdapterError,
    APIError,
    LeaseLostError,
    PayloadTooLargeError,
    TransportError,
)
from orbtile_adapter._http import Reply, quote
from orbtile_adapter._ledger import MUST_RECONCILE, Kind, Ledger
from orbtile_adapter._link import Link
from orbtile_adapter._sessions import LOCAL, Key, SessionCache

if TYPE_CHECKING:
    from orbtile_adapter._messages import (
        BatchReply,
        Commit,
        Event,
        EventsReply,
        Info,
        LocalCommit,
        RegistrationReply,
        SessionReply,
    )
    from orbtile_adapter._ports import Clock, Io

ACTIVITY: Final[Mapping[Kind, str]] = {"approval": "waitingPermission", "question": "waitingQuestion"}
OTHER: Final[Mapping[Kind, Kind]] = {"approval": "question", "question": "approval"}
CAPABILITY: Final[Mapping[Kind, str]] = {"approval": "approvals", "question": "questions"}
NEEDED_FIELDS: Final = frozenset({"title", "activity"})
_MAX_TRIES: Final = 5


class Core:
    """One adapter's conversation with Orbtile."""

    def __init__(
        self, io: Io, clock: Clock, adapter_id: str, registration: Mapping[str, Any], timeout_s: float
    ) -> None:
        self._io = io
        self._timeout_s = timeout_s
        self._poll_slot = threading.Lock()
        self._cache = SessionCache()
        self._link = Link(io, adapter_id, registration, timeout_s, self._begin_lease)
        self.ledger = Ledger(clock)
        self.heartbeat_error: AdapterError | None = None

    @property
    def link(self) -> Link:
        """For what it knows; the requests are this class's."""
        return self._link

    @property
    def is_closed(self) -> bool:
        return self._link.is_closing

    @property
    def is_registration_in_doubt(self) -> bool:
        """We were registered; whether our latest registration arrived is not known."""
        return self._link.must_register and self.ledger.lease > 0

    def begin_close(self) -> None:
        """From now on every operation is refused; only ``farewell`` is left."""
        self._link.is_closing = True

    async def farewell(self) -> None:
        await self._link.farewell()

    def _begin_lease(self) -> None:
        self._cache.doubt_all()
        self.ledger.begin_lease()

    # --- the connection ---------------------------------------------------------------------------------

    async def connect(self) -> RegistrationReply:
        self._require_open()
        async with self._io.in_order():
            await self._link.verify()
            return await self._link.register()

    async def verify(self) -> Info:
        self._require_open()
        async with self._io.in_order():
            await self._link.verify()
            return self._link.info

    async def register(self) -> RegistrationReply:
        self._require_open()
        async with self._io.in_order():
            reply = await self._link.register()
            await self._flush()
            return reply

    async def heartbeat(self) -> None:
        self._require_registered()
        async with self._io.in_order():
            if not await self._ready() and not await self._try(f"{self._link.route}/heartbeat", b""):
                await self._ready()
            await self._flush()

    async def beat(self) -> float:
        """A heartbeat of the daemon's. Returns the seconds to wait at least before the next one."""
        try:
            await self.heartbeat()
        except AdapterError as error:
            self.heartbeat_error = error
            return getattr(error, "retry_after", None) or 0.0
        except Exception as error:  # noqa: BLE001  the daemon must live on; the user sees it here
            self.heartbeat_error = AdapterError(f"the heartbeat has failed ({type(error).__name__})")
            return 0.0
        self.heartbeat_error = None
        return 0.0

    # --- sessions ---------------------------------------------------------------------------------------

    async def upsert_session(self, session_id: str, fields: Mapping[str, Any]) -> SessionReply:
        key = _key(session_id, fields.get("host"))
        if any(fields.get(kind) is not None for kind in ACTIVITY):
            raise ValueError("here None only; request_approval() and ask_question() publish requests")
        body = encode_body(_update(key, fields))
        self._require_registered()
        cleared = tuple(kind for kind in ACTIVITY if kind in fields)
        if cleared:
            await self._io.run(lambda: self.ledger.retire(key, cleared))
        async with self._io.in_order():
            return await self._send_update(key, fields, body)

    async def remove_session(self, session_id: str, host: str | None) -> None:
        key = _key(session_id, host)
        self._require_registered()
        await self._io.run(lambda: self.ledger.retire(key))
        path = self._session_path(key)
        if key.host != LOCAL:
            path += f"?host={quote(key.host)}"
        async with self._io.in_order():
            self._cache.remove(key)
            try:
                # A registration made anew knows no sessions, so there is nothing left to remove then.
                if not await self._ready(besides=key) and not await self._try(path, method="DELETE"):
                    await self._ready(besides=key)
            except APIError as error:
                if self._link.is_refused(error):
                    self._cache.confirm([key])
                raise
            self._cache.confirm([key])

    async def replace_sessions(self, items: Iterable[Mapping[str, Any]]) -> BatchReply:
        sessions = [(_key(item["id"], item.get("host")), item) for item in items]
        if any(item.get(kind) is not None for _, item in sessions for kind in ACTIVITY):
            raise ValueError("for display only; request_approval() and ask_question() publish requests")
        bodies = [{"id": key.id, **_update(key, item)} for key, item in sessions]
        body = encode_body({"sessions": bodies})
        self._require_registered()
        path = f"{self._link.route}/sessions"
        async with self._io.in_order():
            lease = self.ledger.lease
            undo = self._cache.replace(sessions)
            is_refused = False
            try:
                await self._ready(is_flushing=False)
                answer = await self._link.call("PUT", path, body)
                if self._link.is_unknown(answer):
                    await self._ready(is_flushing=False)
                    answer = await self._link.call("PUT", path, body)
                reply = require_success(answer)
            except APIError as error:
                if is_refused := self._link.is_refused(error):
                    self._cache.take_back(undo)
                    if lease != self.ledger.lease:
                        self._cache.doubt_all()
                raise
            finally:
                if not is_refused:  # it has replaced them, or may have
                    self.ledger.retire_all()
            self._cache.confirm_all()
            return cast("BatchReply", reply)

    # --- prompts ----------------------------------------------------------------------------------------

    async def publish(
        self, kind: Kind, session_id: str, request: Mapping[str, Any], fields: Mapping[str, Any]
    ) -> SessionReply:
        key = _key(session_id, fields.get("host"))
        whole = {**fields, "activity": ACTIVITY[kind], kind: request, OTHER[kind]: None}
        body = encode_body(_update(key, whole))
        self._require_registered()
        self.ledger.require_reconciled()
        async with self._io.in_order():
            self.ledger.require_reconciled()
            take_back = self.ledger.publish(key, kind, request)
            try:
                return await self._send_update(key, whole, body, is_prompt=True)
            except APIError as error:
                if self._link.is_refused(error):
                    take_back()
                raise

    async def answer_locally(
        self, session_id: str, commit: LocalCommit, host: str | None, request_id: str | None
    ) -> bool:
        key = _key(session_id, host)
        self._require_registered()
        kind = await self._io.run(lambda: self.ledger.answer_locally(key, commit, request_id))
        if kind is None:
            return False
        fields: dict[str, object] = {kind: None}
        async with self._io.in_order():
            await self._send_update(key, fields, encode_body(_update(key, fields)))
        return True

    async def apply(self, event: Event, commit: Commit) -> bool:
        self._require_registered()
        return await self._io.run(lambda: self.ledger.apply(event, commit))

    async def acknowledge(self, event: Event) -> None:
        self._require_registered()
        await self._io.run(lambda: self.ledger.acknowledge(event))

    async def poll_events(self, wait_s: int) -> EventsReply:
        self._require_registered()
        if not self._poll_slot.acquire(blocking=False):
            raise AdapterError("only one poll at a time")
        try:
            return await self._poll(wait_s)
        finally:
            self._poll_slot.release()

    async def _poll(self, wait_s: int) -> EventsReply:
        self.ledger.require_reconciled()
        lease = self.ledger.lease
        if self._link.discovery is None or self._link.must_register:
            async with self._io.in_order():
                await self._ready()
            self._require_lease(lease)
        discovery = self._link.discovery
        answer = await self._send_poll(wait_s)
        if answer.status == 401:
            async with self._io.in_order():
                if self._link.discovery is discovery or self._link.discovery is None:
                    await self._link.verify(is_second=True)
            self._require_lease(lease)
            answer = await self._send_poll(wait_s)
        if code_of(answer) == "adapter_not_registered":
            async with self._io.in_order():
                if lease == self.ledger.lease and self._link.is_unknown(answer):
                    await self._ready()
        elif code_of(answer) == "registration_changed":
            self.ledger.void_prompts()
        self._require_lease(lease)
        reply = require_success(answer)
        if not isinstance(reply.get("events"), list):
            raise TransportError("the answer to the poll holds no events")
        reply["events"] = self.ledger.deliver(reply["events"], lease)
        return cast("EventsReply", reply)

    async def _send_poll(self, wait_s: int) -> Reply:
        cursor = self.ledger.cursor
        body = encode_body({"after": cursor, "ack": cursor, "waitSeconds": wait_s})
        return await self._link.send("POST", f"{self._link.route}/events", body, self._timeout_s + wait_s)

    def _require_lease(self, lease: int) -> None:
        if lease != self.ledger.lease:
            raise LeaseLostError(MUST_RECONCILE)
        self.ledger.require_reconciled()

    # --- requests in order ------------------------------------------------------------------------------

    async def _send_update(
        self, key: Key, fields: Mapping[str, Any], body: bytes, *, is_prompt: bool = False
    ) -> SessionReply:
        """Merge ``fields`` into the session; whole, when Orbtile may lack what was sent before."""
        lease = self.ledger.lease
        is_whole = key in self._cache.unsure
        undo = self._cache.merge(key, fields)
        try:
            besides = None if is_prompt else key
            is_new = await self._ready(besides)
            answer = None
            if not (is_new or is_whole):
                answer = await self._link.call("POST", self._session_path(key), body)
                is_whole = self._has_expired(answer, key, fields)
                is_new = self._link.is_unknown(answer) and await self._ready(besides)
            if is_new and is_prompt:
                raise LeaseLostError(MUST_RECONCILE)
            if answer is None or is_new or is_whole:
                reply = await self._send_whole(key, fields)
            else:
                reply = require_success(answer)
        except APIError as error:
            if self._link.is_refused(error):
                self._cache.take_back(undo)
                if lease != self.ledger.lease:  # all the others were sent anew
                    self._cache.confirm_all()
                    self._cache.doubt(key)
            raise
        self._cache.confirm([key])
        return cast("SessionReply", reply)

    async def _send_whole(self, key: Key, asked: Mapping[str, Any] = NOTHING) -> JsonObject:
        """Send all of the session. A cached field that Orbtile no longer takes (the process has ended, the
        message is too much together with the rest) is left out, unless it was ``asked`` for just now.
        """
        has_prompts = not self._cache.is_missing(key)
        for _ in range(_MAX_TRIES):
            fields = self._cache.fields_of(key) or {}
            open_kind = self.ledger.kind_at(key)
            for kind in ACTIVITY:
                if kind in asked:
                    fields[kind] = asked[kind]
                elif has_prompts and kind != open_kind and CAPABILITY[kind] in self._link.asked_capabilities:
                    fields[kind] = None
            try:
                body = encode_body(_update(key, fields))
                return require_success(await self._link.call("POST", self._session_path(key), body))
            except PayloadTooLargeError:
                if "message" in asked or not self._cache.forget_field(key, "message"):
                    raise
            except APIError as error:
                name = error.field_name
                is_spare = error.status == 422 and name not in NEEDED_FIELDS and name not in asked
                if not is_spare or not self._cache.forget_field(key, name):
                    raise
        raise AdapterError("Orbtile does not take this session")

    def _has_expired(self, answer: Reply, key: Key, asked: Mapping[str, Any]) -> bool:
        """Whether Orbtile lacks the session (its own time was up) and a whole one would do."""
        if answer.status != 422:
            return False
        name = error_of(answer).field_name
        return name in NEEDED_FIELDS - asked.keys() and name in (self._cache.fields_of(key) or {})

    async def _ready(self, besides: Key | None = None, *, is_flushing: bool = True) -> bool:
        """Verified and registered, for the next request. True when it had to be registered anew.

        Everything Orbtile lacks by that is sent, but for ``besides``, which the caller sends itself.
        """
        if self._link.discovery is None:
            await self._link.verify()
        if not self._link.must_register:
            return False
        await self._link.register()
        if is_flushing:
            await self._flush(besides)
        return True

    async def _flush(self, besides: Key | None = None) -> None:
        """Send what Orbtile may not have. Stops at the first trouble; the rest stays unsure."""
        for key in self._cache.unsure:
            if key == besides:
                continue
            try:
                if self._cache.fields_of(key) is not None:
                    await self._send_whole(key)
                else:
                    path = f"{self._session_path(key)}?host={quote(key.host)}"
                    require_success(await self._link.call("DELETE", path))
            except PayloadTooLargeError:
                pass
            except APIError as error:
                if not self._link.is_refused(error):
                    raise
            self._cache.confirm([key])

    async def _try(self, path: str, body: bytes | None = None, method: str = "POST") -> bool:
        """Make a request; False when Orbtile does not know us. Raises APIError for any other refusal."""
        answer = await self._link.call(method, path, body)
        if self._link.is_unknown(answer):
            return False
        require_success(answer)
        return True

    # --- small rules ------------------------------------------------------------------------------------

    def _session_path(self, key: Key) -> str:
        return f"{self._link.route}/sessions/{quote(key.id)}"

    def _require_open(self) -> None:
        if self.is_closed:
            raise AdapterError("the client is closed")

    def _require_registered(self) -> None:
        self._require_open()
        if self.ledger.lease == 0:
            raise AdapterError("the client is not connected")


def _key(session_id: str, host: object) -> Key:
    return Key(LOCAL if host is None else str(host), session_id)


def _update(key: Key, fields: Mapping[str, Any]) -> JsonObject:
    update = {name: value for name, value in fields.items() if name not in {"id", "host"}}
    return update if key.host == LOCAL else {**update, "host": key.host}
