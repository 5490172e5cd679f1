#!/usr/bin/env python3
"""Reference adapter: shows what comes in on standard input as one Orbtile session. Standard library only.

    make 2>&1 | ref.py --title "Build"
                                          (it ends a while after its input)
    ref.py --events                       ask for approvals and answers, here and on Orbtile's keys

Copy it: ``Link`` finds Orbtile, proves it, registers, and survives restarts, new tokens and refusals;
``EventConsumer`` applies each event once, under one lock with your own dialog. ``Agent`` is made up.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import hmac
import http.client
import json
import math
import os
import queue
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from urllib.parse import quote

HEARTBEAT_S = 5.0  # after 15 s of silence Orbtile shows the sessions as offline
CALL_TIMEOUT_S = 5.0
LONGEST_PAUSE_S = 5.0
BETWEEN_UPDATES_S = 0.25
DONE_SHOWN_S = 5.0  # the session goes with this program: long enough for people to see that it is done
MAX_BODY_BYTES = 65_536
KEPT_CHARACTERS = 4_000  # Orbtile keeps the last 4096 bytes of a message
LIFETIMES_S = {"approval": 120.0, "question": 600.0}

Json = dict[str, Any]


# --- finding Orbtile ----------------------------------------------------------------------------------------


def discovery_file(platform: str, env: Mapping[str, str], home: Path) -> Path:
    """Where Orbtile has left its discovery file, or would."""
    if env.get("ORBTILE_API_FILE"):
        return Path(env["ORBTILE_API_FILE"])
    if platform == "win32":
        local = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
        folders = [
            Path(env.get("USERPROFILE") or home) / ".orbtile",
            local / "Orbtile" / "Windows",
            local / "Orbtile Enterprise" / "Windows",
        ]
    else:
        data = home / "Library" / "Application Support"
        if platform != "darwin":
            xdg = Path(env.get("XDG_DATA_HOME", ""))
            data = xdg if xdg.is_absolute() else home / ".local" / "share"
        folders = [data / "Orbtile", data / "Orbtile Enterprise"]
    files = [folder / "adapter-api.json" for folder in folders]
    return next((file for file in files if file.exists()), files[0])


class Place(NamedTuple):
    """What the file says: a Unix socket's path or a port of 127.0.0.1, the base path, the token."""

    address: str | int
    base_path: str
    token: str


class UnavailableError(Exception):
    """Not now: try again after ``wait_s``, or after a growing pause where that is None."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class UnregisteredError(Exception):
    """Orbtile does not know us (any more): register, then send whole sessions."""


class RefusedError(Exception):
    """What we sent is wrong; sending it again would not help."""


def read_place() -> Place:
    """Read the file anew."""
    path = discovery_file(sys.platform, os.environ, Path.home())
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        address = str(content["socketPath"]) if "socketPath" in content else int(content["port"])
        return Place(address, str(content["basePath"]), str(content["token"]))
    except FileNotFoundError:
        raise UnavailableError("Orbtile is not running, or its Adapter API is off") from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UnavailableError(f"cannot use {path}: {type(error).__name__}") from None


# --- one request --------------------------------------------------------------------------------------------


class Connection(http.client.HTTPConnection):
    """HTTP over the address of a ``Place``; the ``Host`` header is always ``localhost``."""

    def __init__(self, address: str | int) -> None:
        super().__init__("localhost", timeout=CALL_TIMEOUT_S)
        self.address = address

    def connect(self) -> None:
        """Called by ``request``."""
        if sys.platform != "win32" and isinstance(self.address, str):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(CALL_TIMEOUT_S)
            self.sock.connect(self.address)
        else:
            self.sock = socket.create_connection(("127.0.0.1", int(self.address)), CALL_TIMEOUT_S)


class Reply(NamedTuple):
    """A status, the body's object ({} without one), and the seconds of ``Retry-After``."""

    status: int
    body: Json
    retry_after_s: float | None

    @property
    def code(self) -> str:
        """The error's code."""
        error = self.body.get("error")
        return str(error.get("code", "")) if isinstance(error, dict) else ""


