"""A D-Bus daemon of the test's own, so that nothing of the developer's desktop is seen or touched."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def private_bus() -> Iterator[str]:
    """Its address, while it runs."""
    with subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it complains about limits in a container
        text=True,
    ) as daemon:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
        daemon.terminate()
