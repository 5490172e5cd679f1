"""The whole way on a real desktop, with a shell script and curl as the adapter."""

import json
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.desktop import Desktop, wait_for
from tests.tools.running_app import RunningApp

pytestmark = [pytest.mark.desktop, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "data" / "story.sh"
UID = "org.example.story/local/run-1"

StartApp = Callable[..., RunningApp]
Reply = tuple[int, dict[str, object]]

SECRETS = {
    "title": "Unmistakable title 4711",
    "cwd": "/unmistakable/folder/4711",
    "toolLabel": "Bash  unmistakable-tool-4711",
    "statusDetail": "unmistakable detail 4711",
    "model": "unmistakable-model-4711",
    "project": "Unmistakable project 4711",
    "message": {"id": "unmistakable-id-4711", "text": "unmistakable message 4711"},
}
"""What a session says: none of it may reach a file."""


def script(app: RunningApp, *arguments: str, token: str | None = None) -> Reply:
    """Run the shell adapter once; returns status and body."""
    env = {**app.desktop.env, "ORBTILE_API_FILE": str(app.discovery_file)}
    if token is not None:
        env["TOKEN"] = token
    done = subprocess.run(
        ["bash", SCRIPT, *arguments], env=env, capture_output=True, text=True, timeout=20, check=True
    )
    body, _, status = done.stdout.rstrip("\n").rpartition("\n")
    return int(status), json.loads(body) if body.strip() else {}


def update(app: RunningApp, **fields: object) -> Reply:
    return script(app, "update", json.dumps(fields))


def token_of(app: RunningApp) -> str:
    token = json.loads(app.discovery_file.read_text(encoding="ascii"))["token"]
    assert isinstance(token, str)
    return token


def click_tray(app: RunningApp) -> None:
    icon = wait_for("the tray icon", app.desktop.xembed_icon)
    app.desktop.click(*icon)


def press_until(app: RunningApp, button: str, is_done: Callable[[], bool]) -> None:
    """A banner takes no input in its first half second."""

    def pressed() -> bool:
        try:
            app.screen_reader.press(button, patience_s=2)
        except LookupError:  # it went away meanwhile, with the banner
            return is_done()
        return is_done()

    wait_for(f"{button} to be taken", pressed)


def is_enabled(app: RunningApp) -> bool:
    return script(app, "register", "Story")[1]["enabled"] is True


def test_from_the_switch_to_a_row_in_the_popover(trayer_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(trayer_desktop, api_enabled=False)
    assert not app.discovery_file.exists()

    # GIVEN the user turns the API on where the popover teaches it
    click_tray(app)
    app.screen_reader.press("Adapter API")
    wait_for("the discovery file", app.discovery_file.exists)

    # WHEN the script registers, nothing shows before the Allow
    status, reply = script(app, "register", "Story")
    assert (status, reply["enabled"], reply["reason"]) == (201, False, "awaiting_user")
    status, reply = update(app, title="Write the story", activity="thinking", statusDetail="Chapter one")
    assert (status, reply) == (200, {"session": {"uid": UID, "visible": False}})
    assert "Write the story" not in " ".join(app.screen_reader.names())

    # THEN after it the row is there, and says what the script says
    press_until(app, "Allow Story", lambda: is_enabled(app))
    status, reply = update(app, activity="tool", toolLabel="Bash  make book")
    assert (status, reply) == (200, {"session": {"uid": UID, "visible": True}})
    app.screen_reader.find("Write the story, Bash, Story")

    # AND quitting removes what adapters look for
    app.program.process.send_signal(signal.SIGTERM)
    wait_for("the end", lambda: not app.program.is_running)
    assert not app.discovery_file.exists()
    assert sorted(path.name for path in (app.data_dir / "run").iterdir()) == ["lock"]


def test_deny_keeps_it_off_the_screen(trayer_desktop: Desktop, start_app: StartApp) -> None:
    app = start_app(trayer_desktop)
    script(app, "register", "Story")
    click_tray(app)

    press_until(
        app, "Deny Story", lambda: script(app, "register", "Story")[1].get("reason") == "disabled_by_user"
    )

    status, reply = update(app, title="Never seen", activity="thinking")
    assert (status, reply) == (200, {"session": {"uid": UID, "visible": False}})
    assert "Never seen" not in " ".join(app.screen_reader.names())


def test_a_regenerated_token_gives_the_script_401_and_then_404(
    trayer_desktop: Desktop, start_app: StartApp
) -> None:
    app = start_app(trayer_desktop)
    script(app, "register", "Story")
    old_token = token_of(app)
    click_tray(app)
    app.screen_reader.press("Settings")

    app.screen_reader.press("Regenerate token")
    app.screen_reader.press("Regenerate")
    wait_for("another token", lambda: token_of(app) != old_token)

    status, reply = script(app, "heartbeat", token=old_token)
    assert (status, code_of(reply)) == (401, "unauthorized")
    status, reply = script(app, "heartbeat")
    assert (status, code_of(reply)) == (404, "adapter_not_registered")


def is_kept(app: RunningApp, decision: str) -> bool:
    """Whether the decision about the one adapter is on disk."""
    file = app.data_dir / "consents.json"
    if not file.exists():  # nobody was remembered yet
        return False
    document = json.loads(file.read_text(encoding="utf-8"))
    return [record["decision"] for record in document["adapters"].values()] == [decision]


def code_of(reply: dict[str, object]) -> object:
    error = reply["error"]
    assert isinstance(error, dict)
    return error["code"]


def test_no_session_text_and_no_other_token_reaches_a_file(
    trayer_desktop: Desktop, start_app: StartApp
) -> None:
    app = start_app(trayer_desktop)
    registration = {
        "name": "Story",
        "palette": {"baseHue": 270},
        "urlSchemes": ["https"],
        "capabilities": ["approvals", "questions"],
    }
    _, reply = app.request("PUT", "/adapters/org.example.quiet", registration)
    owner_token = reply["adapterToken"]
    assert isinstance(owner_token, str)
    click_tray(app)
    press_until(
        app,
        "Allow Story",
        lambda: is_kept(app, "allowed"),
    )
    owned = {"X-Orbtile-Adapter-Token": owner_token}
    approval = {"id": "a1", "toolName": "Bash", "commandSummary": "unmistakable command 4711"}
    for fields in (
        {**SECRETS, "activity": "tool", "openURL": "https://unmistakable.example/4711"},
        {"activity": "waitingPermission", "approval": approval},
        {"activity": "error", "approval": None, "cwd": 4711},  # a refusal names the field, not the value
    ):
        app.request("POST", "/adapters/org.example.quiet/sessions/s1", fields, owned)
    app.screen_reader.find("Unmistakable title 4711, Allow Bash?, Story")

    stolen = {token_of(app), (app.data_dir / "run" / "hook-token").read_text(encoding="ascii")}
    app.stop()

    written = "\n".join(
        path.read_text(encoding="utf-8", errors="replace") for path in everything_below(app.data_dir)
    )
    written += app.program.output
    assert not re.search("unmistakable", written, re.IGNORECASE)
    assert "4711" not in written
    for token in {*stolen, owner_token}:
        assert token not in written


def everything_below(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files, "a test that reads nothing proves nothing"
    return files


def test_the_adapter_of_the_readme_works_when_pasted(trayer_desktop: Desktop, start_app: StartApp) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = (text for text in re.findall(r"```sh\n(.*?)```", readme, re.DOTALL) if "curl" in text)
    assert len(block.splitlines()) == 5
    app = start_app(trayer_desktop)

    pasted = app.desktop.start("bash", "-c", block, env={"ORBTILE_API_FILE": str(app.discovery_file)})
    click_tray(app)
    press_until(
        app,
        "Allow Hello",
        lambda: is_kept(app, "allowed"),
    )

    app.screen_reader.find("My first session, Reading the README, Hello")

    # AND it comes back by itself when Orbtile no longer knows it
    click_tray(app)
    app.screen_reader.press("Settings")
    app.screen_reader.press("Regenerate token")
    app.screen_reader.press("Regenerate")
    wait_for("the registration under a new token", lambda: pasted.output.count('"resolvedBaseHue"') == 2)
    pasted.stop()
