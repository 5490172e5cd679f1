"""Pictures of the Settings window in its states, to be looked at.

``python -m tests.tools.settings_gallery OUT``, from the top of the repository. A real service on fake ports
stands behind the window; nothing is shown on the desktop.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from orbtile.host.settings import Settings
from orbtile.host.settings import Theme as ThemeChoice
from orbtile.host.views import Notice, NoticeKind
from orbtile.palette.states import State
from orbtile.protocol.registration import Capability, Glyph, Icon, Palette, Registration
from orbtile.ui.bridge import Bridge
from orbtile.ui.controls import Button
from orbtile.ui.motion import MotionClock
from orbtile.ui.settings.diagnostics import AboutInfo
from orbtile.ui.settings.window import SettingsWindow
from orbtile.ui.symbols import find_symbols_in
from orbtile.ui.theme import Theme
from tests.fakes.hosts import AdapterClient, Host
from tests.fakes.icons import bars, disc, ring, with_icon

DECIDES: Final = frozenset({Capability.APPROVALS, Capability.QUESTIONS})
SYMBOLS: Final = Path(__file__).parents[2] / "icons" / "symbols"
TALL: Final = QSize(960, 1220)
USUAL: Final = QSize(960, 760)
HEBREW: Final = "סוכן הבנייה הלילי"
ARABIC: Final = "إصلاح اختبار غير مستقر"
KANJI: Final = "夜間ビルドのエージェント"
LONG: Final = "An agent with a name that never seems to come to its end, really"

Prepare = Callable[[Host], None]
Act = Callable[[SettingsWindow], None]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What the host holds, and what the user does then."""

    prepare: Prepare
    act: Act = lambda _: None
    size: QSize = USUAL


def agent(name: str, mono: str = "", symbol: str | None = None) -> Registration:
    return Registration(
        name=name,
        palette=Palette(base_hue=150, attention_hue=330.5),
        glyph=Glyph(symbol, mono or None) if mono or symbol else None,
        url_schemes=("https",),
        version="1.4.0",
    )


def nothing(_host: Host) -> None:
    pass


def full(host: Host) -> None:
    """Every state of an adapter once, and both banners."""
    host.allowed("com.example.claude", agent("Claude", "C")).update()
    host.allowed("com.example.codex", agent("Codex", "Cx")).update()
    tiny = tiny_agent(host)
    tiny.allow()
    tiny.update()
    host.allowed("dev.mono", agent("Mono", "Mo", "hammer.fill")).unregister()
    host.allowed("dev.zephyr", agent("Zephyr", "Zp", "wind")).deny()
    quill = agent("Quill", "Qu")
    host.allowed("dev.quill", quill).register(
        replace(quill, url_schemes=("https", "quill"), capabilities=DECIDES)
    )
    bot = replace(agent("Build bot", "Bb"), capabilities=DECIDES, icon=Icon(png=b"bars"))
    host.adapter("com.example.buildbot").register(bot, icon=bars("#2b5a9b"))


def tiny_agent(host: Host) -> AdapterClient:
    """It has all that an adapter can have."""
    client = host.adapter("dev.tiny.agent")
    registration = agent("Tiny agent", "Ti")
    registration = replace(registration, capabilities=DECIDES, homepage="https://tiny.example/agent")
    client.register(with_icon(registration), icon=ring("#2f6b45"))
    return client


def with_hue(host: Host) -> None:
    full(host)
    host.service.set_hue("dev.tiny.agent", 261.0)


def one_alarm(host: Host) -> None:
    full(host)
    host.service.change_settings(replace(host.service.settings, anchor_attention=True))


def glyphs_only(host: Host) -> None:
    full(host)
    host.service.change_settings(replace(host.service.settings, provider_app_icon=False))


def changed(host: Host) -> None:
    """Other colours for some, for all, another icon, none any more, all of it at once."""
    states = {State.THINKING: "#eab308", State.WAITING_PERMISSION: "#ef4444", State.IDLE: "#6b7280"}
    some = agent("Some colours", "Sc")
    host.allowed("dev.some", some).register(replace(some, palette=replace(some.palette, states=states)))
    picture = with_icon(agent("Another icon", "Ai"))
    client = host.adapter("dev.icon")
    client.register(picture, icon=ring("#2f6b45"))
    client.allow()
    client.register(replace(picture, icon=Icon(png=b"other")), icon=bars("#2b5a9b"))
    client = host.adapter("dev.letters")
    lost = with_icon(agent("Letters again", "La"))
    client.register(lost, icon=disc("#ffffff"))
    client.allow()
    client.register(replace(lost, icon=None))
    everything = with_icon(agent("Everything", "Ev", "sparkles"))
    client = host.adapter("dev.everything")
    client.register(everything, icon=disc("#101010"))
    client.allow()
    palette = Palette(base_hue=280, attention_hue=90)
    client.register(replace(everything, palette=palette, icon=Icon(png=b"new")), icon=bars("#8a2be2"))


def hard(host: Host) -> None:
    """Long, right to left, CJK, emoji, many changes."""
    host.adapter("com.example." + "very-long-label." * 2 + "agent").register(
        replace(
            agent(LONG),
            url_schemes=("https", "http", "vscode", "zed", "my-very-own-agent", "jetbrains"),
            capabilities=frozenset(Capability),
            homepage="https://example.com/" + "documentation/" * 12,
            version="2025.11.30-nightly+build.48151623",
        ),
        [
            "gamut: thinking.hot was clipped from chroma 0.182 to 0.151",
            "unknown field 'icon.color' ignored",
            "baseHue 20 lies in the reserved arc 345.9 to 75.9 and was moved to 345.9",
        ],
    )
    states = {State.THINKING: "#eab308", State.DONE: "#22c55e", State.IDLE: "#6b7280"}
    palette = Palette(base_hue=90, chroma=1.2, lightness=0.03, attention_hue=60, states=states)
    host.allowed("il.nightly", agent(HEBREW)).register(
        replace(agent(HEBREW), palette=palette, short_name="לילי", homepage="https://example.com")
    )
    host.allowed("jp.night", agent(KANJI))
    host.allowed("eg.tests", agent(ARABIC)).update()
    host.allowed("fun.rocket", agent("Ship it 🚀👩🏽‍🚀"))


