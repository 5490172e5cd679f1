"""Pictures of the popover in every situation, from a real service on fake ports, to be judged by eye.

``python -m tests.tools.gallery OUT [--scale 2] [--theme dark] [--font Inter] [--scene NAME] [--rtl]
[--display]``
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from orbtile.host.settings import Settings
from orbtile.host.settings import Theme as ThemeChoice
from orbtile.host.views import Notice, NoticeKind
from orbtile.palette.states import ACTIVITIES, State
from orbtile.protocol.registration import Capability, Glyph, Palette, Registration
from orbtile.protocol.session import ApprovalRequest, Message, SessionUpdate
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from orbtile.ui.motion import MotionClock
from orbtile.ui.popover import Popover
from orbtile.ui.row import SessionRow
from orbtile.ui.summary import Look
from orbtile.ui.theme import Theme
from orbtile.ui.tray_icon import Panel, tray_image
from tests.fakes.hosts import AdapterClient, Host

AGENTS = {
    "claude": ("com.example.claude", "Claude", "Claude", "C", Palette(base_hue=76, attention_hue=56)),
    "codex": ("com.example.codex", "Codex", "Codex", "Cx", Palette(base_hue=285, attention_hue=305)),
    "tiny": ("dev.tiny.agent", "Tiny agent", "Tiny", "Ti", Palette(base_hue=150, attention_hue=330)),
    "bot": ("com.example.buildbot", "Build bot", "Build", "Bb", Palette(base_hue=250, attention_hue=75)),
}
COMMAND = "python3 adapters/examples/demo.py"


class Stage:
    """A host with up to four agents, whose time can pass without any of them falling silent."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.host = Host(settings or Settings(api_enabled=True))
        self.host.clock.sleep_laptop(time.time() - 2 * 3600 - self.host.clock.epoch_s())
        self.clients: dict[str, AdapterClient] = {}
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)

    def add(self, *keys: str, allowed: bool = True) -> None:
        for key in keys:
            adapter_id, name, short_name, letters, palette = AGENTS[key]
            registration = Registration(
                name=name,
                short_name=short_name,
                palette=palette,
                glyph=Glyph(monogram=letters),
                url_schemes=("https",),
                capabilities=frozenset({Capability.APPROVALS}),
            )
            join = self.host.allowed if allowed else self.host.registered
            self.clients[key] = join(adapter_id, registration)

    def show(self, key: str, session_id: str, update: SessionUpdate) -> None:
        self.clients[key].update(session_id, update)

    def wait(self, seconds: float) -> None:
        while seconds > 0:
            step = min(10.0, seconds)
            self.host.advance(step)
            seconds -= step
            for client in self.clients.values():
                client.heartbeat()
        self.bridge.flush()


def session(title: str, state: State) -> SessionUpdate:
    return SessionUpdate(title=title, activity=state, open_url="https://example.com/1")


def everything(stage: Stage) -> None:
    stage.add(*AGENTS)
    stage.show("bot", "1", session("Deploy preview", State.OFFLINE))
    stage.wait(3600)
    stage.show("claude", "3", session("Scratch", State.IDLE))
    stage.wait(3600 - 540)
    done = replace(
        session("Update dependencies", State.DONE), message=Message(id="1", text="14 packages updated")
    )
    stage.show("tiny", "1", done)
    stage.wait(360)
    error = replace(session("Nightly build", State.ERROR), status_detail="API error: 529 overloaded, 5 tries")
    stage.show("bot", "2", error)
    stage.wait(120)
    question = replace(session("Release notes 2.4", State.WAITING_QUESTION), host="build-vm")
    stage.show("tiny", "2", question)
    stage.wait(18)
    tool = replace(
        session("Migrate settings to TOML", State.TOOL), tool_label="Bash  npm test -- --run settings"
    )
    stage.show("codex", "1", replace(tool, subagent_count=3))
    stage.wait(24)
    approval = ApprovalRequest(id="a", tool_name="Bash", command_summary="git push")
    ask = replace(session("Fix flaky retry test", State.WAITING_PERMISSION), approval=approval)
    stage.show("claude", "1", ask)
    stage.wait(6)
    thinking = replace(
        session("Review pull request 218", State.THINKING), status_detail="Comparing both lock orders"
    )
    stage.show("codex", "2", thinking)
    stage.wait(6)
    text = "The ramp is built in OKLCH, so the hue turns with lightness"
    stream = replace(session("Explain palette drift", State.STREAMING), message=Message(id="2", text=text))
    stage.show("claude", "2", stream)
    stage.show("codex", "3", replace(session("Index the monorepo", State.TOOL), background=True))
    stage.show("claude", "4", replace(session("Triage inbox", State.DONE), background=True))
    stage.show("tiny", "3", replace(session("Nightly triage", State.IDLE), background=True))
    stage.wait(6)


