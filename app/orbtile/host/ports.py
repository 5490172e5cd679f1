"""What the host needs of the world, by role. Implementations live at the edges; ``tests/fakes`` mirrors this
file.

Owns the interfaces only. Must not import an edge.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from orbtile.host.records import ConsentRecord
from orbtile.host.settings import Settings
from orbtile.protocol.registration import Registration

_Parsed = TypeVar("_Parsed")
Parse: TypeAlias = Callable[[Registration], tuple[_Parsed, Sequence[str]]]
"""Reads a body as an adapter that is registered so may send it: the value, and the warnings for the reply.
Raises ``ApiError`` 400 and 422. The form of a body is the server's matter.
"""


class Clock(Protocol):
    """Two readings: leases, TTLs and buckets use monotonic seconds; ``expiresAt`` and what people read use
    epoch seconds.
    """

    def monotonic_s(self) -> float: ...
    def epoch_s(self) -> float: ...


class TokenSource(Protocol):
    """Secrets: the bearer token and the owner tokens."""

    def new_token(self) -> str:
        """A fresh 256-bit token as 43 characters of base64url."""
        ...

    def matches(self, presented: str, expected: str) -> bool:
        """Whether the two are equal, compared in constant time; any text may be presented."""
        ...

    def prove(self, token: str, nonce: str) -> str:
        """hex(HMAC-SHA256(key: token, message: nonce)), spec section 2."""
        ...


class Processes(Protocol):
    """The system's process table."""

    def is_own_live(self, pid: int) -> bool:
        """Whether ``pid`` is alive now and belongs to this user."""
        ...


class AppBundles(Protocol):
    """The applications that are installed, where that can be told."""

    def warnings(self, bundle_id: str) -> list[str]:
        """The developer warnings of spec "Adapter icon" that this system gives for ``icon.appBundleId``;
        mostly none.
        """
        ...

    def icon_png(self, bundle_id: str) -> bytes | None:
        """The icon of the installed application as some PNG: square, at least 56 px where there is one of
        that size. None: it is not installed, or has none. Any thread; may block.
        """
        ...


class IconImages(NamedTuple):
    """One icon as two square sRGB PNGs without metadata, 28 and 56 px wide, at most 16 384 bytes each (spec
    section 3 "Adapter icon").
    """

    px28: bytes
    px56: bytes


class IconCodec(Protocol):
    """Decodes pictures that anybody may have made, and makes harmless ones of them."""

    def render(self, png: bytes) -> IconImages:
        """The two images of ``png``. Blocks; any thread, one at a time.

        Raises ``ApiError`` 422 ``invalid_field`` for what is no valid icon and ``limit_exceeded`` for one
        that does not fit its output budget, both on ``icon.png``.
        """
        ...


class Desktop(Protocol):
    """Best effort: a False means that the system did not let us."""

    def open_url(self, url: str) -> bool: ...
    def bring_to_front(self, pid: int) -> bool: ...


class Store(Protocol):
    """Keeps documents. Returns at once; the newest value wins.

    What could not be written is the store's to try again: with the next save and when it is closed, not by a
    timer (a full disk should not be hammered). The failure comes back through ``Service.report``.
    """

    def save_settings(self, settings: Settings) -> None: ...
    def save_consents(self, records: Sequence[ConsentRecord]) -> None: ...
