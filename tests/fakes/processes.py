"""A process table that a test fills. Mirrors ``host.ports.Processes``."""


class FakeProcesses:
    def __init__(self, *live: int) -> None:
        self.live: set[int] = set(live)
        self.asked: list[int] = []

    def is_own_live(self, pid: int) -> bool:
        self.asked.append(pid)
        return pid in self.live