def switched_off(host: Host) -> None:
    full(host)
    host.service.set_api_enabled(False)


def never_on(host: Host) -> None:
    host.service.set_api_enabled(False)


def in_trouble(host: Host) -> None:
    full(host)
    host.service.report(Notice(kind=NoticeKind.CONSENTS_NOT_SAVED, detail="No space left on device"))


def select(name: str) -> Act:
    def act(window: SettingsWindow) -> None:
        for item in window.agents.adapter_list.items:
            if item.view.registration.name == name:
                item.click()

    return act


def ask_to_forget(window: SettingsWindow) -> None:
    select("Tiny agent")(window)
    if window.agents.pane is not None:
        window.agents.pane.forget.button.setFocus(Qt.FocusReason.TabFocusReason)
        window.agents.pane.forget.button.click()


def ask_to_regenerate(window: SettingsWindow) -> None:
    select("Mono")(window)
    window.agents.token_row.button.click()


def focus_deny(window: SettingsWindow) -> None:
    window.activateWindow()
    select("Build bot")(window)
    button = window.agents.banners[0].findChild(Button, "denyButton")
    if isinstance(button, Button):
        button.setFocus(Qt.FocusReason.TabFocusReason)


def focus_ring(window: SettingsWindow) -> None:
    window.activateWindow()
    select("Tiny agent")(window)
    if window.agents.pane is not None:
        window.agents.pane.colours.ring.setFocus(Qt.FocusReason.TabFocusReason)


def drag(window: SettingsWindow) -> None:
    """Not let go: the orbs show what would be."""
    select("Tiny agent")(window)
    if window.agents.pane is not None:
        ring_widget = window.agents.pane.colours.ring
        QTest.mousePress(ring_widget, Qt.MouseButton.LeftButton, pos=QPoint(32, 32))


SCENES: Final = {
    "agents": Scene(prepare=full, act=select("Tiny agent"), size=TALL),
    "agents-focus": Scene(prepare=full, act=focus_deny, size=TALL),
    "agents-smallest": Scene(prepare=full, act=select("Tiny agent"), size=QSize(880, 600)),
    "agents-hue": Scene(prepare=with_hue, act=focus_ring, size=TALL),
    "agents-drag": Scene(prepare=full, act=drag, size=TALL),
    "agents-one-alarm": Scene(prepare=one_alarm, act=select("Tiny agent"), size=TALL),
    "agents-glyphs": Scene(prepare=glyphs_only, act=select("Zephyr"), size=TALL),
    "agents-changed": Scene(prepare=changed, act=select("Everything"), size=TALL),
    "agents-hard": Scene(prepare=hard, act=select(LONG), size=TALL),
    "agents-hard-names": Scene(prepare=hard, act=select(ARABIC), size=TALL),
    "agents-off": Scene(prepare=switched_off, act=select("Tiny agent")),
    "agents-empty": Scene(prepare=nothing),
    "agents-empty-off": Scene(prepare=never_on),
    "agents-forget": Scene(prepare=full, act=ask_to_forget, size=TALL),
    "agents-regenerate": Scene(prepare=full, act=ask_to_regenerate, size=TALL),
    "agents-notice": Scene(prepare=in_trouble, act=select("Tiny agent")),
    "general": Scene(prepare=full, act=lambda window: window.show_page(window.general)),
    "about": Scene(prepare=full, act=lambda window: window.show_page(window.about)),
}


def paint(scene: Scene, choice: ThemeChoice, path: Path) -> None:
    host = Host(Settings(api_enabled=True, theme=choice))
    scene.prepare(host)
    bridge = Bridge(host.service)
    data = Path.home() / ".local" / "share" / "Orbtile"
    info = AboutInfo(version="0.4.0", data_dir=data, log_file=data / "logs" / "orbtile.log")
    window = SettingsWindow(
        bridge,
        Theme(choice),
        info,
        motion=MotionClock(host.clock.monotonic_s),
        open_url=lambda _: True,
        now_s=host.clock.monotonic_s,
    )
    window.resize(scene.size)
    window.show()
    QApplication.processEvents()
    scene.act(window)
    QApplication.processEvents()
    window.grab().save(str(path))
    bridge.close()
    window.close()
    window.deleteLater()
    QApplication.processEvents()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scale", default="2")
    parser.add_argument("--font", default="", help="a family in place of the system's")
    parser.add_argument("--only", default="", help="scenes whose name holds this")
    parser.add_argument("--rtl", action="store_true", help="as in a language that reads from the right")
    options = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_SCALE_FACTOR"] = options.scale
    app = QApplication([])
    if options.font:
        app.setFont(QFont(options.font))
    if options.rtl:
        app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    find_symbols_in(SYMBOLS)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, scene in SCENES.items():
        for choice in (ThemeChoice.DARK, ThemeChoice.LIGHT):
            stem = f"{name}-{choice.value}{'-rtl' if options.rtl else ''}"
            if options.only in stem:
                path = options.out / f"{stem}@{options.scale}x.png"
                paint(scene, choice, path)
                print(path)


if __name__ == "__main__":
    main()
