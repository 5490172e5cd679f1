"""The long run (``dev.py soak``): load, comings and goings, kills. ``dev.py test`` runs a tenth of it."""

import argparse
import sys
import time
from collections.abc import Callable, Mapping

from benchmarks.desktop import desktop
from benchmarks.report import machine
from tests.tools.crash import kill_again_and_again
from tests.tools.load import come_and_go, hammer_while_used

Part = Callable[[Mapping[str, str]], str]

PARTS: dict[str, Part] = {
    "clients": lambda environment: hammer_while_used(environment, seconds=30, warm_up_s=15),
    "cycles": lambda environment: come_and_go(
        environment, cycles=10_000, warm_up_cycles=16_000, clock_speed=10, is_used=True
    ),
    "kills": lambda environment: kill_again_and_again(environment, rounds=100),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py soak", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"one or more of: {', '.join(PARTS)} (default: all)"
    )
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    print(machine())
    failed = 0
    with desktop() as where:
        print(f"on {where.description}\n")
        for name in options.parts or PARTS:
            started = time.monotonic()
            try:
                told = PARTS[name](where.environment)
                verdict = "ok    "
            except AssertionError as error:
                told = str(error)
                verdict = "FAILED"
                failed += 1
            print(f"{verdict} {name:<8} {time.monotonic() - started:5.0f} s  {told}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
