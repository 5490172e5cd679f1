"""The adapter under check, as a process.

Owns its life: a group of its own, an input that stays open, its last output, its end. Must not know the
protocol. It signals nothing but the group it started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_STOP_S = 4.0


class AdapterProcess:
    """Started with ``ORBTILE_API_FILE`` pointing at ``discovery``. Raises OSError where there is no such
    command.
    """

    def __init__(self, command: Sequence[str], discovery: Path) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        env = {**os.environ, "ORBTILE_API_FILE": str(discovery), "PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(  # noqa: S603 - running the author's command is what this is for
            list(command),
            env=env,
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def exit_status(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def write(self, data: bytes) -> None:
        """Feed its standard input; nothing happens when it has closed it."""
        stdin = self._process.stdin
        if stdin is not None:
            with contextlib.suppress(OSError):
                stdin.write(data)
                stdin.flush()

    def cpu_s(self) -> float | None:
        """Processor seconds of the process and of its children that ended; None where the system does not
        tell.
        """
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            return None
        ticks = sum(int(value) for value in fields.rpartition(")")[2].split()[11:15])
        if sys.platform == "win32":
            return None
        else:  # noqa: RET505 - a type checker for Windows skips what stands in an else
            return ticks / os.sysconf("SC_CLK_TCK")

    def last_words(self) -> str:
        """The end of what it printed, as printable ASCII."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - 600))
        text = self._output.read().decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        shown = " | ".join(lines[-3:]).encode("ascii", "backslashreplace").decode()
        return "".join(char if char.isprintable() else " " for char in shown)

    def stop(self) -> None:
        """Ask it to end, then make it."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if sys.platform != "win32":
            self._signal(signal.SIGKILL)  # what is left of its group
        self._output.close()

    def _signal(self, number: signal.Signals) -> None:
        """To the whole group; Windows has none, and one way to end a process."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)
