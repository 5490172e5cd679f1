"""The battery saver of a Linux desktop, on a bus of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Final

import pytest

from orbtile.system.battery_saver import PROFILE_SERVICES, ProfileService
from tests.fakes.private_bus import private_bus

pytestmark = pytest.mark.desktop

PATIENCE_S: Final = 20.0
DAEMON = Path(__file__).parents[1] / "tools" / "power_profiles.py"

WATCH = """
import sys
from PySide6.QtCore import QCoreApplication, QSocketNotifier, QTimer
from orbtile.system.power_profiles_qt import ProfileBatterySaver

app = QCoreApplication(["app"])
saver = ProfileBatterySaver(connect_after_ms=int(sys.argv[1]))
saver.changed.connect(lambda on: print("on" if on else "off", flush=True))

def obey():
    command = sys.stdin.readline().strip()
    if command == "close":
        saver.close()
        print("closed", flush=True)
    elif command == "state":
        print("is on" if saver.is_on else "is off", flush=True)
    elif command == "settle":  # whatever was under way has been heard by then
        QTimer.singleShot(400, lambda: print("settled", flush=True))
    else:
        app.quit()

notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
notifier.activated.connect(obey)
print("is on" if saver.is_on else "is off", flush=True)
app.exec()
"""


class Talk:
    """A program that is told lines and answers with lines."""

    def __init__(self, *command: str, address: str) -> None:
        env = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address}
        self.program = subprocess.Popen(
            [sys.executable, *command],
            env=env,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

        self._said: Queue[str] = Queue()
        self._listening = Thread(target=self._listen, name="listening", daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        assert self.program.stdout is not None
        for line in self.program.stdout:
            self._said.put(line.strip())

    def hear(self) -> str:
        """The next line; the test fails when none comes."""
        return self._said.get(timeout=PATIENCE_S)

    def tell(self, line: str) -> str:
        """The answer to ``line``."""
        assert self.program.stdin is not None
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        return self.hear()

    def end(self) -> None:
        """It ends, has said nothing that was not heard, and complained about nothing."""
        assert self.program.stdin is not None
        assert self.program.stderr is not None
        with self.program:
            self.program.stdin.write("quit\n")
            self.program.stdin.close()
            self._listening.join(PATIENCE_S)
            assert self.program.stderr.read() == ""
        assert self._said.empty()
        assert self.program.returncode == 0


@pytest.fixture
def bus() -> Iterator[str]:
    with private_bus() as address:
        yield address


def watch(address: str, *, connect_after_ms: int = 0) -> Talk:
    talk = Talk("-c", WATCH, str(connect_after_ms), address=address)
    assert talk.hear() == "is off"
    return talk


def daemon(address: str, service: ProfileService) -> Talk:
    talk = Talk(str(DAEMON), service.name, service.path, address=address)
    assert talk.hear() == "ok"
    return talk


@pytest.mark.parametrize("service", PROFILE_SERVICES, ids=lambda service: service.name)
def test_the_profile_that_saves_power_is_noticed_whenever_it_comes_and_goes(
    bus: str, service: ProfileService
) -> None:
    profiles = daemon(bus, service)
    assert profiles.tell("serve power-saver") == "ok"
    saver = watch(bus)
    assert saver.hear() == "on"
    for profile, heard in (("balanced", "off"), ("power-saver", "on"), ("performance", "off")):
        assert profiles.tell(profile) == "ok"
        assert saver.hear() == heard
    saver.end()
    profiles.end()


def test_a_service_that_starts_later_or_again_or_ends_is_noticed(bus: str) -> None:
    profiles = daemon(bus, PROFILE_SERVICES[0])
    saver = watch(bus)
    assert saver.tell("settle") == "settled"
    for _ in range(2):
        assert profiles.tell("serve power-saver") == "ok"
        assert saver.hear() == "on"
        assert profiles.tell("leave") == "ok"
        assert saver.hear() == "off"
    saver.end()
    profiles.end()


def test_one_daemon_under_two_names_is_told_once(bus: str) -> None:
    both = [daemon(bus, service) for service in PROFILE_SERVICES]
    for each in both:
        assert each.tell("serve power-saver") == "ok"
    saver = watch(bus)
    assert saver.hear() == "on"
    assert saver.tell("settle") == "settled"
    assert both[0].tell("balanced") == "ok"
    assert saver.tell("settle") == "settled"
    assert saver.tell("state") == "is on"
    assert both[1].tell("balanced") == "ok"
    assert saver.hear() == "off"
    saver.end()
    for each in both:
        each.end()


def test_it_is_asked_when_something_changed_and_not_otherwise(bus: str) -> None:
    profiles = daemon(bus, PROFILE_SERVICES[0])
    assert profiles.tell("serve balanced") == "ok"
    saver = watch(bus)
    assert saver.tell("settle") == "settled"
    assert saver.tell("settle") == "settled"
    assert profiles.tell("asked") == "1"
    assert profiles.tell("performance") == "ok"
    assert saver.tell("settle") == "settled"
    assert profiles.tell("asked") == "2"
    saver.end()
    profiles.end()


@pytest.mark.parametrize("connect_after_ms", [0, 60_000], ids=["connected", "not yet"])
def test_nothing_is_told_after_the_end(bus: str, connect_after_ms: int) -> None:
    profiles = daemon(bus, PROFILE_SERVICES[0])
    assert profiles.tell("serve balanced") == "ok"
    saver = watch(bus, connect_after_ms=connect_after_ms)
    assert saver.tell("settle") == "settled"
    assert saver.tell("close") == "closed"
    assert profiles.tell("power-saver") == "ok"
    assert saver.tell("settle") == "settled"
    assert saver.tell("state") == "is off"
    saver.end()
    profiles.end()


def test_a_system_without_such_a_service_saves_no_power_and_nobody_hears_of_it(bus: str) -> None:
    saver = watch(bus)
    assert saver.tell("settle") == "settled"
    assert saver.tell("state") == "is off"
    saver.end()


def test_without_a_system_bus_there_is_no_trouble() -> None:
    saver = watch("unix:path=/nonexistent")
    assert saver.tell("settle") == "settled"
    assert saver.tell("state") == "is off"
    assert saver.tell("close") == "closed"
    saver.end()