def exchange(place: Place, method: str, path: str, body: Json | None, extra: Mapping[str, str]) -> Reply:
    """Send one request on its own connection. Tokens go into headers and nowhere else."""
    data = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    if data is not None and len(data) > MAX_BODY_BYTES:
        raise RefusedError(f"a body of {len(data)} bytes is too large")
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {place.token}", **extra}
    connection = Connection(place.address)
    try:
        connection.request(method, place.base_path + path, data, headers)
        response = connection.getresponse()
        raw = response.read()
        content = json.loads(raw) if raw else {}
        wait = response.headers.get("Retry-After", "")
        return Reply(
            response.status,
            content if isinstance(content, dict) else {},
            float(wait) if wait.isdecimal() else None,
        )
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnavailableError(f"Orbtile does not answer ({type(error).__name__})") from None
    finally:
        connection.close()


# --- the link -----------------------------------------------------------------------------------------------


class Link:
    """One registration. Safe to use from several threads; every call is a request of its own."""

    def __init__(self, adapter_id: str, registration: Json) -> None:
        self.adapter_id = adapter_id
        self.registration = registration
        self.lock = threading.Lock()
        self.place: Place | None = None
        self.owner_token = ""
        self.generation = 0
        """Counts registrations; 0 before the first."""
        self.is_registered = False

    def register(self) -> Json:
        """Register, also again; the reply."""
        with self.lock:
            self.is_registered = False
            self.owner_token = ""
        reply = self.call("PUT", "", self.registration)
        with self.lock:
            self.owner_token = str(reply.get("adapterToken", ""))
            self.generation += 1
            self.is_registered = True
        return reply

    def lost(self, generation: int) -> None:
        """That registration is gone, unless a later one was made meanwhile."""
        with self.lock:
            if self.generation == generation:
                self.is_registered = False

    def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """A request to one of our routes; its reply's body."""
        target = f"/adapters/{self.adapter_id}{path}"
        place = self.place or self.connect()
        reply = exchange(place, method, target, body, self.owner_header())
        if reply.status == 401:  # the token is new: read the file once more
            reply = exchange(self.connect(), method, target, body, self.owner_header())
        if 200 <= reply.status < 300:
            return reply.body
        if reply.code == "adapter_not_registered":
            raise UnregisteredError
        wait_out = {"limit_exceeded", "adapter_token_required", "registration_changed", "poll_pending"}
        if reply.status in {401, 429} or reply.status >= 500 or reply.code in wait_out:
            if reply.status in {401, 503} and reply.retry_after_s is None:
                self.place = None
            raise UnavailableError(f"Orbtile says {reply.code or reply.status}", reply.retry_after_s)
        error = reply.body.get("error")
        field = error.get("field") if isinstance(error, dict) else None
        raise RefusedError(f"Orbtile refused it: {reply.code or reply.status} {field or ''}".rstrip())

    def owner_header(self) -> dict[str, str]:
        """An adapter with capabilities has a token of its own."""
        return {"X-Orbtile-Adapter-Token": self.owner_token} if self.owner_token else {}

    def connect(self) -> Place:
        """Find Orbtile, and have the listener prove that it knows the token before it gets anything else."""
        self.place = None
        place = read_place()
        nonce = secrets.token_hex(16)
        reply = exchange(place, "GET", "/info", None, {"X-Orbtile-Nonce": nonce})
        proof = hmac.new(place.token.encode(), nonce.encode(), hashlib.sha256).hexdigest()
        if reply.status != 200:
            raise UnavailableError(f"Orbtile says {reply.code or reply.status}", reply.retry_after_s)
        if not hmac.compare_digest(proof.encode(), str(reply.body.get("proof")).encode()):
            raise UnavailableError("the listener did not prove that it is Orbtile")
        self.place = place
        return place

    def goodbye(self) -> None:
        """Take the sessions away; best effort."""
        if self.is_registered and self.place is not None:
            with contextlib.suppress(UnavailableError, RefusedError):
                exchange(self.place, "DELETE", f"/adapters/{self.adapter_id}", None, self.owner_header())


class Pause:
    """How long to leave Orbtile alone after trouble. Times are monotonic seconds."""

    def __init__(self) -> None:
        self.until = 0.0
        self.failures = 0

    def after(self, trouble: UnavailableError) -> None:
        """As long as it asked for, else longer and longer, and not in step with others."""
        wait_s = trouble.wait_s
        if wait_s is None:
            wait_s = min(LONGEST_PAUSE_S, 0.5 * 2**self.failures) * (0.8 + secrets.randbelow(401) / 1000)
            self.failures = min(self.failures + 1, 10)
        self.until = time.monotonic() + wait_s

    def over(self) -> None:
        """It works again."""
        self.failures = 0


