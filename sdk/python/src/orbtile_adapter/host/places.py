"""Where the strict host can be found: the discovery file and a place for its socket (sections 1, 2 and 8).

Owns files and modes. Must not know what is served there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
from pathlib import Path

SOCKET_NAME = "hooks.sock"
LONGEST_SOCKET_PATH = 107 if sys.platform == "linux" else 103


def socket_path(discovery: Path) -> Path:
    """A path for the socket: beside the discovery file, or in a short private folder where that is too long
    or others may look. Makes the folder. Raises OSError for a folder that is not ours.
    """
    beside = discovery.parent / SOCKET_NAME
    if len(os.fsencode(beside)) <= LONGEST_SOCKET_PATH and _is_private(discovery.parent):
        return beside
    digest = hashlib.sha256(os.fsencode(discovery.absolute())).hexdigest()[:12]
    folder = Path("/tmp") / f"orbtile-mock-{_user()}-{digest}"  # noqa: S108 - checked below
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if not _is_private(folder):
        raise PermissionError(f"{folder} is not a private folder of this user")
    return folder / SOCKET_NAME


def make_folder(discovery: Path) -> None:
    """The discovery file's folder, private when it is new."""
    if not discovery.parent.exists():
        discovery.parent.mkdir(mode=0o700, parents=True)


def _is_private(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == _user() and not found.st_mode & 0o077


def _user() -> int:
    if sys.platform == "win32":
        return 0
    else:  # noqa: RET505 - a type checker for Windows skips what stands in an else
        return os.getuid()


def write_discovery(discovery: Path, address: Path | int, token: str) -> None:
    """Publish address and token, mode 0600, in one step."""
    content: dict[str, object] = {"api": 1}
    if isinstance(address, int):
        content |= {"url": f"http://127.0.0.1:{address}", "port": address}
    else:
        content["socketPath"] = str(address)
    content |= {"basePath": "/a/v1", "token": token, "pid": os.getpid()}
    handle, name = tempfile.mkstemp(prefix=".adapter-api-", dir=discovery.parent)  # 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(content, file)
        Path(name).replace(discovery)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
