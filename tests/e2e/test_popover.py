"""The tray icon and the popover on real desktops, used by pointer, keyboard and screen reader."""

from collections.abc import Callable, Iterator

import pytest
from Xlib import X

from tests.tools.desktop import SNI_WATCHER, Accessibility, Desktop, wait_for
from tests.tools.running_app import RunningApp

pytestmark = [pytest.mark.desktop, pytest.mark.slow]

ADAPTER = "com.example.bot"
HEADER_BUTTON = "Settings"
"""Of the popover's header: as long as it shows, so does the popover."""

Place = tuple[int, int]
StartApp = Callable[..., RunningApp]
Tray = tuple[Desktop, Callable[[], Place]]


def open_by_click(desktop: Desktop, at: Place) -> None:
    desktop.click(*at)
    wait_open(desktop.accessibility)
    wait_for("the keyboard to be the popover's", lambda: desktop.focused_name() == "Orbtile")


def wait_open(reader: Accessibility) -> None:
    wait_for("the popover", lambda: HEADER_BUTTON in reader.names())


def wait_closed(reader: Accessibility) -> None:
    reader.wait_gone(HEADER_BUTTON)


def wait_drawn(desktop: Desktop, at: Place) -> Place:
    """Wait until something is drawn there that is not the panel's ground."""

    def is_drawn() -> bool:
        picture = desktop.screenshot()
        ground = picture.pixelColor(at[0] - 12, at[1] + 12)
        box = [(at[0] + dx, at[1] + dy) for dx in range(-11, 12) for dy in range(-11, 12)]
        return sum(picture.pixelColor(x, y) != ground for x, y in box) > 20

    wait_for("the icon's picture", is_drawn)
    return at


def icon_of(desktop: Desktop, kind: str) -> Place:
    if kind == "trayer":
        return wait_drawn(desktop, wait_for("the docked icon", desktop.xembed_icon))
    return wait_drawn(desktop, (1266, 14))  # the panel's one plugin holds one icon, at its right end


@pytest.fixture(params=["trayer", "xfce4-panel"])
def tray(request: pytest.FixtureRequest) -> Tray:
    """A desktop of each kind of tray, and where the app's icon is on it."""
    kind = str(request.param)
    desktop: Desktop = request.getfixturevalue(f"{kind.removeprefix('xfce4-')}_desktop")
    desktop.move_to(400, 700)
    return desktop, lambda: icon_of(desktop, kind)


def allowed(app: RunningApp) -> None:
    """An adapter with two sessions, allowed by the user's press in the popover, which is open."""
    app.register(ADAPTER, "Build bot")
    app.screen_reader.find("Build bot wants to show sessions")
    wait_for("Allow", lambda: _press_allow(app))
    app.update(ADAPTER, "1", title="Nightly build", activity="error", statusDetail="API error: 529")
    app.update(ADAPTER, "2", title="Deploy preview", activity="tool", toolLabel="Bash make", host="build-vm")


def _press_allow(app: RunningApp) -> bool:
    """A banner takes no press in its first half second; one that was taken leaves with its button."""
    try:
        app.screen_reader.press("Allow Build bot", patience_s=0.2)
    except LookupError:
        return True
    return False


def test_a_click_opens_the_popover_and_the_next_one_closes_it(tray: Tray, start_app: StartApp) -> None:
    desktop, place = tray
    app = start_app(desktop)
    at = place()
    for _ in range(3):
        open_by_click(desktop, at)
        desktop.click(*at)
        wait_closed(app.screen_reader)


def test_escape_and_a_click_elsewhere_close_it(tray: Tray, start_app: StartApp) -> None:
    desktop, place = tray
    app = start_app(desktop)
    at = place()
    open_by_click(desktop, at)
    desktop.press_key("Escape")
    wait_closed(app.screen_reader)
    other = desktop.open_window(100, 400, 300, 300)
    open_by_click(desktop, at)
    desktop.click(200, 600)
    wait_closed(app.screen_reader)
    other.destroy()


