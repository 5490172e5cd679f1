"""Tables of fields, and the one reader that applies them to an untrusted object.

Owns strictness (section 3): a value outside its type, range or length is refused with its path, nothing is
clamped, unknown fields are named in the warnings. Must not know any particular body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from orbtile_adapter.host import grammar
from orbtile_adapter.host.refusals import invalid, too_many
from orbtile_adapter.host.text import clean, has_surrogate, is_blank, tail

Check: TypeAlias = Callable[[Any, str, "Notes"], Any]
"""Turns a raw value into the kept one; the second argument is its path. Raises 422."""


class Notes(list[str]):
    """The warnings of one reply."""

    def unknown(self, path: str) -> None:
        shown = "".join(
            "\N{REPLACEMENT CHARACTER}" if "\ud800" <= char <= "\udfff" else char for char in path
        )
        self.append(f"unknown field '{clean(shown)[:200]}' ignored")


@dataclass(frozen=True)
class Field:
    """``null``: the field may be null, which is kept as None and means clear, or the default."""

    name: str
    check: Check
    needed: bool = False
    null: bool = False


def read_object(raw: Any, path: str, table: Sequence[Field], notes: Notes) -> dict[str, Any]:
    """The known fields that are there, checked; ``path`` is the object's own, empty for a body."""
    if not isinstance(raw, dict):
        raise invalid(path or "body", "must be an object")
    prefix = f"{path}." if path else ""
    values: dict[str, Any] = {}
    for field in table:
        if field.name not in raw:
            if field.needed:
                raise invalid(prefix + field.name, "is required")
        elif raw[field.name] is None and field.null:
            values[field.name] = None
        else:
            values[field.name] = field.check(raw[field.name], prefix + field.name, notes)
    known = {field.name for field in table}
    for name in raw:
        if name not in known:
            notes.unknown(prefix + name)
    return values


def text(raw: Any, path: str) -> str:
    """Any whole text."""
    if not isinstance(raw, str):
        raise invalid(path, "must be a string")
    if has_surrogate(raw):
        raise invalid(path, "holds half of a surrogate pair")
    return raw


def line(longest: int, *, shown: bool = False, trimmed: bool = False) -> Check:
    """One line of display text; ``shown``: something of it must be visible."""

    def check(raw: Any, path: str, _notes: Notes) -> str:
        value = clean(text(raw, path))
        if trimmed:
            value = value.strip()
        if len(value) > longest:
            raise invalid(path, f"has more than {longest} characters")
        if shown and is_blank(value):
            raise invalid(path, "is blank")
        return value

    return check


def block(longest: int, kept_bytes: int) -> Check:
    """Display text of many lines, of which the end is kept."""

    def check(raw: Any, path: str, _notes: Notes) -> str:
        value = clean(text(raw, path), block=True)
        if len(value) > longest:
            raise invalid(path, f"has more than {longest} characters")
        return tail(value, kept_bytes)

    return check


def opaque(shortest: int, longest: int) -> Check:
    """Text that nobody reads."""

    def check(raw: Any, path: str, _notes: Notes) -> str:
        value = text(raw, path)
        if not shortest <= len(value) <= longest:
            raise invalid(path, f"must have {shortest} to {longest} characters")
        return value

    return check


def spelled(pattern: re.Pattern[str], what: str) -> Check:
    """Text of a given spelling."""

    def check(raw: Any, path: str, _notes: Notes) -> str:
        if not isinstance(raw, str) or not pattern.fullmatch(raw):
            raise invalid(path, f"must be {what}")
        return raw

    return check


def boolean(raw: Any, path: str, _notes: Notes) -> bool:
    """True or false."""
    if raw is True or raw is False:
        return bool(raw)
    raise invalid(path, "must be true or false")


def whole(least: int, most: int) -> Check:
    """An integer; JSON Schema counts 1.0 as one."""

    def check(raw: Any, path: str, _notes: Notes) -> int:
        if isinstance(raw, bool) or not isinstance(raw, (int, float)) or raw != raw // 1:
            raise invalid(path, "must be an integer")
        if raw < least or raw > most:
            raise invalid(path, f"must be {least} to {most}")
        return int(raw)

    return check


def number(least: float, most: float, *, below: bool = False) -> Check:
    """A number; ``below`` leaves ``most`` itself out."""

    def check(raw: Any, path: str, _notes: Notes) -> float:
        if isinstance(raw, bool) or not isinstance(raw, (int, float)):
            raise invalid(path, "must be a number")
        if raw < least or raw > most or (below and raw == most):
            raise invalid(path, f"must be {least:g} to {'below ' if below else ''}{most:g}")
        return raw

    return check


def choice(words: Sequence[str]) -> Check:
    """One of a few words."""

    def check(raw: Any, path: str, _notes: Notes) -> str:
        if not isinstance(raw, str):
            raise invalid(path, "must be a string")
        if raw not in words:
            quoted = f" '{raw}'" if re.fullmatch("[A-Za-z]{1,24}", raw) else ""
            raise invalid(path, f"unknown value{quoted}, must be one of {', '.join(words)}")
        return raw

    return check


def each(check_item: Check, least: int, most: int) -> Check:
    """A list whose items stand at ``path[i]``."""

    def check(raw: Any, path: str, notes: Notes) -> list[Any]:
        items = listed(raw, path, least, most)
        return [check_item(item, f"{path}[{index}]", notes) for index, item in enumerate(items)]

    return check


def words(check_item: Check, most: int) -> Check:
    """A set of words; every refusal names the list itself."""

    def check(raw: Any, path: str, notes: Notes) -> list[str]:
        found: list[str] = []
        for item in listed(raw, path, 0, most):
            word = check_item(item, path, notes)
            if word in found:
                raise invalid(path, "repeats a value")
            found.append(word)
        return found

    return check


def listed(raw: Any, path: str, least: int, most: int, *, is_limit: bool = False) -> list[Any]:
    """A list of the right length; ``is_limit``: too long is ``limit_exceeded``."""
    if not isinstance(raw, list):
        raise invalid(path, "must be an array")
    if is_limit and len(raw) > most:
        raise too_many(path, f"has more than {most} items")
    if not least <= len(raw) <= most:
        raise invalid(path, f"must have {least} to {most} items")
    return raw


def nested(table: Sequence[Field]) -> Check:
    """An object with a table of its own."""

    def check(raw: Any, path: str, notes: Notes) -> dict[str, Any]:
        return read_object(raw, path, table, notes)

    return check


def url(longest: int) -> Check:
    """An absolute URI."""

    def check(raw: Any, path: str, _notes: Notes) -> str:
        value = text(raw, path)
        if len(value) > longest:
            raise invalid(path, f"has more than {longest} characters")
        if grammar.split_url(value) is None:
            raise invalid(path, "must be an absolute URI")
        return value

    return check
