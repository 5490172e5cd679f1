"""The discovery file: how adapters find the API while it is on (spec section 2).

Owns the file's fields, its birth and its end, and whose file it is that stands there. Must not decide when
the API is on.
"""

import json
import socket
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Final

from orbtile.protocol import limits
from orbtile.system.private_files import (
    UnsafePathError,
    clear_leftovers,
    make_private_folder,
    read_private_file,
    remove_file,
    require_safe_folder,
    write_private_file,
)

BASE_PATH: Final = "/a/v1"

_LIMIT_BYTES: Final = 64 * 1024


class Standing(Enum):
    """What is found at the path."""

    OURS = "ours"
    """What the last ``write`` wrote, to the letter."""
    ANOTHERS = "another's"
    """The file of another instance that runs and listens where its file says."""
    NOTHING = "nothing"
    """No file, or one of no use: broken, not a discovery file, of an instance that has ended, or an old one
    of ours.
    """


class DiscoveryFile:
    """Written when the API is on and the listener listens, removed when either ends.

    ``pid`` is this process. ``folder_is_shared``: the user named the file, so its folder may hold other
    things, and other instances may have been told to use the same file.
    """

    def __init__(self, path: Path, *, pid: int, folder_is_shared: bool = False) -> None:
        self._path = path
        self._pid = pid
        self._folder_is_shared = folder_is_shared
        self._tokens: frozenset[str] = frozenset()
        """Of the files of ours that may stand there: one, and two while one replaces the other."""
        self._written: dict[str, object] | None = None

    def write(self, endpoint: Path | int, token: str) -> None:
        """Point adapters at a socket (its path) or at loopback TCP (its port), replacing whatever is there.

        Raises OSError when the file cannot be written for good; one of ours is removed then, since it would
        send adapters in with a token that is no longer right, or may be gone after a crash.
        """
        document: dict[str, object] = {"api": limits.API_MAJOR}
        if isinstance(endpoint, Path):
            document["socketPath"] = str(endpoint)
        else:
            document["url"] = f"http://127.0.0.1:{endpoint}"
            document["port"] = endpoint
        document |= {"basePath": BASE_PATH, "token": token, "pid": self._pid}
        self._tokens |= {token}  # also when it fails: that may be after the file has come to stand there
        self._written = None
        try:
            if self._folder_is_shared:
                require_safe_folder(self._path.parent, frozenset({self._path.name}))
            else:
                make_private_folder(self._path.parent)
            write_private_file(self._path, json.dumps(document, indent=1).encode("ascii") + b"\n")
        except OSError:
            self.remove()
            raise
        self._tokens = frozenset({token})
        self._written = document

    def look(self, is_live: Callable[[int], bool]) -> Standing:
        """Whose file stands there. Never raises. ``is_live``: whether a process is alive and this user's."""
        try:
            document = self._read()
        except (OSError, ValueError, RecursionError):
            return Standing.NOTHING
        if document == self._written:
            return Standing.OURS
        return Standing.ANOTHERS if self._is_anothers(document, is_live) else Standing.NOTHING

    def remove(self) -> bool:
        """Remove the file if it is the one this process wrote; another instance's stays. Never raises.

        What cannot be removed now is removed by a later call.
        """
        self._written = None
        if not self._tokens:
            return False
        try:
            is_gone = self._remove_if(self._is_ours)
        except OSError:
            return False
        self._tokens = frozenset()
        return is_gone

    def remove_stale(self, is_live: Callable[[int], bool]) -> bool:
        """At start, with the lock held: remove what a crashed instance left, so that adapters see "not
        running". Never raises.

        In our own folder the lock says that nobody else runs: the process id in the file may have gone to
        any other program since.
        """
        clear_leftovers(self._path)

        def is_stale(document: dict[str, object]) -> bool:
            pid = document.get("pid")
            return isinstance(pid, int) and not (
                self._folder_is_shared and self._is_anothers(document, is_live)
            )

        try:
            return self._remove_if(is_stale)
        except OSError:
            return False

    def _is_ours(self, document: dict[str, object]) -> bool:
        token = document.get("token")
        return document.get("pid") == self._pid and isinstance(token, str) and token in self._tokens

    def _is_anothers(self, document: dict[str, object], is_live: Callable[[int], bool]) -> bool:
        pid = document.get("pid")
        if not isinstance(pid, int) or pid == self._pid or not isinstance(document.get("token"), str):
            return False
        return is_live(pid) and _may_be_listened_on(document)

    def _remove_if(self, condition: Callable[[dict[str, object]], bool]) -> bool:
        """Whether the file was removed. False: none stands there, or another. OSError: nobody knows."""
        try:
            document = self._read()
        except (FileNotFoundError, UnsafePathError, ValueError, RecursionError):
            return False  # nothing that we have written
        if not condition(document):
            return False
        remove_file(self._path)
        return True

    def _read(self) -> dict[str, object]:
        """OSError where nobody knows what stands there, ValueError or RecursionError if it is no object."""
        document = json.loads(read_private_file(self._path, _LIMIT_BYTES))
        if not isinstance(document, dict):
            raise ValueError("not an object")  # noqa: TRY004 - contents of a file, not an argument
        return document


def _may_be_listened_on(document: dict[str, object]) -> bool:
    """False where a discovery file's socket is gone or nobody listens on it: an instance removes its file
    before it stops listening, so the process with its id is another program by now.
    """
    socket_path = document.get("socketPath")
    if not isinstance(socket_path, str):
        return isinstance(document.get("port"), int)
    if sys.platform == "win32":
        return False
    else:  # noqa: RET505 - type checkers of other systems follow this form
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.setblocking(False)
            try:
                probe.connect(socket_path)
            except BlockingIOError:  # a full backlog
                return True
            except (OSError, ValueError):
                return False
        return True
