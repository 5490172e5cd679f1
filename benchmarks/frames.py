"""How long one frame of the open popover takes: 256 sessions whose orbs all move, 60 updates a second.

In one process, on Qt's offscreen platform and at 2x. A frame is one update through the host, the bridge, the
model and the rows, at every second frame the motion's tick, and the painting of all that became due; it is
waited for, so the figure is time on the clock. The floor is the same list with nothing moving.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from statistics import median, quantiles

from benchmarks.report import Result
from orbtile.palette.states import State
from orbtile.protocol.registration import Palette, Registration
from orbtile.protocol.session import Message, SessionUpdate
from tests.fakes.hosts import AdapterClient, Host, make_update

ADAPTERS = 8
SESSIONS = 32
UPDATES_PER_S = 60
SECONDS = 20
SCALE = 2
MOST_MS = 16
MOVING = (
    State.STREAMING,
    State.TOOL,
    State.THINKING,
    State.COMPACTING,
    State.STARTING,
    State.WAITING_PERMISSION,
    State.WAITING_QUESTION,
)
WORDS = ("the", "hue", "turns", "with", "lightness", "so", "every", "ramp", "is", "its", "own")


class Frames:
    """The popover, open, over eight adapters with 32 sessions each, and the one who sends them updates."""

    def __init__(self) -> None:
        from PySide6.QtCore import QPoint

        from orbtile.ui.bridge import Bridge
        from orbtile.ui.models import SessionModel
        from orbtile.ui.motion import MotionClock
        from orbtile.ui.popover import Popover
        from orbtile.ui.theme import Theme

        self.random = random.Random(7)
        self.host = Host()
        self.clients: list[AdapterClient] = []
        for number in range(ADAPTERS):
            hue = 80 + number * 35
            registration = Registration(name=f"Agent {number}", palette=Palette(base_hue=hue))
            client = self.host.allowed(f"dev.bench-{number}", registration)
            for session in range(SESSIONS):
                state = MOVING[(number + session) % len(MOVING)]
                client.update(f"s{session}", make_update(f"Session {session}", state))
                self.host.clock.advance(0.1)
            self.clients.append(client)
        now_s = self.host.clock.monotonic_s
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.motion = MotionClock(now_s)
        self.theme = Theme()
        self.popover = Popover(self.bridge, self.theme, self.model, now_s, motion=self.motion)
        self.popover.open_at(QPoint(400, 2))

    def frame_ms(self, number: int) -> float:
        """One update and everything that follows from it, up to the last painted pixel."""
        from PySide6.QtCore import QCoreApplication, QEvent

        client = self.random.choice(self.clients)
        session_id, update = self._update(number)
        begun = time.perf_counter()
        client.update(session_id, update)
        self.bridge.flush()
        if number % 2:
            self.motion.tick()
        QCoreApplication.sendPostedEvents()
        QCoreApplication.sendEvent(self.popover, QEvent(QEvent.Type.UpdateRequest))
        taken_s = time.perf_counter() - begun
        self.host.clock.advance(1 / UPDATES_PER_S)
        if number % UPDATES_PER_S == 0:
            for each in self.clients:
                each.heartbeat()
        QCoreApplication.processEvents()
        return taken_s * 1000

    def _update(self, number: int) -> tuple[str, SessionUpdate]:
        """Half of them stream, a quarter change their state, which moves the row, a quarter their label."""
        session_id = f"s{self.random.randrange(SESSIONS)}"
        match number % 4:
            case 0:
                return session_id, SessionUpdate(activity=self.random.choice(MOVING))
            case 1:
                return session_id, SessionUpdate(activity=State.TOOL, tool_label=f"Bash  step {number}")
            case _:
                text = " ".join(self.random.choices(WORDS, k=40))
                message = Message(id=str(number), text=text)
                return session_id, SessionUpdate(activity=State.STREAMING, message=message)


def run_ms(frames: Frames, count: int, *, still: bool) -> list[float]:
    frames.motion.set_still(still)
    for number in range(UPDATES_PER_S * 3):  # every picture has been drawn once
        frames.frame_ms(number)
    return [frames.frame_ms(number) for number in range(count)]


def percentile(values: list[float], share: float) -> float:
    return quantiles(values, n=1000)[round(share * 1000) - 1]


def bench_frames(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    """Needs no desktop: it runs itself again, offscreen, so that the scale is its own."""
    command = [sys.executable, "-m", "benchmarks.frames", *(["--quick"] if quick else [])]
    quiet = {**environment, "QT_LOGGING_RULES": "default.warning=false"}  # what the offscreen platform lacks
    told = subprocess.run(command, env=quiet, stdout=subprocess.PIPE, text=True, check=True)
    moving, still, middle, worst = (float(word) for word in told.stdout.split())
    return [
        Result(
            name="frame, 256 rows that all move",
            value=moving,
            unit="ms (p95)",
            detail=f"median {middle:.1f}, worst {worst:.1f}; with nothing moving p95 {still:.1f}",
            demanded=MOST_MS,
        )
    ]


def main() -> None:
    from tests.fakes.qt import application
    from tests.tools.gallery import use_screen

    use_screen(SCALE)
    application()
    frames = Frames()
    count = UPDATES_PER_S * (2 if "--quick" in sys.argv else SECONDS)
    still, moving = run_ms(frames, count, still=True), run_ms(frames, count, still=False)
    print(percentile(moving, 0.95), percentile(still, 0.95), median(moving), max(moving), flush=True)
    os._exit(0)  # no window has to be taken apart for this


if __name__ == "__main__":
    main()