def hard(stage: Stage) -> None:
    stage.add(*AGENTS)
    stage.show("claude", "6", replace(session("Nightly triage", State.IDLE), background=True))
    stage.wait(3 * 3600)
    long_title = "Refactor the very long module name that nobody wanted to shorten"
    tool = session(long_title, State.TOOL)
    label = "Edit src/orbtile/adapters/registry/validation_rules.py"
    stage.show("codex", "1", replace(tool, tool_label=label, subagent_count=12))
    stage.wait(3421)
    done = Message(id="1", text="كل الاختبارات ناجحة")
    stage.show("claude", "3", replace(session("إصلاح اختبار غير مستقر", State.DONE), message=done))
    stage.wait(120)
    compacting = replace(session("Ship it 🚀", State.COMPACTING), status_detail="Compacting, 182k to 40k")
    stage.show("bot", "4", compacting)
    stage.wait(5)
    chinese = replace(session("修复登录页面的竞态条件", State.THINKING), status_detail="正在比较两种加锁顺序")
    stage.show("tiny", "2", replace(chinese, host="build-vm"))
    stage.wait(2)
    stage.show("codex", "5", replace(session("New session", State.STARTING), model="gpt-x"))
    hebrew = Message(id="9", text="الاختبارات تعمل الآن بشكل صحيح وكل شيء جاهز للنشر غدا صباحا")
    stage.show("claude", "7", replace(session("No live text", State.STREAMING), message=hebrew))
    stage.wait(1)


def working(stage: Stage) -> None:
    stage.add("claude", "codex")
    stage.show("codex", "1", replace(session("Migrate settings", State.TOOL), tool_label="Bash npm test"))
    stage.show("claude", "2", session("Explain palette drift", State.THINKING))
    stage.wait(42)


def off(stage: Stage) -> None:
    stage.host.service.set_api_enabled(False)


def none(stage: Stage) -> None:
    stage.wait(1)


def quiet(stage: Stage) -> None:
    stage.add(*AGENTS)
    stage.show("tiny", "1", session("Update dependencies", State.DONE))
    stage.wait(60)
    stage.clients["tiny"].end("1")


def asks(stage: Stage) -> None:
    stage.add("bot", allowed=False)


def asks_and_more(stage: Stage) -> None:
    everything(stage)
    stage.host.service.forget(AGENTS["bot"][0])
    stage.add("bot", allowed=False)
    stage.host.service.report(Notice(kind=NoticeKind.SETTINGS_NOT_SAVED, detail="No space left on device"))


def many(stage: Stage) -> None:
    stage.add(*AGENTS)
    for key in AGENTS:
        stage.wait(5)  # the buckets fill up again
        for i in range(32):
            stage.show(key, str(i), session(f"Session {i} of {key}", ACTIVITIES[i % len(ACTIVITIES)]))


SCENES: dict[str, Callable[[Stage], None]] = {
    "everything": everything,
    "hard": hard,
    "working": working,
    "off": off,
    "none": none,
    "quiet": quiet,
    "asks": asks,
    "asks-and-more": asks_and_more,
    "many": many,
}


def hover(row: SessionRow) -> None:
    middle = QPointF(row.rect().center())
    QApplication.sendEvent(row, QEnterEvent(middle, middle, middle))


