"""A small adapter that keeps every rule, or breaks one on purpose: ``flawed.py [FAULT]``.

Owns the faults that the check must find. Standard library only, one file, as an author's adapter may be: its
own dialog is standard input, where ``n`` answers what is asked and any other line is shown.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

FAULTS = (
    "token-in-address",
    "ignores-proof",
    "partial-after-relaunch",
    "keeps-old-token",
    "never-heartbeats",
    "ignores-retry-after",
    "spins-while-off",
    "registers-again-when-denied",
    "dies-of-unknown-fields",
    "sends-texts-uncut",
    "skips-lost-events",
    "acknowledges-last-sequence",
    "applies-duplicates",
    "applies-expired",
    "leaves-own-answers-open",
)
FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
ADAPTER = "/adapters/org.example.flawed"
REGISTRATION: dict[str, Any] = {"name": "Flawed", "palette": {"baseHue": 200}}
if FAULT != "never-heartbeats":
    REGISTRATION["capabilities"] = ["approvals"]
KNOWN = {
    "server", "api", "apiMinor", "version", "activities", "limits", "proof", "adapter", "enabled", "reason",
    "keypadDecisions", "warnings", "adapterToken", "session", "events", "lastSequence", "acknowledged",
    "error",
}  # fmt: skip


class LaterError(Exception):
    """Try again after so many seconds."""


class Connection(http.client.HTTPConnection):
    """Over the Unix socket."""

    path = ""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(5)
        self.sock.connect(self.path)


class Adapter:
    """One session that asks for the same approval again and again."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.place: dict[str, Any] | None = None
        self.proven = False
        self.owner = ""
        self.registered = False
        self.activity = "starting"
        self.text = "hello"
        self.approval: dict[str, str] | None = None
        self.open: set[str] = set()
        self.dirty = True
        self.whole = True
        self.cursor = 0
        self.count = 0
        self.ask_at = time.monotonic()
        self.heartbeat_at = time.monotonic() + 1

    # --- speaking ---

    def exchange(self, method: str, path: str, body: Any = None, **more: str) -> tuple[int, dict[str, Any]]:
        assert self.place is not None
        connection = Connection("localhost")
        connection.path = self.place["socketPath"]
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {self.place['token']}",
            **more,
        }
        if FAULT == "token-in-address":
            path += f"?token={self.place['token']}"
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, f"/a/v1{path}", data, headers)
            response = connection.getresponse()
            raw = response.read()
            reply = json.loads(raw) if raw else {}
            if FAULT == "dies-of-unknown-fields" and not reply.keys() <= KNOWN:
                os._exit(3)
            wait = response.headers.get("Retry-After")
            if response.status in {429, 503} and wait is not None:
                raise LaterError(0.2 if FAULT == "ignores-retry-after" else float(wait))
            if response.status == 503:
                raise OSError("off")
            return response.status, reply
        finally:
            connection.close()

    def find(self) -> None:
        if self.proven and FAULT == "keeps-old-token":
            return
        self.place = json.loads(Path(os.environ["ORBTILE_API_FILE"]).read_text())
        nonce = secrets.token_hex(16)
        _, reply = self.exchange("GET", "/info", None, **{"X-Orbtile-Nonce": nonce})
        proof = hmac.new(self.place["token"].encode(), nonce.encode(), hashlib.sha256).hexdigest()
        if FAULT != "ignores-proof" and reply.get("proof") != proof:
            raise OSError("not Orbtile")
        self.proven = True

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        if self.place is None:
            self.find()
        owner = {"X-Orbtile-Adapter-Token": self.owner} if self.owner else {}
        status, reply = self.exchange(method, ADAPTER + path, body, **owner)
        if status == 401:
            self.find()
            status, reply = self.exchange(method, ADAPTER + path, body, **owner)
        if status == 404:
            self.registered = False
            raise LaterError(0)
        if status >= 400:
            raise OSError(str(status))
        return reply

    def step(self, now: float) -> None:
        if not self.registered:
            self.owner = ""
            reply = self.call("PUT", "", REGISTRATION)
            with self.lock:
                self.owner = reply.get("adapterToken", "")
                self.cursor = 0
                self.approval = None
                self.open.clear()
                self.activity = "thinking" if self.activity != "starting" else "starting"
                self.ask_at = now + 0.3
                self.registered = FAULT != "registers-again-when-denied" or reply["enabled"]
                self.whole = self.dirty = True
                if FAULT == "partial-after-relaunch" and self.count:
                    self.whole = False
        if self.dirty:
            with self.lock:
                self.dirty = False
                update = self.update()
            try:
                self.call("POST", "/sessions/one", update)
            except BaseException:
                self.dirty = True
                raise
            self.whole = False
            self.count += 1
        if now >= self.heartbeat_at and FAULT != "never-heartbeats":
            self.call("POST", "/heartbeat")
            self.heartbeat_at = now + 1

    def update(self) -> dict[str, Any]:
        text = self.text if FAULT == "sends-texts-uncut" else self.text[-4000:]
        update: dict[str, Any] = {"activity": self.activity, "message": {"id": "m", "text": text}}
        update["statusDetail"] = text if FAULT == "sends-texts-uncut" else text[:100]
        if "capabilities" in REGISTRATION:
            update["approval"] = self.approval
        return {"title": "A session", "cwd": "/home/me", **update} if self.whole else update

    def pause(self, seconds: float) -> None:
        time.sleep(0.005 if FAULT == "spins-while-off" and seconds == 0.5 else seconds)

    def run(self) -> None:
        threading.Thread(target=self.listen, daemon=True).start()
        if "capabilities" in REGISTRATION:
            threading.Thread(target=self.poll, daemon=True).start()
        while True:
            try:
                now = time.monotonic()
                with self.lock:
                    if self.registered and self.approval is None and now >= self.ask_at:
                        self.ask()
                self.step(now)
                self.pause(0.05)
            except LaterError as later:
                self.pause(max(0.05, later.args[0]))
            except (OSError, ValueError, http.client.HTTPException):
                if FAULT not in {"keeps-old-token", "spins-while-off"} or not self.proven:
                    self.place = None
                self.pause(0.5)

    # --- asking ---

    def ask(self) -> None:
        if "capabilities" not in REGISTRATION:
            return
        self.approval = {"id": secrets.token_hex(6), "toolName": "Bash", "commandSummary": "true"}
        self.open.add(self.approval["id"])
        self.activity = "waitingPermission"
        self.dirty = True

    def settle(self, request_id: str) -> None:
        """Answered: go on for a moment, then ask again."""
        self.open.discard(request_id)
        self.approval = None
        self.activity = "thinking"
        self.ask_at = time.monotonic() + 0.5
        self.dirty = True

    def listen(self) -> None:
        rest = b""
        while data := os.read(0, 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                with self.lock:
                    if line == b"n" and self.approval is not None:
                        own = self.approval["id"]
                        self.settle(own)
                        if FAULT == "leaves-own-answers-open":
                            self.open.add(own)
                    else:
                        self.text = line.decode("utf-8", "replace")
                        self.dirty = True

    def poll(self) -> None:
        while True:
            time.sleep(0.05)
            if not self.registered:
                continue
            cursor = self.cursor
            try:
                reply = self.call("POST", "/events", {"after": cursor, "ack": cursor, "waitSeconds": 1})
            except LaterError as later:
                time.sleep(max(0.1, later.args[0]))
                continue
            except (OSError, ValueError, http.client.HTTPException):
                if FAULT == "skips-lost-events":
                    self.cursor = cursor + 1
                time.sleep(0.5)
                continue
            with self.lock:
                if self.cursor == cursor:
                    for event in reply["events"]:
                        self.apply(event)
                    if FAULT == "acknowledges-last-sequence":
                        self.cursor = max(self.cursor, reply["lastSequence"])

    def apply(self, event: dict[str, Any]) -> None:
        waiting = self.approval["id"] if self.approval is not None else ""
        if event["sequence"] <= self.cursor:
            if FAULT == "applies-duplicates":
                self.settle(waiting)
            return
        self.cursor = event["sequence"]
        if event["type"] != "approval" or event["requestId"] not in self.open:
            return
        if time.time() < event["expiresAt"] or FAULT == "applies-expired":
            self.settle(waiting)
            self.open.discard(event["requestId"])


def stop(_number: int, _frame: FrameType | None) -> None:
    os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    Adapter().run()
