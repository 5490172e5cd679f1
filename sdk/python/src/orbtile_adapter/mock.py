"""A stand-in for Orbtile on the command line: ``python -m orbtile_adapter.mock DISCOVERY [--events]``.

Owns what is printed and the simulated user. The rules are the strict host's; nothing is drawn. Nothing
printed holds a token, and whatever an adapter sent is escaped before it reaches the terminal.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from orbtile_adapter.host.engine import StrictHost
from orbtile_adapter.host.gate import Route
from orbtile_adapter.host.server import HostServer
from orbtile_adapter.host.stage import Exchange, Stage

__all__ = ["SimulatedUser", "describe", "main"]

_LONGEST_SHOWN = 240


def describe(exchange: Exchange) -> str:
    """One line about a request and its answer, safe for a terminal."""
    outcome = str(exchange.status or "dropped")
    if exchange.error:
        field = exchange.error.get("field")
        outcome += f" {exchange.error.get('code')}" + (f" ({field})" if field else "")
    target = exchange.target if not exchange.has_token_in_target else "(a target with the token in it!)"
    text = f"{exchange.method} {_shown(target)} -> {outcome}"
    if exchange.body is not None:
        text += f"  {_shown(exchange.body)}"
    warnings = (exchange.reply or {}).get("warnings", ())
    return "".join([text, *(f"\n    warning: {_shown(warning)}" for warning in warnings)])


def _shown(value: object) -> str:
    """ASCII without control characters, cut."""
    text = value if isinstance(value, str) else json.dumps(value, separators=(", ", ": "))
    text = text.encode("ascii", "backslashreplace").decode()
    text = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}... ({len(text)} characters)"


class SimulatedUser:
    """Presses keys a moment after there is something to press: a tap, a Deny, an answer. Runs no command."""

    def __init__(self, host: StrictHost, pause_s: float = 1.0) -> None:
        self._host = host
        self._pause_s = pause_s
        self._tapped: set[str] = set()

    def act(self, exchange: Exchange) -> list[str]:
        """What the user does after this exchange, done; one line for each."""
        if exchange.route not in {Route.UPDATE, Route.REPLACE} or not exchange.is_ok:
            return []
        time.sleep(self._pause_s)
        lines = []
        host, adapter_id = self._host, exchange.adapter_id
        with host.changed:
            lease = host.leases.get(adapter_id)
            sessions = list(lease.sessions.values()) if lease is not None else []
        for session in sessions:
            at = (adapter_id, session.session_id)
            if adapter_id not in self._tapped and host.tap(*at, session.host):
                self._tapped.add(adapter_id)
                lines.append(f"the user taps {session.uid}")
            prompt = session.prompt
            if prompt is None or prompt.consumed:
                continue
            if prompt.kind == "approval" and host.decide(*at, "deny", session.host):
                lines.append(f"the user presses Deny for {prompt.id}")
            elif prompt.kind == "question":
                picks = [[0] for _ in prompt.content["questions"]]
                if host.answer(*at, picks, session.host):
                    lines.append(f"the user answers {prompt.id} with the first option")
        return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Serves until a signal."""
    parser = argparse.ArgumentParser(
        prog="mock-orbtile",
        description="Serve the Adapter API without Orbtile, print each request, draw nothing.",
    )
    parser.add_argument("discovery", type=Path, help="where to write the discovery file (ORBTILE_API_FILE)")
    parser.add_argument(
        "--events",
        action="store_true",
        help="simulate a user: a tap, Deny for approvals, an answer to questions",
    )
    parser.add_argument(
        "--consent", choices=("allow", "wait", "deny"), default="allow", help="what becomes of a new adapter"
    )
    parser.add_argument(
        "--tcp", action="store_true", help="loopback TCP, as on Windows, instead of a Unix socket"
    )
    options = parser.parse_args(arguments)

    printing = threading.Lock()

    def say(line: str) -> None:
        with printing:
            print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)  # noqa: T201 - the mock's one job

    def act(simulated: SimulatedUser, exchange: Exchange) -> None:
        for line in simulated.act(exchange):
            say(line)

    def show(exchange: Exchange) -> None:
        say(describe(exchange))
        if user is not None:
            threading.Thread(target=act, args=(user, exchange), daemon=True).start()

    host = StrictHost(consent=options.consent)
    user = SimulatedUser(host) if options.events else None
    server = HostServer(Stage(host, show), options.discovery, tcp=options.tcp or sys.platform == "win32")
    done = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        done.set()

    try:
        server.start()
    except OSError as error:
        parser.exit(1, f"mock-orbtile: cannot listen: {error}\n")
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    say(f"serving; point adapters here: ORBTILE_API_FILE={options.discovery}")
    while not done.wait(0.5):  # a signal handler runs between two waits on every system
        pass
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
