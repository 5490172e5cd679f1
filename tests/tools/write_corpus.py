"""Writes the tables of ``tests/data/corpus`` from the tables of malformed requests: ``python -m
tests.tools.write_corpus``.

Owns how a case is stored: a body as one change of a valid one where it is one, long texts as runs. The
conversations are written by hand and are not touched.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.fakes.bodies import ASKING, BATCH, POLL, REGISTRATION, UPDATE, base64_of, png
from tests.fakes.corpus import FIRST_TOKEN, FOLDER
from tests.fakes.hostile_png import HOSTILE, ODD, Stage
from tests.fakes.malformed import (
    MALFORMED_BATCHES,
    MALFORMED_POLLS,
    MALFORMED_REGISTRATIONS,
    MALFORMED_UPDATES,
    Malformed,
)
from tests.fakes.malformed_heads import malformed_heads
from tests.fakes.malformed_json import MALFORMED_BODIES
from tests.fakes.png_files import LEGAL

BASES: dict[str, Any] = {
    "registration": REGISTRATION,
    "update": UPDATE,
    "asking": ASKING,
    "batch": BATCH,
    "poll": POLL,
}
_REPEATED = re.compile(r"(.{1,16}?)\1{30,}", re.DOTALL)
_LONGEST_NUMBER = 10**40


def compact(value: Any) -> Any:
    """Long texts and numbers as runs."""
    if isinstance(value, str) and len(value) > 60:
        runs = _runs(value)
        return value if len(runs) == 1 and runs[0][1] == 1 else {"$runs": runs}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LONGEST_NUMBER:
        return {"$digits": _runs(str(value))}
    if isinstance(value, list) and len(value) > 100 and value == value[:1] * len(value):
        return {"$items": [value[0], len(value)]}
    if isinstance(value, list):
        return [compact(item) for item in value]
    if isinstance(value, dict):
        return {name: compact(item) for name, item in value.items()}
    return value


def _runs(text: str) -> list[tuple[str, int]]:
    runs: list[tuple[str, int]] = []
    at = 0
    for match in _REPEATED.finditer(text):
        if match.start() > at:
            runs.append((text[at : match.start()], 1))
        runs.append((match[1], len(match[0]) // len(match[1])))
        at = match.end()
    if at < len(text):
        runs.append((text[at:], 1))
    return runs


def stored(case: Malformed, route: str) -> dict[str, Any]:
    """A case as it stands in the file."""
    entry: dict[str, Any] = {"route": route, "name": compact(case.name)}
    whole = {"body": compact(case.body)}
    options = [whole, *(found for name, base in BASES.items() if (found := _change(name, base, case.body)))]
    entry |= min(options, key=lambda option: len(json.dumps(option)))
    entry["expect"] = [case.status, case.code, case.field]
    return entry


def _change(name: str, base: Any, body: Any) -> dict[str, Any] | None:
    """The one place where ``body`` differs from ``base``, innermost; None where there is no such place."""
    path: list[str | int] = []
    while True:
        if isinstance(base, dict) and isinstance(body, dict):
            gone, new = base.keys() - body.keys(), body.keys() - base.keys()
            changed = [key for key in base.keys() & body.keys() if not _same(base[key], body[key])]
            if len(gone) + len(new) + len(changed) != 1:
                break
            if gone:
                return {"base": name, "at": [*path, *gone]}
            if new:
                (key,) = new
                return {"base": name, "at": [*path, key], "value": compact(body[key])}
            (step,) = changed
        elif isinstance(base, list) and isinstance(body, list) and len(base) == len(body):
            places = [at for at in range(len(base)) if not _same(base[at], body[at])]
            if len(places) != 1:
                break
            (step,) = places
        else:
            break
        path.append(step)
        base, body = base[step], body[step]
    return {"base": name, "at": path, "value": compact(body)} if path else None


def _same(one: Any, two: Any) -> bool:
    return json.dumps(one) == json.dumps(two)


def _icons() -> Iterator[tuple[str, bytes, tuple[int, str | None, str | None]]]:
    """What no look at the chunks alone can tell, and what is legal. What takes a decoder is not in the
    corpus: the strict host has none.
    """
    for case in HOSTILE:
        if case.stage is Stage.DATA:
            yield case.name, case.png, (422, "invalid_field", "icon.png")
    for depth, colour in LEGAL:
        yield f"{depth} bits of colour type {colour}", png(depth=depth, colour=colour), (200, None, None)
    for name, image in ODD:
        yield name, image, (200, None, None)


def tables() -> dict[str, str]:
    """The text of each file by its name."""
    routes = {
        "register": MALFORMED_REGISTRATIONS,
        "update": MALFORMED_UPDATES,
        "replace": MALFORMED_BATCHES,
        "poll": MALFORMED_POLLS,
    }
    bodies = [stored(case, route) for route, cases in routes.items() for case in cases]
    not_json = [
        {"name": name, "body": compact(body.decode("latin-1"))} for name, body in MALFORMED_BODIES.items()
    ]
    icons = [
        {"name": name, "png": compact(base64_of(image)), "expect": list(expect)}
        for name, image, expect in _icons()
    ]
    heads = [
        {
            "name": case.name.replace(FIRST_TOKEN, "TOKEN"),
            "method": case.head.method,
            "target": compact(case.head.target),
            "headers": compact([list(header) for header in case.head.headers]),
            "expect": [case.status, case.code, case.field],
            "allow": list(case.allow),
        }
        for case in malformed_heads(FIRST_TOKEN)
    ]
    return {
        "bodies": _text({"bases": BASES, "cases": []}, bodies),
        "icons": _text({"cases": []}, icons),
        "not-json": _text({"cases": []}, not_json),
        "heads": _text({"cases": []}, heads),
    }


def _text(frame: dict[str, Any], cases: Iterable[dict[str, Any]]) -> str:
    """One case a line."""
    lines = ",\n".join(json.dumps(case) for case in cases)
    return json.dumps(frame).removesuffix("[]}") + f"[\n{lines}\n]}}\n"


def main() -> None:
    """Write the files."""
    for name, text in tables().items():
        Path(FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
