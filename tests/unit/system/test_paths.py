"""The path rules of all systems, on whichever this runs."""

import hashlib
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from orbtile.system.paths import Edition, Machine, Platform, resolve_paths


def linux(*, private: bool = True, home: str = "/home/ada") -> Machine:
    return Machine(
        platform=Platform.LINUX, home=home, cwd="/srv/cwd", uid=1000, is_private_folder=lambda _: private
    )


MAC = Machine(
    platform=Platform.MACOS,
    home="/Users/ada",
    cwd="/srv/cwd",
    uid=501,
    is_private_folder=lambda _: True,
)
WINDOWS = Machine(
    platform=Platform.WINDOWS,
    home=r"C:\Users\ada",
    cwd=r"D:\work",
    uid=0,
    is_private_folder=lambda _: True,
)


def test_linux_keeps_its_files_in_the_xdg_data_folder() -> None:
    paths = resolve_paths(linux(), Edition.STANDARD, {})
    assert str(paths.data_dir) == "/home/ada/.local/share/Orbtile"
    assert str(paths.discovery_file) == "/home/ada/.local/share/Orbtile/adapter-api.json"
    assert str(paths.settings_file) == "/home/ada/.local/share/Orbtile/settings.json"
    assert str(paths.consents_file) == "/home/ada/.local/share/Orbtile/consents.json"
    assert str(paths.lock_file) == "/home/ada/.local/share/Orbtile/run/lock"
    assert str(paths.hook_token_file) == "/home/ada/.local/share/Orbtile/run/hook-token"
    assert str(paths.endpoint_file) == "/home/ada/.local/share/Orbtile/run/endpoint.json"
    assert str(paths.log_file) == "/home/ada/.local/share/Orbtile/logs/orbtile.log"
    assert not paths.discovery_is_moved


def test_linux_follows_xdg_data_home() -> None:
    paths = resolve_paths(linux(), Edition.STANDARD, {"XDG_DATA_HOME": "/data/ada"})
    assert str(paths.discovery_file) == "/data/ada/Orbtile/adapter-api.json"


@pytest.mark.parametrize("value", ["", "data", "./data", "~/data"])
def test_linux_ignores_an_xdg_data_home_that_is_not_absolute(value: str) -> None:
    paths = resolve_paths(linux(), Edition.STANDARD, {"XDG_DATA_HOME": value})
    assert str(paths.data_dir) == "/home/ada/.local/share/Orbtile"


def test_the_enterprise_edition_has_its_own_folders_on_linux() -> None:
    paths = resolve_paths(linux(), Edition.ENTERPRISE, {"XDG_RUNTIME_DIR": "/run/user/1000"})
    assert str(paths.discovery_file) == "/home/ada/.local/share/Orbtile Enterprise/adapter-api.json"
    assert str(paths.socket_path) == "/run/user/1000/orbtile-enterprise/hooks.sock"


def test_the_store_edition_is_the_standard_one_outside_windows() -> None:
    env = {"XDG_RUNTIME_DIR": "/run/user/1000"}
    assert resolve_paths(linux(), Edition.STORE, env) == resolve_paths(linux(), Edition.STANDARD, env)


def test_the_linux_socket_is_in_a_private_runtime_folder() -> None:
    paths = resolve_paths(linux(), Edition.STANDARD, {"XDG_RUNTIME_DIR": "/run/user/1000"})
    assert str(paths.socket_path) == "/run/user/1000/orbtile/hooks.sock"


def test_the_linux_socket_is_in_the_data_folder_where_the_runtime_folder_is_open_to_others() -> None:
    paths = resolve_paths(linux(private=False), Edition.STANDARD, {"XDG_RUNTIME_DIR": "/run/user/1000"})
    assert str(paths.socket_path) == "/home/ada/.local/share/Orbtile/run/hooks.sock"


@pytest.mark.parametrize("value", ["", "run/user/1000"])
def test_linux_ignores_a_runtime_folder_that_is_not_absolute(value: str) -> None:
    paths = resolve_paths(linux(), Edition.STANDARD, {"XDG_RUNTIME_DIR": value})
    assert str(paths.socket_path) == "/home/ada/.local/share/Orbtile/run/hooks.sock"


def test_a_moved_data_folder_takes_everything_with_it() -> None:
    env = {"ORBTILE_DATA_DIR": "/srv/orb", "XDG_RUNTIME_DIR": "/run/user/1000", "XDG_DATA_HOME": "/data"}
    paths = resolve_paths(linux(), Edition.STANDARD, env)
    assert str(paths.data_dir) == "/srv/orb"
    assert str(paths.settings_file) == "/srv/orb/settings.json"
    assert str(paths.discovery_file) == "/srv/orb/adapter-api.json"
    assert str(paths.socket_path) == "/srv/orb/run/hooks.sock"


