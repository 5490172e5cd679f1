"""From a picture's own colours to sRGB, by its ICC profile.

Owns the conversion. Must not know sizes. Pillow does it with Little CMS; where Pillow was built without it,
pictures keep their numbers.
"""

from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageCms

from orbtile.imaging.icc import bare_profile, is_grey
from orbtile.protocol.errors import invalid_field


def srgb_transform(profile: bytes, path: str, *, grey: bool) -> Callable[[Image.Image], Image.Image]:
    """Converts RGBA pictures and leaves their alpha. A ``grey`` picture may have a profile of RGB too, and is
    read as one of equal parts.

    Raises ``ApiError`` 422 ``invalid_field`` on ``path`` for a profile that does not fit or is damaged.
    """
    mode = "L" if is_grey(profile) else "RGB"
    if mode == "L" and not grey:
        raise invalid_field(path, "is in colour and has a colour profile of grey")
    bare = bare_profile(profile, path)
    try:
        transform = ImageCms.buildTransform(
            ImageCms.ImageCmsProfile(BytesIO(bare)),
            ImageCms.createProfile("sRGB"),
            mode,
            "RGB",
            ImageCms.Intent.PERCEPTUAL,
            # Optimised it would be evaluated at more points than there are pixels, to make a table.
            ImageCms.Flags.NOOPTIMIZE,
        )
    except ImportError:
        return lambda picture: picture
    except (OSError, ImageCms.PyCMSError):
        raise invalid_field(path, "has a damaged colour profile") from None

    def convert(picture: Image.Image) -> Image.Image:
        converted = transform.apply(picture.convert(mode))
        converted.putalpha(picture.getchannel("A"))
        return converted

    return convert
