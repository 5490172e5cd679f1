"""A store that keeps every document it was given. Mirrors ``host.ports.Store``."""

from collections.abc import Sequence

from orbtile.host.records import ConsentRecord
from orbtile.host.settings import Settings


class FakeStore:
    def __init__(self) -> None:
        self.settings: list[Settings] = []
        self.consents: list[list[ConsentRecord]] = []

    def save_settings(self, settings: Settings) -> None:
        self.settings.append(settings)

    def save_consents(self, records: Sequence[ConsentRecord]) -> None:
        self.consents.append(list(records))
