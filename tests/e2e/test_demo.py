"""``dev.py run --demo``: a real adapter's sessions in the popover, and nothing of them anywhere else."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.examples import demo
from tests.tools.desktop import Desktop, Program, wait_for

pytestmark = [pytest.mark.desktop, pytest.mark.socket, pytest.mark.slow]

TOOL = Path(__file__).parents[1] / "tools" / "demo.py"


@pytest.fixture
def desktop() -> Iterator[Desktop]:
    with Desktop("trayer") as private:
        yield private


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "t"
    folder.mkdir()
    return folder


def start_demo(desktop: Desktop, temporary: Path, *arguments: str) -> Program:
    return desktop.start(sys.executable, str(TOOL), *arguments, env={"TMPDIR": str(temporary)})


def texts_of_the_stories() -> list[bytes]:
    """Everything an adapter tells about its sessions that could identify one."""
    told = []
    for story in demo.STORIES:
        told += [str(story.fixed["title"]), str(story.fixed.get("cwd", story.fixed["title"]))]
        for step in story.steps:
            fields = step.fields or {}
            told += [str(fields[name]) for name in ("toolLabel", "statusDetail") if name in fields]
            message = fields.get("message")
            if isinstance(message, dict):
                told.append(str(message["text"]))
    return [text.encode() for text in told]


def test_the_demo_shows_at_least_three_sessions_at_once_and_cleans_up(
    desktop: Desktop, temporary: Path
) -> None:
    program = start_demo(desktop, temporary)
    for title in ("Fix the flaky checkout test", "Rename the billing module", "Build the nightly report"):
        desktop.accessibility.find(f"~{title}")
    (folder,) = temporary.glob("orbtile-demo-*")
    assert f"export ORBTILE_DATA_DIR={folder}/data\n" in program.output
    assert f"export ORBTILE_API_FILE={folder}/data/adapter-api.json\n" in program.output
    assert "press Allow" not in program.output, "it is allowed already"
    assert program.stop() == 0
    assert "Traceback" not in program.output
    assert list(temporary.iterdir()) == []


def test_no_session_text_and_no_token_reaches_a_file_that_is_not_meant_for_it(
    desktop: Desktop, temporary: Path
) -> None:
    program = start_demo(desktop, temporary, "--speed", "8")
    desktop.accessibility.find("~Fix the flaky checkout test")
    end_s = time.monotonic() + 7  # at eight times the speed: nearly all of every story
    wait_for("the stories to be told", lambda: time.monotonic() > end_s)
    (folder,) = temporary.glob("orbtile-demo-*")
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    discovery = folder / "data" / "adapter-api.json"
    hook_token = folder / "data" / "run" / "hook-token"
    token = json.loads(files[discovery])["token"].encode()
    assert [path for path, data in files.items() if token in data] == [discovery]
    assert [path for path, data in files.items() if files[hook_token].strip() in data] == [hook_token]
    for text in texts_of_the_stories():
        assert [path for path, data in files.items() if text in data] == []
        assert text.decode() not in program.output
    assert token.decode() not in program.output
    assert program.stop() == 0
