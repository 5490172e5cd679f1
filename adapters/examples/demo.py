#!/usr/bin/env python3
"""A polite Orbtile adapter to run, read and copy: it plays a few made-up coding sessions.

    python3 demo.py [--sessions N] [--speed X] [--once] [--quiet]

Needs nothing but Python 3.9. The stories at the end invent what happens; what stands before them is what any
adapter needs. For one of your own keep ``Link`` and ``Session``; your agent's life takes the stories' place.

The idea: stories change what a session *should* show (``Session.wanted``), and ``Link.sync`` sends how that
differs from what Orbtile *has confirmed* (``Session.known``). Whatever goes wrong (Orbtile quits, has a new
token, asks us to slow down), the answer is the same: wait, forget what was confirmed, send everything again.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn
from urllib.parse import quote

ADAPTER_ID = "org.example.demo"
REGISTRATION = {
    "name": "Demo Agent",
    "shortName": "Demo",
    "palette": {"baseHue": 285},
    "glyph": {"monogram": "De"},
    "version": "1.0.0",
    "homepage": "https://example.org/demo-agent",
    "urlSchemes": ["https"],
}

CALL_TIMEOUT_S = 5.0
HEARTBEAT_S = 8.0  # Orbtile shows an adapter's sessions as offline after 15 s of silence
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 15.0
MAX_REPLY_BYTES = 1 << 20

Json = dict[str, object]


# --- finding Orbtile ----------------------------------------------------------------------------------------


def discovery_files(platform: str, env: Mapping[str, str], home: Path) -> list[Path]:
    """Where Orbtile may have left its discovery file, best first."""
    if env.get("ORBTILE_API_FILE"):
        return [Path(env["ORBTILE_API_FILE"])]
    if platform == "win32":
        local = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return [
            Path(env.get("USERPROFILE") or home) / ".orbtile" / "adapter-api.json",
            local / "Orbtile" / "Windows" / "adapter-api.json",
            local / "Orbtile Enterprise" / "Windows" / "adapter-api.json",
        ]
    if platform == "darwin":
        data = home / "Library" / "Application Support"
    else:
        xdg = Path(env.get("XDG_DATA_HOME", ""))
        data = xdg if xdg.is_absolute() else home / ".local" / "share"
    return [data / edition / "adapter-api.json" for edition in ("Orbtile", "Orbtile Enterprise")]


class Discovery(NamedTuple):
    """What the discovery file says: where Orbtile listens, and the token that every request carries."""

    address: str | int  # the path of a Unix-domain socket, or (on Windows) a TCP port of 127.0.0.1
    base_path: str
    token: str


def read_discovery() -> Discovery:
    """Read the file anew. No file means that the API is off or Orbtile is not running."""
    files = discovery_files(sys.platform, os.environ, Path.home())
    path = next((file for file in files if file.exists()), files[0])
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        address = str(content["socketPath"]) if "socketPath" in content else int(content["port"])
        return Discovery(address, str(content["basePath"]), str(content["token"]))
    except FileNotFoundError:
        raise UnavailableError("Orbtile is not running, or its Adapter API is off") from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UnavailableError(f"cannot use {path}: {type(error).__name__}") from None


# --- one request --------------------------------------------------------------------------------------------


class UnavailableError(Exception):
    """Orbtile cannot be used now: try again after ``wait_s``, or after a growing pause where that is None."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class UnregisteredError(Exception):
    """Orbtile does not know us: it started anew, has a new token, or did not hear of us for a minute."""


class Connection(http.client.HTTPConnection):
    """HTTP to wherever the discovery file points, with ``Host: localhost`` in any case."""

    def __init__(self, address: str | int) -> None:
        super().__init__("localhost", timeout=CALL_TIMEOUT_S)
        self.address = address

    def connect(self) -> None:
        """Called by ``request``."""
        if sys.platform != "win32" and isinstance(self.address, str):
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(CALL_TIMEOUT_S)
            self.sock.connect(self.address)
        else:
            self.sock = socket.create_connection(("127.0.0.1", int(self.address)), CALL_TIMEOUT_S)


class Reply(NamedTuple):
    """A status, the body's JSON object ({} without one), and the seconds that ``Retry-After`` names."""

    status: int
    body: Json
    retry_after_s: float | None

    def text(self, outer: str, name: str) -> str:
        """The body's ``outer.name``, empty where there is none. Unknown fields are never looked at."""
        inner = self.body.get(outer)
        return str(inner.get(name, "")) if isinstance(inner, dict) else ""

    @property
    def trouble(self) -> str:
        """What went wrong, for people."""
        return self.text("error", "message") or f"HTTP {self.status}"


