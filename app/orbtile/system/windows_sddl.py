"""The security descriptors of our Windows files, as text (SDDL).

Pure: owns the strings, so that they are tested anywhere. Must not call the system.
"""

import re
from typing import Final

_SID: Final = re.compile(r"S-1-[0-9]{1,14}(-[0-9]{1,10}){1,15}")


def folder_sddl(sid: str) -> str:
    """Owner ``sid``; full access for ``sid`` alone, passed on to what is made inside; protected: nothing
    inherited.
    """
    return f"O:{_checked(sid)}D:P(A;OICI;FA;;;{sid})"


def file_sddl(sid: str) -> str:
    """Owner ``sid``; full access for ``sid`` alone; protected: nothing inherited."""
    return f"O:{_checked(sid)}D:P(A;;FA;;;{sid})"


def _checked(sid: str) -> str:
    """``sid`` in the textual form S-1-authority-subauthority...; ValueError for anything else."""
    if not _SID.fullmatch(sid):
        raise ValueError(f"not a security identifier: {sid!r}")
    return sid
