"""Readers of untrusted JSON values, and the sentinel for an absent field.

Owns the exact ``field`` paths, the list of warnings and the strictness of every scalar: nothing is converted
or clamped, except that ``1.0`` is an integer (JSON Schema) and display text is cleaned. Must not know any
particular body.
"""

import re
from collections.abc import Callable, Collection
from enum import Enum, StrEnum
from typing import Final, Literal, TypeAlias, TypeVar

from orbtile.protocol import limits
from orbtile.protocol.errors import ApiError, invalid_field
from orbtile.protocol.text import (
    LoneSurrogateError,
    clean_block,
    clean_line,
    is_blank,
    last_bytes,
    printable_name,
    refuse_surrogates,
)

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]


class Unset(Enum):
    """The type of ``UNSET``: an absent field, distinct from ``null``."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        return False


UNSET: Final = Unset.UNSET

BODY: Final = "body"
"""The ``field`` of a refusal of the body as a whole: it is JSON, but not an object."""

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
Reader: TypeAlias = Callable[[JsonValue, str], T]
"""Turns one value into its type; the second argument is its path, for an ``ApiError``."""


class Warnings:
    """What the reply will warn about, bounded in number and length, so that no body can inflate its reply."""

    __slots__ = ("_left_out", "_lines")

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._left_out = 0

    def add(self, line: str) -> None:
        """``line`` must not quote a value: only names, which ``unknown_field`` cuts and cleans."""
        if len(self._lines) < limits.MAX_WARNINGS:
            self._lines.append(line)
        else:
            self._left_out += 1

    def unknown_field(self, prefix: str, name: str) -> None:
        if len(self._lines) < limits.MAX_WARNINGS:
            name = printable_name(name, limits.MAX_ECHOED_NAME_LENGTH)
        self.add(f"unknown field '{prefix}{name}' ignored")

    def lines(self) -> list[str]:
        """All of them, and a last one that counts those left out."""
        if not self._left_out:
            return self._lines
        return [*self._lines, f"{self._left_out} more warnings left out"]


class Fields:
    """One JSON object while it is read: each field is taken once, and what is left at the end is unknown."""

    __slots__ = ("_prefix", "_rest", "warnings")

    def __init__(self, raw: JsonValue, path: str, warnings: Warnings) -> None:
        """``path`` is the object's own; empty for a body. Raises 422 for what is not an object."""
        if not isinstance(raw, dict):
            raise invalid_field(path or BODY, "must be an object")
        self._prefix = f"{path}." if path else ""
        self._rest = raw.copy()
        self.warnings = warnings

    def path_of(self, name: str) -> str:
        return self._prefix + name

    def has_value(self, name: str) -> bool:
        """Whether the field is there, not yet taken, and not ``null``."""
        return self._rest.get(name) is not None

    def take(self, name: str, read: Reader[T]) -> T | Unset:
        """The field's value, or ``UNSET``. ``null`` goes to the reader, which refuses it as a wrong type."""
        raw = self._rest.pop(name, UNSET)
        return raw if raw is UNSET else read(raw, self._prefix + name)

    def take_nullable(self, name: str, read: Reader[T]) -> T | Unset | None:
        """As ``take``, with ``null`` as None."""
        raw = self._rest.pop(name, UNSET)
        return raw if raw is UNSET or raw is None else read(raw, self._prefix + name)

    def require(self, name: str, read: Reader[T]) -> T:
        raw = self._rest.pop(name, UNSET)
        if raw is UNSET:
            raise invalid_field(self._prefix + name, "is required")
        return read(raw, self._prefix + name)

    def optional(self, name: str, read: Reader[T], default: T) -> T:
        """As ``take``, with a default for an absent field."""
        raw = self._rest.pop(name, UNSET)
        return default if raw is UNSET else read(raw, self._prefix + name)

    def optional_nullable(self, name: str, read: Reader[T], default: T) -> T:
        """As ``optional``, where ``null`` means the default too."""
        raw = self._rest.pop(name, None)
        return default if raw is None else read(raw, self._prefix + name)

    def object_of(self, build: Callable[["Fields"], T]) -> Reader[T]:
        """A reader of an object below this one: ``build`` takes its known fields, the others are warned
        about.
        """

        def read(raw: JsonValue, path: str) -> T:
            fields = Fields(raw, path, self.warnings)
            value = build(fields)
            fields.done()
            return value

        return read

    def array_of(self, build: Callable[["Fields"], T], minimum: int, maximum: int) -> Reader[tuple[T, ...]]:
        """A reader of an array of ``minimum..maximum`` objects, each as ``object_of`` reads it."""
        read_item = self.object_of(build)

        def read(raw: JsonValue, path: str) -> tuple[T, ...]:
            items = array(raw, path, minimum, maximum)
            return tuple(read_item(item, f"{path}[{index}]") for index, item in enumerate(items))

        return read

    def done(self) -> None:
        """Warns about every field that nobody took."""
        for name in self._rest:
            self.warnings.unknown_field(self._prefix, name)


