"""What stands on disk about a running instance, and when: real files in a temporary folder."""

import json
import os
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QDeadlineTimer, QEventLoop

from orbtile.host.settings import Settings
from orbtile.host.views import NoticeKind
from orbtile.system.folder_watcher_qt import SETTLE_MS
from orbtile.system.machine import own_uid
from orbtile.system.paths import Edition, Machine, Paths, Platform, resolve_paths
from orbtile.system.publication import ANOTHERS, Publication
from tests.conftest import ExpectLog
from tests.fakes import qt
from tests.fakes.hosts import Host

pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers

HOOK_TOKEN = "h" * 43
OTHERS_PID = 4242


class FakeAlarm:
    """Rung by hand; ``delay_s`` is what it is set to."""

    def __init__(self) -> None:
        self.delay_s: float | None = None
        self._action: Callable[[], None] | None = None

    def set(self, delay_s: float, action: Callable[[], None]) -> None:
        self.delay_s, self._action = delay_s, action

    def cancel(self) -> None:
        self.delay_s = self._action = None

    def ring(self) -> None:
        action = self._action
        assert action is not None
        self.cancel()
        action()


def linux_in(home: Path) -> Machine:
    return Machine(
        platform=Platform.LINUX, home=str(home), cwd=str(home), uid=own_uid(), is_private_folder=bool
    )


@pytest.fixture(scope="module")
def application() -> QCoreApplication:
    """The file watches need Qt's loop."""
    return qt.application()


@pytest.fixture
def paths(tmp_path: Path) -> Paths[Path]:
    data = tmp_path / "data"
    (data / "run").mkdir(mode=0o700, parents=True)
    data.chmod(0o700)
    paths = resolve_paths(linux_in(tmp_path), Edition.STANDARD, {}, data_dir=str(data)).here()
    assert paths.socket_path is not None
    paths.socket_path.touch(mode=0o600)  # stands for the listener's socket
    return paths


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def alarm() -> FakeAlarm:
    return FakeAlarm()


@pytest.fixture
def live() -> set[int]:
    """The processes that are alive and ours."""
    return {OTHERS_PID}


@pytest.fixture
def publication(
    application: QCoreApplication, host: Host, paths: Paths[Path], alarm: FakeAlarm, live: set[int]
) -> Iterator[Publication]:
    made = Publication(host.service, paths, HOOK_TOKEN, alarm=alarm, is_live=live.__contains__)
    made.claim()
    yield made
    made.withdraw()
    made.remove_instance_files()


def wait_until(condition: Callable[[], bool]) -> None:
    """Let Qt's loop run until then, 5 s at most."""
    loop, patience = QEventLoop(), QDeadlineTimer(5_000)
    while not condition():
        assert not patience.hasExpired()
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 200)


def let_pass(milliseconds: int = 2 * SETTLE_MS) -> None:
    """Let Qt's loop run that long: what would happen has happened then."""
    loop, patience = QEventLoop(), QDeadlineTimer(milliseconds)
    while not patience.hasExpired():
        loop.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)


def read(path: Path) -> dict[str, object]:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def test_the_file_stands_once_the_listener_listens(
    publication: Publication, host: Host, paths: Paths[Path]
) -> None:
    assert not paths.discovery_file.exists()

    publication.listener_changed(True, "")

    document = read(paths.discovery_file)
    assert document == {
        "api": 1,
        "socketPath": str(paths.socket_path),
        "basePath": "/a/v1",
        "token": host.service.api_token,
        "pid": os.getpid(),
    }
    assert stat.S_IMODE(paths.discovery_file.stat().st_mode) == 0o600


def test_it_goes_with_the_switch_and_comes_back_with_a_new_token(
    publication: Publication, host: Host, paths: Paths[Path]
) -> None:
    publication.listener_changed(True, "")
    first = read(paths.discovery_file)["token"]

    host.service.set_api_enabled(False)
    assert not paths.discovery_file.exists()

    host.service.set_api_enabled(True)
    assert read(paths.discovery_file)["token"] not in {first, ""}


def test_a_regenerated_token_replaces_the_old_one(
    publication: Publication, host: Host, paths: Paths[Path]
) -> None:
    publication.listener_changed(True, "")
    first = read(paths.discovery_file)["token"]

    host.service.regenerate_token()

    assert read(paths.discovery_file)["token"] == host.service.api_token != first


def test_it_goes_while_the_listener_is_down_and_the_user_is_told(
    publication: Publication, host: Host, paths: Paths[Path]
) -> None:
    publication.listener_changed(True, "")

    publication.listener_changed(False, "Address already in use")

    assert not paths.discovery_file.exists()
    (notice,) = host.service.notices()
    assert (notice.kind, notice.detail) == (NoticeKind.LISTENER_DOWN, "Address already in use")
    publication.listener_changed(True, "")
    assert host.service.notices() == []
    assert paths.discovery_file.exists()


