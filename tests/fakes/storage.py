"""A store over a folder that is a dictionary, its worker a list of jobs; and a record as it is on disk."""

import json
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import ParamSpec, TypeVar

from orbtile.host.records import ConsentRecord, Decision
from orbtile.protocol.registration import Palette, Registration, encode_registration
from orbtile.storage import Document, JsonStore

P = ParamSpec("P")
T = TypeVar("T")

SETTINGS = Path("/data/settings.json")
CONSENTS = Path("/data/consents.json")
FULL = OSError(28, "No space left on device")


class MemoryFiles:
    """A folder as a dictionary; ``refusal`` is what every change fails with."""

    def __init__(self) -> None:
        self.contents: dict[Path, bytes] = {}
        self.refusal: OSError | None = None
        self.read_refusal: OSError | None = None
        self.writes = 0

    def read(self, path: Path, limit_bytes: int) -> bytes | None:
        if self.read_refusal is not None:
            raise self.read_refusal
        return self.contents.get(path)

    def write(self, path: Path, data: bytes) -> None:
        self._check()
        self.writes += 1
        self.contents[path] = data

    def set_aside(self, path: Path, label: str) -> Path:
        self._check()
        if path not in self.contents:
            raise FileNotFoundError(2, "No such file")
        aside = path.with_name(f"{path.name}.{label}-1")
        self.contents[aside] = self.contents.pop(path)
        return aside

    def keep_copy(self, path: Path, label: str, data: bytes) -> Path:
        self._check()
        aside = path.with_name(f"{path.name}.{label}-1")
        self.contents[aside] = data
        return aside

    def clear_leftovers(self, path: Path) -> None:
        pass

    def _check(self) -> None:
        if self.refusal is not None:
            raise self.refusal


class ManualExecutor(Executor):
    """Runs its jobs when told."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], None]] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def job() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)
                raise

        self.jobs.append(job)
        return future

    def run(self) -> None:
        while self.jobs:
            self.jobs.pop(0)()


class Bench:
    def __init__(self) -> None:
        self.files = MemoryFiles()
        self.executor = ManualExecutor()
        self.results: list[tuple[Document, OSError | None]] = []
        self.store = self.new_store()

    def new_store(self) -> JsonStore:
        return JsonStore(
            SETTINGS,
            CONSENTS,
            files=self.files,
            executor=self.executor,
            call_soon=lambda callback: callback(),
            on_result=lambda document, failure: self.results.append((document, failure)),
        )

    def put(self, path: Path, value: object) -> None:
        self.files.contents[path] = json.dumps(value).encode()

    def get(self, path: Path) -> object:
        value: object = json.loads(self.files.contents[path])
        return value


REGISTRATION = Registration(name="Example", palette=Palette(base_hue=270.0))


def record(
    adapter_id: str = "com.example.agent",
    *,
    decision: Decision = Decision.ALLOWED,
    seen: Registration = REGISTRATION,
    allowed: Registration | None = REGISTRATION,
    last_seen_epoch_s: float = 1_700_000_000.0,
    user_hue_deg: float | None = None,
) -> ConsentRecord:
    return ConsentRecord(
        adapter_id=adapter_id,
        decision=decision,
        seen=seen,
        allowed=allowed,
        last_seen_epoch_s=last_seen_epoch_s,
        user_hue_deg=user_hue_deg,
    )


def record_json(**changes: object) -> dict[str, object]:
    registration = encode_registration(record().seen)
    return {
        "decision": "allowed",
        "seen": registration,
        "allowed": registration,
        "lastSeen": 1_700_000_000.0,
        **changes,
    }
