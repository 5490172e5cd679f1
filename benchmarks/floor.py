"""The floor: the least program of PySide6 and qasync with a tray icon and a server of one fixed reply.

``python -m benchmarks.floor READY SOCKET`` makes the file READY once its icon is docked (at once where there
is no tray) and answers every request on SOCKET with the same bytes. It checks nothing: nothing that stands on
qasync can be cheaper. Must not import the application.
"""

import asyncio
import sys
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
from qasync import QEventLoop

BODY = b'{"session":{"uid":"org.example.bench-0/local/session-0","visible":true}}'
REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
    b"Content-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY
)
DOCKING_POLL_MS = 2


class FixedReply(asyncio.Protocol):
    """Whatever the first bytes are, they get the reply; the clients here send a request in one piece."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, _data: bytes) -> None:
        self.transport.write(REPLY)
        self.transport.close()


async def serve(socket: str) -> None:
    await asyncio.get_running_loop().create_unix_server(FixedReply, socket)
    await asyncio.Event().wait()


def main() -> None:
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    pixmap = QPixmap(22, 22)
    pixmap.fill(Qt.GlobalColor.white)
    tray = QSystemTrayIcon(QIcon(pixmap))
    tray.setToolTip("floor")
    tray.show()
    ready, socket = sys.argv[1:]
    docking = QTimer(app)

    def look() -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable() or not tray.geometry().isEmpty():
            docking.stop()
            Path(ready).touch()

    docking.timeout.connect(look)
    docking.start(DOCKING_POLL_MS)
    with QEventLoop(app) as loop:
        loop.run_until_complete(serve(socket))


if __name__ == "__main__":
    main()
