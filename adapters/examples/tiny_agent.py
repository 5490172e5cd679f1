#!/usr/bin/env python3
"""A tiny agent on the SDK: it writes an answer word by word, then asks what to write next. It executes
nothing.

    python3 adapters/examples/tiny_agent.py      (in a clone; a copy of it needs the SDK installed)

A key of Orbtile may answer its question, and so may you, here: the terminal is the agent's own dialog, and
it works without Orbtile too.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import queue
import secrets
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if importlib.util.find_spec("orbtile_adapter") is None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sdk" / "python" / "src"))

from orbtile_adapter import AdapterError, APIError, Client, LeaseLostError

if TYPE_CHECKING:
    from orbtile_adapter import Event, QuestionRequest

SESSION = "run"
TOPICS = ("A haiku", "A limerick")
TEXTS = {
    "A haiku": "The build is green now, the last test went home at dusk, only fans whisper.",
    "A limerick": "There once was a key on a pad, the only quick answer we had.",
}
REGISTRATION = {
    "name": "Tiny agent",
    "palette": {"baseHue": 150, "attentionHue": 330},
    "capabilities": ["tap", "questions"],
}
LONGEST_PAUSE_S = 5.0


class TinyAgent:
    """One thread writes and asks, one hears events, one reads the terminal; answers meet in the SDK."""

    def __init__(self, pad: Client) -> None:
        self.pad = pad
        self.stopped = threading.Event()
        self.answers: queue.Queue[str] = queue.Queue()
        self.request_id = ""

    def run(self) -> None:
        """Until stopped."""
        threading.Thread(target=self.read_terminal, daemon=True).start()
        self.patiently(self.pad.connect)
        threading.Thread(target=self.hear_events, daemon=True).start()
        self.show(title="Tiny agent", activity="thinking")
        topic = TOPICS[0]
        while not self.stopped.is_set():
            self.write(TEXTS[topic])
            topic = self.ask()

    def write(self, text: str) -> None:
        """Word by word, under one message id."""
        words, message_id = text.split(), secrets.token_hex(4)
        for count in range(4, len(words) + 4, 4):
            message: Any = {"id": message_id, "text": " ".join(words[:count])}
            self.show(activity="streaming", message=message)
            self.stopped.wait(0.3)

    def show(self, **fields: Any) -> None:
        """Display fields. When Orbtile had forgotten us the SDK restores them, prompts are ours."""
        with contextlib.suppress(LeaseLostError):
            self.patiently(lambda: self.pad.upsert_session(SESSION, **fields))

    def ask(self) -> str:
        """The next topic, from wherever the first answer comes."""
        print("What next? 1 a haiku, 2 a limerick", flush=True)
        self.publish()
        while not self.stopped.is_set():
            with contextlib.suppress(queue.Empty):
                topic = self.answers.get(timeout=0.1)
                self.request_id = ""
                self.show(activity="thinking", question=None)
                return topic
            if self.pad.reconciliation_required:  # Orbtile had forgotten us: our own dialog is still open
                self.publish()
        return TOPICS[0]

    def publish(self) -> None:
        """Under a fresh id every time, also for a question that was asked before."""
        options: list[Any] = [{"label": topic} for topic in TOPICS]
        while not self.stopped.is_set():
            self.pad.reconcile()
            self.request_id = f"topic-{secrets.token_hex(6)}"
            questions: list[Any] = [{"text": "What next?", "header": "Topic", "options": options}]
            request: QuestionRequest = {"id": self.request_id, "questions": questions}
            try:
                self.patiently(partial(self.pad.ask_question, SESSION, request))
            except LeaseLostError:
                continue
            return

    def hear_events(self) -> None:
        """The SDK polls, waits while Orbtile is away, and starts again by itself."""
        while not self.stopped.is_set():
            try:
                for event in self.pad.events():
                    self.pad.apply(event, self.commit)
            except LeaseLostError:
                self.stopped.wait(0.2)  # the writing thread publishes again
            except AdapterError as error:
                print(f"tiny_agent: {error}", file=sys.stderr, flush=True)
                self.stopped.wait(1)

    def commit(self, event: Event) -> None:
        """Our own transaction. The SDK calls it once, for an answer to what is asked now, or for a tap."""
        if event["type"] == "question":
            self.answers.put(TOPICS[event["picks"][0][0]])
        elif event["type"] == "tap":
            print("tiny_agent: the key was tapped", flush=True)

    def read_terminal(self) -> None:
        """The own dialog. With nobody at Orbtile it is all there is."""
        rest = b""
        while data := os.read(0, 4096):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                choice = line.strip()
                if choice not in {b"1", b"2"} or not self.request_id:
                    continue
                topic = TOPICS[int(choice) - 1]
                request_id = self.request_id

                def commit(topic: str = topic) -> None:
                    self.answers.put(topic)

                try:
                    self.pad.answer_locally(SESSION, commit, request_id=request_id)
                except AdapterError as error:  # the answer counts; the key finds out later
                    print(f"tiny_agent: {error}", file=sys.stderr, flush=True)

    def patiently(self, call: Callable[[], object]) -> None:
        """Make the call, again while Orbtile is away or busy, and not while it asks us to wait."""
        pause_s = 0.5
        while not self.stopped.is_set():
            try:
                call()
            except LeaseLostError:
                raise
            except APIError as refusal:
                if refusal.status not in {401, 404, 429} and refusal.status < 500:
                    raise
                self.stopped.wait(refusal.retry_after or pause_s)
            except AdapterError:
                self.stopped.wait(pause_s)
            else:
                return
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)


def main() -> int:
    """Run until a signal."""
    pad = Client("org.example.tiny-agent", REGISTRATION)
    agent = TinyAgent(pad)

    def stop(_number: int, _frame: FrameType | None) -> None:
        agent.stopped.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        agent.run()
    finally:
        pad.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