def exchange(
    where: Discovery, method: str, path: str, body: Json | None = None, nonce: str | None = None
) -> Reply:
    """Send one request on a connection of its own (Orbtile closes it after the reply) and read the reply.

    The token goes into the header and nowhere else: others can read command lines, and URLs end up in logs.
    """
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {where.token}"}
    if nonce:
        headers["X-Orbtile-Nonce"] = nonce
    connection = Connection(where.address)
    try:
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, where.base_path + path, data, headers)
        response = connection.getresponse()
        raw = response.read(MAX_REPLY_BYTES)
        content = json.loads(raw) if raw else {}
        wait = response.headers.get("Retry-After", "")
        wait_s = float(wait) if wait.isdecimal() else None
        return Reply(response.status, content if isinstance(content, dict) else {}, wait_s)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnavailableError(f"Orbtile does not answer ({type(error).__name__})") from None
    finally:
        connection.close()


# --- sessions, and the link that keeps Orbtile's picture of them true ---------------------------------------


class Session:
    """One session: what it should show, and what Orbtile has confirmed."""

    def __init__(self, session_id: str, host: str, fixed: Json) -> None:
        self.id = session_id
        self.host = host
        self.fixed = fixed
        self.wanted: Json = {}
        self.known: Json = {}
        self.ended = False

    def show(self, activity: str, fields: Json) -> None:
        """Go on to ``activity``. What belonged to the one before goes away, except the last message."""
        gone = dict.fromkeys(("toolLabel", "toolKind", "statusDetail", "subagentCount"))
        message = None if activity == "starting" else self.wanted.get("message")
        self.wanted = {**self.fixed, **gone, "message": message, **fields, "activity": activity}

    def changes(self) -> Json:
        """The fields to send: Orbtile keeps what is absent, and clears what is ``null``."""
        return {name: value for name, value in self.wanted.items() if self.known.get(name) != value}

    @property
    def path(self) -> str:
        """Under the adapter's own path."""
        return f"/sessions/{quote(self.id, safe='')}"


class Link:
    """Keeps Orbtile's picture of our sessions equal to ours; lives through everything that passes."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.where: Discovery | None = None
        self.registered = False
        self.visible: str | None = None
        self.failures = 0
        self.quiet_until = 0.0  # monotonic seconds, like every time here
        self.heartbeat_due = 0.0

    def sync(self, sessions: Sequence[Session], now: float) -> None:
        """Send what changed, and a heartbeat when one is due; nothing while a pause lasts."""
        if now < self.quiet_until:
            return
        try:
            try:
                self.send(sessions, now)
            except UnregisteredError:
                self.registered = False
                self.send(sessions, now)
        except (UnavailableError, UnregisteredError) as trouble:
            self.pause(trouble, now)
        else:
            self.failures = 0

    def send(self, sessions: Sequence[Session], now: float) -> None:
        """One round. Stops at the first trouble; what was not confirmed is sent in a later round."""
        if not self.registered:
            self.register(sessions)
            self.heartbeat_due = now + HEARTBEAT_S
        for session in sessions:
            if session.ended:
                if session.known:
                    self.call("DELETE", f"{session.path}?host={quote(session.host, safe='')}")
                    session.known = {}
            elif changes := session.changes():
                sent = session.wanted
                reply = self.call("POST", session.path, {**changes, "host": session.host})
                session.known = sent
                self.tell_visible(reply)
        if now >= self.heartbeat_due:
            self.call("POST", "/heartbeat")
            self.heartbeat_due = now + HEARTBEAT_S

    def connect(self) -> Discovery:
        """Read the discovery file, and have whoever listens there prove that it knows the token, too."""
        self.where = None
        where = read_discovery()
        nonce = secrets.token_hex(16)
        reply = exchange(where, "GET", "/info", nonce=nonce)
        if reply.status in {429, 503}:
            raise UnavailableError(reply.trouble, reply.retry_after_s)
        proof = hmac.new(where.token.encode(), nonce.encode(), hashlib.sha256).hexdigest()
        if reply.status != 200 or not hmac.compare_digest(
            proof.encode(), str(reply.body.get("proof")).encode()
        ):
            raise UnavailableError("the listener did not prove that it is Orbtile")
        self.where = where
        self.say(f"connected to Orbtile {reply.body.get('version')}")
        return where

    def register(self, sessions: Sequence[Session]) -> None:
        """A new registration knows no sessions: what follows must carry them whole."""
        for session in sessions:
            session.known = {}
        reply = self.call("PUT", "", dict(REGISTRATION))
        self.registered = True
        self.visible = None
        warnings = reply.body.get("warnings")
        for warning in warnings if isinstance(warnings, list) else []:
            self.say(f"Orbtile remarks: {warning}")
        if reply.body.get("reason") == "awaiting_user":
            self.say("waiting for you: press Allow in Orbtile, Settings, Agents")
        elif reply.body.get("reason") == "disabled_by_user":
            self.say("you denied this adapter; Orbtile, Settings, Agents has a switch to show it")

    def call(self, method: str, path: str, body: Json | None = None) -> Reply:
        """A request to one of our routes. 401 means that the token is new: read the file once more."""
        target = f"/adapters/{ADAPTER_ID}{path}"
        reply = exchange(self.where or self.connect(), method, target, body)
        if reply.status == 401:
            reply = exchange(self.connect(), method, target, body)
        if 200 <= reply.status < 300:
            return reply
        code = reply.text("error", "code")
        if code == "adapter_not_registered":
            raise UnregisteredError(reply.trouble)
        if reply.status in {401, 429} or reply.status >= 500 or code == "limit_exceeded":
            raise UnavailableError(reply.trouble, reply.retry_after_s)
        sys.exit(f"demo: Orbtile refused what we sent, a fault of this adapter: {reply.trouble}")

    def pause(self, trouble: Exception, now: float) -> None:
        """Be quiet for as long as Orbtile asked; else look for it again after pauses that grow."""
        wait_s = trouble.wait_s if isinstance(trouble, UnavailableError) else None
        if wait_s is None:
            wait_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**self.failures)
            wait_s *= 0.8 + secrets.randbelow(401) / 1000  # many adapters must not all come back at once
            if self.failures == 0:
                self.say(f"{trouble}; trying again now and then")
            self.failures = min(self.failures + 1, 10)
            self.where = None
        self.quiet_until = now + wait_s

    def tell_visible(self, reply: Reply) -> None:
        """Say it when the user's decision reached us; no request is needed to learn of it."""
        visible = reply.text("session", "visible")
        if visible != self.visible:
            self.say(f"Orbtile {'shows' if visible == 'True' else 'does not show'} our sessions")
        self.visible = visible

    def goodbye(self) -> None:
        """Take our sessions away instead of letting them run out. Best effort, on the way out."""
        if self.registered and self.where:
            with contextlib.suppress(UnavailableError):
                exchange(self.where, "DELETE", f"/adapters/{ADAPTER_ID}")


