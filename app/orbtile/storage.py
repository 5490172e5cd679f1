"""Settings and consents as small versioned JSON files, written by one worker thread.

Owns the two documents' JSON forms and when they are written. Must not touch the disk itself (``Files`` does)
nor decide what is remembered. What it promises: the newest value wins; a killed process leaves the old file
or the new one; what this version does not understand is kept, at every level; a file that cannot be read, or
that a newer version wrote, is put aside and never overwritten; a failed write is reported, and tried again
with the next one.
"""

import contextlib
import copy
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.settings import Settings, Theme, TrayInk
from orbtile.host.views import Notice, NoticeKind
from orbtile.protocol.errors import ApiError
from orbtile.protocol.grammar import is_adapter_id, is_reserved_id
from orbtile.protocol.limits import HUE_END_DEG
from orbtile.protocol.registration import Registration, encode_registration, parse_registration
from orbtile.protocol.wire import JsonObject, JsonValue, parse_json

VERSION: Final = 1
"""Of both files. A file without ``version`` is of this one: people write ``settings.json`` by hand."""

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
"""Far above 32 adapters with two icons each (about 3 MiB)."""

_NAMEABLE_VERSIONS: Final = range(VERSION, 1_000_000)
"""Others would make a file's name too long."""

_LATEST_EPOCH_S: Final = 253_402_300_799  # the end of the year 9999

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"  # some editors put it in front

logger = logging.getLogger(__name__)


class Document(StrEnum):
    """What is kept."""

    SETTINGS = "settings"
    CONSENTS = "consents"


_BROKEN: Final = {
    Document.SETTINGS: NoticeKind.SETTINGS_BROKEN,
    Document.CONSENTS: NoticeKind.CONSENTS_BROKEN,
}
NOT_SAVED: Final[Mapping[Document, NoticeKind]] = {
    Document.SETTINGS: NoticeKind.SETTINGS_NOT_SAVED,
    Document.CONSENTS: NoticeKind.CONSENTS_NOT_SAVED,
}
"""The notice to report when a write failed, and to clear when one succeeded."""


class Files(Protocol):
    """Whole small private files. Every method but the last raises OSError."""

    def read(self, path: Path, limit_bytes: int) -> bytes | None:
        """The contents; None where there is no such file."""
        ...

    def write(self, path: Path, data: bytes) -> None:
        """Replace the contents in one step, or leave the file as it is."""
        ...

    def set_aside(self, path: Path, label: str) -> Path:
        """Rename to ``<name>.<label>-N``, N being free."""
        ...

    def keep_copy(self, path: Path, label: str, data: bytes) -> Path:
        """Write ``data``, read from ``path`` before, to ``<name>.<label>-N``, N being free."""
        ...

    def clear_leftovers(self, path: Path) -> None:
        """Remove temporary files of unfinished writes to ``path``."""
        ...


CallSoon = Callable[[Callable[[], None]], object]
"""Runs something soon on the loop's thread; may be called on any thread (``loop.call_soon_threadsafe``)."""


V = TypeVar("V")
_Write = Callable[[], OSError | None]


@dataclass(slots=True)
class _File(Generic[V]):
    """One document. ``raw`` and ``value`` are what the file holds: as JSON, and as it was understood."""

    document: Document
    path: Path
    decode: Callable[[JsonObject], V]
    encode: Callable[[V, JsonObject, V], JsonObject]
    value: V
    raw: JsonObject = field(default_factory=dict)
    precaution: Callable[[], object] | None = None
    """What must have succeeded before the file is written: it holds what must not be lost."""