def test_the_command_line_moves_the_data_folder_before_the_environment_does() -> None:
    paths = resolve_paths(linux(), Edition.STANDARD, {"ORBTILE_DATA_DIR": "/srv/orb"}, data_dir="/tmp/o")
    assert str(paths.data_dir) == "/tmp/o"


def test_a_moved_discovery_file_takes_nothing_with_it() -> None:
    env = {"ORBTILE_API_FILE": "/tmp/x/api.json", "ORBTILE_DATA_DIR": "/srv/orb"}
    paths = resolve_paths(linux(), Edition.STANDARD, env)
    assert str(paths.discovery_file) == "/tmp/x/api.json"
    assert paths.discovery_is_moved
    assert str(paths.data_dir) == "/srv/orb"


def test_relative_values_of_our_own_variables_start_at_the_working_folder() -> None:
    env = {"ORBTILE_API_FILE": "api.json", "ORBTILE_DATA_DIR": "orb"}
    paths = resolve_paths(linux(), Edition.STANDARD, env)
    assert str(paths.discovery_file) == "/srv/cwd/api.json"
    assert str(paths.data_dir) == "/srv/cwd/orb"


def test_empty_values_of_our_own_variables_count_as_unset() -> None:
    env = {"ORBTILE_API_FILE": "", "ORBTILE_DATA_DIR": ""}
    assert resolve_paths(linux(), Edition.STANDARD, env) == resolve_paths(linux(), Edition.STANDARD, {})


@pytest.mark.parametrize(("length", "fits"), [(107, True), (108, False)])
def test_a_linux_socket_path_may_have_107_bytes(length: int, fits: bool) -> None:
    data = "/" + "d" * (length - len("//run/hooks.sock"))
    paths = resolve_paths(linux(), Edition.STANDARD, {"ORBTILE_DATA_DIR": data})
    assert (str(paths.socket_path) == f"{data}/run/hooks.sock") is fits


@pytest.mark.parametrize(("length", "fits"), [(103, True), (104, False)])
def test_a_macos_socket_path_may_have_103_bytes(length: int, fits: bool) -> None:
    data = "/" + "d" * (length - len("//run/hooks.sock"))
    paths = resolve_paths(MAC, Edition.STANDARD, {"ORBTILE_DATA_DIR": data})
    assert (str(paths.socket_path) == f"{data}/run/hooks.sock") is fits


def test_bytes_count_not_characters() -> None:
    data = "/" + "ü" * 60  # 76 characters with the rest, 137 bytes
    paths = resolve_paths(linux(), Edition.STANDARD, {"ORBTILE_DATA_DIR": data})
    assert str(paths.socket_path).startswith("/tmp/orbtile-1000-")


def test_a_socket_path_that_is_too_long_moves_to_a_folder_named_after_the_user_and_the_data_folder() -> None:
    data = "/" + "d" * 120
    env = {"ORBTILE_DATA_DIR": data, "TMPDIR": "/var/tmp"}
    digest = hashlib.sha256(data.encode()).hexdigest()[:12]
    paths = resolve_paths(linux(), Edition.STANDARD, env)
    assert str(paths.socket_path) == f"/var/tmp/orbtile-1000-{digest}/hooks.sock"
    assert str(paths.lock_file) == f"{data}/run/lock"


@pytest.mark.parametrize("tmpdir", ["", "tmp", "/" + "t" * 100])
def test_the_short_socket_path_is_under_tmp_where_tmpdir_is_of_no_use(tmpdir: str) -> None:
    env = {"ORBTILE_DATA_DIR": "/" + "d" * 120, "TMPDIR": tmpdir}
    paths = resolve_paths(linux(), Edition.STANDARD, env)
    assert str(paths.socket_path).startswith("/tmp/orbtile-1000-")


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ({"/var/tmp/o"}, "/var/tmp/o-2"),
        ({"/var/tmp/o", "/var/tmp/o-2"}, "/var/tmp/o-3"),
        ({f"/var/tmp/o{end}" for end in ("", *(f"-{n}" for n in range(2, 10)))}, "/tmp/o"),
    ],
)
def test_a_short_folder_that_somebody_has_taken_is_passed_over(taken: set[str], expected: str) -> None:
    data = "/" + "d" * 120
    short = f"orbtile-1000-{hashlib.sha256(data.encode()).hexdigest()[:12]}"
    names = {path.replace("/o", f"/{short}") for path in taken}
    machine = replace(linux(), may_be_private_folder=lambda path: path not in names)
    paths = resolve_paths(machine, Edition.STANDARD, {"ORBTILE_DATA_DIR": data, "TMPDIR": "/var/tmp"})
    assert str(paths.socket_path) == expected.replace("/o", f"/{short}") + "/hooks.sock"