# --- the stories --------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """For ``seconds`` the session shows this. ``end`` closes the session instead."""

    seconds: float
    activity: str
    fields: Json | None = None


class Story(NamedTuple):
    """A session's id, its lasting fields, and what happens, over and over."""

    id: str
    fixed: Json
    steps: tuple[Step, ...]
    host: str = "local"


def uses(seconds: float, kind: str, label: str, helpers: int = 0) -> Step:
    """A tool at work, with this many subagents."""
    return Step(seconds, "tool", {"toolKind": kind, "toolLabel": label, "subagentCount": helpers})


def says(text: str) -> tuple[Step, ...]:
    """A message that grows as a model writes it. A new id starts the key's typewriter anew."""
    words = text.split(" ")
    message_id = secrets.token_hex(4)
    return tuple(
        Step(0.5, "streaming", {"message": {"id": message_id, "text": " ".join(words[:end])}})
        for end in range(3, len(words) + 3, 3)
    )


def because(seconds: float, activity: str, detail: str) -> Step:
    """An activity and the words that explain it."""
    return Step(seconds, activity, {"statusDetail": detail})


HOME = Path.home()

# fmt: off
STORIES = (
    Story("checkout", {"title": "Fix the flaky checkout test", "cwd": f"{HOME}/shop", "pid": os.getpid()}, (
        Step(2, "starting"),
        because(4, "thinking", "Reading the failing run"),
        uses(3, "read", "Read  checkout.spec.ts"),
        uses(6, "shell", "Bash  npm test -- checkout"),
        *says("The test reads the cart before the price service has answered. I will wait for the total."),
        uses(4, "edit", "Edit  checkout.spec.ts"),
        because(20, "waitingPermission", "Bash  npx playwright install chromium"),
        uses(8, "shell", "Bash  npm test -- checkout --repeat 20"),
        *says("Twenty runs, twenty passes. The test no longer depends on timing."),
        Step(18, "done"),
    )),
    Story("billing", {"title": "Rename the billing module", "cwd": f"{HOME}/ledger", "model": "sonata-2"}, (
        Step(1, "starting"),
        because(5, "thinking", "Looking for every import"),
        *(uses(4, "delegate", f"Task  Update package {n} of 3", n) for n in (1, 2, 3)),
        uses(6, "delegate", "Task  Update scripts", 1),
        because(5, "compacting", "Making room for the rest"),
        uses(8, "shell", "Bash  pytest -q"),
        *says("All 412 tests pass with the new name. Two scripts elsewhere still use the old one."),
        Step(22, "done"),
    )),
    Story("report-7", {"title": "Build the nightly report", "project": "Reports", "model": "sonata-mini"}, (
        Step(3, "starting"),
        uses(9, "integration", "Warehouse  orders by region"),
        because(15, "error", "warehouse: connection refused"),
        because(4, "thinking", "Trying the replica"),
        uses(10, "integration", "Warehouse  orders by region, replica"),
        *says("The report is ready: three regions, one of them late."),
        Step(20, "done"),
    ), host="build-01"),
    Story("watch", {"title": "Watch for security updates", "background": True, "liveText": False}, (
        Step(1, "starting"), uses(5, "web", "Fetch  advisories"), Step(25, "idle"),
    )),
    Story("notes", {"title": "Write the release notes", "openURL": "https://example.org/notes"}, (
        Step(2, "starting"),
        uses(4, "shell", "Bash  git log v2.3..HEAD"),
        because(16, "waitingQuestion", "For users or for developers?"),
        because(5, "thinking", "Grouping 57 changes"),
        *says("Maps open twice as fast and remember where you left them. Exports keep their time zone."),
        because(14, "idle", "interrupted"),
        *says("Shortened to one page, as you asked."),
        Step(15, "done"),
    )),
    Story("trace", {"title": "Explain this stack trace", "model": "sonata-mini"}, (
        Step(2, "starting"), Step(4, "thinking"),
        *says("The pool closes while a query is still running. Await the shutdown before you close it."),
        Step(12, "done"), Step(6, "end"),
    )),
)
# fmt: on


