"""Many clients at once against a running host, as hard as they can, and what must hold about the answers.

Owns the clients and their books: what each was told is kept, so that what the host shows in the end can be
compared with it. Must not know the host's insides. Sends only to the socket it is given, for a bounded time.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.client import REGISTRATION, Endpoint, Response, adapter_id, session_path

CLIENTS = 64
ADAPTERS = 8
PER_ADAPTER_RATE, PER_ADAPTER_BURST = 20, 60
RATE, BURST = 100, 100
PAUSE_S = 0.005
BACKLOG_PAUSE_S = 0.002


@dataclass
class Client:
    """One client with one session; ``acknowledged`` is the title of its last update that got 200."""

    endpoint: Endpoint
    number: int
    acknowledged: str = ""
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def adapter(self) -> int:
        return self.number % ADAPTERS

    @property
    def uid(self) -> str:
        return f"{adapter_id(self.adapter)}/local/session-{self.number // ADAPTERS}"

    def run(self, stop: threading.Event) -> None:
        path = session_path(self.adapter, self.number // ADAPTERS)
        step = 0
        while not stop.is_set():
            step += 1
            title = f"Client {self.number}, update {step}"
            message = {"id": f"m{step // 10}", "text": f"{title}. " * 8}
            body = {
                "title": title,
                "activity": ("thinking", "tool", "streaming", "done")[step % 4],
                "message": message,
            }
            try:
                response = send(self.endpoint, self.endpoint.prepare("POST", path, body))
            except (OSError, ValueError) as error:
                self.faults.append(f"{title}: {error!r}")
                continue
            self.statuses[response.status] += 1
            if response.status == 200:
                self.acknowledged = title
            elif response.status not in {429, 503} or "retry-after: " not in response.head.lower():
                self.faults.append(f"{title}: {response}")
            stop.wait(PAUSE_S)


def send(endpoint: Endpoint, request: bytes) -> Response:
    """``endpoint.send``, again while the listener's backlog is full (then connecting gives EAGAIN)."""
    while True:
        try:
            return endpoint.send(request)
        except BlockingIOError:
            time.sleep(BACKLOG_PAUSE_S)


@dataclass
class Hammering:
    """What happened in ``seconds``."""

    seconds: float
    clients: list[Client]

    @property
    def accepted(self) -> Counter[int]:
        """Updates that got 200, by adapter number."""
        counts: Counter[int] = Counter()
        for client in self.clients:
            counts[client.adapter] += client.statuses[200]
        return counts

    def complaints(self, shown: dict[str, str]) -> list[str]:
        """What is wrong, given the titles that the host shows by session uid."""
        found = [fault for client in self.clients for fault in client.faults][:10]
        found += [
            f"{client.uid} shows {shown.get(client.uid)!r}, acknowledged was {client.acknowledged!r}"
            for client in self.clients
            if client.acknowledged and shown.get(client.uid) != client.acknowledged
        ]
        for adapter, count in self.accepted.items():
            if count > PER_ADAPTER_BURST + PER_ADAPTER_RATE * self.seconds + 1:
                found.append(f"adapter {adapter} got {count} updates through in {self.seconds:.2f} s")
        total = sum(self.accepted.values())
        if total > BURST + RATE * self.seconds + 1:
            found.append(f"{total} updates got through in {self.seconds:.2f} s")
        if total < 0.95 * RATE * self.seconds:
            found.append(
                f"only {total} updates got through in {self.seconds:.2f} s: the limits are too tight"
            )
        return found

    def __str__(self) -> str:
        statuses: Counter[int] = Counter()
        for client in self.clients:
            statuses += client.statuses
        told = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))
        return f"{len(self.clients)} clients, {self.seconds:.1f} s, answers {told}"


def register_all(endpoint: Endpoint) -> None:
    for number in range(ADAPTERS):
        assert endpoint.send(
            endpoint.prepare("PUT", f"/adapters/{adapter_id(number)}", REGISTRATION)
        ).status in {200, 201}


def hammer(endpoint: Endpoint, seconds: float, meanwhile: Callable[[], None] | None = None) -> Hammering:
    """Let all clients go for ``seconds``; ``meanwhile`` is called over and over on this thread."""
    stop = threading.Event()
    clients = [Client(endpoint, number) for number in range(CLIENTS)]
    threads = [threading.Thread(target=client.run, args=(stop,), name=client.uid) for client in clients]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    try:
        while (left_s := started + seconds - time.monotonic()) > 0:
            if meanwhile is None:
                time.sleep(left_s)
            else:
                meanwhile()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    return Hammering(time.monotonic() - started, clients)


def read_pause_s(response: Response) -> float:
    """What ``Retry-After`` says, in seconds."""
    for line in response.head.splitlines():
        name, _, value = line.partition(":")
        if name.lower() == "retry-after":
            return float(value)
    return 0.0


def cycle(endpoint: Endpoint, cycles: int, identities: int = 40) -> None:
    """Register, show a session, unregister, over and over under changing ids, as fast as limits allow."""

    def call(expected: int, method: str, path: str, body: object = None) -> None:
        while True:
            response = send(endpoint, endpoint.prepare(method, path, body))
            if response.status != 429:
                break
            time.sleep(min(0.1, read_pause_s(response)))
        assert response.status == expected, response

    for number in range(cycles):
        path = f"/adapters/{adapter_id(number % identities)}"
        call(201, "PUT", path, {**REGISTRATION, "version": str(number)})
        call(200, "POST", f"{path}/sessions/one", {"title": f"Cycle {number}", "activity": "thinking"})
        call(204, "DELETE", path)
