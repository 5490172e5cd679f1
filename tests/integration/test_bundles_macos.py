"""Icons of installed applications, on macOS."""

import struct
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from orbtile.system.bundles import SystemBundles
from orbtile.system.paths import Platform

pytest.importorskip("_scproxy", reason="needs macOS")
assert sys.platform == "darwin"  # for type checkers

FINDER = "com.apple.finder"
NOBODY = "com.example.nobody-has-this"
BUNDLES = SystemBundles(Platform.MACOS)


def test_an_application_that_every_mac_has_is_found_and_another_is_not() -> None:
    assert BUNDLES.warnings(FINDER) == []
    assert len(BUNDLES.warnings(NOBODY)) == 1
    assert BUNDLES.icon_png(NOBODY) is None


def test_its_icon_is_a_square_png_on_whatever_thread() -> None:
    here = BUNDLES.icon_png(FINDER)
    with ThreadPoolExecutor(max_workers=1) as worker:
        there = worker.submit(BUNDLES.icon_png, FINDER).result()
    assert here is not None
    assert here == there
    assert here.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", here[16:24]) == (128, 128)
