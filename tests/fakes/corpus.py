"""The corpus of requests and expected answers, and what it takes to run it against a host.

Owns the reading of ``tests/data/corpus`` and the comparison. Knows no host: a ``Driver`` stands for one.
Imports the standard library only, so that the SDK's tests can load it too.

Long texts are stored as runs (``{"$runs": [["x", 121]]}``), integers of thousands of digits likewise
(``{"$digits": ...}``), and a body mostly as one change of a valid one.
"""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

COLOUR_NOTES = ("attention: ", "proximity: ", "salience guard: ", "gamut: ", "wcag: ")
"""How warnings about made colours begin. The corpus has none: a host need not make colours."""

FOLDER = Path(__file__).parents[1] / "data" / "corpus"
MAX_BODY_BYTES = 65_536
FIRST_TOKEN = "token-1".ljust(43, "x")
"""The bearer token of a host that has just started: tokens count up."""

ADAPTER_ID = "dev.example"
LIVE_PID = 4242
"""The one process that is alive."""

Headers = list[tuple[str, str]]


class Answer(NamedTuple):
    """``headers`` by lower-case name."""

    status: int
    headers: dict[str, str]
    body: Any


class Driver(Protocol):
    """A host that has just started, with the API on and nobody known; its clock stands still until told."""

    @property
    def token(self) -> str:
        """The current bearer token."""

    def ask(self, method: str, target: str, headers: Headers, body: bytes) -> Answer:
        """One request; ``headers`` are all of them."""

    def do(self, action: str, values: dict[str, Any]) -> None:
        """``advance`` (seconds), ``allow``, ``deny``, ``regenerate_token``, ``switch_off``, ``switch_on``;
        with events also ``tap``, ``decide`` and ``answer``.
        """


class Wrong(NamedTuple):
    """Where a host did not answer as the corpus has it."""

    case: str
    expected: object
    got: object


# --- reading ------------------------------------------------------------------------------------------------


