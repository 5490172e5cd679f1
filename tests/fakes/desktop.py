"""A desktop that remembers what it was asked to open. Mirrors ``host.ports.Desktop``."""


class FakeDesktop:
    """``opens`` and ``raises`` say whether the system lets us."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.raised: list[int] = []
        self.opens = True
        self.raises = True

    def open_url(self, url: str) -> bool:
        self.opened.append(url)
        return self.opens

    def bring_to_front(self, pid: int) -> bool:
        self.raised.append(pid)
        return self.raises
