"""The lock, the files that lead to the running instance, and the processes they belong to."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from orbtile.system.instance import Address, InstanceFiles, RunningInstance
from orbtile.system.lock import InstanceLock, LockResult
from orbtile.system.processes import SystemProcesses, lineage
from tests.fakes.disk import Disk, InjectedDisk, can_mount, mounted_disk

fcntl = pytest.importorskip("fcntl", reason="modes, owners and sockets are those of Unix")
assert sys.platform != "win32"  # for type checkers

TOKEN = "t" * 43

HOLDER = """
import sys
from pathlib import Path
from orbtile.system.lock import InstanceLock
lock = InstanceLock(Path(sys.argv[1]))
print(lock.acquire().value, flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process_with_the_lock(path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data" / "run").mkdir(mode=0o700, parents=True)
    return tmp_path / "data" / "run" / "lock"


def test_the_first_instance_holds_the_lock_and_the_second_is_told(path: Path) -> None:
    first, second = InstanceLock(path), InstanceLock(path)
    assert first.acquire() is LockResult.HELD
    assert second.acquire() is LockResult.TAKEN
    first.release()
    assert second.acquire() is LockResult.HELD
    second.release()
    second.release()


def test_the_lock_file_is_private_and_stays(path: Path) -> None:
    lock = InstanceLock(path)
    lock.acquire()
    lock.release()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_lock_of_a_killed_instance_is_free(path: Path) -> None:
    with another_process_with_the_lock(path) as holder:
        assert InstanceLock(path).acquire() is LockResult.TAKEN
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        lock = InstanceLock(path)
        assert lock.acquire() is LockResult.HELD
        lock.release()


def test_a_child_does_not_inherit_the_lock(path: Path) -> None:
    lock = InstanceLock(path)
    lock.acquire()
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:
        lock.release()
        again = InstanceLock(path)
        assert again.acquire() is LockResult.HELD
        again.release()
        child.kill()


def test_a_lock_file_that_was_removed_meanwhile_is_not_the_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = fcntl.flock
    removed: list[bool] = []

    def flock(fd: int, operation: int) -> None:
        if not removed:
            removed.append(True)
            path.unlink()
        original(fd, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    lock = InstanceLock(path)
    assert lock.acquire() is LockResult.HELD
    assert path.exists()
    assert InstanceLock(path).acquire() is LockResult.TAKEN
    lock.release()


def test_what_never_is_what_stands_there_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    data = path.parent.parent

    def flock(fd: int, _operation: int) -> None:
        tries.append(fd)
        assert len(tries) < 100
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            data.rename(data.with_name(f"gone-{len(tries)}"))
            path.parent.mkdir(parents=True)
        else:
            path.unlink()

    monkeypatch.setattr(fcntl, "flock", flock)
    assert InstanceLock(path).acquire() is LockResult.UNAVAILABLE
    assert len(tries) == 20


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_is_no_file_in_place_of_the_lock_is_left_alone_and_the_folder_is_locked(
    path: Path, tmp_path: Path, kind: str
) -> None:
    if kind == "link":
        path.symlink_to(tmp_path / "victim")
    else:
        path.mkdir()
    first = InstanceLock(path)
    assert first.acquire() is LockResult.HELD
    assert InstanceLock(path).acquire() is LockResult.TAKEN
    assert not (tmp_path / "victim").exists()
    first.release()


def test_a_run_folder_that_is_removed_lets_no_second_instance_in(path: Path) -> None:
    first = InstanceLock(path)
    assert first.acquire() is LockResult.HELD
    path.unlink()
    path.parent.rmdir()
    path.parent.mkdir()
    assert InstanceLock(path).acquire() is LockResult.TAKEN
    first.release()


@pytest.mark.parametrize("mode", [0o1777, 0o1700])
def test_a_data_folder_that_others_share_is_not_locked_itself(path: Path, mode: int) -> None:
    path.parent.parent.chmod(mode)
    lock = InstanceLock(path)
    assert lock.acquire() is LockResult.HELD
    fd = os.open(path.parent.parent, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(fd)
    lock.release()


def test_the_lock_is_taken_anew_where_everything_was_removed(path: Path) -> None:
    data = path.parent.parent
    first, second = InstanceLock(path), InstanceLock(path)
    assert first.acquire() is LockResult.HELD
    data.rename(data.with_name("gone"))
    path.parent.mkdir(parents=True)
    assert first.reacquire() is LockResult.HELD
    assert second.acquire() is LockResult.TAKEN
    first.release()


def test_taking_it_anew_keeps_what_still_stands(path: Path) -> None:
    first, second = InstanceLock(path), InstanceLock(path)
    assert first.acquire() is LockResult.HELD
    assert first.reacquire() is LockResult.HELD
    assert second.acquire() is LockResult.TAKEN
    first.release()
    assert second.acquire() is LockResult.HELD
    second.release()


def test_another_instance_that_was_faster_keeps_the_lock(path: Path) -> None:
    data = path.parent.parent
    first, second = InstanceLock(path), InstanceLock(path)
    assert first.acquire() is LockResult.HELD
    data.rename(data.with_name("gone"))
    path.parent.mkdir(parents=True)
    assert second.acquire() is LockResult.HELD
    assert first.reacquire() is LockResult.TAKEN
    first.release()
    second.release()


def test_where_folders_cannot_be_locked_the_file_is_the_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = fcntl.flock

    def flock(fd: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EBADF, "as over NFS")
        original(fd, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    first = InstanceLock(path)
    assert first.acquire() is LockResult.HELD
    assert InstanceLock(path).acquire() is LockResult.TAKEN
    first.release()


def test_a_file_system_without_locks_is_told_apart_from_a_taken_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_fd: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", flock)
    assert InstanceLock(path).acquire() is LockResult.UNAVAILABLE


@pytest.fixture(params=["injected", *(["mounted"] if can_mount() else [])])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    root = tmp_path / "disk"
    root.mkdir(mode=0o700)
    with ExitStack() as stack:
        if request.param == "mounted":
            yield stack.enter_context(mounted_disk(root))
        else:
            yield InjectedDisk(root, stack.enter_context(pytest.MonkeyPatch.context()))


@pytest.mark.parametrize("has_run_folder", [True, False])
def test_on_a_read_only_disk_there_is_still_one_first_instance(disk: Disk, has_run_folder: bool) -> None:
    if has_run_folder:
        (disk.root / "run").mkdir()
    disk.make_read_only()
    first = InstanceLock(disk.root / "run" / "lock")
    assert first.acquire() is LockResult.HELD
    assert InstanceLock(disk.root / "run" / "lock").acquire() is LockResult.TAKEN
    first.release()


# --- the files in run/ --------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> InstanceFiles:
    return InstanceFiles(tmp_path / "run" / "hook-token", tmp_path / "run" / "endpoint.json")


def test_the_hook_token_is_private_and_comes_back(files: InstanceFiles, tmp_path: Path) -> None:
    files.write_hook_token(TOKEN)
    assert files.read_hook_token() == TOKEN
    assert (tmp_path / "run" / "hook-token").read_text(encoding="ascii") == TOKEN
    assert stat.S_IMODE((tmp_path / "run" / "hook-token").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


@pytest.mark.parametrize("address", [Path("/run/user/1000/orbtile/hooks.sock"), Path("/tmp/ü/s"), 49152])
def test_where_the_listener_is_comes_back(files: InstanceFiles, address: Address) -> None:
    files.write_endpoint(address, 4242)
    assert files.read_endpoint() == RunningInstance(address, 4242)


@pytest.mark.parametrize(
    "pid", ["", ', "pid": 0', ', "pid": -1', ', "pid": true', ', "pid": "1"', ', "pid": 4294967296']
)
def test_an_endpoint_without_a_credible_process_is_still_one(
    files: InstanceFiles, tmp_path: Path, pid: str
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "endpoint.json").write_text(f'{{"port": 49152{pid}}}', encoding="utf-8")
    assert files.read_endpoint() == RunningInstance(49152, None)


def test_nothing_is_left_after_quitting(files: InstanceFiles, tmp_path: Path) -> None:
    files.write_hook_token(TOKEN)
    files.write_endpoint(49152, 4242)
    files.remove()
    files.remove()
    assert list((tmp_path / "run").iterdir()) == []
    assert (files.read_hook_token(), files.read_endpoint()) == (None, None)


@pytest.mark.parametrize(
    "contents",
    [
        "",
        "[]",
        "{",
        '{"port": 0}',
        '{"port": 65536}',
        '{"port": true}',
        '{"port": "1"}',
        '{"socketPath": "s"}',
        "[" * 9999,
    ],
)
def test_an_endpoint_that_makes_no_sense_is_none(files: InstanceFiles, tmp_path: Path, contents: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "endpoint.json").write_text(contents, encoding="utf-8")
    assert files.read_endpoint() is None


@pytest.mark.parametrize("contents", [b"", b"t" * 42, b"t" * 44, b"\xff" * 43])
def test_a_hook_token_that_makes_no_sense_is_none(
    files: InstanceFiles, tmp_path: Path, contents: bytes
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "hook-token").write_bytes(contents)
    assert files.read_hook_token() is None


# --- processes ----------------------------------------------------------------------------------------------

PROCESSES = SystemProcesses()


def test_we_and_our_children_are_alive_and_ours() -> None:
    assert PROCESSES.is_own_live(os.getpid())
    with subprocess.Popen(["sleep", "60"]) as child:
        assert PROCESSES.is_own_live(child.pid)
        child.kill()


def test_a_process_that_ended_is_dead_also_while_nobody_has_asked_for_its_result() -> None:
    with subprocess.Popen(["true"]) as child:
        give_up_s = time.monotonic() + 20
        while PROCESSES.is_own_live(child.pid):  # until it is a zombie, which it stays
            assert time.monotonic() < give_up_s
            time.sleep(0.005)
        assert child.returncode is None


@pytest.mark.parametrize("pid", [0, -1, -(2**63), 2**32, 10**400])
def test_what_cannot_be_a_process_id_is_no_process(pid: int) -> None:
    assert not PROCESSES.is_own_live(pid)


def test_a_process_of_somebody_else_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert not PROCESSES.is_own_live(os.getpid())


def test_ancestors_come_nearest_first_and_stop_before_the_first_process() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        line = lineage(child.pid)
        child.kill()
    assert line[:2] == [child.pid, os.getpid()]
    assert 1 not in line


def test_a_process_that_is_gone_has_no_ancestors() -> None:
    with subprocess.Popen(["true"]) as child:
        pass
    assert lineage(child.pid) == []
