"""What a running instance leaves in ``<data>/run`` for the programs of the same user that talk to it.

Owns two files: the hook token, which opens ``/control`` and ``/hooks`` (a secret, removed on quit), and the
endpoint, which says where the listener is also when the Adapter API is off. Must not open a connection.
"""

import contextlib
import json
from pathlib import Path
from typing import Final, NamedTuple

from orbtile.system.private_files import (
    clear_leftovers,
    make_private_folder,
    read_private_file,
    remove_file,
    write_private_file,
)

_LIMIT_BYTES: Final = 4096
_TOKEN_CHARACTERS: Final = 43


Address = Path | int
"""Where the listener is: a socket's path, or a port on 127.0.0.1."""


class RunningInstance(NamedTuple):
    """What the endpoint file says. ``pid`` is None where it says nothing credible."""

    address: Address
    pid: int | None


class InstanceFiles:
    """The files of one data folder, written by the instance that holds its lock, read by others."""

    def __init__(self, hook_token_file: Path, endpoint_file: Path) -> None:
        self._hook_token_file = hook_token_file
        self._endpoint_file = endpoint_file

    def write_hook_token(self, token: str) -> None:
        """Raises OSError."""
        make_private_folder(self._hook_token_file.parent)
        write_private_file(self._hook_token_file, token.encode("ascii"))

    def write_endpoint(self, address: Address, pid: int) -> None:
        """``pid`` is the process that listens. Raises OSError."""
        key, value = ("socketPath", str(address)) if isinstance(address, Path) else ("port", address)
        make_private_folder(self._endpoint_file.parent)
        write_private_file(self._endpoint_file, json.dumps({key: value, "pid": pid}).encode("ascii"))

    def remove(self) -> None:
        """On quit. Never raises; only the holder of the lock may call it."""
        for path in (self._hook_token_file, self._endpoint_file):
            with contextlib.suppress(OSError):
                remove_file(path)

    def clear_leftovers(self) -> None:
        """What a killed instance was writing. Never raises; only the holder of the lock may call it."""
        for path in (self._hook_token_file, self._endpoint_file):
            clear_leftovers(path)

    def read_hook_token(self) -> str | None:
        """The running instance's token, or None: nobody runs, or the file is not ours."""
        try:
            token = read_private_file(self._hook_token_file, _LIMIT_BYTES).decode("ascii").strip()
        except (OSError, ValueError):
            return None
        return token if len(token) == _TOKEN_CHARACTERS else None

    def read_endpoint(self) -> RunningInstance | None:
        """What the running instance says about itself, or None."""
        try:
            document = json.loads(read_private_file(self._endpoint_file, _LIMIT_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(document, dict):
            return None
        pid = _number(document.get("pid"), 0xFFFF_FFFF)
        path = document.get("socketPath")
        if isinstance(path, str) and Path(path).is_absolute():
            return RunningInstance(Path(path), pid)
        port = _number(document.get("port"), 0xFFFF)
        return None if port is None else RunningInstance(port, pid)


def _number(value: object, largest: int) -> int | None:
    """``value`` where it is a number from 1 to ``largest``."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= largest else None
