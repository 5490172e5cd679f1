"""Run the benchmarks and say whether what is demanded of the application holds (``dev.py bench``)."""

import argparse
import platform
import sys
from collections.abc import Mapping
from typing import Protocol

from benchmarks.desktop import desktop
from benchmarks.frames import bench_frames
from benchmarks.icons import bench_icons
from benchmarks.palette import bench_palette
from benchmarks.report import Result, machine
from benchmarks.requests import bench_request, bench_sessions
from benchmarks.resting import bench_idle, bench_memory, bench_start
from benchmarks.scaling import bench_scaling
from benchmarks.sdk import bench_sdk


class Bench(Protocol):
    """Runs in ``environment``; ``quick`` tries the machinery out, its numbers mean little."""

    def __call__(self, environment: Mapping[str, str], *, quick: bool) -> list[Result]: ...


BENCHES: dict[str, Bench] = {
    "request": bench_request,
    "sessions": bench_sessions,
    "scaling": bench_scaling,
    "frames": bench_frames,
    "start": bench_start,
    "memory": bench_memory,
    "idle": bench_idle,
    "sdk": bench_sdk,
    "palette": bench_palette,
    "icons": bench_icons,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"one or more of: {', '.join(BENCHES)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="few repetitions, to see that it runs")
    options = parser.parse_args()
    if unknown := set(options.names) - BENCHES.keys():
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    if platform.system() != "Linux":
        parser.error("the counters these benchmarks read are Linux's")
    print(machine())
    missed = 0
    with desktop() as where:
        print(f"on {where.description}\n")
        for name in options.names or BENCHES:
            for result in BENCHES[name](where.environment, quick=options.quick):
                print(result, flush=True)
                missed += not result.holds
    print(f"\n{missed} missed" if missed else "\nall hold")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
