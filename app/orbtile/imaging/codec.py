"""The icon codec: any bytes in, two small pictures out that hold pixels and nothing else (spec section 3
"Adapter icon").

Owns the order of the checks, the budgets, and that whatever a decoder does becomes a refusal. Must not know
where an icon comes from or what becomes of it. Pillow is imported with the first icon: the start of the
application must not pay for it.
"""

import logging
from collections.abc import Callable
from threading import Lock
from typing import Final

from orbtile.host.ports import IconImages
from orbtile.imaging.encoding import encode_rgba
from orbtile.protocol import limits
from orbtile.protocol.errors import ApiError, invalid_field, limit_exceeded
from orbtile.protocol.png_chunks import PngParts, walk_png
from orbtile.protocol.png_data import check_image_data, inflate_profile

FIELD: Final = "icon.png"
SIDES_PX: Final = (28, 56)

MAX_SOURCE_BYTES: Final = 4 * 1024 * 1024
MAX_SOURCE_SIDE_PX: Final = 1_024
"""What an installed application may have as its icon. What an adapter sends met its smaller limits before."""

_log = logging.getLogger(__name__)


class PillowCodec:
    """``IconCodec`` by Pillow. One picture at a time: whoever comes meanwhile waits, so that there is never
    more than one decoder's memory, some 2 MB for 256 pixels. ``encode`` makes a PNG of RGBA bytes and a side
    in pixels.
    """

    def __init__(self, encode: Callable[[bytes, int], bytes] = encode_rgba) -> None:
        self._encode = encode
        self._one_at_a_time = Lock()

    def render(self, png: bytes) -> IconImages:
        """See ``IconCodec``. Equal bytes give equal images."""
        with self._one_at_a_time:
            if len(png) > MAX_SOURCE_BYTES:
                raise limit_exceeded(FIELD, f"must be at most {MAX_SOURCE_BYTES} bytes")
            parts = walk_png(png, FIELD, max_side_px=MAX_SOURCE_SIDE_PX)
            check_image_data(parts, FIELD)
            profile = inflate_profile(parts, FIELD)
            small, large = (
                self._fitting(self._encode(pixels, side_px))
                for pixels, side_px in zip(_pixels(parts, profile), SIDES_PX, strict=True)
            )
        return IconImages(small, large)

    def _fitting(self, png: bytes) -> bytes:
        if len(png) > limits.MAX_RENDERED_ICON_BYTES:
            most = limits.MAX_RENDERED_ICON_BYTES
            raise limit_exceeded(FIELD, f"needs more than {most} bytes once it is re-encoded")
        return png


def _pixels(parts: PngParts, profile: bytes | None) -> list[bytes]:
    from orbtile.imaging.picture import render_pixels

    try:
        return render_pixels(parts, profile, SIDES_PX, FIELD)
    except ApiError as error:
        refusal = error.with_traceback(None)
    except Exception as error:  # noqa: BLE001 - a decoder of foreign bytes may raise anything; none of it is our failure
        _log.info("an icon could not be decoded: %s", type(error).__name__)
        refusal = invalid_field(FIELD, "cannot be decoded")
    # Raised out here the refusal holds no frame of the decoder's, and so no picture, for as long as it lives.
    try:
        raise refusal
    finally:
        del refusal
