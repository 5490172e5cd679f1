"""Settings on a real desktop, used by screen reader and keyboard, with an adapter at the real socket."""

import sys
from collections.abc import Callable

import pytest

from tests.tools.desktop import Desktop, wait_for
from tests.tools.running_app import RunningApp

pytestmark = [pytest.mark.desktop, pytest.mark.slow]

ADAPTER = "com.example.bot"
NAME = "Build bot"

StartApp = Callable[..., RunningApp]


@pytest.fixture
def opened(trayer_desktop: Desktop, start_app: StartApp) -> RunningApp:
    """The app with the API off, as at the first start, and Settings open."""
    app = start_app(trayer_desktop, api_enabled=False)
    open_settings(app)
    return app


def open_settings(app: RunningApp) -> None:
    env = {"ORBTILE_DATA_DIR": str(app.data_dir), "ORBTILE_API_FILE": str(app.discovery_file)}

    def is_open() -> bool:
        command = app.desktop.start(sys.executable, "-m", "orbtile", "open", "settings", env=env)
        return command.process.wait(20) == 0

    wait_for("the running app to take the command", is_open)
    app.screen_reader.find("Adapter API")


def states(app: RunningApp, name: str) -> list[str]:
    found = app.screen_reader.find(name)["states"]
    assert isinstance(found, list)
    return [str(state) for state in found]


def switch_on(app: RunningApp) -> None:
    app.screen_reader.press("Adapter API")
    wait_for("the discovery file", app.discovery_file.exists)


def is_enabled(app: RunningApp) -> bool:
    return app.request("PUT", f"/adapters/{ADAPTER}", app.registration(NAME))[1].get("enabled") is True


def press_until(app: RunningApp, control: str, item: str) -> None:
    """Press until the list has ``item``: a decision is not taken in the first half second."""

    def is_taken() -> bool:
        app.screen_reader.press(control)
        try:
            app.screen_reader.find(item, patience_s=0.4)
        except LookupError:
            return False
        return True

    wait_for(item, is_taken)


def answer(app: RunningApp, verb: str, item: str) -> None:
    app.screen_reader.find(f"{NAME} wants to show sessions")
    press_until(app, f"{verb} {NAME}", item)


def session(app: RunningApp) -> object:
    status, reply = app.request(
        "POST", f"/adapters/{ADAPTER}/sessions/1", {"title": "Nightly", "activity": "tool"}
    )
    assert status == 200, reply
    return reply["session"]


def test_an_adapter_is_switched_on_asked_about_and_allowed(opened: RunningApp) -> None:
    assert "CHECKED" not in states(opened, "Adapter API")
    switch_on(opened)
    assert "CHECKED" in states(opened, "Adapter API")
    opened.register(ADAPTER, NAME)
    assert opened.screen_reader.find(f"{NAME} wants to show sessions")["role"] in {"panel", "grouping"}
    assert session(opened) == {"uid": f"{ADAPTER}/local/1", "visible": False}
    answer(opened, "Allow", f"{NAME}, Connected")
    opened.screen_reader.wait_gone(f"{NAME} wants to show sessions")
    assert is_enabled(opened)
    assert session(opened) == {"uid": f"{ADAPTER}/local/1", "visible": True}
    item = opened.screen_reader.find(f"{NAME}, Connected")
    assert item["role"] == "list item"
    assert "CHECKED" in states(opened, f"Show {NAME}")


def test_deny_does_the_opposite_until_show_is_switched_on(opened: RunningApp) -> None:
    switch_on(opened)
    opened.register(ADAPTER, NAME)
    answer(opened, "Deny", f"{NAME}, Denied")
    status, reply = opened.request("PUT", f"/adapters/{ADAPTER}", opened.registration(NAME))
    assert (status, reply["enabled"], reply["reason"]) == (200, False, "disabled_by_user")
    press_until(opened, f"Show {NAME}", f"{NAME}, Connected")
    assert is_enabled(opened)


def test_regenerating_ends_every_registration_after_the_second_press(opened: RunningApp) -> None:
    switch_on(opened)
    opened.register(ADAPTER, NAME)
    answer(opened, "Allow", f"{NAME}, Connected")
    before = opened.discovery_file.read_text()
    opened.screen_reader.press("Regenerate token")
    opened.screen_reader.press("Regenerate")
    wait_for("another token", lambda: opened.discovery_file.read_text() != before)
    after = opened.discovery_file.read_text()
    opened.discovery_file.write_text(before)
    assert opened.request("POST", f"/adapters/{ADAPTER}/heartbeat", {})[0] == 401
    opened.discovery_file.write_text(after)
    assert opened.request("POST", f"/adapters/{ADAPTER}/heartbeat", {})[0] == 404
    opened.screen_reader.find(f"{NAME}, Disconnected")
    opened.register(ADAPTER, NAME)
    opened.screen_reader.find(f"{NAME}, Connected")  # allowed once, not asked again