def load(name: str) -> Any:
    """A file of the corpus, expanded."""
    return expand(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def expand(value: Any) -> Any:
    """Runs become text and numbers again."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"$runs"}:
            return "".join(text * count for text, count in value["$runs"])
        if value.keys() == {"$digits"}:
            return int("".join(text * count for text, count in value["$digits"]))
        if value.keys() == {"$items"}:
            item, count = value["$items"]
            return [item] * count
        return {name: expand(item) for name, item in value.items()}
    return value


def body_of(case: dict[str, Any], bases: dict[str, Any]) -> Any:
    """The body of a case: whole, or one change of a base."""
    if "base" not in case:
        return case["body"]
    body = copy.deepcopy(bases[case["base"]])
    *steps, last = case["at"]
    node = body
    for step in steps:
        node = node[step]
    if "value" in case:
        node[last] = case["value"]
    else:
        del node[last]
    return body


# --- asking -------------------------------------------------------------------------------------------------


@dataclass
class Caller:
    """An adapter's side: keeps owner tokens as they are handed out, and stays below the buckets."""

    driver: Driver
    owners: dict[str, str] = field(default_factory=dict)

    def ask(
        self, method: str, target: str, body: bytes | None, *, without: str = "", more: Headers | None = None
    ) -> Answer:
        """A well-formed request to ``/a/v1`` + ``target``."""
        headers: Headers = [
            ("host", "localhost"),
            ("content-type", "application/json"),
            ("authorization", f"Bearer {self.driver.token}"),
        ]
        if body is not None:
            headers.append(("content-length", str(len(body))))
        adapter_id = (re.findall(r"/adapters/([^/?]+)", target) or [""])[0]
        if adapter_id in self.owners and without != "owner":
            headers.append(("x-orbtile-adapter-token", self.owners[adapter_id]))
        full = target if "://" in target else f"/a/v1{target}"
        answer = self.driver.ask(method, full, headers + (more or []), body or b"")
        if isinstance(answer.body, dict) and "adapterToken" in answer.body:
            self.owners[adapter_id] = answer.body["adapterToken"]
        return answer


def refusal(answer: Answer) -> tuple[int, str | None, str | None]:
    """What refusals are told apart by."""
    error = (answer.body or {}).get("error", {})
    return answer.status, error.get("code"), error.get("field")


# --- the tables ---------------------------------------------------------------------------------------------

ROUTES = {
    "register": ("PUT", ""),
    "update": ("POST", "/sessions/run-7"),
    "replace": ("PUT", "/sessions"),
    "poll": ("POST", "/events"),
}


def wrong_bodies(driver: Driver) -> Iterator[Wrong]:
    """Every malformed body, sent by an interactive adapter that has one session."""
    table = load("bodies")
    caller = _interactive(driver, table["bases"])
    for case in table["cases"]:
        body = json.dumps(body_of(case, table["bases"])).encode("ascii")
        expected = tuple(case["expect"])
        if len(body) > MAX_BODY_BYTES:  # nobody looks into it
            expected = (413, "payload_too_large", None)
        yield from _compare(caller, case["route"], case["name"], body, expected)
    for case in load("not-json")["cases"]:
        for route in ROUTES:
            body = case["body"].encode("latin-1")
            yield from _compare(caller, route, case["name"], body, (400, "bad_request", None))


def _interactive(driver: Driver, bases: dict[str, Any]) -> Caller:
    caller = Caller(driver)
    registered = caller.ask("PUT", f"/adapters/{ADAPTER_ID}", json.dumps(bases["registration"]).encode())
    shown = caller.ask("POST", f"/adapters/{ADAPTER_ID}/sessions/run-7", json.dumps(bases["update"]).encode())
    if (registered.status, shown.status) != (201, 200):
        raise AssertionError(f"the bases are refused: {registered} {shown}")
    return caller


def _compare(
    caller: Caller, route: str, name: str, body: bytes, expected: tuple[object, ...]
) -> Iterator[Wrong]:
    caller.driver.do("advance", {"seconds": 0.06})
    method, path = ROUTES[route]
    got = refusal(caller.ask(method, f"/adapters/{ADAPTER_ID}{path}", body))
    if got != expected:
        yield Wrong(f"{route}: {name}", expected, got)


def wrong_icons(driver: Driver) -> Iterator[Wrong]:
    """Every picture that only its deflated data or its oddity makes special, as the icon of an adapter."""
    bases = load("bodies")["bases"]
    caller = _interactive(driver, bases)
    for case in load("icons")["cases"]:
        body = {**bases["registration"], "icon": {"png": case["png"]}}
        yield from _compare(
            caller, "register", case["name"], json.dumps(body).encode(), tuple(case["expect"])
        )


def wrong_heads(driver: Driver) -> Iterator[Wrong]:
    """Every malformed head, sent with a body of two bytes to a host that knows no adapter."""
    for case in load("heads")["cases"]:
        driver.do("advance", {"seconds": 0.06})
        headers = [(name, value) for name, value in case["headers"]]
        answer = driver.ask(case["method"], case["target"], headers, b"{}")
        got = [*refusal(answer), answer.headers.get("allow", "")]
        expected = [*case["expect"], ", ".join(case["allow"])]
        if got != expected:
            yield Wrong(case["name"], expected, got)


# --- conversations ------------------------------------------------------------------------------------------


def conversations() -> list[dict[str, Any]]:
    """Several requests and acts of the user in a row; ``needs`` lists what a host must have for it."""
    found: list[dict[str, Any]] = load("conversations")["conversations"]
    return found


def wrong_steps(conversation: dict[str, Any], driver: Driver) -> Iterator[Wrong]:
    """Play it; stops at the first difference, since what follows would differ too."""
    caller = Caller(driver)
    names = {"old_token": driver.token}
    for number, step in enumerate(conversation["steps"], 1):
        for _ in range(step.get("times", 1)):
            problem = _play(step, caller, names)
            if problem is not None:
                yield Wrong(f"{conversation['name']}, step {number}", *problem)
                return


def _play(step: dict[str, Any], caller: Caller, names: dict[str, str]) -> tuple[object, object] | None:
    if "do" in step:
        caller.driver.do(step["do"], step)
        return None
    body = step.get("body")
    data = None if body is None else json.dumps(body).encode()
    if "text" in step:
        data = step["text"].encode()
    if "pad_to" in step and data is not None:
        data = data.ljust(step["pad_to"])
    more = [(name, names.get(value, value)) for name, value in step.get("headers", {}).items()]
    if step.get("bearer") in names:
        answer = _with_bearer(caller, step, data or b"", names[step["bearer"]])
    else:
        answer = caller.ask(step["method"], step["path"], data, without=step.get("without", ""), more=more)
    expected = step["expect"]
    got: dict[str, object] = {"status": answer.status}
    status, code, at = refusal(answer) if answer.status >= 400 else (answer.status, None, None)
    got |= {"code": code, "field": at, "body": answer.body, "headers": answer.headers}
    if status != expected["status"] or any(
        got[name] != expected[name] for name in ("code", "field") if name in expected
    ):
        return expected, got
    if not _fits(answer.body, expected.get("body", ANY), caller.driver.token):
        return expected, got
    told = answer.body or {}
    warnings = [line for line in told.get("warnings", []) if not line.startswith(COLOUR_NOTES)]
    present = {name for name in told if name != "warnings" or warnings}
    if present & {*expected.get("absent", ())}:
        return expected, got
    wanted = expected.get("warnings")
    if wanted is not None and (
        len(warnings) != len(wanted)
        or any(not any(part in warning for warning in warnings) for part in wanted)
    ):
        return expected, got
    if not all(
        re.fullmatch(value, answer.headers.get(name, ""))
        for name, value in expected.get("headers", {}).items()
    ):
        return expected, got
    return None


def _with_bearer(caller: Caller, step: dict[str, Any], data: bytes, token: str) -> Answer:
    headers: Headers = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("authorization", f"Bearer {token}"),
        ("content-length", str(len(data))),
    ]
    return caller.driver.ask(step["method"], f"/a/v1{step['path']}", headers, data)


ANY: Any = {"$any": True}


def _fits(got: Any, expected: Any, token: str) -> bool:
    """Whether every expected part is there; more may be."""
    if expected == ANY:
        return True
    if isinstance(expected, dict):
        if expected.keys() == {"$match"}:
            return isinstance(got, str) and re.fullmatch(expected["$match"], got) is not None
        if expected.keys() == {"$proof"}:
            proof = hmac.new(token.encode(), expected["$proof"].encode(), hashlib.sha256)
            return bool(got == proof.hexdigest())
        return isinstance(got, dict) and all(
            name in got and _fits(got[name], value, token) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(_fits(one, two, token) for one, two in zip(got, expected, strict=True))
        )
    return bool(got == expected) and isinstance(got, bool) == isinstance(expected, bool)


def disagreements(make: Callable[[], Driver]) -> list[Wrong]:
    """What a host has wrong in the tables."""
    return [*wrong_bodies(make()), *wrong_icons(make()), *wrong_heads(make())]
