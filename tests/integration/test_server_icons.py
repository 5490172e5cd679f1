"""Registrations whose icon is still being drawn, over every kind of listener."""

import asyncio
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import pairwise

import pytest

from orbtile.host.icons import IconImages
from orbtile.protocol.errors import invalid_field
from orbtile.protocol.registration import Icon
from orbtile.server.dispatch import Dispatch
from orbtile.server.endpoint import TcpEndpoint
from orbtile.server.listener import Listener
from tests.conftest import ExpectLog
from tests.fakes.bodies import base64_of, png
from tests.fakes.hosts import Host
from tests.fakes.renderer import IMAGES
from tests.fakes.served import ADAPTER, Reply, Served, build_head, parse_reply, read_all

pytestmark = pytest.mark.socket

SLOTS = 8
QUICK_S = 1.0
WITH_ICON = {"name": "Example", "palette": {"baseHue": 270}, "icon": {"png": base64_of(png())}}
BODY = json.dumps(WITH_ICON).encode()
PLAIN = {"name": "Example", "palette": {"baseHue": 270}}


def request(served: Served, path: str = ADAPTER) -> bytes:
    return served.head("PUT", path, length=len(BODY)) + BODY


def wait_until(served: Served, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not served.on_loop(condition):
        assert time.monotonic() < deadline, "it did not come about"


def begin(served: Served, path: str = ADAPTER) -> socket.socket:
    """A connection whose icon is being drawn, for as long as the renderer is held."""
    served.renderer.is_held = True
    before = served.on_loop(lambda: served.renderer.waiting)
    sock = served.connect()
    sock.sendall(request(served, path))
    wait_until(served, lambda: served.renderer.waiting == before + 1)
    return sock


def release(served: Served) -> None:
    served.on_loop(served.renderer.release)


def receive(sock: socket.socket) -> Reply:
    return parse_reply(read_all(sock))


def hang_up(sock: socket.socket) -> None:
    """Leave for good. A TCP peer that only ends its stream might still read, so this one resets it."""
    if sock.family == socket.AF_INET:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def test_a_registration_is_answered_when_its_icon_is_drawn(served: Served) -> None:
    with closing(begin(served)) as sock:
        assert served.on_loop(served.host.service.adapters) == []
        release(served)
        assert receive(sock).status == 201
    [adapter] = served.on_loop(served.host.service.adapters)
    assert adapter.icon == IMAGES


def test_a_slow_icon_delays_nobody_else(served: Served) -> None:
    with closing(begin(served)) as sock:
        for number in range(20):
            before = time.monotonic()
            assert served.ask("PUT", f"/adapters/dev.other{number % 4}", PLAIN).status in {200, 201}
            assert time.monotonic() - before < QUICK_S
        release(served)
        assert receive(sock).status == 201


def test_one_byte_at_a_time_gives_the_same_answer(served: Served) -> None:
    whole = served.exchange(request(served))
    data = request(served)
    with closing(served.connect()) as sock:
        if sock.family == socket.AF_INET:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start, end in pairwise(range(len(data) + 1)):
            sock.sendall(data[start:end])
        again = receive(sock)
    assert (whole.status, again.status) == (201, 200)
    assert again.json == whole.json
    assert len(served.renderer.asked) == 2


def test_a_peer_that_hangs_up_ends_the_drawing_and_registers_nothing(served: Served) -> None:
    hang_up(begin(served))
    wait_until(served, lambda: served.renderer.given_up == 1)
    wait_until(served, lambda: served.listener.open_connections == 0)
    assert served.on_loop(served.host.service.adapters) == []
    served.renderer.is_held = False
    assert served.ask("PUT", ADAPTER, WITH_ICON).status == 201


@pytest.mark.parametrize("served", ["unix", "qasync"], indirect=True)
def test_at_a_socket_file_hanging_up_needs_no_reset_to_be_noticed(served: Served) -> None:
    begin(served).close()
    wait_until(served, lambda: served.renderer.given_up == 1)


def test_a_peer_that_ends_its_side_still_reads_the_answer(served: Served) -> None:
    with closing(begin(served)) as sock:
        sock.shutdown(socket.SHUT_WR)
        wait_until(served, lambda: served.listener.open_connections == 1)
        release(served)
        assert receive(sock).status == 201
    assert served.renderer.given_up == 0


def test_a_second_request_behind_it_is_ignored(served: Served) -> None:
    with closing(begin(served)) as sock:
        sock.sendall(served.head("GET", "/info") * 3)
        release(served)
        assert receive(sock).status == 201


@pytest.mark.parametrize("is_off", [True, False], ids=["the API turned off", "a new token"])
def test_what_changes_while_the_icon_is_drawn_is_checked_again(served: Served, is_off: bool) -> None:
    service = served.host.service
    with closing(begin(served)) as sock:
        served.on_loop((lambda: service.set_api_enabled(False)) if is_off else service.regenerate_token)
        release(served)
        expected = (503, "api_disabled", None) if is_off else (401, "unauthorized", None)
        assert receive(sock).refusal == expected
    assert served.on_loop(service.adapters) == []


@pytest.mark.parametrize("is_ended", [False, True], ids=["replaced", "ended"])
def test_a_registration_whose_icon_was_slow_undoes_no_newer_word(served: Served, is_ended: bool) -> None:
    renamed = {**PLAIN, "name": "New"}
    assert served.ask("PUT", ADAPTER, PLAIN).status == 201
    with closing(begin(served)) as sock:
        newer = served.ask("DELETE", ADAPTER) if is_ended else served.ask("PUT", ADAPTER, renamed)
        assert newer.status == (204 if is_ended else 200)
        release(served)
        assert receive(sock).status == 409
    [adapter] = served.on_loop(served.host.service.adapters)
    assert (adapter.connected, adapter.registration.name) == (not is_ended, "Example" if is_ended else "New")


def test_an_icon_that_cannot_be_drawn_is_the_adapters_to_hear_about(served: Served) -> None:
    served.renderer.error = invalid_field("icon.png", "is damaged")
    assert served.ask("PUT", ADAPTER, WITH_ICON).refusal == (422, "invalid_field", "icon.png")
    assert served.on_loop(served.host.service.adapters) == []


def test_a_failure_to_draw_gives_500_without_detail(
    served: Served, expect_log: ExpectLog, caplog: pytest.LogCaptureFixture
) -> None:
    expect_log(r"^orbtile\.server\.faults: ERROR: a request failed: ValueError at ")
    served.renderer.error = ValueError("secret pixels")
    reply = served.ask("PUT", ADAPTER, WITH_ICON)
    assert reply.refusal == (500, "internal", None)
    assert b"secret" not in reply.body
    assert "secret" not in caplog.text


def test_who_waits_for_an_icon_holds_a_slot(served: Served) -> None:
    socks = [begin(served, f"/adapters/dev.adapter{number}") for number in range(SLOTS)]
    assert served.ask("GET", "/info").refusal == (503, "limit_exceeded", None)
    assert served.open("popover").status == 204
    hang_up(socks[0])
    wait_until(served, lambda: served.listener.open_connections == SLOTS - 1)
    assert served.ask("GET", "/info").status == 200
    release(served)
    for sock in socks[1:]:
        with closing(sock):
            assert receive(sock).status == 201


@pytest.mark.slow
@pytest.mark.parametrize("served", ["unix", "qasync"], indirect=True)
def test_an_icon_that_is_never_done_is_given_up_in_time(served: Served, expect_log: ExpectLog) -> None:
    expect_log(r"a request was given up: its answer took longer than 4 s$")
    before = time.monotonic()
    with closing(begin(served)) as sock:
        reply = receive(sock)
    assert reply.refusal == (503, "limit_exceeded", None)
    assert reply.headers["retry-after"] == "1"
    assert 4.0 <= time.monotonic() - before < 6.0
    wait_until(served, lambda: served.renderer.given_up == 1)
    assert served.on_loop(served.host.service.adapters) == []


def test_closing_the_listener_ends_the_drawing(served: Served) -> None:
    with closing(begin(served)) as sock:
        loop = served.on_loop(asyncio.get_running_loop)
        asyncio.run_coroutine_threadsafe(served.listener.aclose(), loop).result(10)
        assert served.renderer.given_up == 1
        assert not [task for task in asyncio.all_tasks(loop) if task.get_name() == "orbtile-answer"]
        with suppress(ConnectionResetError):  # how a loop drops a connection is its own matter
            assert sock.recv(1) == b""


class Easel:
    """Draws on one thread, one icon after another, as the application does."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.drawing = 0
        self.most_at_a_time = 0
        self.drawn: list[bytes | None] = []
        self._lock = threading.Lock()

    async def render(self, icon: Icon) -> IconImages:
        return await asyncio.get_running_loop().run_in_executor(self.pool, self._draw, icon)

    def _draw(self, icon: Icon) -> IconImages:
        with self._lock:
            self.drawing += 1
            self.most_at_a_time = max(self.most_at_a_time, self.drawing)
        time.sleep(0.02)
        with self._lock:
            self.drawing -= 1
            self.drawn.append(icon.png)
        return IMAGES


def test_icons_that_come_together_are_drawn_one_after_another() -> None:
    easel, host = Easel(), Host()

    async def register(port: int, number: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        path = f"/a/v1/adapters/dev.adapter{number}"
        writer.write(build_head("PUT", path, length=len(BODY), token=host.service.api_token) + BODY)
        reply = parse_reply(await reader.read())
        writer.close()
        await writer.wait_closed()
        return reply.status

    async def scene() -> list[int]:
        listener = Listener(
            Dispatch(host.service, render_icon=easel.render),
            TcpEndpoint(),
            lambda _is_listening, _detail: None,
            prepare_folder=lambda _folder: None,
            peer_check=lambda _sock: True,
        )
        await listener.start()
        assert listener.port
        try:
            return await asyncio.gather(*(register(listener.port, number) for number in range(4)))
        finally:
            await listener.aclose()

    with easel.pool:
        assert asyncio.run(scene()) == [201] * 4
    assert easel.most_at_a_time == 1
    assert len(easel.drawn) == 4