def test_forget_asks_once_and_the_adapter_is_gone(opened: RunningApp) -> None:
    switch_on(opened)
    opened.register(ADAPTER, NAME)
    answer(opened, "Allow", f"{NAME}, Connected")
    opened.screen_reader.press(f"Forget {NAME}")
    opened.screen_reader.press("Cancel")
    opened.screen_reader.wait_gone("Cancel")
    opened.screen_reader.press(f"Forget {NAME}")
    opened.screen_reader.press("Forget")
    opened.screen_reader.wait_gone(f"{NAME}, Connected")
    opened.screen_reader.find("No agents yet")


def test_the_keyboard_alone_switches_the_api_on(opened: RunningApp) -> None:
    wait_for("the focus", lambda: "FOCUSED" in states(opened, "Agents"))
    opened.desktop.press_key("Tab")
    wait_for("the focus", lambda: "FOCUSED" in states(opened, "Adapter API"))
    opened.desktop.press_key("space")
    wait_for("the discovery file", opened.discovery_file.exists)
    assert "CHECKED" in states(opened, "Adapter API")


def hue_in_use(app: RunningApp) -> object:
    """As the adapter is told when it registers again."""
    status, reply = app.request("PUT", f"/adapters/{ADAPTER}", app.registration(NAME))
    assert status == 200, reply
    adapter = reply["adapter"]
    assert isinstance(adapter, dict)
    return adapter["resolvedBaseHue"]


def wait_for_hue(app: RunningApp, ring: str, value: int, hue_deg: float) -> None:
    wait_for("the ring", lambda: app.screen_reader.find(ring)["value"] == value)
    wait_for("the hue", lambda: hue_in_use(app) == hue_deg)


def test_the_hue_ring_is_a_slider_for_keyboard_and_screen_reader(opened: RunningApp) -> None:
    ring, reset = f"Hue of {NAME}", f"Reset hue of {NAME}"
    switch_on(opened)
    opened.register(ADAPTER, NAME)
    answer(opened, "Allow", f"{NAME}, Connected")
    facts = opened.screen_reader.find(ring)
    assert (facts["role"], facts["value"]) == ("slider", 270)
    assert {"FOCUSABLE", "ENABLED"} <= set(states(opened, ring))
    assert "ENABLED" not in states(opened, reset)
    opened.screen_reader.find("Streaming")

    def has_focus() -> bool:
        if "FOCUSED" in states(opened, ring):
            return True
        opened.desktop.press_key("Tab")
        return False

    wait_for("the focus", has_focus)
    opened.desktop.press_key("Right")
    wait_for_hue(opened, ring, 271, 271.0)
    opened.desktop.press_key("End")
    wait_for_hue(opened, ring, 346, 345.9)
    opened.desktop.press_key("Right")  # the reserved arc is left out
    wait_for_hue(opened, ring, 76, 75.9)
    opened.screen_reader.set_value(ring, 200)
    wait_for_hue(opened, ring, 200, 200.0)
    opened.screen_reader.press(reset)
    wait_for_hue(opened, ring, 270, 270.0)
    assert "ENABLED" not in states(opened, reset)


@pytest.mark.parametrize(
    ("name", "at_first"),
    [("One alarm colour for all agents", False), ("Agent icons", True), ("Icons from agents", True)],
)
def test_how_agents_look_is_switched_for_all(opened: RunningApp, name: str, at_first: bool) -> None:
    assert ("CHECKED" in states(opened, name)) is at_first
    opened.screen_reader.press(name)
    wait_for("the setting", lambda: ("CHECKED" in states(opened, name)) is not at_first)


def test_the_pages_are_reached_by_name(opened: RunningApp) -> None:
    opened.screen_reader.press("About")
    opened.screen_reader.find("Copy Diagnostics")
    opened.screen_reader.press("General")
    opened.screen_reader.press("Reduce motion")
    wait_for("the setting", lambda: "CHECKED" in states(opened, "Reduce motion"))
