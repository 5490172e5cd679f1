"""The cost of an update through the host, the bridge and the interface's model, by the number of sessions.

In one process and without a socket, so that it counts instructions of ours rather than how cold the machine's
memory is; ``sessions`` measures the same from outside.
"""

import os
import time
from collections.abc import Mapping
from statistics import median

from benchmarks.report import Result, spread
from orbtile.palette.states import State
from orbtile.protocol.session import SessionUpdate
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from tests.fakes.hosts import AdapterClient, Host, make_update

UPDATES = 200
STATES = (State.THINKING, State.TOOL)


class Crowd:
    """``adapters`` times ``sessions`` sessions, of which one is updated."""

    def __init__(self, adapters: int, sessions: int) -> None:
        self.host = Host()
        self.clients: list[AdapterClient] = []
        for number in range(adapters):
            client = self.host.allowed(f"dev.bench-{number}")
            self.host.clock.advance(5)
            for session in range(sessions):
                client.update(f"s{session}", make_update(f"Session {session}"))
                self.host.clock.advance(0.1)
            self.clients.append(client)
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)

    def update_s(self) -> float:
        """CPU seconds of one update that moves the session in the list, and of telling the model."""
        before = time.process_time()
        for number in range(UPDATES):
            update = SessionUpdate(status_detail=str(number), activity=STATES[number % 2])
            self.clients[0].update("s0", update)
            self.bridge.flush()
            self.host.clock.advance(0.06)
        return (time.process_time() - before) / UPDATES


def bench_scaling(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    """Needs no desktop: ``environment`` is not used."""
    del environment
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tests.fakes.qt import application

    application()
    one, many = Crowd(1, 1), Crowd(8, 32)
    ones, manys = [], []
    for _ in range(5 if quick else 25):
        ones.append(one.update_s())
        manys.append(many.update_s())
    return [
        Result(
            name="update in process, 256 sessions vs 1",
            value=median(manys) / median(ones),
            unit="x the floor",
            detail=f"{spread(manys, 'us', 1_000_000)}, floor {spread(ones, 'us', 1_000_000)}",
            demanded=1.1,
        )
    ]
