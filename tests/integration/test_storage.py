"""Storage on a real disk with a real worker thread: killed, full, read-only."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import pytest

from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.settings import Settings, Theme
from orbtile.host.views import NoticeKind
from orbtile.protocol.registration import Palette, Registration
from orbtile.storage import Document, JsonStore
from orbtile.system.private_files import PrivateFiles
from tests.fakes.disk import Disk, InjectedDisk, can_mount, mounted_disk

pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers

Expect = Callable[[str], None]


class RunningStore:
    """A store in ``folder`` whose results can be waited for."""

    def __init__(self, folder: Path) -> None:
        self.executor = ThreadPoolExecutor(1)
        self.results: list[tuple[Document, OSError | None]] = []
        self._arrived = threading.Condition()
        self.store = JsonStore(
            folder / "settings.json",
            folder / "consents.json",
            files=PrivateFiles(),
            executor=self.executor,
            call_soon=lambda callback: callback(),
            on_result=self._note,
        )

    def _note(self, document: Document, failure: OSError | None) -> None:
        with self._arrived:
            self.results.append((document, failure))
            self._arrived.notify_all()

    def wait_for_results(self, count: int) -> None:
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.results) >= count, timeout=20)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()
        self.executor.shutdown()


@pytest.fixture(params=["injected", *(["mounted"] if can_mount() else [])])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    root = tmp_path / "disk"
    root.mkdir(mode=0o700)
    with ExitStack() as stack:
        if request.param == "mounted":
            yield stack.enter_context(mounted_disk(root))
        else:
            yield InjectedDisk(root, stack.enter_context(pytest.MonkeyPatch.context()))


def record(name: str) -> ConsentRecord:
    registration = Registration(name=name, palette=Palette(base_hue=270.0))
    return ConsentRecord(
        adapter_id="com.example.agent",
        decision=Decision.ALLOWED,
        seen=registration,
        allowed=registration,
        last_seen_epoch_s=1.0,
    )


def test_what_is_saved_survives_a_restart(tmp_path: Path) -> None:
    with RunningStore(tmp_path) as first:
        first.store.load_settings()
        first.store.save_settings(Settings(api_enabled=True, theme=Theme.DARK))
        first.store.save_consents([record("Example")])
    with RunningStore(tmp_path) as second:
        assert second.store.load_settings() == (Settings(api_enabled=True, theme=Theme.DARK), None)
        records, notice = second.store.load_consents()
        assert (list(records), notice) == ([record("Example")], None)


def test_a_full_disk_is_reported_costs_nothing_and_heals(disk: Disk, expect_log: Expect) -> None:
    expect_log("settings.json was not saved")
    with RunningStore(disk.root) as running:
        running.store.save_settings(Settings(theme=Theme.LIGHT))
        running.wait_for_results(1)
        disk.fill()
        running.store.save_settings(Settings(theme=Theme.DARK))
        running.wait_for_results(2)
        failure = running.results[1][1]
        assert failure is not None
        assert failure.strerror == "No space left on device"
        with RunningStore(disk.root) as reader:
            assert reader.store.load_settings() == (Settings(theme=Theme.LIGHT), None)
        disk.free()
        running.store.save_consents([record("Example")])
        running.wait_for_results(4)
        assert {failure for _, failure in running.results[2:]} == {None}
    with RunningStore(disk.root) as reader:
        assert reader.store.load_settings() == (Settings(theme=Theme.DARK), None)


def test_a_read_only_disk_is_reported_and_costs_nothing(disk: Disk, expect_log: Expect) -> None:
    expect_log("settings.json was not saved")
    with RunningStore(disk.root) as running:
        running.store.save_settings(Settings(theme=Theme.LIGHT))
        running.wait_for_results(1)
        disk.make_read_only()
        running.store.save_settings(Settings(theme=Theme.DARK))
        running.wait_for_results(2)
        assert not running.store.close()
        failure = running.results[1][1]
        assert failure is not None
        assert failure.strerror == "Read-only file system"
    disk.make_writable()
    with RunningStore(disk.root) as reader:
        assert reader.store.load_settings() == (Settings(theme=Theme.LIGHT), None)


def test_a_broken_file_on_a_read_only_disk_leaves_the_defaults_and_the_file(
    disk: Disk, expect_log: Expect
) -> None:
    expect_log("unreadable")
    (disk.root / "settings.json").write_bytes(b"{")
    disk.make_read_only()
    with RunningStore(disk.root) as running:
        settings, notice = running.store.load_settings()
        assert settings == Settings()
        assert notice is not None
        assert notice.kind is NoticeKind.SETTINGS_BROKEN
    disk.make_writable()
    assert (disk.root / "settings.json").read_bytes() == b"{"


def test_a_link_that_others_could_change_is_set_aside_and_what_it_names_is_not_touched(
    tmp_path: Path, expect_log: Expect
) -> None:
    expect_log("unreadable")
    folder, shared = tmp_path / "data", tmp_path / "shared"
    folder.mkdir(mode=0o700)
    shared.mkdir()
    shared.chmod(0o777)
    (shared / "victim").write_bytes(b'{"theme": "dark"}')
    (folder / "settings.json").symlink_to(shared / "victim")
    with RunningStore(folder) as running:
        settings, notice = running.store.load_settings()
        assert settings == Settings()
        assert notice is not None
        running.store.save_settings(Settings(theme=Theme.LIGHT))
    assert (shared / "victim").read_bytes() == b'{"theme": "dark"}'
    assert not (folder / "settings.json").is_symlink()


def test_settings_kept_among_dotfiles_stay_there(tmp_path: Path) -> None:
    folder, dotfiles = tmp_path / "data", tmp_path / "dotfiles"
    folder.mkdir(mode=0o700)
    dotfiles.mkdir(mode=0o755)
    (dotfiles / "orbtile.json").write_bytes(b'{"adapterApi": {"enabled": true}}')
    (folder / "settings.json").symlink_to(dotfiles / "orbtile.json")
    with RunningStore(folder) as running:
        assert running.store.load_settings() == (Settings(api_enabled=True), None)
        running.store.save_settings(Settings(api_enabled=True, theme=Theme.LIGHT))
    assert (folder / "settings.json").is_symlink()
    assert json.loads((dotfiles / "orbtile.json").read_bytes())["theme"] == "light"


WRITER = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.settings import Settings, Theme
from orbtile.protocol.registration import Palette, Registration
from orbtile.storage import JsonStore
from orbtile.system.private_files import PrivateFiles

folder = Path(sys.argv[1])
written = threading.Semaphore(0)
store = JsonStore(folder / "settings.json", folder / "consents.json", files=PrivateFiles(),
    executor=ThreadPoolExecutor(1), call_soon=lambda callback: callback(),
    on_result=lambda *_: written.release())
store.load_settings()
store.load_consents()
registration = Registration(name="Example", palette=Palette(base_hue=1.0))
print("ready", flush=True)
number = 0
while True:
    number += 1
    store.save_settings(Settings(theme=(Theme.LIGHT, Theme.DARK)[number % 2]))
    store.save_consents([
        ConsentRecord(adapter_id=f"com.example.agent{index}", decision=Decision.ALLOWED, seen=registration,
            allowed=registration, last_seen_epoch_s=float(number)) for index in range(32)])
    written.acquire()
    written.acquire()
"""


@pytest.mark.slow
def test_an_app_killed_at_any_moment_finds_whole_documents_at_the_next_start(tmp_path: Path) -> None:
    for turn in range(12):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        with writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            time.sleep(0.003 * turn)
            writer.send_signal(signal.SIGKILL)
        with RunningStore(tmp_path) as running:
            _, notice = running.store.load_settings()
            records, other_notice = running.store.load_consents()
            assert (notice, other_notice) == (None, None)
            assert len(records) in {0, 32}  # 0: killed before the first write
            assert len({each.last_seen_epoch_s for each in records}) <= 1
    assert {path.name for path in tmp_path.iterdir()} == {"settings.json", "consents.json"}
    assert json.loads((tmp_path / "settings.json").read_bytes())["version"] == 1
