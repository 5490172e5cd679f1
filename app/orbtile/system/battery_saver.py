"""Whether the system wants power saved: what each kind of system calls it, and how the answer is read.

Pure but for ``is_battery_saver_on``, which asks macOS or Windows now. Must not know Qt, nor what is done to
save power.
"""

import struct
import sys
from typing import Final, NamedTuple


class ProfileService(NamedTuple):
    """A name on the system bus under which power profiles are served, and the object and interface there."""

    name: str
    path: str
    interface: str


PROFILE_SERVICES: Final = (
    ProfileService(
        "org.freedesktop.UPower.PowerProfiles",
        "/org/freedesktop/UPower/PowerProfiles",
        "org.freedesktop.UPower.PowerProfiles",
    ),
    ProfileService("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "net.hadess.PowerProfiles"),
)
"""power-profiles-daemon, and what stands in for it (tuned-ppd, tlp-pd). The second is the name that it had
before version 0.20 and still answers to.
"""

ACTIVE_PROFILE: Final = "ActiveProfile"
_SAVER: Final = "power-saver"

POWER_STATUS: Final = struct.Struct("=4B2I")
"""SYSTEM_POWER_STATUS of winbase.h; the fourth byte is SystemStatusFlag, 1 while battery saver is on (it has
been 0 before Windows 10).
"""


def is_saver_profile(profile: object) -> bool:
    """Whether the value of ``ActiveProfile`` is the profile that saves power; anything else does not."""
    return profile == _SAVER


def has_saver_flag(power_status: bytes) -> bool:
    """Whether battery saver is on, by the bytes of a ``POWER_STATUS``."""
    flag: int = POWER_STATUS.unpack(power_status)[3]
    return flag == 1


def is_battery_saver_on() -> bool:
    """What macOS calls Low Power Mode and Windows battery saver (or energy saver), now. False elsewhere, and
    where the system does not say.
    """
    if sys.platform == "darwin":
        from orbtile.system.macos_power import is_low_power_mode

        return is_low_power_mode()
    elif sys.platform == "win32":  # noqa: RET505 - type checkers of other systems follow this form
        from orbtile.system.windows_api import read_power_status

        try:
            return has_saver_flag(read_power_status(POWER_STATUS.size))
        except OSError:
            return False
    else:
        return False
