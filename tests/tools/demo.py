"""``dev.py run --demo``: the application with the demo adapter beside it, in a throw-away data folder.

Development tooling: it writes the setting that switches the API on, and presses Allow through the service for
the demo adapter's id and exactly its registration. The product itself has no switch that skips consent.
"""

import argparse
import contextlib
import json
import os
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
    from orbtile.host.changes import Changes
    from orbtile.host.service import Service
    from orbtile.ui.windows import Windows


class Demo:
    """What happens beside the application: Allow for the demo adapter, and the adapter's process."""

    def __init__(self, adapter_arguments: Sequence[str], quit_after_s: float | None) -> None:
        self._adapter_arguments = adapter_arguments
        self._quit_after_s = quit_after_s
        self._adapter: subprocess.Popen[bytes] | None = None

    def begin(self, service: "Service", windows: "Windows") -> None:
        """Called by the application once it is up."""
        from PySide6.QtCore import QTimer

        service.subscribe(lambda changes: allow_demo(service, changes))
        self._adapter = subprocess.Popen([sys.executable, str(ADAPTER), *self._adapter_arguments])
        windows.open("popover")
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


def allow_demo(service: "Service", changes: "Changes") -> None:
    """Press Allow when the demo adapter asks with the registration its source names; for nobody else."""
    from adapters.examples.demo import ADAPTER_ID, REGISTRATION
    from orbtile.host.views import Consent
    from orbtile.protocol.registration import fingerprint, parse_registration
    from orbtile.protocol.wire import parse_json

    if ADAPTER_ID not in changes.adapters:
        return
    view = service.adapter(ADAPTER_ID)
    if view is None or view.consent is not Consent.AWAITING:
        return
    expected, _ = parse_registration(parse_json(json.dumps(REGISTRATION).encode()))
    if view.fingerprint == fingerprint(expected):
        service.allow(ADAPTER_ID, view.fingerprint)


@contextlib.contextmanager
def throw_away_folder() -> Iterator[None]:
    """Point the application and the adapter at a folder of their own, with the API on."""
    with tempfile.TemporaryDirectory(prefix="orbtile-demo-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        settings = data / "settings.json"
        settings.touch(mode=0o600)
        settings.write_text(json.dumps({"adapterApi": {"enabled": True}}))
        os.environ["ORBTILE_DATA_DIR"] = str(data)
        os.environ["ORBTILE_API_FILE"] = str(data / "adapter-api.json")
        yield


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
