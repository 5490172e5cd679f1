"""Who is at the other end of a Unix socket.

Owns the system calls (SO_PEERCRED on Linux, LOCAL_PEERCRED on macOS) and their structures. Must not know what
the connection is for.
"""

import socket
import struct
import sys
from typing import Final

from orbtile.system.machine import own_uid

UCRED: Final = struct.Struct("@3i")
"""Linux ``struct ucred`` (unix(7)): pid, uid, gid. The ids are unsigned; those above 2**31 come out right by
the mask.
"""

XUCRED: Final = struct.Struct("@IIh2x16I")
"""macOS ``struct xucred`` (sys/ucred.h): version, uid, number of groups, padding, 16 groups."""

_XUCRED_VERSION: Final = 0
_SOL_LOCAL: Final = 0
_LOCAL_PEERCRED: Final = 0x001


def is_own_peer(connection: socket.socket) -> bool:
    """Whether the process that connected runs as this user.

    True for TCP, whose peers only the token can tell apart.
    """
    if sys.platform == "win32":
        return True
    else:  # noqa: RET505 - type checkers of other systems follow this form
        if connection.family is not socket.AF_UNIX:
            return True
        try:
            return peer_uid(connection) == own_uid()
        except (OSError, ValueError):
            return False


def peer_uid(connection: socket.socket) -> int:
    """The user id of the peer when it connected; OSError or ValueError where the system does not say."""
    if sys.platform == "linux":
        return parse_ucred(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, UCRED.size))
    else:  # noqa: RET505 - as above
        return parse_xucred(connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, XUCRED.size))


def parse_ucred(data: bytes) -> int:
    """The user id in a Linux ``struct ucred``; ValueError for another size."""
    if len(data) != UCRED.size:
        raise ValueError(f"struct ucred has {UCRED.size} bytes, not {len(data)}")
    _pid, uid, _gid = UCRED.unpack(data)
    return int(uid) & 0xFFFF_FFFF


def parse_xucred(data: bytes) -> int:
    """The user id in a macOS ``struct xucred``; ValueError for another size or version."""
    if len(data) != XUCRED.size:
        raise ValueError(f"struct xucred has {XUCRED.size} bytes, not {len(data)}")
    version, uid, *_ = XUCRED.unpack(data)
    if version != _XUCRED_VERSION:
        raise ValueError(f"struct xucred of version {version}")
    return int(uid)
