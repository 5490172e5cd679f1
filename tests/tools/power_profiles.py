"""Stands in for power-profiles-daemon on the bus that ``DBUS_SYSTEM_BUS_ADDRESS`` names.

    power_profiles.py NAME PATH

Commands on standard input, one a line, each answered by a line ``ok``: ``serve PROFILE`` takes the name and
serves that profile, ``leave`` gives the name back, ``PROFILE`` changes it and says so on the bus. ``asked``
is answered by how often the profile was asked for.
"""

import sys

from PySide6.QtCore import QCoreApplication, QSocketNotifier
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVariant, QDBusVirtualObject


class Profiles(QDBusVirtualObject):
    """Answers whatever is asked with the active profile."""

    def __init__(self) -> None:
        super().__init__()
        self.active = ""
        self.asked = 0

    def introspect(self, path: str) -> str:
        return ""

    def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:
        if message.member() != "Get":
            return False
        self.asked += 1
        return connection.send(message.createReply(QDBusVariant(self.active)))


def main(name: str, path: str) -> None:
    app = QCoreApplication(sys.argv[:1])
    bus = QDBusConnection.systemBus()
    profiles = Profiles()
    assert bus.registerVirtualObject(path, profiles)

    def obey() -> None:
        command, *rest = sys.stdin.readline().split() or ["quit"]
        if command == "quit":
            app.quit()
        elif command == "asked":
            print(profiles.asked, flush=True)
        else:
            if command == "serve":
                profiles.active = rest[0]
                assert bus.registerService(name)
            elif command == "leave":
                assert bus.unregisterService(name)
            else:
                profiles.active = command
                change = QDBusMessage.createSignal(
                    path, "org.freedesktop.DBus.Properties", "PropertiesChanged"
                )
                change.setArguments([name, {"ActiveProfile": command}, []])
                assert bus.send(change)
            print("ok", flush=True)

    notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(obey)
    print("ok", flush=True)
    app.exec()


if __name__ == "__main__":
    main(*sys.argv[1:])