def test_the_menu_opens_over_an_open_popover(trayer_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(trayer_desktop)
    at = icon_of(trayer_desktop, "trayer")
    open_by_click(trayer_desktop, at)
    trayer_desktop.click(*at, button=3)
    wait_for("the menu", trayer_desktop.has_open_menu)
    trayer_desktop.press_key("Down")
    trayer_desktop.press_key("Down")
    trayer_desktop.press_key("Return")
    wait_for("Settings", lambda: "Settings" in trayer_desktop.focused_name())
    assert app.program.is_running


def test_it_hangs_from_the_panel_inside_the_screen(tray: Tray, start_app: StartApp) -> None:
    desktop, place = tray
    app = start_app(desktop)
    open_by_click(desktop, place())
    window = app.screen_reader.find("Orbtile")
    button = app.screen_reader.find(HEADER_BUTTON)
    x, y = int(str(button["x"])), int(str(button["y"]))
    assert 1280 - 12 - 44 <= x + 28 <= 1280 - 12, window
    assert 28 < y < 28 + 12 + 60


def test_sessions_of_a_real_adapter_appear_after_allow_and_can_be_pressed(
    tray: Tray, start_app: StartApp
) -> None:
    desktop, place = tray
    app = start_app(desktop)
    open_by_click(desktop, place())
    allowed(app)
    row = app.screen_reader.find("Nightly build, API error, Build bot")
    remote = app.screen_reader.find("Deploy preview, Bash, Build bot, on build-vm")
    assert row["role"] == "list item"
    assert row["parent_role"] == "list"
    assert row["description"] == "529"
    assert "Press" in str(row["actions"])
    assert int(str(row["y"])) < int(str(remote["y"])), "an error stands above work"


def test_an_adapter_that_dies_leaves_an_offline_row(trayer_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(trayer_desktop)
    open_by_click(trayer_desktop, icon_of(trayer_desktop, "trayer"))
    allowed(app)
    app.screen_reader.find("Nightly build, Offline, Build bot, offline", patience_s=25)


def test_the_keyboard_alone_reaches_and_presses_a_row(trayer_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(trayer_desktop)
    trayer_desktop.move_to(400, 700)
    open_by_click(trayer_desktop, icon_of(trayer_desktop, "trayer"))
    trayer_desktop.move_to(400, 700)
    allowed(app)
    app.screen_reader.find("Nightly build, API error, Build bot")
    trayer_desktop.press_key("Down")
    trayer_desktop.press_key("Down")
    name = "Deploy preview, Bash, Build bot, on build-vm"
    wait_for("the focus", lambda: "FOCUSED" in str(app.screen_reader.find(name)["states"]))


def test_what_takes_the_keyboard_has_a_name_of_its_own(trayer_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(trayer_desktop)
    open_by_click(trayer_desktop, icon_of(trayer_desktop, "trayer"))
    trayer_desktop.move_to(400, 700)
    allowed(app)
    app.register("com.example.two", "Second")
    app.screen_reader.find("Allow Second")
    assert focusable_names(app, "dialog") == [
        "Orbtile",
        "Settings",
        "Deny Second",
        "Allow Second",
        "Nightly build, API error, Build bot",
        "Deploy preview, Bash, Build bot, on build-vm",
    ]
    app.screen_reader.press("Settings")
    app.screen_reader.find("Regenerate token")
    names = focusable_names(app, "frame")
    assert "" not in names
    assert len(set(names)) == len(names)


def focusable_names(app: RunningApp, window_role: str) -> list[str]:
    """What can have the keyboard, in the order in which a screen reader goes through it."""
    shown = app.screen_reader.shown()
    assert window_role in {str(thing["role"]) for thing in shown}
    return [str(thing["name"]) for thing in shown if "FOCUSABLE" in str(thing["states"])]


def test_settings_wears_the_applications_icon(trayer_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(trayer_desktop)
    trayer_desktop.click(*icon_of(trayer_desktop, "trayer"))
    app.screen_reader.press(HEADER_BUTTON)
    app.screen_reader.find("Regenerate token")
    icon = trayer_desktop.display.intern_atom("_NET_WM_ICON")
    (window,) = [w for w in trayer_desktop.windows() if str(w.get_wm_name()).startswith("Settings")]
    data = window.get_full_property(icon, X.AnyPropertyType)
    assert data is not None
    assert list(data.value[:2]) == [16, 16]


@pytest.fixture(params=["trayer", "xfce4-panel"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def lone(kind: str) -> Iterator[Desktop]:
    """A desktop for one test alone, whose tray may be stopped."""
    with Desktop("trayer" if kind == "trayer" else "xfce4-panel") as desktop:
        yield desktop


def stop_tray(desktop: Desktop, kind: str) -> None:
    assert desktop.tray_program is not None
    desktop.tray_program.stop()
    wait_for("no tray", lambda: not has_tray(desktop, kind))


def test_the_icon_comes_back_when_its_tray_restarts(kind: str, lone: Desktop, start_app: StartApp) -> None:
    app = start_app(lone)
    icon_of(lone, kind)
    stop_tray(lone, kind)
    lone.start_tray()
    at = icon_of(lone, kind)
    wait_for("the popover by click", lambda: click_opens(lone, at))
    lone.press_key("Escape")
    wait_closed(app.screen_reader)


def test_a_tray_that_starts_after_the_app_gets_the_icon(
    kind: str, lone: Desktop, start_app: StartApp
) -> None:
    stop_tray(lone, kind)
    app = start_app(lone)
    wait_open(app.screen_reader)  # a normal window meanwhile
    lone.start_tray()
    at = icon_of(lone, kind)
    wait_for("the popover by click", lambda: click_opens(lone, at))


def test_without_a_tray_a_normal_window_takes_its_place(bare_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(bare_desktop, api_enabled=False)
    wait_open(app.screen_reader)
    bare_desktop.press_key("Escape")
    app.screen_reader.press("Adapter API")
    wait_for("the discovery file", app.discovery_file.exists)
    app.screen_reader.find("No agents yet")
    assert app.program.is_running


def has_tray(desktop: Desktop, kind: str) -> bool:
    if kind == "trayer":
        return desktop.owns_selection("_NET_SYSTEM_TRAY_S0")
    return desktop.owns_bus_name(SNI_WATCHER)


def click_opens(desktop: Desktop, at: Place) -> bool:
    """Close what is open, then click."""
    desktop.click(*at)
    try:
        desktop.accessibility.find("Orbtile", patience_s=0.5)
    except LookupError:
        return False
    return HEADER_BUTTON in desktop.accessibility.names()
