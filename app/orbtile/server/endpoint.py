"""Where a listener listens, and how its socket is bound without harm to anybody else's.

Owns the two kinds of address, the hygiene of a socket file (stale replaced, live never stolen, no symlink
followed, mode 0600) and its removal. Must not know loops, requests, or how a folder's privacy is checked
(that check comes in as ``PrepareFolder``).
"""

import contextlib
import os
import socket
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
"""The only address of a TCP endpoint: there is no public listener (spec section 1)."""

BACKLOG: Final = 128

PrepareFolder = Callable[[Path], None]
"""Makes the folder, or checks that it is ours alone (0700, our owner, no symlink). OSError: it is not, and
cannot be.
"""

PeerCheck = Callable[[socket.socket], bool]
"""Whether the process at the other end of an accepted socket runs as the same user."""


class EndpointInUseError(OSError):
    """Another process listens there; a live endpoint is never taken over."""


class UnsafeEndpointError(OSError):
    """Something that is not our own socket file stands at the path; it is left untouched."""


@dataclass(frozen=True, slots=True)
class UnixEndpoint:
    """A socket file; ``path`` must fit into the system's 103 (macOS) or 107 (Linux) bytes."""

    path: Path


@dataclass(frozen=True, slots=True)
class TcpEndpoint:
    """A port of 127.0.0.1; 0 lets the system choose."""

    port: int = 0


Endpoint = UnixEndpoint | TcpEndpoint


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Device and inode: what tells our socket file from one that took its place."""

    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class BoundSocket:
    """A bound, listening, non-blocking socket. ``file`` is the socket file's identity, None for TCP."""

    sock: socket.socket
    path: Path | None
    file: FileIdentity | None

    @property
    def port(self) -> int | None:
        """The TCP port, None for a socket file."""
        if self.path is not None:
            return None
        port: int = self.sock.getsockname()[1]
        return port

    def is_in_place(self) -> bool:
        """Whether the socket is open and its file (if any) still stands at the path."""
        if self.sock.fileno() == -1:
            return False
        return self.path is None or identity_of(self.path) == self.file

    def close(self) -> None:
        """Close the socket and remove its file, unless another one has taken the place."""
        if self.path is not None and identity_of(self.path) == self.file:
            with contextlib.suppress(OSError):
                self.path.unlink()
        self.sock.close()


def identity_of(path: Path) -> FileIdentity | None:
    """Who stands at the path itself (a symlink is not followed); None when nobody can be seen there."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return FileIdentity(status.st_dev, status.st_ino)


def bind(endpoint: Endpoint, prepare_folder: PrepareFolder) -> BoundSocket:
    """Bind and listen. OSError (its subclasses above included) when that cannot be done safely now."""
    if isinstance(endpoint, UnixEndpoint):
        prepare_folder(endpoint.path.parent)
        return _bind_unix(endpoint.path)
    return _bind_tcp(endpoint.port)


def _bind_tcp(port: int) -> BoundSocket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            # Without it Windows lets another process bind the same port and take our callers.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind((LOOPBACK, port))
        sock.listen(BACKLOG)
    except BaseException:
        sock.close()
        raise
    return BoundSocket(sock, None, None)


if sys.platform == "win32":

    def _bind_unix(path: Path) -> BoundSocket:
        raise UnsafeEndpointError(f"{path.name}: this system has no Unix-domain sockets")

else:

    def _bind_unix(path: Path) -> BoundSocket:
        _clear_the_way(path)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        file = None
        try:
            sock.setblocking(False)
            sock.bind(str(path))  # never follows a symlink, never replaces a file
            file = identity_of(path)
            # The folder is 0700, so nobody else could connect before this line; nobody at all can before
            # listen().
            path.chmod(0o600)
            sock.listen(BACKLOG)
        except BaseException:
            BoundSocket(sock, path, file).close() if file else sock.close()
            raise
        return BoundSocket(sock, path, file)

    def _clear_the_way(path: Path) -> None:
        """Remove a socket file of ours that nobody listens on; refuse everything else that stands there."""
        try:
            status = path.lstat()
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(status.st_mode):
            raise UnsafeEndpointError(f"{path.name}: what stands there is not a socket")
        if status.st_uid != os.getuid():
            raise UnsafeEndpointError(f"{path.name}: the socket belongs to another user")
        if not _refuses_connections(path):
            raise EndpointInUseError(f"{path.name}: another process listens on this socket")
        if identity_of(path) == FileIdentity(status.st_dev, status.st_ino):
            path.unlink()

    def _refuses_connections(path: Path) -> bool:
        """Only ECONNREFUSED proves that the listener is gone; a full backlog, say, proves the opposite."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.setblocking(False)
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                return True
            except OSError:
                return False
        return False
