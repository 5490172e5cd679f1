"""``orbtile open SURFACE``: asks the running instance to show itself.

Owns the client side of ``/control``: finding the instance through its private files, checking that its socket
is ours, one request with a deadline. Must not import Qt or the server.
"""

import socket
import stat
import sys
import time
from enum import IntEnum
from pathlib import Path
from typing import Final

from orbtile.cli.parser import Surface
from orbtile.system.foreground import let_come_forward
from orbtile.system.instance import InstanceFiles
from orbtile.system.machine import is_private_folder, own_uid
from orbtile.system.paths import Paths
from orbtile.system.peer import is_own_peer

DEADLINE_S: Final = 3.0
"""For the whole request; the running instance answers within milliseconds or hangs."""

STARTING_S: Final = 5.0
"""How long a second start waits for a first one that has the lock and does not listen yet."""

_RETRY_S: Final = 0.05
_MAX_REPLY_BYTES: Final = 64 * 1024


class ExitCode(IntEnum):
    """Of ``orbtile open``. 2, a usage error, is the parser's."""

    DONE = 0
    NOT_RUNNING = 1


class NotRunningError(Exception):
    """Nobody answers there, or not as Orbtile; the text says what was found."""


def run(paths: Paths[Path], surface: Surface) -> ExitCode:
    """The command: 0 when the surface opens, else 1 with a line on stderr."""
    try:
        open_surface(paths, surface)
    except NotRunningError as error:
        print(f"orbtile: {error}", file=sys.stderr)
        return ExitCode.NOT_RUNNING
    return ExitCode.DONE


def open_surface(paths: Paths[Path], surface: Surface, *, wait_s: float = 0.0) -> None:
    """Ask the running instance to show ``surface``, for ``wait_s`` seconds again and again while nobody
    answers.

    Raises NotRunningError.
    """
    give_up_s = time.monotonic() + wait_s
    while True:
        try:
            return _ask(paths, surface)
        except NotRunningError:
            if time.monotonic() >= give_up_s:
                raise
        time.sleep(_RETRY_S)


def _ask(paths: Paths[Path], surface: Surface) -> None:
    files = InstanceFiles(paths.hook_token_file, paths.endpoint_file)
    token = files.read_hook_token()
    instance = files.read_endpoint()
    if token is None or instance is None:
        raise NotRunningError("Orbtile is not running")
    request = (
        f"POST /control/open/{surface.value} HTTP/1.1\r\n"
        "Host: localhost\r\n"
        f"Authorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\n"
        "Content-Length: 0\r\n"
        "Connection: close\r\n"
        "\r\n"
    ).encode("ascii")
    deadline_s = time.monotonic() + DEADLINE_S
    try:
        with _connect(instance.address) as connection:
            if instance.pid is not None:
                let_come_forward(instance.pid)
            _set_timeout(connection, deadline_s)
            connection.sendall(request)
            status = _read_status(connection, deadline_s)
    except OSError as error:
        raise NotRunningError("Orbtile is not running, or does not answer") from error
    if not 200 <= status < 300:
        raise NotRunningError(f"Orbtile refused to open {surface.value} (HTTP {status})")


def _connect(address: Path | int) -> socket.socket:
    """A connection to our own instance: whoever else listens there must not get the token."""
    if isinstance(address, int):
        return socket.create_connection(("127.0.0.1", address), timeout=DEADLINE_S)
    if sys.platform == "win32":
        raise NotRunningError("this system has no Unix-domain sockets")
    else:  # noqa: RET506 - type checkers of other systems follow this form
        facts = address.lstat()
        own = stat.S_ISSOCK(facts.st_mode) and facts.st_uid == own_uid()
        if not own or not is_private_folder(str(address.parent)):
            raise NotRunningError("the socket of Orbtile belongs to somebody else or is open to others")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(DEADLINE_S)
            connection.connect(str(address))
            is_ours = is_own_peer(connection)
        except BaseException:
            connection.close()
            raise
        if not is_ours:
            connection.close()
            raise NotRunningError("somebody else listens on the socket of Orbtile")
        return connection


def _set_timeout(connection: socket.socket, deadline_s: float) -> None:
    left_s = deadline_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    connection.settimeout(left_s)


def _read_status(connection: socket.socket, deadline_s: float) -> int:
    """The status of the reply, of which no more than the first line is read."""
    line = b""
    while b"\r\n" not in line and len(line) < _MAX_REPLY_BYTES:
        _set_timeout(connection, deadline_s)
        chunk = connection.recv(4096)
        if not chunk:
            break
        line += chunk
    version, _, rest = line.partition(b" ")
    code = rest[:3]
    if not version.startswith(b"HTTP/1.") or len(code) != 3 or not code.isdigit():
        raise NotRunningError("what listens there is not Orbtile")
    return int(code)
