"""Installed applications as a dictionary of files. Mirrors ``system.desktop_icons.FileView``."""

from collections.abc import Mapping


class FakeFiles:
    """``read_paths`` remembers what was looked for, in order."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self.read_paths: list[str] = []

    def read(self, path: str, limit_bytes: int) -> bytes | None:
        self.read_paths.append(path)
        data = self._files.get(path)
        return data if data is not None and len(data) <= limit_bytes else None

    def is_folder(self, path: str) -> bool:
        return any(each.startswith(path + "/") for each in self._files)
