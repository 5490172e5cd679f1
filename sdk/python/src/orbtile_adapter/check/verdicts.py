"""What a scenario may say, and the table's row.

Owns the three verdicts. Must not know scenarios or adapters.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """How a scenario ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_EXERCISED = "not exercised"


class Broken(Exception):  # noqa: N818 - the adapter's fault, not this program's
    """The adapter broke the scenario's rule; the text says what was seen."""


class FellSilent(Broken):
    """The adapter sent nothing where something was due. One that never sends anything by itself breaks
    another rule.
    """


class NotExercised(Exception):  # noqa: N818 - nothing went wrong
    """The adapter never did what the rule is about; the text says what was missing."""


@dataclass(frozen=True)
class Row:
    """One line of the result. ``rule`` and ``section`` are the protocol's, ``seen`` is what happened."""

    scenario: str
    title: str
    verdict: Verdict
    rule: str
    section: str
    seen: str
    seconds: float
    fell_silent: bool = False
    """The verdict rests on silence alone."""
