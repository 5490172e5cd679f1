"""Spec section 3 "Adapter icon": which of the two sources counts, and which images are kept."""

import pytest

from orbtile.host.icons import IconShelf, resolve_icon
from orbtile.protocol.errors import ApiError, invalid_field, limit_exceeded
from orbtile.protocol.registration import Icon
from tests.fakes.bundles import FakeBundles
from tests.fakes.codec import FakeCodec, images_of

APP = "com.example.agent"


@pytest.fixture
def codec() -> FakeCodec:
    return FakeCodec()


@pytest.fixture
def bundles() -> FakeBundles:
    return FakeBundles()


# --- where an icon comes from -------------------------------------------------------------------------------


def test_a_png_alone_is_rendered(codec: FakeCodec, bundles: FakeBundles) -> None:
    assert resolve_icon(Icon(png=b"sent"), codec, bundles) == images_of(b"sent")


def test_an_installed_application_takes_precedence_over_the_png(
    codec: FakeCodec, bundles: FakeBundles
) -> None:
    bundles.icons[APP] = b"installed"
    assert resolve_icon(Icon(png=b"sent", app_bundle_id=APP), codec, bundles) == images_of(b"installed")


def test_the_png_is_the_fallback_for_an_application_that_is_not_installed(
    codec: FakeCodec, bundles: FakeBundles
) -> None:
    assert resolve_icon(Icon(png=b"sent", app_bundle_id=APP), codec, bundles) == images_of(b"sent")


def test_an_installed_application_needs_no_png(codec: FakeCodec, bundles: FakeBundles) -> None:
    bundles.icons[APP] = b"installed"
    assert resolve_icon(Icon(app_bundle_id=APP), codec, bundles) == images_of(b"installed")


def test_without_a_png_and_an_installed_application_the_glyph_is_used(
    codec: FakeCodec, bundles: FakeBundles
) -> None:
    assert resolve_icon(Icon(app_bundle_id=APP), codec, bundles) is None
    assert codec.rendered == []


@pytest.mark.parametrize("error", [invalid_field("icon.png", "no"), limit_exceeded("icon.png", "too much")])
def test_a_bad_png_is_refused_whatever_is_installed(
    codec: FakeCodec, bundles: FakeBundles, error: ApiError
) -> None:
    bundles.icons[APP] = b"installed"
    codec.refused[b"sent"] = error
    with pytest.raises(ApiError) as refused:
        resolve_icon(Icon(png=b"sent", app_bundle_id=APP), codec, bundles)
    assert refused.value is error


@pytest.mark.parametrize("png", [b"sent", None])
def test_an_applications_icon_that_cannot_be_rendered_refuses_nobody(
    codec: FakeCodec, bundles: FakeBundles, png: bytes | None
) -> None:
    bundles.icons[APP] = b"odd"
    codec.refused[b"odd"] = limit_exceeded("icon.png", "too much")
    expected = None if png is None else images_of(png)
    assert resolve_icon(Icon(png=png, app_bundle_id=APP), codec, bundles) == expected


# --- the shelf ----------------------------------------------------------------------------------------------


def test_images_are_found_by_what_they_were_made_of() -> None:
    shelf = IconShelf()
    shelf.put(Icon(png=b"a"), images_of(b"a"))
    assert shelf.get(Icon(png=b"a")) == images_of(b"a")
    assert shelf.get(Icon(png=b"a", app_bundle_id=APP)) is None
    assert Icon(png=b"a") in shelf


def test_what_has_no_picture_any_more_has_none_on_the_shelf() -> None:
    shelf = IconShelf()
    shelf.put(Icon(app_bundle_id=APP), images_of(b"installed"))
    shelf.put(Icon(app_bundle_id=APP), None)
    shelf.put(Icon(app_bundle_id=APP), None)
    assert len(shelf) == 0


def test_the_shelf_is_cleared_of_everything_else() -> None:
    shelf = IconShelf()
    shelf.keep_only([Icon(png=b"a")])
    for name in (b"a", b"b", b"c"):
        shelf.put(Icon(png=name), images_of(name))
    shelf.keep_only([Icon(png=b"b"), Icon(png=b"b"), Icon(png=b"other")])
    assert len(shelf) == 1
    assert shelf.get(Icon(png=b"b")) == images_of(b"b")
