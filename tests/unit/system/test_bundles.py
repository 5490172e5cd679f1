import pytest

from orbtile.system.bundles import SystemBundles
from orbtile.system.paths import Platform

ID = "com.example.agent"


def test_a_mac_without_the_application_says_so_in_the_specifications_words() -> None:
    assert SystemBundles(Platform.MACOS, lambda _: False).warnings(ID) == [
        "icon.appBundleId 'com.example.agent' is not installed on this Mac; using the fallback icon"
    ]


def test_a_mac_with_the_application_has_nothing_to_say() -> None:
    assert SystemBundles(Platform.MACOS, lambda bundle_id: bundle_id == ID).warnings(ID) == []


def test_windows_says_that_it_ignores_the_field_in_the_specifications_words() -> None:
    assert SystemBundles(Platform.WINDOWS).warnings(ID) == [
        "icon.appBundleId is ignored on Windows; send icon.png to show an icon on every platform"
    ]


def test_linux_has_nothing_to_say() -> None:
    assert SystemBundles(Platform.LINUX).warnings(ID) == []


@pytest.mark.parametrize("platform", [Platform.MACOS, Platform.LINUX])
def test_the_icon_is_that_of_the_application(platform: Platform) -> None:
    asked: list[str] = []

    def find(bundle_id: str) -> bytes | None:
        asked.append(bundle_id)
        return b"icon"

    assert SystemBundles(platform, find_application_icon=find).icon_png(ID) == b"icon"
    assert SystemBundles(platform, find_application_icon=lambda _: None).icon_png(ID) is None
    assert asked == [ID]


def test_windows_has_no_icon_whatever_is_installed() -> None:
    assert SystemBundles(Platform.WINDOWS, find_application_icon=lambda _: b"icon").icon_png(ID) is None
