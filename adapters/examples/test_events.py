"""How ``ref.py`` takes events, in process and without a socket.

    python3 -m unittest discover -s adapters/examples -p test_events.py

Standard library only, as everything here.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any


def load_ref() -> ModuleType:
    """``ref.py`` beside this file, from wherever the tests are started."""
    spec = importlib.util.spec_from_file_location("orbtile_ref", Path(__file__).with_name("ref.py"))
    if spec is None or spec.loader is None:
        raise ImportError("ref.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["orbtile_ref"] = module
    spec.loader.exec_module(module)
    return module


ref = load_ref()

APPROVAL = {"id": "a-1", "toolName": "Bash", "commandSummary": "true"}
QUESTION = {
    "id": "q-1",
    "questions": [
        {"text": "Which?", "multiSelect": True, "options": [{"label": "A"}, {"label": "B"}]},
        {"text": "Now?", "options": [{"label": "Yes"}, {"label": "No"}]},
    ],
}


class EventsTest(unittest.TestCase):
    """A consumer whose clocks stand still, at 1000 (epoch) and 50 (monotonic), until a test moves them."""

    def setUp(self) -> None:
        self.epoch = 1_000.0
        self.now = 50.0
        self.taken: list[Any] = []
        self.consumer = ref.EventConsumer(lambda: self.epoch, lambda: self.now)
        self.consumer.ask("approval", APPROVAL, "run")
        self.consumer.ask("question", QUESTION, "run", "vm")

    def decision(self, **changes: Any) -> dict[str, Any]:
        at = {"sessionId": "run", "host": "local", "requestId": "a-1"}
        return {"sequence": 1, "type": "approval", **at, "decision": "allow", "expiresAt": 1_100, **changes}

    def picks(self, **changes: Any) -> dict[str, Any]:
        event = {"sequence": 1, "type": "question", "sessionId": "run", "host": "vm", "requestId": "q-1"}
        return {**event, "picks": [[0, 1], [1]], "expiresAt": 1_100, **changes}

    def apply(self, event: dict[str, Any]) -> bool:
        return bool(self.consumer.apply(event, self.taken.append))

    def test_a_decision_is_applied_once_and_moves_the_cursor(self) -> None:
        self.assertTrue(self.apply(self.decision()))
        self.assertFalse(self.apply(self.decision()))
        self.assertEqual((len(self.taken), self.consumer.cursor), (1, 1))

    def test_a_consumed_request_takes_no_second_answer(self) -> None:
        self.apply(self.decision())
        self.assertFalse(self.apply(self.decision(sequence=2, decision="deny")))
        self.assertEqual((len(self.taken), self.consumer.cursor), (1, 2))

    def test_what_does_not_fit_is_discarded_and_acknowledged(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"requestId": "a-2"},
            {"sessionId": "other"},
            {"host": "vm"},
            {"type": "question"},
            {"type": "reboot"},
            {"decision": "perhaps"},
            {"decision": None},
            {"expiresAt": 1_000},
            {"expiresAt": "tomorrow"},
        ]
        for sequence, changes in enumerate(wrong, 1):
            with self.subTest(changes):
                self.assertFalse(self.apply(self.decision(sequence=sequence, **changes)))
                self.assertEqual(self.consumer.cursor, sequence)
        self.assertEqual(self.taken, [])
        self.assertTrue(self.apply(self.decision(sequence=99)))

    def test_picks_fit_the_questions_or_are_discarded(self) -> None:
        wrong: list[Any] = [None, [], [[0]], [[0], []], [[0, 0], [1]], [[0], [0, 1]], [[2], [0]]]
        wrong += [[[-1], [0]], [[True], [0]]]
        for sequence, picks in enumerate(wrong, 1):
            with self.subTest(picks):
                self.assertFalse(self.apply(self.picks(sequence=sequence, picks=picks)))
        self.assertTrue(self.apply(self.picks(sequence=99)))

    def test_the_request_runs_out_by_its_own_clock_too(self) -> None:
        self.now = 50.0 + 120
        self.assertFalse(self.apply(self.decision(expiresAt=10_000)))
        self.assertTrue(self.apply(self.picks(sequence=2)))

    def test_a_commit_that_fails_leaves_everything_as_it_was(self) -> None:
        def fail(_answer: Any) -> None:
            raise RuntimeError("the window is gone")

        with self.assertRaises(RuntimeError):
            self.consumer.apply(self.decision(), fail)
        self.assertEqual(self.consumer.cursor, 0)
        self.assertTrue(self.apply(self.decision()))

    def test_an_answer_here_makes_the_late_key_press_nothing(self) -> None:
        self.assertTrue(self.consumer.answer_here("a-1", {"word": "deny"}, self.taken.append))
        self.assertFalse(self.apply(self.decision()))
        self.assertEqual(self.taken, [{"word": "deny"}])
        self.assertEqual(self.consumer.cursor, 1)

    def test_a_key_press_makes_the_late_answer_here_nothing(self) -> None:
        self.apply(self.decision())
        self.assertFalse(self.consumer.answer_here("a-1", {"word": "deny"}, self.taken.append))
        self.assertEqual(len(self.taken), 1)

    def test_of_two_answers_at_the_same_moment_one_is_taken(self) -> None:
        for round_number in range(200):
            request = {**APPROVAL, "id": f"r-{round_number}"}
            self.consumer.ask("approval", request, "run")
            event = self.decision(sequence=round_number + 1, requestId=request["id"])
            won: list[bool] = []

            def here(request_id: str = request["id"], won: list[bool] = won) -> None:
                won.append(self.consumer.answer_here(request_id, {"word": "deny"}, self.taken.append))

            def key(event: dict[str, Any] = event, won: list[bool] = won) -> None:
                won.append(self.apply(event))

            threads = [threading.Thread(target=here), threading.Thread(target=key)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(won), [False, True])
        self.assertEqual(len(self.taken), 200)

    def test_a_tap_is_taken_once(self) -> None:
        tap = {"sequence": 1, "type": "tap", "sessionId": "run", "host": "local"}
        self.assertTrue(self.apply(tap))
        self.assertFalse(self.apply(tap))

    def test_a_new_registration_counts_from_zero_and_keeps_no_request(self) -> None:
        self.apply(self.picks(sequence=7))
        self.consumer.forget()
        self.assertEqual(self.consumer.cursor, 0)
        self.assertFalse(self.apply(self.decision()))
        self.assertEqual(len(self.taken), 1)

    def test_an_event_without_a_sequence_is_nothing(self) -> None:
        self.assertFalse(self.apply(self.decision(sequence=None)))
        self.assertEqual(self.consumer.cursor, 0)


if __name__ == "__main__":
    unittest.main()
