"""Pixels by Pillow: every kind of PNG becomes 8-bit RGBA in two sizes.

Owns decoding and scaling. Must not know files or limits: what comes here was walked through and inflated once
(``protocol.png_chunks``, ``png_data``). Pillow is shown a new file of header, palette and image data alone,
and its PNG reader is called by name: no other format, text, EXIF, profile or animation meets its parsers.
Sizes were bounded by IHDR, so that its own guards against bombs have nothing left to do.
"""

import struct
from collections.abc import Iterable, Sequence
from functools import reduce
from io import BytesIO

from PIL import Image, ImageChops
from PIL.PngImagePlugin import PngImageFile

from orbtile.imaging.colour import srgb_transform
from orbtile.imaging.encoding import png_of
from orbtile.protocol.errors import invalid_field
from orbtile.protocol.png_chunks import GREY, GREY_ALPHA, PALETTE, RGB, PngParts


def render_pixels(
    parts: PngParts, profile: bytes | None, sides_px: tuple[int, int], path: str
) -> list[bytes]:
    """8-bit sRGB RGBA rows for the two sides (small, large; the large one is twice the small one).

    Raises ``ApiError`` 422 for pixels outside their palette and for a profile that cannot be used, and
    whatever Pillow raises.
    """
    small_px, large_px = sides_px
    grey = parts.header.colour in {GREY, GREY_ALPHA}
    to_srgb = _as_it_is if profile is None else srgb_transform(profile, path, grey=grey)
    # Scaled with premultiplied alpha, so that what cannot be seen does not bleed into what can. It is gone
    # for good: a colour under alpha 0 comes out as 0.
    picture = _decoded(parts, path).convert("RGBa")
    large = _scaled(picture, large_px)
    small = _scaled(large if parts.header.side_px >= large_px else picture, small_px)
    return [to_srgb(image.convert("RGBA")).tobytes() for image in (small, large)]


def _as_it_is(picture: Image.Image) -> Image.Image:
    """Without a profile samples are sRGB's. gAMA, cHRM and cICP are not looked at: sRGB is what the tools
    that write icons mean, and where gAMA says something else it is mostly wrong.
    """
    return picture


def _scaled(picture: Image.Image, side_px: int) -> Image.Image:
    if picture.width == side_px:
        return picture
    if picture.width % side_px == 0:
        return picture.reduce(picture.width // side_px)  # whole pixels become one: nothing is sharper
    # Lanczos keeps detail when there is too much of it, and rings when there is too little.
    smaller = picture.width > side_px
    resample = Image.Resampling.LANCZOS if smaller else Image.Resampling.BICUBIC
    return picture.resize((side_px, side_px), resample)


# --- decoding -----------------------------------------------------------------------------------------------


def _decoded(parts: PngParts, path: str) -> Image.Image:
    """RGBA in the source's size. 16-bit samples lose their low byte; interlacing is Pillow's matter."""
    header = parts.header
    image = _loaded(parts)
    if header.colour == PALETTE:
        entries = len(parts.palette or b"") // 3
        if max(image.tobytes()) >= entries:
            raise invalid_field(path, "has pixels outside its palette")
        return image.convert("RGBA")
    if header.colour == GREY:
        return _grey(image, header.depth, parts.transparency)
    if header.colour == RGB and parts.transparency is not None:
        return _rgb_with_key(parts, image, parts.transparency)
    return image.convert("RGBA")


def _loaded(parts: PngParts, raw_mode: str | None = None) -> Image.Image:
    """What Pillow makes of the bare picture; with ``raw_mode`` the rows are unpacked in that way."""
    header = parts.header
    side = header.side_px
    ihdr = struct.pack(">IIBBBBB", side, side, header.depth, header.colour, 0, 0, header.interlaced)
    chunks = [(b"IHDR", ihdr)]
    if header.colour == PALETTE:
        chunks.append((b"PLTE", bytes(parts.palette or b"")))
        # Only here: elsewhere Pillow compares tRNS with samples that it has scaled before.
        if parts.transparency is not None:
            chunks.append((b"tRNS", bytes(parts.transparency)))
    chunks += [(b"IDAT", b"".join(parts.data)), (b"IEND", b"")]
    with PngImageFile(BytesIO(png_of(chunks))) as image:
        if raw_mode is not None:
            image.tile = [tile._replace(args=raw_mode) for tile in image.tile]
        image.load()
        return image


def _grey(image: Image.Image, depth: int, key: memoryview | None) -> Image.Image:
    """Grey of any depth; ``key`` is the sample that is transparent, in the source's own depth."""
    if depth == 16:
        samples = image.tobytes()  # two bytes each, the low one first
        high, low = (Image.frombytes("L", image.size, samples[first::2]) for first in (1, 0))
        keyed: Iterable[tuple[Image.Image, int]] = zip((high, low), key or b"", strict=False)
        grey = high
    else:
        grey = image.convert("L")
        most = (1 << depth) - 1
        keyed = [] if key is None else [(grey, (int.from_bytes(key, "big") & most) * (255 // most))]
    return _with_key(grey.convert("RGBA"), list(keyed))


def _rgb_with_key(parts: PngParts, image: Image.Image, key: memoryview) -> Image.Image:
    high, low = key[0::2], key[1::2]
    keyed = list(zip(image.split(), low, strict=True))
    if parts.header.depth == 16:
        # Pillow drops the low byte of each sample, but the key has it: unpacked as if the low byte came last,
        # that is, the wrong way round, it is what remains.
        keyed = list(zip(image.split(), high, strict=True))
        keyed += zip(_loaded(parts, "RGB;16L").split(), low, strict=True)
    return _with_key(image.convert("RGBA"), keyed)


def _with_key(picture: Image.Image, keyed: Sequence[tuple[Image.Image, int]]) -> Image.Image:
    """Transparent where every plane has its value; unchanged without planes."""
    if keyed:
        differs = (
            plane.point([0 if sample == value else 255 for sample in range(256)]) for plane, value in keyed
        )
        picture.putalpha(reduce(ImageChops.lighter, differs))
    return picture