class Part:
    """One story in play: where it is, its session, and earlier ones that Orbtile has yet to drop."""

    def __init__(self, story: Story, starts_at: float) -> None:
        self.story = story
        self.due = starts_at
        self.rounds = 0
        self.steps = iter(story.steps)
        self.sessions: list[Session] = []

    def advance(self, now: float, speed: float, *, once: bool) -> bool:
        """Go on to the step that belongs to ``now``; False when the story is over."""
        self.sessions = [session for session in self.sessions if session.known or not session.ended]
        while self.due <= now:
            step = next(self.steps, None)
            if step is not None:
                self.take(step)
                self.due = max(self.due, now - 1) + step.seconds / speed
            elif once:
                return False
            else:
                self.rounds += 1
                self.steps = iter(self.story.steps)
        return True

    def take(self, step: Step) -> None:
        if not self.sessions or self.sessions[-1].ended:
            name = f"{self.story.id}-{self.rounds}" if self.rounds else self.story.id
            self.sessions.append(Session(name, self.story.host, self.story.fixed))
        self.sessions[-1].ended = step.activity == "end"
        if not self.sessions[-1].ended:
            self.sessions[-1].show(step.activity, step.fields or {})


# --- the program --------------------------------------------------------------------------------------------


def play(link: Link, count: int, speed: float, *, once: bool) -> None:
    """Play the stories and keep Orbtile informed; returns when every story is over (``once``)."""
    start = time.monotonic()
    parts = [Part(story, start + n * 1.5 / speed) for n, story in enumerate(STORIES[:count])]
    while parts := [part for part in parts if part.advance(time.monotonic(), speed, once=once)]:
        now = time.monotonic()
        link.sync([session for part in parts for session in part.sessions], now)
        wake = max(link.quiet_until, min([link.heartbeat_due, *(part.due for part in parts)]))
        time.sleep(min(LONGEST_PAUSE_S, max(0.02, wake - time.monotonic())))


def stop(signal_number: int, _frame: object) -> NoReturn:
    """Leave through the ``finally`` in ``main``; a second signal must not cut the goodbye short."""
    signal.signal(signal_number, signal.SIG_IGN)
    sys.exit(0)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Show made-up coding sessions in Orbtile.")
    parser.add_argument("--sessions", type=int, default=len(STORIES), help="how many (1 to %(default)s)")
    parser.add_argument("--speed", type=float, default=1.0, help="how fast the stories run (default 1)")
    parser.add_argument("--once", action="store_true", help="play every story once, then leave")
    parser.add_argument("--quiet", action="store_true", help="print nothing but refusals")
    options = parser.parse_args()
    if not (1 <= options.sessions <= len(STORIES) and 0.01 <= options.speed <= 1000):
        parser.error(f"--sessions is 1 to {len(STORIES)}, --speed 0.01 to 1000")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)

    def say(text: str) -> None:
        if not options.quiet:
            print(f"demo: {text}", flush=True)

    link = Link(say)
    try:
        play(link, options.sessions, options.speed, once=options.once)
    finally:
        link.goodbye()
    return 0


if __name__ == "__main__":
    sys.exit(main())
