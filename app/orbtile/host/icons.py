"""Icons that are ready to draw: where they come from, and the shelf that keeps them by what they were made
of.

Owns which of an icon's two sources counts. Must not know how an image is made (that is the codec's), whose it
is, nor draw.
"""

from collections.abc import Iterable

from orbtile.host.ports import AppBundles, IconCodec, IconImages
from orbtile.protocol.errors import ApiError
from orbtile.protocol.registration import Icon

__all__ = ["IconImages", "IconShelf", "resolve_icon"]


def resolve_icon(icon: Icon, codec: IconCodec, bundles: AppBundles) -> IconImages | None:
    """The images of ``icon``; None: the glyph is used. Blocks for a decoder; any thread.

    An installed application's own icon takes precedence, but a PNG that comes with it is rendered first: it
    is refused for what it is, whatever happens to be installed here. Raises 422 ``invalid_field`` and
    ``limit_exceeded`` on ``icon.png`` (spec section 3 "Adapter icon").
    """
    sent = None if icon.png is None else codec.render(icon.png)
    installed = None if icon.app_bundle_id is None else bundles.icon_png(icon.app_bundle_id)
    if installed is None:
        return sent
    try:
        return codec.render(installed)
    except ApiError:  # not the adapter's fault, so not its refusal
        return sent


class IconShelf:
    """Images by the icon they were made of; whoever puts them there says what may stay."""

    def __init__(self) -> None:
        self._images: dict[Icon, IconImages] = {}

    def __contains__(self, icon: Icon) -> bool:
        return icon in self._images

    def __len__(self) -> int:
        return len(self._images)

    def get(self, icon: Icon) -> IconImages | None:
        return self._images.get(icon)

    def put(self, icon: Icon, images: IconImages | None) -> None:
        """Keep ``images``; None: there are none any more (the application was removed, say)."""
        if images is None:
            self._images.pop(icon, None)
        else:
            self._images[icon] = images

    def keep_only(self, icons: Iterable[Icon]) -> None:
        """Drop the images of every other icon."""
        if self._images:
            self._images = {icon: self._images[icon] for icon in set(icons) & self._images.keys()}
