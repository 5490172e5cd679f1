"""Where everything lives: one pure function from (machine, edition, environment) to paths.

Owns the path rules of spec sections 1 and 2 and of Linux, for all systems, so that each system's rules are
tested on any of them. Must not touch the disk: what has to be looked up comes in through ``Machine``.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Final, Generic, TypeVar

API_FILE_VARIABLE: Final = "ORBTILE_API_FILE"
"""Moves the discovery file (spec section 2)."""
DATA_DIR_VARIABLE: Final = "ORBTILE_DATA_DIR"
"""Moves everything the app stores: settings, consents, logs, ``run/``, and with them the discovery file."""

DISCOVERY_NAME: Final = "adapter-api.json"
SOCKET_NAME: Final = "hooks.sock"

MAX_SOCKET_PATH_BYTES: Final = {"linux": 107, "macos": 103}
"""``sun_path`` holds 108 and 104 bytes, and the closing NUL is one of them."""

_SHORT_NAMES: Final = 9
"""So many folders are tried for a socket whose path would be too long."""


class Platform(StrEnum):
    """Whose rules hold."""

    LINUX = "linux"
    """Also the rules of any other system with Unix sockets and XDG folders."""
    MACOS = "macos"
    WINDOWS = "windows"


class Edition(StrEnum):
    """How Orbtile came to this machine (spec section 2)."""

    STANDARD = "standard"
    ENTERPRISE = "enterprise"
    STORE = "store"
    """The Microsoft Store package, whose AppData is not the one that other programs see. Elsewhere the same
    as standard.
    """

    @property
    def folder(self) -> str:
        return "Orbtile Enterprise" if self is Edition.ENTERPRISE else "Orbtile"

    @property
    def slug(self) -> str:
        return "orbtile-enterprise" if self is Edition.ENTERPRISE else "orbtile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Facts that only the running system knows.

    ``home`` and ``cwd`` are absolute paths in the system's own spelling. ``uid`` is the numeric user id
    (unused on Windows). ``is_private_folder`` says whether a folder exists, is no symlink, is this user's and
    closed to everybody else; ``may_be_private_folder``, whether it is or can be made one.
    ``behind_own_links`` gives the folder that a symlink which only this user can have made leads to, and
    everything else as it is.
    """

    platform: Platform
    home: str
    cwd: str
    uid: int
    is_private_folder: Callable[[str], bool]
    may_be_private_folder: Callable[[str], bool] = lambda _path: True
    behind_own_links: Callable[[str], str] = str


P = TypeVar("P", bound=PurePath)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths(Generic[P]):
    """``socket_path`` is None where the API is served over loopback TCP (Windows)."""

    data_dir: P
    run_dir: P
    discovery_file: P
    discovery_is_moved: bool
    """The user named the discovery file: its folder may hold other things and keeps its mode."""
    socket_path: P | None
    lock_file: P
    hook_token_file: P
    endpoint_file: P
    settings_file: P
    consents_file: P
    log_file: P

    def here(self) -> "Paths[Path]":
        """The same for use on this machine."""
        return Paths(
            data_dir=Path(self.data_dir),
            run_dir=Path(self.run_dir),
            discovery_file=Path(self.discovery_file),
            discovery_is_moved=self.discovery_is_moved,
            socket_path=None if self.socket_path is None else Path(self.socket_path),
            lock_file=Path(self.lock_file),
            hook_token_file=Path(self.hook_token_file),
            endpoint_file=Path(self.endpoint_file),
            settings_file=Path(self.settings_file),
            consents_file=Path(self.consents_file),
            log_file=Path(self.log_file),
        )


def resolve_paths(
    machine: Machine, edition: Edition, env: Mapping[str, str], *, data_dir: str | None = None
) -> Paths[PurePath]:
    """Every path of this edition on this machine.

    ``data_dir`` (the command line's) takes precedence over ``ORBTILE_DATA_DIR``; relative values of either
    and of ``ORBTILE_API_FILE`` are relative to the working folder. Empty variables count as unset.
    """
    flavour = PureWindowsPath if machine.platform is Platform.WINDOWS else PurePosixPath
    cwd = flavour(machine.cwd)
    moved_data = data_dir or env.get(DATA_DIR_VARIABLE) or None
    named: PurePath = cwd / moved_data if moved_data else _standard_data_dir(machine, edition, env)
    data = flavour(machine.behind_own_links(str(named)))
    moved_api = env.get(API_FILE_VARIABLE) or None
    run = data / "run"
    return Paths(
        data_dir=data,
        run_dir=run,
        discovery_file=cwd / moved_api if moved_api else data / DISCOVERY_NAME,
        discovery_is_moved=moved_api is not None,
        socket_path=_socket_path(machine, edition, env, data, moved=moved_data is not None),
        lock_file=run / "lock",
        hook_token_file=run / "hook-token",
        endpoint_file=run / "endpoint.json",
        settings_file=data / "settings.json",
        consents_file=data / "consents.json",
        log_file=data / "logs" / "orbtile.log",
    )


def _standard_data_dir(machine: Machine, edition: Edition, env: Mapping[str, str]) -> PurePath:
    match machine.platform:
        case Platform.MACOS:
            return PurePosixPath(machine.home, "Library", "Application Support", edition.folder)
        case Platform.WINDOWS:
            profile = env.get("USERPROFILE") or machine.home
            if edition is Edition.STORE:
                return PureWindowsPath(profile, ".orbtile")
            local = env.get("LOCALAPPDATA") or str(PureWindowsPath(profile, "AppData", "Local"))
            return PureWindowsPath(local, edition.folder, "Windows")
        case Platform.LINUX:
            xdg = _absolute(env.get("XDG_DATA_HOME"))
            return (xdg or PurePosixPath(machine.home, ".local", "share")) / edition.folder


def _absolute(value: str | None) -> PurePosixPath | None:
    """A folder variable's value; the XDG specification says to ignore relative ones."""
    path = PurePosixPath(value) if value else None
    return path if path is not None and path.is_absolute() else None


def _socket_path(
    machine: Machine, edition: Edition, env: Mapping[str, str], data: PurePath, *, moved: bool
) -> PurePath | None:
    if machine.platform is Platform.WINDOWS:
        return None
    folder = data / "run"
    if machine.platform is Platform.LINUX and not moved:
        runtime = _absolute(env.get("XDG_RUNTIME_DIR"))
        if runtime is not None and machine.is_private_folder(str(runtime)):
            folder = runtime / edition.slug
    if _fits(machine.platform, folder / SOCKET_NAME):
        return folder / SOCKET_NAME
    digest = hashlib.sha256(_encoded(data)).hexdigest()[:12]
    short = f"orbtile-{machine.uid}-{digest}"
    last_resort = PurePosixPath("/tmp")  # noqa: S108 - the folder in it is checked for owner and mode
    for temporary in (_absolute(env.get("TMPDIR")) or last_resort, last_resort):
        for suffix in ("", *(f"-{number}" for number in range(2, _SHORT_NAMES + 1))):
            path = temporary / f"{short}{suffix}" / SOCKET_NAME
            # Anybody may have taken the name in a folder that all users share.
            if _fits(machine.platform, path) and machine.may_be_private_folder(str(path.parent)):
                return path
    return last_resort / short / SOCKET_NAME


def _fits(platform: Platform, path: PurePath) -> bool:
    return len(_encoded(path)) <= MAX_SOCKET_PATH_BYTES[platform.value]


def _encoded(path: PurePath) -> bytes:
    """As the system calls get it; file names that are not UTF-8 arrive as surrogate escapes."""
    return str(path).encode("utf-8", "surrogateescape")
