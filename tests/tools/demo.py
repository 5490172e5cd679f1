"""``dev.py run --demo``: the application with the demo adapter beside it, in a throw-away data folder.

Development tooling: it leaves a data folder as if the user had switched the API on before and allowed the
demo adapter, its id with exactly its registration. The product itself has no switch that skips consent.
"""

import argparse
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
ADAPTER = ROOT / "adapters" / "examples" / "demo.py"

if str(ROOT) not in sys.path:  # run by its path, the repository's own packages are not in sight
    sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from orbtile.host.service import Service
    from orbtile.ui.windows import Windows


class Demo:
    """What happens beside the application: the adapter's process."""

    def __init__(self, adapter_arguments: Sequence[str], quit_after_s: float | None) -> None:
        self._adapter_arguments = adapter_arguments
        self._quit_after_s = quit_after_s
        self._adapter: subprocess.Popen[bytes] | None = None

    def begin(self, service: "Service", windows: "Windows") -> None:
        """Called by the application once it is up."""
        from PySide6.QtCore import QTimer

        self._adapter = subprocess.Popen([sys.executable, str(ADAPTER), *self._adapter_arguments])
        windows.open("popover")
        tell_where()
        if self._quit_after_s is not None:
            QTimer.singleShot(int(self._quit_after_s * 1000), windows, windows.quit_requested.emit)

    def end(self) -> None:
        """Take the adapter down, whatever state it is in."""
        if self._adapter is not None:
            self._adapter.terminate()
            try:
                self._adapter.wait(10)
            except subprocess.TimeoutExpired:
                self._adapter.kill()
                self._adapter.wait()


@contextlib.contextmanager
def throw_away_folder() -> Iterator[None]:
    """Point application and adapter at a folder of their own, with the API on and the demo allowed."""
    from adapters.examples.demo import ADAPTER_ID, REGISTRATION
    from orbtile.protocol.registration import parse_registration
    from orbtile.protocol.wire import parse_json
    from tests.tools.data_folder import write_data_folder

    with tempfile.TemporaryDirectory(prefix="orbtile-demo-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        registration, _ = parse_registration(parse_json(json.dumps(REGISTRATION).encode()))
        write_data_folder(data, registration, [ADAPTER_ID])
        os.environ["ORBTILE_DATA_DIR"] = str(data)
        os.environ["ORBTILE_API_FILE"] = str(data / "adapter-api.json")
        yield


def tell_where() -> None:
    """How another terminal gets at this instance: its folder is not where anybody would look."""
    print("demo: before `.venv/bin/orbtile open popover` or an adapter in another terminal:", flush=True)
    for name in ("ORBTILE_DATA_DIR", "ORBTILE_API_FILE"):
        print(f"export {name}={shlex.quote(os.environ[name])}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py run --demo", description="Orbtile with made-up sessions.")
    parser.add_argument("--quit-after", type=float, metavar="SECONDS", help="end by itself after this time")
    options, adapter_arguments = parser.parse_known_args()
    with throw_away_folder():
        from orbtile.main import App
        from orbtile.system.machine import read_edition, read_machine
        from orbtile.system.paths import resolve_paths

        machine = read_machine()
        paths = resolve_paths(machine, read_edition(), os.environ).here()
        demo = Demo(adapter_arguments, options.quit_after)
        try:
            return App(machine, paths).run(on_started=demo.begin)
        finally:
            demo.end()


def _leave(_number: int, _frame: object) -> None:
    """Ended from outside before the application watches for it: the folder goes away all the same."""
    sys.exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _leave)
    sys.exit(main())
