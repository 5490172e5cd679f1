"""The discovery file: how adapters find the API while it is on (spec section 2).

Owns the file's fields, its birth and its end. Must not decide when the API is on.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from orbtile.protocol import limits
from orbtile.system.private_files import (
    make_private_folder,
    read_private_file,
    require_safe_folder,
    write_private_file,
)

BASE_PATH: Final = "/a/v1"

_LIMIT_BYTES: Final = 64 * 1024


class DiscoveryFile:
    """Written when the API is on and the listener listens, removed when either ends.

    ``pid`` is this process. ``folder_is_shared``: the user named the file, so its folder may hold other
    things.
    """

    def __init__(self, path: Path, *, pid: int, folder_is_shared: bool = False) -> None:
        self._path = path
        self._pid = pid
        self._folder_is_shared = folder_is_shared
        self._token: str | None = None

    def write(self, endpoint: Path | int, token: str) -> None:
        """Point adapters at a socket (its path) or at loopback TCP (its port), replacing whatever is there.

        Raises OSError when the file cannot be written; one of ours with an older token is removed then, since
        it would send adapters in with a token that is no longer right.
        """
        document: dict[str, object] = {"api": limits.API_MAJOR}
        if isinstance(endpoint, Path):
            document["socketPath"] = str(endpoint)
        else:
            document["url"] = f"http://127.0.0.1:{endpoint}"
            document["port"] = endpoint
        document |= {"basePath": BASE_PATH, "token": token, "pid": self._pid}
        try:
            if self._folder_is_shared:
                require_safe_folder(self._path.parent, frozenset({self._path.name}))
            else:
                make_private_folder(self._path.parent)
            write_private_file(self._path, json.dumps(document, indent=1).encode("ascii") + b"\n")
        except OSError:
            self.remove()
            raise
        self._token = token

    def remove(self) -> bool:
        """Remove the file if it is the one this process wrote; another instance's stays. Never raises."""
        token, self._token = self._token, None
        if token is None:
            return False
        return self._remove_if(lambda document: _says(document, self._pid, token))

    def remove_stale(self, is_live: Callable[[int], bool]) -> bool:
        """At start: remove what a crashed instance left, so that adapters see "not running". Never raises."""

        def is_stale(document: dict[str, object]) -> bool:
            pid = document.get("pid")
            return isinstance(pid, int) and (pid == self._pid or not is_live(pid))

        return self._remove_if(is_stale)

    def _remove_if(self, condition: Callable[[dict[str, object]], bool]) -> bool:
        try:
            document = json.loads(read_private_file(self._path, _LIMIT_BYTES))
            if isinstance(document, dict) and condition(document):
                self._path.unlink()
                return True
        except (OSError, ValueError, RecursionError):
            pass
        return False


def _says(document: dict[str, object], pid: int, token: str) -> bool:
    return document.get("pid") == pid and document.get("token") == token
