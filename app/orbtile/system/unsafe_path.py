"""The error for a path that must not be trusted.

Owns the exception and nothing else, so that each back end and its callers can share it.
"""

import errno


class UnsafePathError(PermissionError):
    """A path that belongs to somebody else, is a link, is open to others, or is not the kind of thing it
    should be.

    ``strerror`` is the reason for people, ``filename`` the path.
    """

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(errno.EPERM, reason, str(path))
