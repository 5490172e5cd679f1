"""Icons in the real application: drawn with the registration, and again after a restart without one."""

import os
import sys
import time
from base64 import b64encode

import pytest

from orbtile.imaging import PillowCodec
from tests.fakes.bodies import base64_of, png
from tests.tools.driven import Driven, drive, driven_folder

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the driven application is watched through /proc"),
]

PATIENCE_S = 15.0
SIDES_PX = {"dev.small": 16, "dev.large": 256}


def with_icon(side_px: int) -> dict[str, object]:
    return {
        "name": "Example",
        "palette": {"baseHue": 150},
        "icon": {"png": base64_of(png(side_px, side_px))},
    }


def wait_for_icons(app: Driven, expected: dict[str, str]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while (drawn := app.titles("icons")) != expected:
        assert time.monotonic() < end_s, f"{sorted(drawn)} after {PATIENCE_S:.0f} s"
        time.sleep(0.02)


def test_icons_are_drawn_when_they_come_and_again_after_a_restart() -> None:
    codec = PillowCodec()
    expected = {
        adapter_id: b64encode(codec.render(png(side_px, side_px)).px56).decode()
        for adapter_id, side_px in SIDES_PX.items()
    }
    with driven_folder(allowed=()) as folder:
        with drive(folder, os.environ) as app:
            for adapter_id, side_px in SIDES_PX.items():
                app.endpoint.expect(201, "PUT", f"/adapters/{adapter_id}", with_icon(side_px))
            assert app.titles("icons") == expected
            damaged = png(16, 16)[:-1]
            app.endpoint.expect(
                422, "PUT", "/adapters/dev.small", {**with_icon(16), "icon": {"png": base64_of(damaged)}}
            )
            assert app.titles("icons") == expected
            assert app.complaints() == []
        with drive(folder, os.environ) as again:
            wait_for_icons(again, expected)
            assert again.complaints() == []
