"""A system with an opinion about bundle ids, if a test gives it one. Mirrors ``host.ports.AppBundles``."""

from collections.abc import Sequence


class FakeBundles:
    def __init__(self) -> None:
        self.warned: dict[str, Sequence[str]] = {}
        self.icons: dict[str, bytes] = {}
        """What is installed, with its icon."""

    def warnings(self, bundle_id: str) -> list[str]:
        return list(self.warned.get(bundle_id, ()))

    def icon_png(self, bundle_id: str) -> bytes | None:
        return self.icons.get(bundle_id)