class JsonStore:
    """Implements ``host.ports.Store``. Load each document once, before the first save.

    ``executor`` runs one job at a time. ``on_result`` learns of each write on the loop's thread: None or the
    failure.
    """

    def __init__(
        self,
        settings_file: Path,
        consents_file: Path,
        *,
        files: Files,
        executor: Executor,
        call_soon: CallSoon,
        on_result: Callable[[Document, OSError | None], None],
    ) -> None:
        self._settings = _File(Document.SETTINGS, settings_file, decode_settings, encode_settings, Settings())
        self._consents = _File[Sequence[ConsentRecord]](
            Document.CONSENTS, consents_file, decode_consents, encode_consents, ()
        )
        self._files = files
        self._executor = executor
        self._call_soon = call_soon
        self._on_result = on_result
        # Shared with the worker, under the lock:
        self._lock = threading.Lock()
        self._wanted: dict[Document, _Write] = {}
        self._failed: dict[Document, _Write] = {}
        self._work: Future[None] | None = None
        self._closed = False

    # --- Reading ---

    def load_settings(self) -> tuple[Settings, Notice | None]:
        """The settings, and a notice if the file was unreadable. Never raises for anything the disk holds."""
        notice = self._load(self._settings)
        return self._settings.value, notice

    def load_consents(self) -> tuple[Sequence[ConsentRecord], Notice | None]:
        """The remembered adapters, and a notice if the file was unreadable."""
        notice = self._load(self._consents)
        return self._consents.value, notice

    def _load(self, file: _File[V]) -> Notice | None:
        self._files.clear_leftovers(file.path)
        try:
            data = self._files.read(file.path, MAX_FILE_BYTES)
            if data is None:
                return None
            raw = _parse(data)
            file.value = file.decode(raw)
        except (OSError, ValueError, ApiError) as error:
            logger.warning("%s is unreadable (%s)", file.path.name, type(error).__name__)
            return self._put_aside(file)
        file.raw = raw
        version = raw.get("version", VERSION)
        if version != VERSION:
            label = f"version-{version}" if version in _NAMEABLE_VERSIONS else "version-newer"
            logger.warning("%s is of %s; a copy is kept once it changes", file.path.name, label)
            file.precaution = partial(self._files.keep_copy, file.path, label, data)
        return None

    def _put_aside(self, file: _File[V]) -> Notice:
        set_aside = partial(self._files.set_aside, file.path, "broken")
        name = ""
        try:
            name = set_aside().name
        except OSError:
            # A read-only disk, say. If it becomes writable, the file must still not be overwritten.
            file.precaution = set_aside
        return Notice(kind=_BROKEN[file.document], detail=name)

    # --- Writing ---

    def save_settings(self, settings: Settings) -> None:
        self._save(Document.SETTINGS, partial(self._write, self._settings, settings))

    def save_consents(self, records: Sequence[ConsentRecord]) -> None:
        self._save(Document.CONSENTS, partial(self._write, self._consents, tuple(records)))

    def close(self, timeout_s: float = 5.0) -> bool:
        """Try once more what failed, wait until everything is written, and report no results any more.

        Blocks for the worker's last job. False: something could not be saved.
        """
        with self._lock:
            self._closed = True
            self._start_working()
            work = self._work
        if work is not None:
            try:
                work.result(timeout_s)
            except TimeoutError:
                return False
        with self._lock:
            return not self._wanted and not self._failed

    def _save(self, document: Document, write: _Write) -> None:
        with self._lock:
            self._wanted[document] = write
            self._start_working()

    def _start_working(self) -> None:
        """With the lock held. What failed before gets another chance, unless something newer is to be
        written.
        """
        self._wanted = {**self._failed, **self._wanted}
        self._failed.clear()
        if self._wanted and self._work is None:
            self._work = self._executor.submit(self._write_all)

    def _write_all(self) -> None:
        """On the worker's thread, until nothing is wanted."""
        try:
            while (job := self._take()) is not None:
                document, write = job
                failure = write()
                with self._lock:
                    if failure is not None:
                        self._failed[document] = write
                    if not self._closed:
                        self._call_soon(partial(self._on_result, document, failure))
        except BaseException:
            logger.exception("a document could not be written")
            with self._lock:
                self._work = None
            raise

    def _take(self) -> tuple[Document, _Write] | None:
        with self._lock:
            if not self._wanted:
                self._work = None
                return None
            document = next(iter(self._wanted))
            self._failed.pop(document, None)  # what is written now is newer
            return document, self._wanted.pop(document)

    def _write(self, file: _File[V], value: V) -> OSError | None:
        raw = file.encode(value, file.raw, file.value)
        data = json.dumps(raw, indent=2, allow_nan=False).encode("ascii") + b"\n"
        try:
            if file.precaution is not None:
                with contextlib.suppress(FileNotFoundError):  # removed by somebody: nothing to lose any more
                    file.precaution()
                file.precaution = None
            self._files.write(file.path, data)
        except OSError as error:
            logger.warning("%s was not saved (%s)", file.path.name, error.strerror)
            return error
        file.raw, file.value = raw, value
        return None


