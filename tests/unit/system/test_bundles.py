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
