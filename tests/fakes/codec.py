"""A codec that labels what it was given, and refuses what it is told to. Mirrors ``host.ports.IconCodec``."""

from orbtile.host.icons import IconImages


class FakeCodec:
    """``refused``: what rendering a picture raises. ``rendered``: every picture, in order."""

    def __init__(self) -> None:
        self.refused: dict[bytes, Exception] = {}
        self.rendered: list[bytes] = []

    def render(self, png: bytes) -> IconImages:
        self.rendered.append(png)
        if png in self.refused:
            raise self.refused[png]
        return images_of(png)


def images_of(png: bytes) -> IconImages:
    """What the codec makes of ``png``."""
    return IconImages(px28=b"28 of " + png, px56=b"56 of " + png)
