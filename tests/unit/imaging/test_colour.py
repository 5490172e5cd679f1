import time

import pytest
from PIL import Image, ImageCms

from orbtile.imaging.colour import srgb_transform
from orbtile.protocol.errors import ApiError
from tests.fakes import icc_profiles as icc

Pixel = tuple[int, int, int, int]


def converted(profile: bytes, pixel: Pixel, *, grey: bool = False) -> Pixel:
    picture = srgb_transform(profile, "icon.png", grey=grey)(Image.new("RGBA", (2, 2), pixel))
    assert picture.mode == "RGBA"
    result = picture.getpixel((1, 1))
    assert isinstance(result, tuple)
    red, green, blue, alpha = result
    return red, green, blue, alpha


def near(one: Pixel, other: Pixel, by: int = 2) -> bool:
    return all(abs(a - b) <= by for a, b in zip(one, other, strict=True))


def test_srgb_stays_as_it_is() -> None:
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for pixel in [(0, 0, 0, 255), (255, 255, 255, 255), (200, 100, 50, 7), (1, 128, 254, 0)]:
        assert near(converted(srgb, pixel), pixel, by=1)


def test_primaries_are_converted() -> None:
    assert near(converted(icc.SWAPPED, (255, 0, 0, 255)), (0, 255, 0, 255))
    assert near(converted(icc.SWAPPED, (0, 255, 0, 9)), (255, 0, 0, 9))


def test_curves_are_converted_and_alpha_is_not() -> None:
    # Half the light is 188 in sRGB.
    assert near(converted(icc.LINEAR, (128, 128, 128, 40)), (188, 188, 188, 40))
    table = icc.rgb(icc.curve(*range(0, 65_536, 257)))
    assert near(converted(table, (128, 128, 128, 40)), (188, 188, 188, 40))


def test_grey_may_have_a_profile_of_grey_or_of_colour() -> None:
    for profile in (icc.grey(icc.gamma(1.0)), icc.LINEAR):
        assert near(converted(profile, (128, 128, 128, 40), grey=True), (188, 188, 188, 40))


def test_colour_may_not_have_a_profile_of_grey() -> None:
    with pytest.raises(ApiError, match="profile of grey"):
        srgb_transform(icc.grey(icc.gamma(1.0)), "icon.png", grey=False)


@pytest.mark.parametrize(
    "tone",
    [b"curv", b"curv\0\0\0\0\xff\xff\xff\xff", b"para\0\0\0\0\0\x63\0\0\0\1\0\0", b"para"],
)
def test_a_damaged_profile_is_refused(tone: bytes) -> None:
    with pytest.raises(ApiError) as refusal:
        srgb_transform(icc.rgb(tone), "icon.png", grey=False)
    assert (refusal.value.code, refusal.value.field) == ("invalid_field", "icon.png")


def test_a_chain_of_thousands_of_stages_is_not_looked_at() -> None:
    profile = icc.rgb(icc.gamma(1.0), (b"D2B0", icc.chain(8_000)))
    began_s = time.process_time()
    assert near(converted(profile, (128, 128, 128, 255)), (188, 188, 188, 255))
    assert time.process_time() - began_s < 0.1


def test_without_little_cms_pictures_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise ImportError("built without it")

    monkeypatch.setattr(ImageCms, "ImageCmsProfile", missing)
    assert converted(icc.LINEAR, (128, 128, 128, 40)) == (128, 128, 128, 40)
