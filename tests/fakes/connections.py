"""Connections on fake transports: a table, a handler, a loop's time that a test moves."""

import json

from orbtile.server.answers import PendingAnswers
from orbtile.server.connection import Connection
from orbtile.server.response import Response
from orbtile.server.table import ConnectionTable
from tests.fakes.handler import ScriptedHandler
from tests.fakes.scheduler import FakeScheduler
from tests.fakes.transport import FakeTransport

GET = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"


class Bench:
    """What one listener's connections share."""

    def __init__(self) -> None:
        self.time = FakeScheduler()
        self.table = ConnectionTable(self.time)
        self.answers = PendingAnswers()
        self.handler = ScriptedHandler()

    def connect(self, *, reads: bool = True) -> FakeTransport:
        connection = Connection(self.handler, self.table, self.answers)
        transport = FakeTransport(connection, reads=reads)
        self.table.watch(connection.deadline)
        return transport

    def answer(self, response: Response) -> None:
        self.handler.answer = lambda _head: response


def status(transport: FakeTransport) -> int:
    return int(transport.written.split(b" ", 2)[1])


def body(transport: FakeTransport) -> bytes:
    return transport.written.partition(b"\r\n\r\n")[2]


def error(transport: FakeTransport) -> tuple[int, str]:
    return status(transport), json.loads(body(transport))["error"]["code"]
