"""Fixtures: a host in memory and a client of it, or a host behind a socket."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdkfakes.memory import MemoryClient
from sdkfakes.model import Model
from sdkfakes.requests import APPROVAL
from sdkfakes.served import Served


@pytest.fixture(autouse=True)
def _no_thread_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ORBTILE_API_FILE", raising=False)
    before = set(threading.enumerate())
    yield
    new = set(threading.enumerate()) - before
    for thread in new:
        thread.join(1)  # it may be on its last instructions
    left = [thread.name for thread in new if thread.is_alive()]
    assert left == []


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def pad(model: Model) -> MemoryClient:
    """Connected, with every capability; the requests of connecting are off the record."""
    client = MemoryClient(model)
    client.connect()
    model.requests.clear()
    return client


@pytest.fixture
def asking(pad: MemoryClient) -> MemoryClient:
    """Its session ``run`` waits for the approval ``a1``."""
    pad.request_approval("run", APPROVAL, title="T")
    return pad


@pytest.fixture
def done() -> list[Any]:
    """What callbacks have carried out."""
    return []


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="orb") as name:  # short: a socket's path holds 103 bytes
        yield Path(name)


@pytest.fixture(params=["unix", "tcp"])
def served(folder: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    """``parametrize("served", ["unix"], indirect=True)`` for one kind."""
    if request.param == "unix" and not hasattr(socket, "AF_UNIX"):
        pytest.skip("there are no Unix sockets here")
    host = Served(folder, is_tcp=request.param == "tcp")
    host.start()
    yield host
    host.stop()
