"""Where Orbtile is: the discovery file's places, who may have written it, what it says (protocol section 2).

Owns the order of the places and the safety rules. Must not connect, and never shows a token: not in an
error's text, not in a ``repr``.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from orbtile_adapter._errors import DiscoveryError

FILE_VARIABLE: Final = "ORBTILE_API_FILE"
FILE_NAME: Final = "adapter-api.json"

_EDITIONS: Final = ("Orbtile", "Orbtile Enterprise")
_MAX_FILE_BYTES: Final = 64 * 1024
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{1,512}")
_BASE_PATH: Final = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")
_LOOPBACK_URL: Final = re.compile(r"http://127\.0\.0\.1:(\d{1,5})/?")


class Discovery(NamedTuple):
    """``address`` is a Unix socket's path, or a TCP port of 127.0.0.1."""

    address: str | int
    base_path: str
    token: str

    def __repr__(self) -> str:
        return f"Discovery(address={self.address!r}, base_path={self.base_path!r})"


class Place(NamedTuple):
    """A path to look at. ``is_named``: the user chose it, so how it came there is theirs to know."""

    path: str
    is_named: bool = False


def places(platform: str, environ: Mapping[str, str], home: str, named: str | None = None) -> list[Place]:
    """Every place in the order of looking. ``platform`` is as in ``sys.platform``, ``named`` the caller's."""
    chosen = named or environ.get(FILE_VARIABLE)
    if chosen:
        return [Place(chosen, is_named=True)]
    if platform == "win32":
        profile = environ.get("USERPROFILE") or home
        local = environ.get("LOCALAPPDATA") or f"{profile}\\AppData\\Local"
        return [
            Place(f"{profile}\\.orbtile\\{FILE_NAME}"),  # the Store's edition
            *(Place(f"{local}\\{edition}\\Windows\\{FILE_NAME}") for edition in _EDITIONS),
        ]
    data = environ.get("XDG_DATA_HOME", "")
    if not data.startswith("/"):  # the XDG specification says to ignore relative ones
        data = f"{home}/.local/share"
    return [
        Place(f"{folder}/{edition}/{FILE_NAME}")
        for folder in (f"{home}/Library/Application Support", data)
        for edition in _EDITIONS
    ]


def first_existing(candidates: list[Place], exists: Callable[[str], bool] = os.path.lexists) -> Place:
    """The file to use; where there is none, the one that would be used."""
    return next((place for place in candidates if exists(place.path)), candidates[0])


def read_discovery(named: str | None = None) -> Discovery:
    """Look for the file anew and read it.

    Raises DiscoveryError; its ``missing`` is True where there is no file.
    """
    candidates = places(sys.platform, os.environ, os.path.expanduser("~"), named)
    return parse_discovery(read_safely(first_existing(candidates)))


def read_safely(place: Place) -> bytes:
    """The file's bytes, unless somebody else may have written them."""
    flags = os.O_RDONLY
    for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"):  # a pipe left there must not make us wait
        flags |= getattr(os, name, 0)
    if not place.is_named:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(place.path, flags)
    except FileNotFoundError:
        raise DiscoveryError("Orbtile is not running, or its Adapter API is off", missing=True) from None
    except (OSError, ValueError) as error:
        raise DiscoveryError(f"the discovery file cannot be read ({type(error).__name__})") from None
    try:
        _require_safe(os.fstat(descriptor), is_named=place.is_named)
        data = b""
        while len(data) <= _MAX_FILE_BYTES and (piece := os.read(descriptor, _MAX_FILE_BYTES)):
            data += piece
    except OSError as error:
        raise DiscoveryError(f"the discovery file cannot be read ({type(error).__name__})") from None
    finally:
        os.close(descriptor)
    if len(data) > _MAX_FILE_BYTES:
        raise DiscoveryError("the discovery file is too large")
    return data


def _require_safe(status: os.stat_result, *, is_named: bool) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise DiscoveryError("the discovery file is not a regular file")
    if sys.platform != "win32":  # there the folder's access list does this
        if status.st_uid != os.geteuid():
            raise DiscoveryError("the discovery file belongs to another user")
        mode = stat.S_IMODE(status.st_mode)
        if mode & 0o022:
            raise DiscoveryError("other users can write to the discovery file")
        if not is_named and mode != 0o600:
            raise DiscoveryError("the discovery file's mode is not 0600")


def parse_discovery(data: bytes) -> Discovery:
    """What the file says. Fields that are not known here are ignored."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise DiscoveryError("the discovery file is not JSON") from None
    if not isinstance(content, dict) or isinstance(content.get("api"), bool) or content.get("api") != 1:
        raise DiscoveryError("the discovery file is not of version 1 of the Adapter API")
    token, base_path = content.get("token"), content.get("basePath")
    if not (isinstance(token, str) and _TOKEN.fullmatch(token)):
        raise DiscoveryError("the discovery file holds no usable token")
    if not (isinstance(base_path, str) and _BASE_PATH.fullmatch(base_path)):
        raise DiscoveryError("the discovery file holds no usable base path")
    return Discovery(_address(content), base_path, token)


def _address(content: dict[str, object]) -> str | int:
    path, port, url = content.get("socketPath"), content.get("port"), content.get("url")
    if path is not None and sys.platform != "win32":
        if not (isinstance(path, str) and path.startswith("/") and "\0" not in path):
            raise DiscoveryError("the discovery file names no usable socket")
        return path
    if url is not None:
        match = _LOOPBACK_URL.fullmatch(url) if isinstance(url, str) else None
        if match is None or port not in {None, int(match[1])}:
            raise DiscoveryError("the discovery file names no listener on 127.0.0.1")
        port = int(match[1])
    if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536:
        raise DiscoveryError("the discovery file names no listener")
    return port
