"""The application as its users start it, on a test desktop, and an adapter's side of its API.

Owns the process and its data folder. Must not know what a test wants of it.
"""

import http.client
import itertools
import json
import re
import signal
import socket
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tests.tools.desktop import Accessibility, Desktop, Program, wait_for

COMPLAINT: Final = re.compile(r"Traceback|WARNING|ERROR|^qt\.|^Q[A-Z]\w+:")
QT_NOISE: Final = re.compile(r"GetApplicationBusAddress|Could not find accessible on path")
"""A question of the accessibility bus that Qt does not answer, and one about a widget that has gone."""

JsonObject = dict[str, object]

_numbers = itertools.count(1)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=10)
        self._path = path

    def connect(self) -> None:
        if sys.platform == "win32":
            raise OSError("this system has no Unix-domain sockets")
        else:  # noqa: RET506  type checkers of other systems follow this form
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(10)
            self.sock.connect(self._path)


class RunningApp:
    """The product, started as users start it, in a data folder of its own."""

    def __init__(
        self,
        desktop: Desktop,
        *,
        api_enabled: bool = True,
        settings: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        """``settings``: what else ``settings.json`` says at the start."""
        self.desktop = desktop
        data_dir = desktop.folder / f"data-{next(_numbers)}"  # short: a Unix socket's path must be
        self.data_dir = data_dir
        self.discovery_file = data_dir / "adapter-api.json"
        data_dir.mkdir(mode=0o700, parents=True)
        if api_enabled or settings:
            settings_file = data_dir / "settings.json"
            settings_file.write_text(json.dumps({"adapterApi": {"enabled": api_enabled}, **settings}))
            settings_file.chmod(0o600)
        env = {"ORBTILE_DATA_DIR": str(data_dir), "ORBTILE_API_FILE": str(self.discovery_file)}
        self.program: Program = desktop.start(sys.executable, "-m", "orbtile", env=env)
        if api_enabled:
            wait_for("the discovery file", self._is_published)

    @property
    def screen_reader(self) -> Accessibility:
        return self.desktop.accessibility

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        more_headers: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[int, JsonObject]:
        """Ask the Adapter API; ``path`` is relative to ``/a/v1``. Returns status and body."""
        place = json.loads(self.discovery_file.read_text())
        connection = _UnixConnection(place["socketPath"])
        headers = {
            "Host": "localhost",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {place['token']}",
            **more_headers,
        }
        data = None if body is None else json.dumps(body)
        connection.request(method, f"/a/v1{path}", data, headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        answer: JsonObject = json.loads(text) if text else {}
        return response.status, answer

    @staticmethod
    def registration(name: str) -> JsonObject:
        """The smallest useful body of a registration."""
        return {"name": name, "palette": {"baseHue": 270}, "urlSchemes": ["https"]}

    def register(self, adapter_id: str, name: str) -> None:
        status, answer = self.request("PUT", f"/adapters/{adapter_id}", self.registration(name))
        assert status in {200, 201}, answer

    def update(self, adapter_id: str, session_id: str, **fields: object) -> JsonObject:
        status, answer = self.request("POST", f"/adapters/{adapter_id}/sessions/{session_id}", dict(fields))
        assert status == 200, answer
        return answer

    def stop(self) -> None:
        """Quit, and see that it had nothing to complain about."""
        status = self.program.stop(signal.SIGTERM, patience_s=15)
        lines = self.program.output.splitlines()
        complaints = [line for line in lines if COMPLAINT.search(line) and not QT_NOISE.search(line)]
        assert status == 0, self.program.output
        assert complaints == [], self.program.output

    def _is_published(self) -> bool:
        if not self.program.is_running:
            raise RuntimeError(f"the app has ended:\n{self.program.output}")
        return self.discovery_file.exists()
