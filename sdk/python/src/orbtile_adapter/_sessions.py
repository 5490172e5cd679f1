"""What every session should show, and which of it Orbtile may not have.

Owns the display fields that were wanted last, so that a session can be sent whole at any time. Must not hold
a prompt: an old approval or question is never sent again by itself. Used only in the order of requests, so it
needs no lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

Fields = dict[str, object]

LOCAL: Final = "local"
PROMPT_FIELDS: Final = ("approval", "question")


class Key(NamedTuple):
    """A session's identity within its adapter (protocol section 3)."""

    host: str
    id: str


class Undo(NamedTuple):
    """How to take an update back that Orbtile refused."""

    before: dict[Key, Fields]
    unsure: dict[Key, None]


def display_fields(fields: Mapping[str, object]) -> Fields:
    """Without the session's identity and its prompt. None is kept: it clears what Orbtile may still have."""
    return {name: value for name, value in fields.items() if name not in {"id", "host", *PROMPT_FIELDS}}


class SessionCache:
    """Every change is unsure until ``confirm``: whatever cuts a request short, the session is sent again."""

    def __init__(self) -> None:
        self._wanted: dict[Key, Fields] = {}
        self._unsure: dict[Key, None] = {}
        self._missing: set[Key] = set()

    @property
    def unsure(self) -> list[Key]:
        """Sessions whose last change was not confirmed, oldest first. One without fields is to be removed."""
        return list(self._unsure)

    def fields_of(self, key: Key) -> Fields | None:
        """All display fields of the session, None when there should be none."""
        fields = self._wanted.get(key)
        return None if fields is None else dict(fields)

    def is_missing(self, key: Key) -> bool:
        """Whether Orbtile has nothing at all of the session."""
        return key in self._missing

    def merge(self, key: Key, fields: Mapping[str, object]) -> Undo:
        undo = self._undo()
        self._wanted[key] = {**self._wanted.get(key, {}), **display_fields(fields)}
        self._unsure[key] = None
        return undo

    def remove(self, key: Key) -> None:
        self._wanted.pop(key, None)
        self._unsure[key] = None

    def replace(self, items: Iterable[tuple[Key, Mapping[str, object]]]) -> Undo:
        undo = self._undo()
        self._wanted = {key: display_fields(fields) for key, fields in items}
        self._unsure = dict.fromkeys(
            [*self._wanted, *(key for key in undo.before if key not in self._wanted)]
        )
        return undo

    def take_back(self, undo: Undo) -> None:
        """The update was refused: Orbtile has what it had before."""
        self._wanted, self._unsure = undo

    def forget_field(self, key: Key, name: str) -> bool:
        """Orbtile no longer takes this field, such as the id of a process that has ended."""
        return self._wanted.get(key, {}).pop(name, None) is not None

    def confirm(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self._unsure.pop(key, None)
            self._missing.discard(key)

    def confirm_all(self) -> None:
        self._unsure.clear()
        self._missing.clear()

    def doubt(self, key: Key) -> None:
        """Orbtile may lack this session."""
        if key in self._wanted:
            self._unsure[key] = None

    def doubt_all(self) -> None:
        """Orbtile has none of our sessions any more."""
        self._unsure = dict.fromkeys(self._wanted)
        self._missing = set(self._wanted)

    def _undo(self) -> Undo:
        return Undo(dict(self._wanted), dict(self._unsure))