def string(raw: JsonValue, path: str) -> str:
    """Any text that is whole characters."""
    if not isinstance(raw, str):
        raise invalid_field(path, "must be a string")
    try:
        refuse_surrogates(raw)
    except LoneSurrogateError:
        raise _lone_surrogate(path) from None
    return raw


def boolean(raw: JsonValue, path: str) -> bool:
    """``true`` or ``false``, nothing that only acts like one."""
    if not isinstance(raw, bool):
        raise invalid_field(path, "must be true or false")
    return raw


def line(max_length: int, *, required: bool = False, trimmed: bool = False) -> Reader[str]:
    """Display text of one line, cleaned, of at most ``max_length`` characters; ``required``: not blank."""

    def read(raw: JsonValue, path: str) -> str:
        if not isinstance(raw, str):
            raise invalid_field(path, "must be a string")
        try:
            text = clean_line(raw)
        except LoneSurrogateError:
            raise _lone_surrogate(path) from None
        if trimmed:
            text = text.strip()
        if len(text) > max_length:
            raise invalid_field(path, f"must be at most {max_length} characters")
        if required and is_blank(text):
            raise invalid_field(path, "must not be blank")
        return text

    return read


def block_tail(max_length: int, kept_bytes: int) -> Reader[str]:
    """Display text of many lines, cleaned, of at most ``max_length`` characters; only its end is kept."""

    def read(raw: JsonValue, path: str) -> str:
        if not isinstance(raw, str):
            raise invalid_field(path, "must be a string")
        try:
            text = clean_block(raw)
        except LoneSurrogateError:
            raise _lone_surrogate(path) from None
        if len(text) > max_length:
            raise invalid_field(path, f"must be at most {max_length} characters")
        return last_bytes(text, kept_bytes)

    return read


def opaque(max_length: int, *, min_length: int = 0) -> Reader[str]:
    """Text that is compared, never shown: kept as it came."""

    def read(raw: JsonValue, path: str) -> str:
        text = string(raw, path)
        if not min_length <= len(text) <= max_length:
            raise invalid_field(path, f"must be {min_length} to {max_length} characters")
        return text

    return read


def matching(pattern: re.Pattern[str], reason: str) -> Reader[str]:
    """Text that is all of ``pattern``, which must not match a surrogate."""
    fullmatch = pattern.fullmatch

    def read(raw: JsonValue, path: str) -> str:
        if not isinstance(raw, str) or fullmatch(raw) is None:
            raise invalid_field(path, reason)
        return raw

    return read


def integer(minimum: int, maximum: int) -> Reader[int]:
    """A whole number in ``minimum..maximum``, both included; ``1.0`` is one, ``true`` is not."""

    def read(raw: JsonValue, path: str) -> int:
        if isinstance(raw, float) and raw.is_integer():
            raw = int(raw)
        if not isinstance(raw, int) or isinstance(raw, bool):
            raise invalid_field(path, "must be an integer")
        if not minimum <= raw <= maximum:
            raise invalid_field(path, f"must be {minimum} to {maximum}")
        return raw

    return read


def number(minimum: float, maximum: float, *, below_maximum: bool = False) -> Reader[float]:
    """A number in ``minimum..maximum``; the maximum is excluded with ``below_maximum``."""
    reason = f"must be {minimum:g} to {'below ' if below_maximum else ''}{maximum:g}"

    def read(raw: JsonValue, path: str) -> float:
        if not isinstance(raw, int | float) or isinstance(raw, bool):
            raise invalid_field(path, "must be a number")
        # Compared before conversion: an integer of thousands of digits has no float.
        if not minimum <= raw <= maximum or (below_maximum and raw == maximum):
            raise invalid_field(path, reason)
        return float(raw) + 0.0  # -0.0 becomes 0.0: the two must not differ anywhere

    return read


def one_of(allowed: Collection[E]) -> Reader[E]:
    """The member of a string enumeration whose value this is. The error lists them; a short plain word is
    named in it.
    """
    members: dict[JsonValue, E] = {str(member): member for member in allowed}
    choice = f"one of {', '.join(map(str, allowed))}"

    def read(raw: JsonValue, path: str) -> E:
        if not isinstance(raw, str):
            raise invalid_field(path, "must be a string")
        member = members.get(raw)
        if member is None:
            raise unknown_value(raw, path, choice)
        return member

    return read


_PLAIN_WORD: Final = re.compile(r"[A-Za-z]{1,24}")


def unknown_value(raw: str, path: str, choice: str) -> ApiError:
    """422 for a word outside an enumeration; it is quoted only when it is one plain word. ``choice`` says in
    words what it must be.
    """
    value = f"unknown value '{raw}'" if _PLAIN_WORD.fullmatch(raw) else "unknown value"
    return invalid_field(path, f"{value}, must be {choice}")


def array(raw: JsonValue, path: str, minimum: int, maximum: int) -> list[JsonValue]:
    """A list with ``minimum..maximum`` items."""
    if not isinstance(raw, list):
        raise invalid_field(path, "must be an array")
    if not minimum <= len(raw) <= maximum:
        raise invalid_field(path, f"must have {minimum} to {maximum} items")
    return raw


def _lone_surrogate(path: str) -> ApiError:
    return invalid_field(path, "holds a lone surrogate")