def test_a_listener_that_is_down_is_trouble_only_while_the_api_is_on(
    publication: Publication, host: Host
) -> None:
    host.service.set_api_enabled(False)
    publication.listener_changed(False, "Not a directory")
    assert host.service.notices() == []

    host.service.set_api_enabled(True)
    assert [notice.kind for notice in host.service.notices()] == [NoticeKind.LISTENER_DOWN]

    host.service.set_api_enabled(False)
    assert host.service.notices() == []


def test_with_the_api_off_no_discovery_file_is_written_but_the_endpoint_is(
    application: QCoreApplication, paths: Paths[Path]
) -> None:
    host = Host(Settings(api_enabled=False))
    publication = Publication(host.service, paths, HOOK_TOKEN)
    publication.claim()

    publication.listener_changed(True, "")

    assert not paths.discovery_file.exists()
    assert read(paths.endpoint_file) == {"socketPath": str(paths.socket_path), "pid": os.getpid()}
    assert paths.hook_token_file.read_text(encoding="ascii") == HOOK_TOKEN
    publication.withdraw()
    publication.remove_instance_files()
    assert not paths.endpoint_file.exists()
    assert not paths.hook_token_file.exists()


def test_quitting_removes_it_and_later_changes_do_not_bring_it_back(
    publication: Publication, host: Host, paths: Paths[Path]
) -> None:
    publication.listener_changed(True, "")

    publication.withdraw()
    host.service.regenerate_token()

    assert not paths.discovery_file.exists()


def test_what_a_crashed_instance_left_is_removed_at_the_start(
    application: QCoreApplication, paths: Paths[Path]
) -> None:
    dead_pid = 2**22 + 1  # above what Linux gives out
    paths.discovery_file.write_text(json.dumps({"api": 1, "token": "t", "pid": dead_pid}), encoding="ascii")
    paths.discovery_file.chmod(0o600)

    Publication(Host(Settings(api_enabled=False)).service, paths, HOOK_TOKEN).claim()

    assert not paths.discovery_file.exists()


def test_tokens_that_a_killed_instance_was_writing_are_removed_at_the_start(
    application: QCoreApplication, paths: Paths[Path]
) -> None:
    leftovers = [
        path.with_name(f".{path.name}.0123456789abcdef.tmp")
        for path in (paths.discovery_file, paths.hook_token_file, paths.endpoint_file)
    ]
    for leftover in leftovers:
        leftover.write_text("secret", encoding="ascii")
    publication = Publication(Host(Settings(api_enabled=False)).service, paths, HOOK_TOKEN)

    publication.claim()

    assert [leftover for leftover in leftovers if leftover.exists()] == []
    publication.remove_instance_files()


def test_an_unwritable_place_is_a_notice_and_goes_away_once_it_can_be_written(
    publication: Publication, host: Host, paths: Paths[Path], expect_log: ExpectLog
) -> None:
    expect_log(r"orbtile\.system\.publication: WARNING: the discovery file could not be written")
    paths.discovery_file.mkdir()  # nothing can be renamed over a folder

    publication.listener_changed(True, "")

    assert [notice.kind for notice in host.service.notices()] == [NoticeKind.DISCOVERY_NOT_WRITTEN]
    paths.discovery_file.rmdir()
    host.service.regenerate_token()
    assert host.service.notices() == []
    assert paths.discovery_file.exists()


def test_a_file_that_somebody_removes_is_written_again(
    publication: Publication, host: Host, paths: Paths[Path]
) -> None:
    publication.listener_changed(True, "")

    paths.discovery_file.unlink()

    wait_until(paths.discovery_file.exists)
    assert read(paths.discovery_file)["token"] == host.service.api_token


def test_on_loopback_the_file_names_url_and_port(
    application: QCoreApplication, host: Host, tmp_path: Path
) -> None:
    unix = resolve_paths(linux_in(tmp_path), Edition.STANDARD, {}, data_dir=str(tmp_path / "data")).here()
    publication = Publication(host.service, replace(unix, socket_path=None), HOOK_TOKEN)
    publication.port_of = lambda: 4711

    publication.listener_changed(True, "")

    document = read(unix.discovery_file)
    assert document["url"] == "http://127.0.0.1:4711"
    assert document["port"] == 4711
    assert "socketPath" not in document
    publication.withdraw()
    publication.remove_instance_files()


# --- what could not be written, and what somebody did to it -------------------------------------------------


def replace_by(path: Path, contents: bytes) -> None:
    other = path.with_name("other")
    other.write_bytes(contents)
    other.chmod(0o600)
    other.replace(path)


