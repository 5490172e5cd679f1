"""The clock of this machine: monotonic seconds that stand still while it sleeps, and epoch seconds.

Owns which of the system's clocks is read. A sleeping laptop must expire nobody, so the clock chosen on each
system is the one that does not count sleep: CLOCK_MONOTONIC on Linux, CLOCK_UPTIME_RAW on macOS, unbiased
interrupt time on Windows.
"""

import sys
import time

if sys.platform == "win32":
    from orbtile.system.windows_api import unbiased_time_s as _awake_s
elif sys.platform == "darwin":

    def _awake_s() -> float:
        return time.clock_gettime(time.CLOCK_UPTIME_RAW)
else:

    def _awake_s() -> float:
        return time.clock_gettime(time.CLOCK_MONOTONIC)


class SystemClock:
    """Implements ``host.ports.Clock``."""

    def monotonic_s(self) -> float:
        return _awake_s()

    def epoch_s(self) -> float:
        return time.time()