def shoot(app: QApplication, out: Path, scene: str, choice: ThemeChoice) -> None:
    stage = Stage()
    SCENES[scene](stage)
    theme = Theme(choice)
    stage.bridge.flush()
    now_s = stage.host.clock.monotonic_s
    motion = MotionClock(now_s)
    popover = Popover(stage.bridge, theme, stage.model, now_s, motion=motion, example_command=COMMAND)
    popover.open_at(QPoint(700, 2))
    app.processEvents()
    rows = {row.view.title: row for row in popover.findChildren(SessionRow)}
    if "Migrate settings to TOML" in rows:
        hover(rows["Migrate settings to TOML"])
    if "Ship it 🚀" in rows:
        rows["Ship it 🚀"].setFocus(Qt.FocusReason.TabFocusReason)
    app.processEvents()
    picture = popover.grab().toImage()
    direction = "-rtl" if popover.isRightToLeft() else ""
    name = f"popover-{scene}-{choice.value}{direction}-{picture.devicePixelRatio():g}x.png"
    save_on_desk(picture, out / name, theme)
    popover.close()
    stage.bridge.close()
    popover.deleteLater()
    app.processEvents()


def save_on_desk(picture: QImage, path: Path, theme: Theme) -> None:
    """Put the window on a desktop's colour, as the designs do."""
    margin = round(24 * picture.devicePixelRatio())
    desk = QImage(picture.width() + 2 * margin, picture.height() + 2 * margin, QImage.Format.Format_RGB32)
    desk.fill(QColor("#2c2a28" if theme.is_dark else "#d9d5d0"))
    picture.setDevicePixelRatio(1)
    painter = QPainter(desk)
    painter.drawImage(margin, margin, picture)
    painter.end()
    desk.save(str(path))
    print(path)


def shoot_tray(out: Path) -> None:
    sheet = QImage(6 * 220, 4 * 140, QImage.Format.Format_RGB32)
    painter = QPainter(sheet)
    panels: tuple[Panel, Panel] = ("dark", "light")
    for half, panel in enumerate(panels):
        painter.fillRect(
            0, half * 280, sheet.width(), 280, QColor("#1f1d1c" if panel == "dark" else "#eceae7")
        )
        for template in (False, True):
            for column, look in enumerate(Look):
                x, y = column * 220 + 8, half * 280 + template * 140 + 10
                for size, zoom in ((16, 5), (22, 4)):
                    image = tray_image(look, size, panel, count=2, template=template)
                    painter.drawImage(x, y, image.scaled(size * zoom, size * zoom))
                    x += size * zoom + 4
                x = column * 220 + 8
                for size in (16, 22, 24, 32):
                    painter.drawImage(x, y + 94, tray_image(look, size, panel, count=12, template=template))
                    x += size + 12
    painter.end()
    sheet.save(str(out / "tray.png"))
    print(out / "tray.png")


def use_screen(scale: float) -> None:
    """An offscreen screen of 1280 x 800, larger than the platform's own."""
    screen = {"name": "gallery", "x": 0, "y": 0, "width": round(1280 * scale), "height": round(800 * scale)}
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({"screens": [screen]}, file)
    os.environ["QT_SCALE_FACTOR"] = str(scale)
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={file.name}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scene", action="append", choices=[*SCENES, "tray"], dest="scenes")
    parser.add_argument("--theme", choices=["dark", "light"])
    parser.add_argument("--font", help="stands in for the system's face")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--rtl", action="store_true", help="as in a language that reads from the right")
    parser.add_argument("--display", action="store_true", help="on the display that DISPLAY names")
    options = parser.parse_args()
    scenes = options.scenes or [*SCENES, "tray"]
    options.out.mkdir(parents=True, exist_ok=True)
    if options.display:
        os.environ["QT_SCALE_FACTOR"] = str(options.scale)
    else:
        use_screen(options.scale)
    app = QApplication([])
    if options.rtl:
        app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    if options.font:
        app.setFont(QFont(options.font))
    for choice in (ThemeChoice.DARK, ThemeChoice.LIGHT):
        if options.theme not in {None, choice.value}:
            continue
        for scene in scenes:
            if scene in SCENES:
                shoot(app, options.out, scene, choice)
    if "tray" in scenes:
        shoot_tray(options.out)


if __name__ == "__main__":
    main()