@pytest.fixture
def others_socket(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "others.sock"))
        listener.listen()
        yield listener


def others_file(listener: socket.socket) -> bytes:
    """The discovery file of another instance."""
    document = {"api": 1, "socketPath": listener.getsockname(), "token": "o" * 43, "pid": OTHERS_PID}
    return json.dumps(document).encode("ascii")


def notices(host: Host) -> list[tuple[NoticeKind, str]]:
    return [(notice.kind, notice.detail) for notice in host.service.notices()]


def test_what_could_not_be_written_is_tried_again_ever_more_slowly_until_it_stands(
    publication: Publication, host: Host, paths: Paths[Path], alarm: FakeAlarm, expect_log: ExpectLog
) -> None:
    expect_log("the discovery file could not be written")
    paths.discovery_file.mkdir()  # nothing can be renamed over a folder
    publication.listener_changed(True, "")

    pauses = []
    for _ in range(7):
        pauses.append(alarm.delay_s)
        alarm.ring()
    assert pauses == [1, 2, 4, 8, 16, 30, 30]
    paths.discovery_file.rmdir()
    alarm.ring()

    assert read(paths.discovery_file)["token"] == host.service.api_token
    assert notices(host) == []
    assert alarm.delay_s == 1  # one more look
    alarm.ring()
    assert alarm.delay_s is None


def test_a_folder_that_cannot_be_written_in_is_filled_once_it_can_be(
    application: QCoreApplication, host: Host, paths: Paths[Path], alarm: FakeAlarm, expect_log: ExpectLog
) -> None:
    expect_log("the hook token could not be written")
    expect_log("the endpoint file could not be written")
    shutil.rmtree(paths.run_dir)
    paths.run_dir.write_bytes(b"")  # a file where the folder should be
    publication = Publication(host.service, paths, HOOK_TOKEN, alarm=alarm)
    publication.claim()
    publication.port_of = lambda: 1
    publication.listener_changed(True, "")
    assert alarm.delay_s == 1

    paths.run_dir.unlink()
    alarm.ring()

    assert paths.hook_token_file.read_text(encoding="ascii") == HOOK_TOKEN
    assert read(paths.endpoint_file)["pid"] == os.getpid()
    publication.withdraw()
    assert alarm.delay_s is None


def test_nothing_is_armed_while_everything_stands(publication: Publication, alarm: FakeAlarm) -> None:
    publication.listener_changed(True, "")
    let_pass()
    assert alarm.delay_s is None


def test_a_change_that_heals_disarms_the_alarm(
    publication: Publication, host: Host, paths: Paths[Path], alarm: FakeAlarm, expect_log: ExpectLog
) -> None:
    expect_log("the discovery file could not be written")
    paths.discovery_file.mkdir()
    publication.listener_changed(True, "")
    paths.discovery_file.rmdir()

    host.service.regenerate_token()

    assert alarm.delay_s is None


@pytest.mark.parametrize("contents", [b"", b"{}", b"{", b'{"pid": 1, "token": "x"}'])
@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_that_somebody_spoils_is_written_again(
    publication: Publication, host: Host, paths: Paths[Path], contents: bytes, in_place: bool
) -> None:
    publication.listener_changed(True, "")

    if in_place:
        paths.discovery_file.write_bytes(contents)
    else:
        replace_by(paths.discovery_file, contents)

    wait_until(lambda: paths.discovery_file.read_bytes() not in {b"", contents})
    assert read(paths.discovery_file)["token"] == host.service.api_token


def test_a_copy_of_the_file_in_its_place_is_watched_like_the_first(
    publication: Publication, paths: Paths[Path], alarm: FakeAlarm
) -> None:
    publication.listener_changed(True, "")
    replace_by(paths.discovery_file, paths.discovery_file.read_bytes())
    wait_until(lambda: alarm.delay_s is not None)
    alarm.ring()
    assert alarm.delay_s is None

    paths.discovery_file.unlink()

    wait_until(paths.discovery_file.exists)


def test_whoever_spoils_the_file_again_and_again_is_answered_ever_more_slowly(
    publication: Publication, paths: Paths[Path], alarm: FakeAlarm
) -> None:
    publication.listener_changed(True, "")
    ours = paths.discovery_file.read_bytes()
    replace_by(paths.discovery_file, b"{}")
    wait_until(lambda: paths.discovery_file.read_bytes() == ours)

    pauses = []
    for _ in range(3):
        replace_by(paths.discovery_file, b"{}")
        let_pass()
        assert paths.discovery_file.read_bytes() == b"{}"
        pauses.append(alarm.delay_s)
        alarm.ring()
        assert paths.discovery_file.read_bytes() == ours
    assert pauses == [1, 2, 4]
    alarm.ring()
    assert alarm.delay_s is None