def test_where_every_short_folder_is_taken_the_listener_finds_out() -> None:
    machine = replace(linux(), may_be_private_folder=lambda _: False)
    paths = resolve_paths(machine, Edition.STANDARD, {"ORBTILE_DATA_DIR": "/" + "d" * 120})
    assert str(paths.socket_path).startswith("/tmp/orbtile-1000-")


def test_a_data_folder_that_is_a_link_of_ours_is_the_one_behind_it() -> None:
    machine = replace(linux(), behind_own_links=lambda path: path.replace("/home/ada", "/disk"))
    paths = resolve_paths(machine, Edition.STANDARD, {})
    assert str(paths.data_dir) == "/disk/.local/share/Orbtile"
    assert str(paths.lock_file) == "/disk/.local/share/Orbtile/run/lock"


def test_a_data_folder_whose_name_is_not_utf_8_still_has_a_short_socket_path() -> None:
    name = b"\xff" * 120
    env = {"ORBTILE_DATA_DIR": "/" + name.decode("utf-8", "surrogateescape")}
    paths = resolve_paths(linux(), Edition.STANDARD, env)
    digest = hashlib.sha256(b"/" + name).hexdigest()[:12]
    assert str(paths.socket_path) == f"/tmp/orbtile-1000-{digest}/hooks.sock"


def test_macos_keeps_everything_in_application_support() -> None:
    paths = resolve_paths(MAC, Edition.STANDARD, {"XDG_RUNTIME_DIR": "/run", "XDG_DATA_HOME": "/data"})
    folder = "/Users/ada/Library/Application Support/Orbtile"
    assert str(paths.discovery_file) == f"{folder}/adapter-api.json"
    assert str(paths.socket_path) == f"{folder}/run/hooks.sock"


def test_the_enterprise_edition_has_its_own_folder_on_macos() -> None:
    paths = resolve_paths(MAC, Edition.ENTERPRISE, {})
    folder = "/Users/ada/Library/Application Support/Orbtile Enterprise"
    assert str(paths.discovery_file) == f"{folder}/adapter-api.json"


@pytest.mark.parametrize(
    ("edition", "env", "folder"),
    [
        (
            Edition.STANDARD,
            {"LOCALAPPDATA": r"C:\Users\ada\AppData\Local"},
            r"C:\Users\ada\AppData\Local\Orbtile\Windows",
        ),
        (
            Edition.ENTERPRISE,
            {"LOCALAPPDATA": r"E:\Local"},
            r"E:\Local\Orbtile Enterprise\Windows",
        ),
        (Edition.STANDARD, {}, r"C:\Users\ada\AppData\Local\Orbtile\Windows"),
        (Edition.STORE, {"USERPROFILE": r"E:\ada", "LOCALAPPDATA": r"E:\Local"}, r"E:\ada\.orbtile"),
        (Edition.STORE, {}, r"C:\Users\ada\.orbtile"),
    ],
)
def test_windows_has_a_folder_for_each_edition_and_no_socket(
    edition: Edition, env: dict[str, str], folder: str
) -> None:
    paths = resolve_paths(WINDOWS, edition, env)
    assert paths.data_dir == PureWindowsPath(folder)
    assert paths.discovery_file == PureWindowsPath(folder, "adapter-api.json")
    assert paths.hook_token_file == PureWindowsPath(folder, "run", "hook-token")
    assert paths.socket_path is None


def test_windows_paths_may_be_moved_to_another_drive() -> None:
    env = {"ORBTILE_DATA_DIR": r"F:\orb", "ORBTILE_API_FILE": "api.json"}
    paths = resolve_paths(WINDOWS, Edition.STORE, env)
    assert paths.data_dir == PureWindowsPath(r"F:\orb")
    assert paths.discovery_file == PureWindowsPath(r"D:\work\api.json")


def test_paths_become_real_ones_on_this_machine() -> None:
    pure = resolve_paths(linux(), Edition.STANDARD, {})
    here = pure.here()
    assert all(
        PurePosixPath(getattr(here, name)) == getattr(pure, name)
        for name in ("data_dir", "run_dir", "discovery_file", "socket_path", "lock_file", "log_file")
    )
    assert resolve_paths(WINDOWS, Edition.STANDARD, {}).here().socket_path is None
