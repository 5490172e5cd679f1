"""Results and how they are told: a value, the floor of the same run, and whether what is demanded holds."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One measured thing. ``demanded`` None means that it is told for information only.

    ``value`` is compared with ``demanded`` as it is: where a ratio is demanded, ``value`` is that ratio.
    """

    name: str
    value: float
    unit: str
    detail: str
    demanded: float | None = None

    @property
    def holds(self) -> bool:
        return self.demanded is None or self.value <= self.demanded

    def __str__(self) -> str:
        verdict = "      " if self.demanded is None else "ok    " if self.holds else "MISSED"
        limit = "" if self.demanded is None else f"(at most {self.demanded:g})"
        return f"{verdict} {self.name:<34} {self.value:8.2f} {self.unit:<11} {limit:<15} {self.detail}"


def spread(values: Sequence[float], unit: str, scale: float = 1.0) -> str:
    """The median with the quartiles: how far the machine's mood went."""
    low, _, high = quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3
    return f"{median(values) * scale:.1f} {unit} [{low * scale:.1f}..{high * scale:.1f}]"


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else []:
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    load = Path("/proc/loadavg").read_text().split()[0]
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} x {cpu}, {system}, load {load} at the start"
