"""The Python SDK beside the real application, through all that happens to Orbtile."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import orbtile_adapter
from orbtile_adapter import AdapterError, APIError, AsyncClient, Client, DiscoveryError, LeaseLostError
from tests.tools.driven import Driven, drive, driven_folder, end_driven, start_driven

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the driven application is watched through /proc"),
]

ADAPTER = "dev.example.tiny"
DISPLAY_ONLY: Mapping[str, Any] = {"name": "Tiny", "palette": {"baseHue": 150}}
INTERACTIVE = {**DISPLAY_ONLY, "capabilities": ["tap", "approvals", "questions"]}
PATIENCE_S = 15.0
SDK = Path(orbtile_adapter.__file__).parents[2]
SPECIMENS = ["🎛️ émigré", "שלום עולם", "a\u202eb\u2066c", "tab\tand\x07bell", "x" * 120]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder with the API on and nobody allowed."""
    with driven_folder(allowed=()) as made:
        yield made


def client(folder: Path, registration: Mapping[str, Any] = DISPLAY_ONLY, **options: Any) -> Client:
    options = {"heartbeat_interval": 0.2, **options}
    return Client(ADAPTER, registration, discovery_file=folder / "api.json", **options)


def wait_for(what: str, holds: Callable[[], object]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, f"{what}: not within {PATIENCE_S:.0f} s"
        time.sleep(0.02)


def shown(app: Driven) -> dict[str, str]:
    """Titles by session, host and id."""
    return {uid.removeprefix(f"{ADAPTER}/"): title for uid, title in app.titles("sessions").items()}


def test_a_session_is_shown_after_one_allow_and_goes_with_the_client(folder: Path) -> None:
    with drive(folder, os.environ) as app:
        with client(folder) as pad:
            assert pad.registration_reply["enabled"] is False
            assert pad.registration_reply["reason"] == "awaiting_user"
            assert pad.upsert_session("run", title="T", activity="idle")["session"]["visible"] is False
            assert app.order("allow") == [ADAPTER]
            assert pad.upsert_session("run", activity="thinking")["session"]["visible"] is True
            assert pad.register()["enabled"] is True
            assert pad.info["apiMinor"] >= 2
            pad.upsert_session("run", title="There", activity="idle", host="vm")
            assert shown(app) == {"local/run": "T", "vm/run": "There"}
            pad.remove_session("run", host="vm")
            assert shown(app) == {"local/run": "T"}
            pad.replace_sessions([{"id": "a", "title": "A", "activity": "done"}])
            assert shown(app) == {"local/a": "A"}
        assert shown(app) == {}
        assert app.complaints() == []


def test_every_field_is_taken_and_awkward_text_arrives_cleaned(folder: Path) -> None:
    with drive(folder, os.environ) as app, client(folder, {**DISPLAY_ONLY, "urlSchemes": ["https"]}) as pad:
        app.order("allow")
        reply = pad.upsert_session(
            "run", title="T", activity="tool", cwd="/x", project="P", model="m", toolLabel="Bash  ls",
            toolKind="shell", message={"id": "m", "text": "a\n" * 1000}, statusDetail=None, subagentCount=3,
            openURL="https://example.org/7", pid=os.getpid(), background=True, liveText=False, ttlSeconds=60,
        )  # fmt: skip
        assert "warnings" not in reply
        for number, text in enumerate(SPECIMENS):
            pad.upsert_session(f"s{number}", title=text, activity="idle", host="local")
        titles = shown(app)
        assert titles["local/s0"] == SPECIMENS[0]
        assert titles["local/s2"] == "abc"
        assert titles["local/s3"] == "tab and bell"
        with pytest.raises(APIError) as caught:
            pad.upsert_session("run", activity="busy")  # type: ignore[arg-type]
        assert (caught.value.status, caught.value.field) == (422, "activity")
        assert "busy" not in str(caught.value)
        assert app.complaints() == []


def test_sessions_come_back_after_a_new_token_a_restart_and_a_crash(folder: Path) -> None:
    with contextlib.ExitStack() as stack:
        with drive(folder, os.environ) as app:
            pad = stack.enter_context(client(folder))
            pad.upsert_session("a", title="A", activity="idle", statusDetail="kept")
            pad.upsert_session("b", title="B", activity="idle", host="vm")
            app.order("allow")
            assert app.titles("regenerate") == {}
            pad.upsert_session("a", activity="thinking")
            assert shown(app) == {"local/a": "A", "vm/b": "B"}
            app.order("regenerate")  # and now the daemon alone
            wait_for("both sessions", lambda: len(shown(app)) == 2)
            assert pad.lease_generation == 3
            assert pad.reconciliation_required
        wait_for("the news that Orbtile is off", lambda: isinstance(pad.heartbeat_error, DiscoveryError))
        with pytest.raises(AdapterError):
            pad.upsert_session("a", title="While it was off")
        crashing = start_driven(folder, os.environ)
        try:
            wait_for("a heartbeat", lambda: pad.heartbeat_error is None)
            assert pad.lease_generation == 4
        finally:
            end_driven(crashing)
        with contextlib.suppress(AdapterError):
            pad.remove_session("b", host="vm")
        with drive(folder, os.environ) as again:
            wait_for("the session that is left", lambda: shown(again) == {"local/a": "While it was off"})
            assert again.complaints() == []
            stack.close()
            assert shown(again) == {}


def test_an_interactive_adapter_keeps_its_id_to_itself_and_reports_a_lost_lease(folder: Path) -> None:
    request: orbtile_adapter.ApprovalRequest = {"id": "a1", "toolName": "Bash", "commandSummary": "npm test"}
    with drive(folder, os.environ) as app, client(folder, INTERACTIVE) as pad:
        app.order("allow")
        assert pad.capabilities == {"tap", "approvals", "questions"}
        assert "adapterToken" not in pad.registration_reply
        with pytest.raises(APIError, match="adapter_token_required"):
            client(folder, INTERACTIVE).connect()
        pad.request_approval("run", request, title="T")
        done: list[str] = []
        assert pad.answer_locally("run", lambda: done.append("here"), request_id="a1")
        assert done == ["here"]
        pad.ask_question(
            "run", {"id": "q1", "questions": [{"text": "?", "options": [{"label": "A"}, {"label": "B"}]}]}
        )
        app.order("regenerate")
        wait_for("the daemon", lambda: pad.reconciliation_required)
        with pytest.raises(LeaseLostError):
            pad.request_approval("run", {**request, "id": "a2"})
        pad.reconcile()
        pad.request_approval("run", {**request, "id": "a3"})
        assert shown(app) == {"local/run": "T"}
        assert app.complaints() == []
    with drive(folder, os.environ), client(folder, INTERACTIVE):
        pass  # the id is free again after close


def test_the_asyncio_client_lives_through_the_same(folder: Path) -> None:
    async def main() -> None:
        async with AsyncClient(
            ADAPTER, DISPLAY_ONLY, discovery_file=folder / "api.json", heartbeat_interval=0.2
        ) as pad:
            await pad.upsert_session("run", title="T", activity="idle")
            await asyncio.to_thread(first.order, "allow")
            await asyncio.to_thread(first.order, "regenerate")
            await pad.upsert_session("run", activity="done")
            assert await asyncio.to_thread(shown, first) == {"local/run": "T"}
            await asyncio.to_thread(stack.close)
            with pytest.raises(AdapterError):
                await pad.upsert_session("run", title="Off")
            second = await asyncio.to_thread(stack.enter_context, drive(folder, os.environ))
            await asyncio.to_thread(wait_for, "the session", lambda: shown(second) == {"local/run": "Off"})
            assert pad.lease_generation == 3
        assert await asyncio.to_thread(shown, second) == {}

    with contextlib.ExitStack() as stack:
        first = stack.enter_context(drive(folder, os.environ))
        asyncio.run(main())


def test_a_client_that_is_fast_meets_the_limits_and_still_loses_nothing(folder: Path) -> None:
    with drive(folder, os.environ) as app, client(folder) as pad:
        app.order("allow")
        refusals = []
        for step in range(150):
            try:
                pad.upsert_session("run", title=f"T{step}", activity="idle")
            except APIError as error:
                refusals.append((error.status, error.code, error.retry_after is not None))
        assert set(refusals) == {(429, "rate_limited", True)}
        wait_for("the last title", lambda: shown(app) == {"local/run": "T149"})


# --- as others run it ------------------------------------------------------------------------------------

HURRY = "import time; sleep = time.sleep; time.sleep = lambda seconds: sleep(seconds / 5)\n"


def run_python(folder: Path, code: str, python: str = sys.executable) -> "subprocess.Popen[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"ORBTILE_API_FILE": str(folder / "api.json"), "PYTHONPATH": str(SDK / "src")}
    return subprocess.Popen(
        [python, "-u", "-X", "dev", "-W", "error", "-c", code],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def quick_start() -> str:
    blocks = re.findall(r"```python\n(.*?)```", (SDK / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    code: str = blocks[0]
    return code


def test_the_pasted_quick_start_waits_for_orbtile_shows_its_session_and_lives_through_a_restart(
    folder: Path,
) -> None:
    with run_python(folder, HURRY + quick_start()) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("not shown: ")
            with drive(folder, os.environ) as app:
                wait_for("the banner", lambda: app.order("allow") == [ADAPTER])
                wait_for("the session", lambda: shown(app) == {"local/run": "Tiny agent"})
            time.sleep(2.0)  # some of its calls fall into the time without Orbtile
            with drive(folder, os.environ) as again:
                wait_for("the session again", lambda: shown(again) == {"local/run": "Tiny agent"})
                process.send_signal(signal.SIGINT)
                output, _ = process.communicate(timeout=60)
                assert shown(again) == {}
                assert again.complaints() == []
        finally:
            process.kill()
    lines = output.splitlines()
    traceback = lines.index("Traceback (most recent call last):")
    assert all(line.startswith("not shown: ") for line in lines[:traceback])
    assert lines[-1] == "KeyboardInterrupt"


def test_the_quick_start_exactly_as_it_is_written_passes_the_check(tmp_path: Path) -> None:
    file = tmp_path / "quick_start.py"
    file.write_text(quick_start(), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "orbtile_adapter.check", "--json", "--jobs", "7", "--", sys.executable, file],
        env={**os.environ, "PYTHONPATH": str(SDK / "src")},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def interpreters() -> list[str]:
    """One of every Python of 3.10 to 3.14 on this machine that starts."""
    found: dict[str, str] = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    candidates = [path for minor in range(10, 15) if (path := shutil.which(f"python3.{minor}"))]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        candidates += map(str, sorted(Path(root, "versions").glob("3.*/bin/python")))
    for candidate in candidates:
        code = "import sys; print(sys.version_info[:2] >= (3, 10), '%d.%d' % sys.version_info[:2])"
        done = subprocess.run([candidate, "-I", "-c", code], capture_output=True, text=True, check=False)
        if done.stdout.startswith("True "):
            found.setdefault(done.stdout.split()[1], candidate)
    return list(found.values())


SMOKE = """
import asyncio, json, sys
from orbtile_adapter import AsyncClient, Client

registration = {"name": "Tiny", "palette": {"baseHue": 150}}
with Client("dev.example.tiny", registration) as pad:
    pad.upsert_session("run", title="Blocking", activity="idle")
    pad.heartbeat()
    pad.replace_sessions([{"id": "run", "title": "Blocking", "activity": "done"}])
    pad.remove_session("run")


async def main():
    async with AsyncClient("dev.example.tiny", registration) as pad:
        reply = await pad.upsert_session("run", title="Asyncio", activity="idle")
        await pad.heartbeat()
        print(json.dumps([list(sys.version_info[:2]), reply["session"]["visible"]]))


asyncio.run(main())
"""


def test_every_python_of_this_machine_talks_to_the_application(folder: Path) -> None:
    pythons = interpreters()
    assert pythons
    with drive(folder, os.environ) as app:
        for python in pythons:
            with run_python(folder, SMOKE, python) as process:
                output, _ = process.communicate(timeout=60)
            assert process.returncode == 0, f"{python}: {output}"
            version, visible = json.loads(output)
            assert version >= [3, 10]
            assert visible is False
        assert app.titles("sessions") == {}
        assert app.complaints() == []
