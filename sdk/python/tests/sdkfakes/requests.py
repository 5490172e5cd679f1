"""Requests that tests publish, and an answer that is none."""

from __future__ import annotations

from typing import Final

from orbtile_adapter import ApprovalRequest, QuestionRequest

APPROVAL: ApprovalRequest = {"id": "a1", "toolName": "Bash", "commandSummary": "npm test"}
QUESTION: QuestionRequest = {
    "id": "q1",
    "questions": [
        {"text": "Which?", "options": [{"label": "A"}, {"label": "B"}]},
        {"text": "All?", "multiSelect": True, "options": [{"label": "A"}, {"label": "B"}, {"label": "C"}]},
    ],
}
LATER: Final = 2_000_000_000.0
"""Epoch seconds, after all that the tests' clock shows."""
NOT_HTTP: Final = b"\x00"
