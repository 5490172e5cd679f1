"""The README's adapter of five lines, pasted into every shell it names, through all that befalls Orbtile."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.tools.driven import Driven, drive, driven_folder

pytestmark = [
    pytest.mark.socket,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the driven application is watched through /proc"),
]

README = Path(__file__).parents[2] / "README.md"
SHELLS = [shell for shell in ("sh", "bash", "zsh") if shutil.which(shell)]
PATIENCE_S = 20.0
TITLE = "My first session"
OFF = "Orbtile is off"


def pasted() -> str:
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    block: str
    (block,) = (block for block in blocks if "curl" in block)
    assert "org.example.hello" in block
    assert "sleep 3;" in block
    return block


def id_in(shell: str) -> str:
    return f"org.example.in-{shell}"


@contextlib.contextmanager
def pasted_into(shells: list[str], folder: Path) -> Iterator[Mapping[str, Path]]:
    """Each shell's adapter has an id of its own and is in more of a hurry; what each of them prints."""
    printed = {shell: folder / f"{shell}.txt" for shell in shells}
    environment = {**os.environ, "ORBTILE_API_FILE": str(folder / "api.json")}
    running = []
    try:
        for shell, file in printed.items():
            block = pasted().replace("org.example.hello", id_in(shell)).replace("sleep 3;", "sleep 0.3;")
            with file.open("w") as output:
                process = subprocess.Popen(
                    [shell, "-c", block],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            running.append(process)
        yield printed
    finally:
        for process in running:
            process.kill()
            process.wait()


def wait_for(what: str, holds: Callable[[], object]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, f"{what}: not within {PATIENCE_S:.0f} s"
        time.sleep(0.05)


def all_are_shown(app: Driven) -> bool:
    return app.titles("sessions") == {f"{id_in(shell)}/local/1": TITLE for shell in SHELLS}


def everybody_asked(app: Driven) -> bool:
    """Allow whoever asks; whether all of them are allowed."""
    app.order("allow")
    return all_are_shown(app)


def test_it_comes_back_after_a_restart_a_new_token_and_forget() -> None:
    with driven_folder(allowed=()) as folder, pasted_into(SHELLS, folder) as printed:

        def all_say(text: str) -> bool:
            return all(text in file.read_text() for file in printed.values())

        wait_for("a word about Orbtile that is off", lambda: all_say(OFF))
        with drive(folder, os.environ) as app:
            wait_for("all after an Allow", lambda: everybody_asked(app))
            tokens = [json.loads((folder / "api.json").read_text())["token"]]
            assert app.titles("regenerate") == {}
            wait_for("all after a new token", lambda: all_are_shown(app))
            app.order("forget")
            assert app.titles("sessions") == {}
            wait_for("all after Forget and another Allow", lambda: everybody_asked(app))
            assert app.complaints() == []
        for file in printed.values():
            file.write_text("")
        wait_for("a word about Orbtile that quit", lambda: all_say(OFF))
        with drive(folder, os.environ) as again:
            wait_for("all after a restart", lambda: all_are_shown(again))
            assert again.complaints() == []
        output = "".join(file.read_text() for file in printed.values())
        assert not any(token in output for token in tokens)
        assert not re.search("(sed|curl|printf|sh|bash|zsh): ", output)


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shell != "sh"])
def test_a_socket_in_a_folder_with_letters_beyond_ascii_is_found(shell: str, tmp_path: Path) -> None:
    """``sh`` may be one whose ``printf`` knows no such escapes."""
    discovery = tmp_path / "api.json"
    discovery.write_text(json.dumps({"socketPath": "/home/zoë/日本/orbtile.sock"}, indent=1))
    finding = "\n".join([*pasted().splitlines()[:2], "get socketPath"])
    found = subprocess.run(
        [shell, "-c", finding],
        env={**os.environ, "ORBTILE_API_FILE": str(discovery), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=True,
    )
    assert found.stdout.decode() == "/home/zoë/日本/orbtile.sock"
