"""What stands on disk about a running instance, and when: real files in a temporary folder."""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QDeadlineTimer, QEventLoop

from orbtile.host.settings import Settings
from orbtile.host.views import NoticeKind
from orbtile.system.machine import own_uid
from orbtile.system.paths import Edition, Machine, Paths, Platform, resolve_paths
from orbtile.system.publication import Publication
from tests.conftest import ExpectLog
from tests.fakes import qt
from tests.fakes.hosts import Host

HOOK_TOKEN = "h" * 43


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
def publication(application: QCoreApplication, host: Host, paths: Paths[Path]) -> Iterator[Publication]:
    made = Publication(host.service, paths, HOOK_TOKEN)
    made.claim()
    yield made
    made.withdraw()
    made.remove_instance_files()


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


def test_with_the_api_off_no_discovery_file_is_written_but_the_endpoint_is(
    application: QCoreApplication, paths: Paths[Path]
) -> None:
    host = Host(Settings(api_enabled=False))
    publication = Publication(host.service, paths, HOOK_TOKEN)
    publication.claim()

    publication.listener_changed(True, "")

    assert not paths.discovery_file.exists()
    assert read(paths.endpoint_file) == {"socketPath": str(paths.socket_path)}
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

    loop, patience = QEventLoop(), QDeadlineTimer(5_000)
    while not paths.discovery_file.exists() and not patience.hasExpired():
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 200)
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