# --- events -------------------------------------------------------------------------------------------------


class Prompt(NamedTuple):
    """A request that waits for its answer, wherever that is given. ``until`` is monotonic seconds."""

    kind: str
    request: Json
    session_id: str
    host: str
    until: float


Commit = Callable[[Json], None]
"""Takes an answer into your own UI, or raises and has done nothing."""


class EventConsumer:
    """Applies events one at a time. A key press and the own dialog meet under one lock, and one of them
    wins.
    """

    def __init__(
        self, epoch: Callable[[], float] = time.time, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.lock = threading.RLock()
        self.cursor = 0
        """The last event that was applied or discarded: what a poll may acknowledge."""
        self.pending: dict[str, Prompt] = {}
        self._epoch = epoch
        self._now = now

    def ask(self, kind: str, request: Json, session_id: str, host: str = "local") -> None:
        """Expect an answer. Call it before the request is sent."""
        until = self._now() + LIFETIMES_S[kind]
        with self.lock:
            self.pending[str(request["id"])] = Prompt(kind, request, session_id, host, until)

    def apply(self, event: Json, commit: Commit) -> bool:
        """Apply the event once; False: it was a duplicate, or stale, and is discarded.

        When ``commit`` raises, nothing has happened: the request waits on, and the event will come again.
        """
        with self.lock:
            sequence = event.get("sequence")
            if not isinstance(sequence, int) or sequence <= self.cursor:
                return False
            is_good = event.get("type") == "tap" or self._fits(event)
            if is_good:
                commit(event)
                self.pending.pop(str(event.get("requestId")), None)
            self.cursor = sequence
            return is_good

    def answer_here(self, request_id: str, answer: Json, commit: Commit) -> bool:
        """The own dialog was answered; False: a key was faster."""
        with self.lock:
            if request_id not in self.pending:
                return False
            commit(answer)
            del self.pending[request_id]
            return True

    def forget(self) -> None:
        """A new registration: its events count from zero, and no old request may be answered by them."""
        with self.lock:
            self.cursor = 0
            self.pending.clear()

    def _fits(self, event: Json) -> bool:
        prompt = self.pending.get(str(event.get("requestId")))
        if prompt is None or event.get("type") != prompt.kind:
            return False
        if (event.get("sessionId"), event.get("host")) != (prompt.session_id, prompt.host):
            return False
        expires_at = event.get("expiresAt")
        if (
            not isinstance(expires_at, (int, float))
            or self._epoch() >= expires_at
            or self._now() >= prompt.until
        ):
            return False
        if prompt.kind == "approval":
            return event.get("decision") in {"allow", "deny"}
        return _fit(event.get("picks"), prompt.request["questions"])


def _fit(picks: object, questions: list[Json]) -> bool:
    """Whether the picks answer the questions as they are asked now."""
    if not isinstance(picks, list) or len(picks) != len(questions):
        return False
    for pick, question in zip(picks, questions, strict=True):
        indices = range(len(question["options"]))
        if (
            not isinstance(pick, list)
            or not pick
            or any(type(at) is not int or at not in indices for at in pick)
        ):
            return False
        if len(set(pick)) != len(pick) or (len(pick) > 1 and not question.get("multiSelect")):
            return False
    return True


# --- the made-up agent --------------------------------------------------------------------------------------


class Agent:
    """What the session should show (``wanted``), what Orbtile has confirmed (``known``), and who answers."""

    def __init__(self, link: Link, title: str, *, with_events: bool) -> None:
        self.link = link
        self.with_events = with_events
        self.session = "ref"
        self.wanted: Json = {"title": title, "activity": "starting", "cwd": str(Path.cwd())[-1000:]}
        self.known: Json = {}
        self.consumer = EventConsumer()
        self.inbox: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.stopped = threading.Event()
        self.ends_at = math.inf
        self.pause = Pause()
        self.heartbeat_due = 0.0
        self.send_due = 0.0
        self.next_request_at = 0.0
        self.lines: list[str] = []
        self.messages = 0
        self.requests = 0
        self.asked: tuple[str, str] | None = None

    def run(self) -> None:
        """Until stopped. Only this thread changes ``wanted`` and sends updates."""
        threading.Thread(target=self.read_input, daemon=True).start()
        if self.with_events:
            threading.Thread(target=self.poll, daemon=True).start()
        while not self.stopped.is_set():
            with contextlib.suppress(queue.Empty):
                self.take(*self.inbox.get(timeout=0.1))
                while True:
                    self.take(*self.inbox.get_nowait())
            if self.with_events:
                self.ask_again()
            self.sync(time.monotonic())
            if time.monotonic() >= self.ends_at:
                self.stopped.set()

    def read_input(self) -> None:
        """Every line that comes in, whatever bytes it is made of. Not through ``sys.stdin``, whose lock a
        thread that waits would hold at exit.
        """
        rest = b""
        while data := os.read(0, 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for raw in lines:
                self.inbox.put(("line", raw.decode("utf-8", "replace").rstrip("\r")))
        if rest:
            self.inbox.put(("line", rest.decode("utf-8", "replace")))
        self.inbox.put(("end", None))

    def take(self, what: str, value: Any) -> None:
        """Something happened: a line, the end of the input, or an answer."""
        if what == "line" and self.asked is not None:
            self.answer_here(value)
        elif what == "line" and not self.with_events:
            self.show_line(value)
        elif what == "end" and not self.with_events:
            self.wanted["activity"] = "done"
            self.ends_at = time.monotonic() + DONE_SHOWN_S
        elif what == "answer":
            self.show_answer(value)

    def show_line(self, text: str) -> None:
        """A new message id starts the key's typewriter anew; the same one lets it go on."""
        if not self.lines or len(self.lines) >= 20:
            self.messages += 1
            self.lines = []
        self.lines.append(text[-KEPT_CHARACTERS:])
        message = {"id": f"m{self.messages}", "text": "\n".join(self.lines)[-KEPT_CHARACTERS:]}
        self.wanted = {**self.wanted, "activity": "streaming", "message": message}

    # --- sending ---

    def sync(self, now: float) -> None:
        """Make Orbtile's picture ours, and stay in touch."""
        if now < self.pause.until:
            return
        generation = self.link.generation
        try:
            if not self.link.is_registered:
                self.register()
            if self.wanted != self.known and now >= self.send_due:
                self.send()
                self.send_due = now + BETWEEN_UPDATES_S
                self.heartbeat_due = min(self.heartbeat_due, now + HEARTBEAT_S)
            if now >= self.heartbeat_due:
                self.link.call("POST", "/heartbeat")
                self.heartbeat_due = now + HEARTBEAT_S
        except UnregisteredError:
            self.link.lost(generation)
        except UnavailableError as trouble:
            if self.pause.failures == 0:
                say(str(trouble))
            self.pause.after(trouble)
        else:
            self.pause.over()

    def register(self) -> None:
        """A new registration knows no session: what follows is whole. Old requests are not asked again."""
        reply = self.link.register()
        self.known = {}
        self.consumer.forget()
        if self.asked is not None:
            self.asked = None
            self.wanted = without_request(self.wanted)
        self.heartbeat_due = time.monotonic() + HEARTBEAT_S
        if reply.get("reason") == "awaiting_user":
            say("press Allow in Orbtile, Settings, Agents")
        elif reply.get("reason") == "disabled_by_user":
            say("you denied this adapter in Orbtile")

    def send(self) -> None:
        """The fields that differ; all of them for a new session."""
        wanted = dict(self.wanted)
        changes = {name: value for name, value in wanted.items() if self.known.get(name) != value}
        changes.update({name: None for name in self.known if name not in wanted})
        if not self.known:
            changes = wanted
        self.link.call("POST", f"/sessions/{quote(self.session, safe='')}", changes)
        self.known = wanted

    # --- asking (with --events) ---

    def ask_again(self) -> None:
        """The next request, a moment after the last was answered; every one has a fresh id."""
        if self.asked is not None or not self.link.is_registered or time.monotonic() < self.next_request_at:
            return
        self.requests += 1
        request_id = f"{self.link.generation}-{self.requests}-{secrets.token_hex(4)}"
        if self.requests % 2:
            kind, activity = "approval", "waitingPermission"
            request: Json = {
                "id": request_id,
                "toolName": "Bash",
                "commandSummary": "echo only a demonstration",
            }
            say("Allow `echo only a demonstration`? y/n")
        else:
            kind, activity = "question", "waitingQuestion"
            options = [{"label": "README"}, {"label": "Protocol", "description": "API details"}]
            request = {
                "id": request_id,
                "questions": [{"text": "Which docs?", "header": "Docs", "options": options}],
            }
            say("Which docs? 1 README, 2 Protocol")
        self.asked = (kind, request_id)
        self.consumer.ask(kind, request, self.session)
        self.wanted = {**without_request(self.wanted), "activity": activity, kind: request}

    def answer_here(self, text: str) -> None:
        """A line in this terminal, which is the own dialog."""
        if self.asked is None:
            return
        kind, request_id = self.asked
        words = {"y": "allow", "n": "deny"} if kind == "approval" else {"1": "README", "2": "Protocol"}
        word = words.get(text.strip().lower())
        if word is None:
            say(f"please answer {' or '.join(words)}")
        elif not self.consumer.answer_here(request_id, {"requestId": request_id, "word": word}, self.commit):
            say("a key was faster")

    def commit(self, answer: Json) -> None:
        """Our UI's transaction: it only hands the answer to the main thread. Nothing is ever executed."""
        self.inbox.put(("answer", answer))

    def show_answer(self, answer: Json) -> None:
        """Go on, and take the request off the keys."""
        if answer.get("type") == "tap":
            say("the key was tapped")
            return
        if self.asked is None or answer.get("requestId") != self.asked[1]:
            return
        word = str(answer.get("word") or answer.get("decision") or answer.get("picks"))
        say(f"{self.asked[0]} answered: {word}")
        self.asked = None
        self.next_request_at = time.monotonic() + 1.0
        self.wanted = {
            **without_request(self.wanted),
            "activity": "thinking",
            "statusDetail": f"answered: {word}",
        }

    def poll(self) -> None:
        """Its own thread. The cursor moves only when an event was applied or discarded."""
        pause = Pause()
        while not self.stopped.wait(max(0.05, pause.until - time.monotonic())):
            generation, cursor = self.link.generation, self.consumer.cursor
            if not self.link.is_registered:
                continue
            try:
                reply = self.link.call("POST", "/events", {"after": cursor, "ack": cursor, "waitSeconds": 2})
                pause.over()
                for event in reply.get("events", []):
                    if generation == self.link.generation:
                        self.consumer.apply(event, self.commit)
            except UnregisteredError:
                self.link.lost(generation)
            except UnavailableError as trouble:
                pause.after(trouble)
            except RefusedError as error:  # a cursor of the registration before, for one
                pause.after(UnavailableError(str(error)))


def without_request(fields: Json) -> Json:
    """No approval, no question."""
    return {name: value for name, value in fields.items() if name not in {"approval", "question"}}


def say(text: str) -> None:
    """To people; never a token."""
    print(f"ref.py: {text}", file=sys.stderr, flush=True)


def title_of(text: str) -> str:
    """At most 120 characters, and something to see."""
    title = "".join(char if char.isprintable() else " " for char in text).strip()
    return title[:120] if title else "Reference adapter"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Show standard input as an Orbtile session.")
    parser.add_argument("--id", default="org.example.ref-py", help="the adapter id, reverse DNS that you own")
    parser.add_argument("--title", default="Reference adapter (Python)")
    parser.add_argument("--events", action="store_true", help="ask for approvals and answers, over and over")
    options = parser.parse_args()
    registration: Json = {"name": "Reference (Python)", "palette": {"baseHue": 210}, "version": "1.0.0"}
    if options.events:
        registration["capabilities"] = ["tap", "approvals", "questions"]
    agent = Agent(Link(options.id, registration), title_of(options.title), with_events=options.events)

    def stop(_number: int, _frame: FrameType | None) -> None:
        agent.stopped.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        agent.run()
    except RefusedError as error:
        say(str(error))
        return 1
    finally:
        agent.link.goodbye()
    return 0


if __name__ == "__main__":
    sys.exit(main())