def _parse(data: bytes) -> JsonObject:
    """A document of some version; ValueError or ApiError for anything else."""
    raw = parse_json(data.removeprefix(_BYTE_ORDER_MARK))
    if not isinstance(raw, dict):
        raise ValueError("not an object")  # noqa: TRY004 - contents of a file, not an argument
    version = raw.get("version", VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version < VERSION:
        raise ValueError("no version")
    return raw


# --- settings.json
# ----------------------------------------------------------------------------------------------

_API_ENABLED: Final = ("adapterApi", "enabled")
_THEME: Final = ("theme",)
_REDUCE_MOTION: Final = ("reduceMotion",)
_TRAY_PANEL: Final = ("trayPanel",)
_ONE_ALARM_COLOUR: Final = ("oneAlarmColour",)
_KEY_GLYPH: Final = ("keyGlyph",)
_PROVIDER_APP_ICON: Final = ("providerAppIcon",)


def decode_settings(raw: JsonObject) -> Settings:
    """What this version knows in ``raw``; a value that it does not know is the default's."""
    return Settings(
        api_enabled=_get(raw, _API_ENABLED) is True,
        theme=_member(Theme, _get(raw, _THEME), Theme.SYSTEM),
        reduce_motion=_get(raw, _REDUCE_MOTION) is True,
        tray_panel=_member(TrayInk, _get(raw, _TRAY_PANEL), TrayInk.AUTO),
        anchor_attention=_get(raw, _ONE_ALARM_COLOUR) is True,
        key_glyph=_get(raw, _KEY_GLYPH) is not False,
        provider_app_icon=_get(raw, _PROVIDER_APP_ICON) is not False,
    )


def encode_settings(settings: Settings, raw: JsonObject, value: Settings) -> JsonObject:
    """``settings`` in place of ``value`` in ``raw``.

    Only what changed or was missing is touched, so that a value which a later version wrote (another theme,
    say) stays until the user changes that setting here.
    """
    result = copy.deepcopy(raw)
    result["version"] = VERSION
    before = _settings_values(value)
    for path, now in _settings_values(settings).items():
        if now != before[path] or _get(raw, path) is None:
            _put(result, path, now)
    return result


def _settings_values(settings: Settings) -> dict[tuple[str, ...], JsonValue]:
    return {
        _API_ENABLED: settings.api_enabled,
        _THEME: settings.theme.value,
        _REDUCE_MOTION: settings.reduce_motion,
        _TRAY_PANEL: settings.tray_panel.value,
        _ONE_ALARM_COLOUR: settings.anchor_attention,
        _KEY_GLYPH: settings.key_glyph,
        _PROVIDER_APP_ICON: settings.provider_app_icon,
    }


def _get(raw: JsonValue, path: tuple[str, ...]) -> JsonValue:
    for name in path:
        raw = raw.get(name) if isinstance(raw, dict) else None
    return raw


def _put(raw: JsonObject, path: tuple[str, ...], value: JsonValue) -> None:
    *parents, last = path
    for name in parents:
        inner = raw.get(name)
        if not isinstance(inner, dict):
            inner = raw[name] = {}
        raw = inner
    raw[last] = value


E = TypeVar("E", bound=StrEnum)


def _member(kind: type[E], value: JsonValue, default: E) -> E:
    return next((member for member in kind if member.value == value), default)


# --- consents.json
# ----------------------------------------------------------------------------------------------


def decode_consents(raw: JsonObject) -> Sequence[ConsentRecord]:
    """The records in ``raw``; ValueError where ``adapters`` is not an object.

    A record that does not make sense costs none of the others. It is not used, and ``encode_consents`` leaves
    it as it is until that adapter registers anew.
    """
    adapters = raw.get("adapters", {})
    if not isinstance(adapters, dict):
        raise ValueError("adapters is not an object")  # noqa: TRY004 - contents of a file, not an argument
    records: list[ConsentRecord] = []
    for adapter_id, entry in adapters.items():
        try:
            records.append(_decode_record(adapter_id, entry))
        except (ApiError, ValueError, KeyError):
            # The id is logged only where it is one: a file that was tampered with may hold any text.
            shown = adapter_id if is_adapter_id(adapter_id) else "(not an adapter id)"
            logger.warning("the consent record of %s does not make sense and is not used", shown)
    return tuple(records)


def encode_consents(
    records: Sequence[ConsentRecord], raw: JsonObject, value: Sequence[ConsentRecord]
) -> JsonObject:
    """``records`` in place of ``value`` in ``raw``; unknown keys of the file and of each record stay."""
    result = copy.deepcopy(raw)
    result["version"] = VERSION
    before = result.get("adapters")
    entries = before if isinstance(before, dict) else {}
    understood = {record.adapter_id: record for record in value}
    adapters: JsonObject = {name: entry for name, entry in entries.items() if name not in understood}
    for record in records:
        entry = entries.get(record.adapter_id)
        adapters[record.adapter_id] = _encode_record(
            record, entry if isinstance(entry, dict) else {}, understood.get(record.adapter_id)
        )
    result["adapters"] = adapters
    return result


def _decode_record(adapter_id: str, entry: JsonValue) -> ConsentRecord:
    if not isinstance(entry, dict) or not is_adapter_id(adapter_id) or is_reserved_id(adapter_id):
        raise ValueError("not a record")
    seen, _ = _decode_registration(entry["seen"])
    raw = entry.get("allowed")
    allowed, is_whole = (None, True) if raw is None else _decode_registration(raw)
    decision = Decision(_text(entry["decision"]))
    if decision is Decision.ALLOWED and allowed is None:
        raise ValueError("allowed, but not what")
    if decision is Decision.ALLOWED and not is_whole:
        decision = Decision.UNDECIDED  # it was said of another look, so it asks again whatever it brings now
    return ConsentRecord(
        adapter_id=adapter_id,
        decision=decision,
        seen=seen,
        allowed=allowed,
        last_seen_epoch_s=_moment(entry["lastSeen"]),
        user_hue_deg=_hue(entry.get("hue")),
    )


def _decode_registration(raw: JsonValue) -> tuple[Registration, bool]:
    """A remembered registration, and whether it is whole. An icon that an earlier version took and this one
    refuses is left out: a picture must not cost what the user said.
    """
    try:
        return parse_registration(raw)[0], True
    except ApiError as error:
        if not isinstance(raw, dict) or (error.field or "").partition(".")[0] != "icon":
            raise
    logger.warning("a remembered icon is not one any more and is left out")
    return parse_registration({name: value for name, value in raw.items() if name != "icon"})[0], False


def _encode_record(record: ConsentRecord, entry: JsonObject, value: ConsentRecord | None) -> JsonObject:
    """A registration that did not change keeps its JSON, with whatever a later version added to it."""
    result = dict(entry)
    result["decision"] = record.decision.value
    if value is None or record.seen != value.seen:
        result["seen"] = encode_registration(record.seen)
    if value is None or record.allowed != value.allowed:
        result["allowed"] = None if record.allowed is None else encode_registration(record.allowed)
    result["lastSeen"] = round(record.last_seen_epoch_s, 3)
    if value is None or record.user_hue_deg != value.user_hue_deg:
        result["hue"] = record.user_hue_deg
        if record.user_hue_deg is None:
            del result["hue"]
    return result


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise ValueError("not text")  # noqa: TRY004 - contents of a file, not an argument
    return value


def _moment(value: JsonValue) -> float:
    """Seconds since 1970; ValueError for what no clock shows."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LATEST_EPOCH_S:
        raise ValueError("not a moment")
    return float(value)


def _hue(value: JsonValue) -> float | None:
    """Degrees; None for what is no hue. It costs the record nothing: the adapter has its own colours then."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < HUE_END_DEG:
        return None
    return float(value)
