"""Where the discovery file is looked for, which one is trusted, and what it may say."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from orbtile_adapter import DiscoveryError
from orbtile_adapter._discovery import (
    Discovery,
    Place,
    first_existing,
    parse_discovery,
    places,
    read_discovery,
    read_safely,
)

FILE = "adapter-api.json"
MACOS = ["/h/Library/Application Support/Orbtile/", "/h/Library/Application Support/Orbtile Enterprise/"]
LINUX = ["/h/.local/share/Orbtile/", "/h/.local/share/Orbtile Enterprise/"]
XDG = ["/x/Orbtile/", "/x/Orbtile Enterprise/"]
WINDOWS = ["U:\\.orbtile\\", "L:\\Orbtile\\Windows\\", "L:\\Orbtile Enterprise\\Windows\\"]
GOOD: dict[str, Any] = {"api": 1, "socketPath": "/s", "basePath": "/a/v1", "token": "t" * 43, "pid": 7}

posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are not Windows' way")


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("darwin", {}, MACOS + LINUX),
        ("linux", {}, MACOS + LINUX),
        ("freebsd14", {"XDG_DATA_HOME": "/x"}, MACOS + XDG),
        ("linux", {"XDG_DATA_HOME": "relative"}, MACOS + LINUX),
        ("linux", {"XDG_DATA_HOME": ""}, MACOS + LINUX),
        ("win32", {"USERPROFILE": "U:", "LOCALAPPDATA": "L:"}, WINDOWS),
    ],
)
def test_each_system_has_its_order_of_places(
    platform: str, environ: dict[str, str], expected: list[str]
) -> None:
    assert places(platform, environ, "/h") == [Place(folder + FILE) for folder in expected]


def test_windows_without_its_variables_uses_the_home_folder() -> None:
    found = [place.path for place in places("win32", {}, "H:")]
    assert found[0] == "H:\\.orbtile\\adapter-api.json"
    assert found[1] == "H:\\AppData\\Local\\Orbtile\\Windows\\adapter-api.json"


@pytest.mark.parametrize("platform", ["darwin", "linux", "win32"])
def test_a_file_that_was_named_is_the_only_place(platform: str) -> None:
    environ = {"ORBTILE_API_FILE": "/e"}
    assert places(platform, environ, "/h") == [Place("/e", is_named=True)]
    assert places(platform, environ, "/h", "/n") == [Place("/n", is_named=True)]
    assert len(places(platform, {"ORBTILE_API_FILE": ""}, "/h")) > 1


def test_the_first_file_there_is_is_used_else_the_first_place() -> None:
    candidates = [Place("a"), Place("b"), Place("c")]
    assert first_existing(candidates, {"b", "c"}.__contains__).path == "b"
    assert first_existing(candidates, lambda _: False).path == "a"


@pytest.fixture
def home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return folder


def write(path: Path, mode: int = 0o600, content: object = GOOD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    path.chmod(mode)
    return path


@posix
def test_standard_comes_before_enterprise_and_macos_before_linux(home: Path) -> None:
    expected = []
    for number, place in reversed(list(enumerate(places(sys.platform, {}, str(home))))):
        write(Path(place.path), content={**GOOD, "socketPath": f"/{number}"})
        expected.append(f"/{number}")
        assert read_discovery().address == expected[-1]


@posix
def test_without_any_file_orbtile_is_off(home: Path) -> None:
    with pytest.raises(DiscoveryError) as caught:
        read_discovery()
    assert caught.value.missing


@posix
def test_a_standard_file_that_is_not_safe_is_not_passed_over(home: Path) -> None:
    first, second, *_ = places(sys.platform, {}, str(home))
    write(Path(second.path))
    write(Path(first.path), mode=0o644)
    with pytest.raises(DiscoveryError, match="0600") as caught:
        read_discovery()
    assert not caught.value.missing


@posix
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640, 0o644, 0o660, 0o602, 0o666, 0o700])
def test_a_default_place_must_have_mode_0600_exactly(folder: Path, mode: int) -> None:
    path = write(folder / FILE, mode)
    if mode == 0o600:
        assert read_safely(Place(str(path)))
    else:
        with pytest.raises(DiscoveryError):
            read_safely(Place(str(path)))


@posix
@pytest.mark.parametrize(
    ("mode", "is_fine"), [(0o600, True), (0o644, True), (0o755, True), (0o620, False), (0o602, False)]
)
def test_a_file_that_was_named_must_only_not_be_writable_by_others(
    folder: Path, mode: int, is_fine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder / FILE, mode)
    monkeypatch.setenv("ORBTILE_API_FILE", str(path))
    for named in (None, str(path)):
        if is_fine:
            assert read_discovery(named).token == "t" * 43
        else:
            with pytest.raises(DiscoveryError, match="other users can write"):
                read_discovery(named)


@posix
@pytest.mark.parametrize("is_named", [True, False])
def test_a_file_of_another_user_is_refused(
    folder: Path, is_named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder / FILE)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(DiscoveryError, match="another user"):
        read_safely(Place(str(path), is_named=is_named))


@posix
def test_a_link_is_followed_only_where_the_user_named_it(folder: Path) -> None:
    link = folder / "link"
    link.symlink_to(write(folder / FILE))
    assert read_safely(Place(str(link), is_named=True))
    with pytest.raises(DiscoveryError) as caught:
        read_safely(Place(str(link)))
    assert not caught.value.missing


@posix
def test_a_pipe_or_a_folder_there_does_not_make_us_wait(folder: Path) -> None:
    os.mkfifo(folder / "pipe", 0o600)
    for path in (folder / "pipe", folder):
        with pytest.raises(DiscoveryError):
            read_safely(Place(str(path), is_named=True))


@pytest.mark.parametrize("path", ["\0", "x" * 5000])
def test_a_path_that_no_file_can_have_is_an_error_of_ours(path: str) -> None:
    with pytest.raises(DiscoveryError):
        read_safely(Place(path, is_named=True))


def test_an_endless_file_is_not_read(folder: Path) -> None:
    path = write(folder / FILE, content="x" * 70_000)
    with pytest.raises(DiscoveryError, match="large"):
        read_safely(Place(str(path), is_named=True))


def parse(**changes: Any) -> Discovery:
    content = {**GOOD, **changes}
    return parse_discovery(json.dumps({k: v for k, v in content.items() if v is not ...}).encode())


@posix
def test_the_file_says_where_and_with_which_token() -> None:
    assert parse(new={"later": 1}) == Discovery("/s", "/a/v1", "t" * 43)


def test_loopback_tcp_is_used_where_the_file_says_so() -> None:
    tcp = {"socketPath": ..., "url": "http://127.0.0.1:4711", "port": 4711}
    assert parse(**tcp).address == 4711
    assert parse(**{**tcp, "port": ...}).address == 4711
    assert parse(**{**tcp, "url": ...}).address == 4711


@posix
def test_a_unix_socket_comes_before_tcp() -> None:
    assert parse(port=4711).address == "/s"


@pytest.mark.parametrize(
    "changes",
    [
        {"api": 2},
        {"api": True},
        {"api": "1"},
        {"api": ...},
        {"token": ...},
        {"token": ""},
        {"token": "a b"},
        {"token": "a\r\nX: y"},
        {"token": 5},
        {"token": "x" * 600},
        {"basePath": ...},
        {"basePath": "a/v1"},
        {"basePath": "/a v1"},
        {"basePath": "/a/v1\r\n"},
        {"basePath": "//evil"},
        {"socketPath": "relative"},
        {"socketPath": 7},
        {"socketPath": "/a\0b"},
        {"socketPath": ...},
        {"socketPath": ..., "port": 0},
        {"socketPath": ..., "port": 65536},
        {"socketPath": ..., "port": True},
        {"socketPath": ..., "port": "80"},
        {"socketPath": ..., "url": "http://192.168.0.1:80", "port": 80},
        {"socketPath": ..., "url": "http://127.0.0.1.evil:80"},
        {"socketPath": ..., "url": "https://127.0.0.1:80"},
        {"socketPath": ..., "url": "http://127.0.0.1:80", "port": 81},
        {"socketPath": ..., "url": 5},
        {"socketPath": ..., "url": "http://127.0.0.1:99999"},
    ],
    ids=str,
)
def test_a_file_that_says_something_else_is_refused_without_its_words(changes: dict[str, Any]) -> None:
    if sys.platform == "win32" and changes.get("socketPath", ...) is not ...:
        changes = {**changes, "port": 0}
    with pytest.raises(DiscoveryError) as caught:
        parse(**changes)
    assert "t" * 43 not in str(caught.value)
    assert "evil" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b"5"])
def test_what_is_not_an_object_is_refused(data: bytes) -> None:
    with pytest.raises(DiscoveryError):
        parse_discovery(data)


def test_the_token_is_in_no_repr() -> None:
    discovery = Discovery("/s", "/a/v1", "t" * 43)
    for text in (repr(discovery), str(discovery), f"{discovery}"):
        assert "ttt" not in text
        assert "/s" in text
