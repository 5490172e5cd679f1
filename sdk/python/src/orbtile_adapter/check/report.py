"""The result as a table for people and as JSON for programs.

Owns the layout. Must not know how a verdict came about.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

from orbtile_adapter.check.verdicts import Row, Verdict

_WIDTH = 100


def table(rows: Sequence[Row]) -> str:
    """One line for each scenario; a failure has its rule below, with the section."""
    width = max((len(row.title) for row in rows), default=0)
    lines = []
    for row in rows:
        seen = "" if row.verdict is _FAILED else row.seen
        lines.append(f"{row.verdict.value:<13}  {row.title:<{width}}  {seen}".rstrip())
        if row.verdict is _FAILED:
            lines += _indented(f"seen: {row.seen}")
            lines += _indented(f"rule: {row.rule}")
            lines += _indented(f"from: the protocol's section {row.section}")
    counts = [f"{sum(row.verdict is verdict for row in rows)} {verdict.value}" for verdict in Verdict]
    return "\n".join([*lines, "", ", ".join(counts)])


def as_json(rows: Sequence[Row], command: Sequence[str]) -> str:
    """The same, complete."""
    counts = {verdict.name.lower(): sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    scenarios = [
        {
            "scenario": row.scenario,
            "title": row.title,
            "verdict": row.verdict.value,
            "rule": row.rule,
            "section": row.section,
            "seen": row.seen,
            "seconds": row.seconds,
        }
        for row in rows
    ]
    return json.dumps({"command": list(command), **counts, "scenarios": scenarios}, indent=2)


_FAILED = Verdict.FAILED


def _indented(text: str) -> list[str]:
    pad = " " * 15
    return textwrap.wrap(text, _WIDTH, initial_indent=pad, subsequent_indent=f"{pad}      ")
