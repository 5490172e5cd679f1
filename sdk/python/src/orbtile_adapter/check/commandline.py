"""The command line of the check, and the order in which scenarios run.

Owns arguments, how many scenarios run at a time, and the exit status: 0 nothing failed, 1 something did, 2
the command could not be run.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from orbtile_adapter.check.play import Options
from orbtile_adapter.check.report import as_json, table
from orbtile_adapter.check.scenarios import SCENARIOS, Scenario, row, run
from orbtile_adapter.check.verdicts import Row, Verdict


def check(options: Options, scenarios: Sequence[Scenario] = SCENARIOS, jobs: int = 4) -> list[Row]:
    """Play the scenarios, each with a process and a host of its own, ``jobs`` at a time; the rows in their
    order.

    First contact comes first: where it fails, the others have nothing to show.
    """
    first, *others = scenarios
    rows = [run(first, options)]
    if rows[0].verdict is not Verdict.PASSED:
        why = f"{first.title.lower()} did not pass"
        return rows + [row(scenario, Verdict.NOT_EXERCISED, why) for scenario in others]
    play: Callable[[Scenario], Row] = lambda scenario: run(scenario, options)  # noqa: E731
    with ThreadPoolExecutor(jobs, thread_name_prefix="check") as pool:
        rows += pool.map(play, others)
    if any(one.scenario == "silence" and one.verdict is Verdict.FAILED for one in rows):
        return [_excused(one) for one in rows]
    return rows


def _excused(one: Row) -> Row:
    """An adapter that never speaks by itself breaks one rule, not every rule that has to wait for it."""
    if not one.fell_silent:
        return one
    return replace(one, verdict=Verdict.NOT_EXERCISED, seen="it sends nothing by itself; see silence")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the adapter that the arguments name; the exit status."""
    parser = argparse.ArgumentParser(
        prog="orbtile-adapter-check",
        description="Start an adapter against a strict host and see whether it keeps the protocol's rules.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument(
        "--only", metavar="SCENARIO", action="append", help="play this one (after first contact)"
    )
    parser.add_argument(
        "--list", action="store_true", help="print the scenarios and their rules, play nothing"
    )
    parser.add_argument(
        "--feed", action="store_true", help="the adapter shows its standard input: feed it awkward lines"
    )
    parser.add_argument(
        "--own-answer", metavar="LINE", help="a line on standard input that answers the adapter's own dialog"
    )
    parser.add_argument(
        "--jobs", type=int, default=4, help="scenarios at a time (1 for an adapter that runs once)"
    )
    parser.add_argument(
        "--patience", type=float, default=1.0, help="multiplies how long the adapter's own acts may take"
    )
    parser.add_argument(
        "command", nargs="*", metavar="COMMAND", help="the adapter and its arguments, behind --"
    )
    options = parser.parse_args(arguments)
    if options.list:
        for scenario in SCENARIOS:
            print(f"{scenario.key}: {scenario.rule} (section {scenario.section})")  # noqa: T201
        return 0
    chosen = [one for one in SCENARIOS if not options.only or one.key in options.only]
    unknown = set(options.only or ()) - {one.key for one in SCENARIOS}
    if unknown:
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    if not options.command:
        parser.error("name the adapter's command behind --")
    if shutil.which(options.command[0]) is None:
        parser.error(f"no such command: {options.command[0]}")
    if chosen[0] is not SCENARIOS[0]:
        chosen.insert(0, SCENARIOS[0])
    adapter = Options(tuple(options.command), options.own_answer, options.feed, options.patience)
    rows = check(adapter, chosen, max(1, options.jobs))
    print(as_json(rows, options.command) if options.json else table(rows))  # noqa: T201
    return int(any(one.verdict is Verdict.FAILED for one in rows))


if __name__ == "__main__":
    sys.exit(main())
