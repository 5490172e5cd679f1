"""A data folder as an earlier run would have left it: the API switched on, some adapters allowed.

Owns nothing of the files' form: the product's own storage writes them.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.settings import Settings
from orbtile.protocol.registration import Registration
from orbtile.storage import Document, JsonStore
from orbtile.system.private_files import PrivateFiles, make_private_folder


def open_store(data: Path, executor: ThreadPoolExecutor) -> JsonStore:
    """The storage of ``data`` with nobody listening to its results."""
    return JsonStore(
        data / "settings.json",
        data / "consents.json",
        files=PrivateFiles(),
        executor=executor,
        call_soon=_run,
        on_result=_raise,
    )


def write_data_folder(data: Path, registration: Registration, allowed: Iterable[str]) -> None:
    """Make ``data`` with the API on and ``registration`` allowed under every id of ``allowed``."""
    make_private_folder(data)
    records = [
        ConsentRecord(
            adapter_id=adapter_id,
            decision=Decision.ALLOWED,
            seen=registration,
            allowed=registration,
            last_seen_epoch_s=1_800_000_000.0,
        )
        for adapter_id in allowed
    ]
    with ThreadPoolExecutor(1) as executor:
        store = open_store(data, executor)
        store.load_settings()
        store.load_consents()
        store.save_settings(Settings(api_enabled=True))
        store.save_consents(records)
        assert store.close()


def read_data_folder(data: Path) -> tuple[Settings, dict[str, ConsentRecord]]:
    """What ``data`` holds; fails when a file is broken. Nothing is running there any more."""
    with ThreadPoolExecutor(1) as executor:
        store = open_store(data, executor)
        settings, settings_notice = store.load_settings()
        consents, consents_notice = store.load_consents()
        store.close()
    assert settings_notice is None, settings_notice
    assert consents_notice is None, consents_notice
    return settings, {record.adapter_id: record for record in consents}


def _run(job: Callable[[], None]) -> None:
    job()


def _raise(document: Document, failure: OSError | None) -> None:
    if failure is not None:
        raise RuntimeError(f"{document} was not saved") from failure