@pytest.mark.parametrize("name", ["hook_token_file", "endpoint_file"])
def test_what_leads_to_the_running_instance_comes_back(
    publication: Publication, paths: Paths[Path], name: str
) -> None:
    publication.listener_changed(True, "")
    path: Path = getattr(paths, name)
    before = path.read_bytes()

    path.unlink()

    wait_until(path.exists)
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_run_folder_that_is_removed_comes_back_and_the_lock_is_taken_anew(
    publication: Publication, paths: Paths[Path]
) -> None:
    publication.listener_changed(True, "")
    taken: list[bool] = []
    publication.retake_lock = lambda: taken.append(paths.run_dir.is_dir())

    shutil.rmtree(paths.run_dir)

    wait_until(lambda: bool(taken))
    assert taken == [True]
    assert paths.hook_token_file.read_text(encoding="ascii") == HOOK_TOKEN
    assert read(paths.endpoint_file)["pid"] == os.getpid()
    assert stat.S_IMODE(paths.run_dir.stat().st_mode) == 0o700


def test_a_data_folder_that_is_removed_comes_back(publication: Publication, paths: Paths[Path]) -> None:
    publication.listener_changed(True, "")

    shutil.rmtree(paths.data_dir)

    wait_until(paths.discovery_file.exists)
    wait_until(paths.hook_token_file.exists)


def test_after_the_end_nothing_comes_back(
    publication: Publication, paths: Paths[Path], alarm: FakeAlarm
) -> None:
    publication.listener_changed(True, "")
    publication.withdraw()
    publication.listener_changed(True, "")
    publication.remove_instance_files()
    let_pass()
    assert not paths.discovery_file.exists()
    assert not paths.hook_token_file.exists()
    assert alarm.delay_s is None


# --- two instances, one discovery file ----------------------------------------------------------------------


def test_the_file_of_another_live_instance_is_left_to_it_and_the_user_is_told(
    publication: Publication,
    host: Host,
    paths: Paths[Path],
    others_socket: socket.socket,
    expect_log: ExpectLog,
) -> None:
    expect_log("the discovery file could not be written: another Orbtile")
    publication.listener_changed(True, "")

    replace_by(paths.discovery_file, others_file(others_socket))

    wait_until(lambda: notices(host) == [(NoticeKind.DISCOVERY_NOT_WRITTEN, ANOTHERS)])
    host.service.regenerate_token()
    assert read(paths.discovery_file)["pid"] == OTHERS_PID
    publication.withdraw()
    assert read(paths.discovery_file)["pid"] == OTHERS_PID


@pytest.mark.parametrize("contents", [None, b"{}"])
def test_it_is_our_turn_as_soon_as_the_others_file_goes(
    publication: Publication,
    host: Host,
    paths: Paths[Path],
    alarm: FakeAlarm,
    others_socket: socket.socket,
    expect_log: ExpectLog,
    contents: bytes | None,
) -> None:
    expect_log("the discovery file could not be written: another Orbtile")
    replace_by(paths.discovery_file, others_file(others_socket))
    publication.listener_changed(True, "")
    for _ in range(6):
        alarm.ring()
    assert alarm.delay_s == 30

    if contents is None:
        paths.discovery_file.unlink()
    else:
        replace_by(paths.discovery_file, contents)

    wait_until(lambda: notices(host) == [])
    assert read(paths.discovery_file)["token"] == host.service.api_token
    assert alarm.delay_s == 1


@pytest.mark.parametrize("how", ["its process ends", "nobody listens any more"])
def test_it_is_our_turn_when_the_other_instance_is_killed(
    publication: Publication,
    host: Host,
    paths: Paths[Path],
    alarm: FakeAlarm,
    live: set[int],
    others_socket: socket.socket,
    expect_log: ExpectLog,
    how: str,
) -> None:
    expect_log("the discovery file could not be written: another Orbtile")
    replace_by(paths.discovery_file, others_file(others_socket))
    publication.listener_changed(True, "")

    if how == "its process ends":
        live.clear()
    else:
        others_socket.close()
    alarm.ring()

    assert read(paths.discovery_file)["token"] == host.service.api_token
    assert notices(host) == []


def test_the_switch_ends_the_wait_for_the_other_instance(
    publication: Publication,
    host: Host,
    paths: Paths[Path],
    alarm: FakeAlarm,
    others_socket: socket.socket,
    expect_log: ExpectLog,
) -> None:
    expect_log("the discovery file could not be written: another Orbtile")
    replace_by(paths.discovery_file, others_file(others_socket))
    publication.listener_changed(True, "")

    host.service.set_api_enabled(False)

    assert alarm.delay_s is None
    assert notices(host) == []
    assert read(paths.discovery_file)["pid"] == OTHERS_PID
