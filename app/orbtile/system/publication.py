"""What programs of the same user find on disk about this instance, in step with the service and the listener.

Owns when the discovery file, the hook token and the endpoint file stand, and that each comes back: when it
could not be written at first, and when somebody removes, replaces or overwrites it. Must not know requests,
nor what the switch in Settings looks like.
"""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from orbtile.host.service import Service
from orbtile.host.views import Notice, NoticeKind
from orbtile.system.alarm_qt import QtAlarm
from orbtile.system.discovery import DiscoveryFile, Standing
from orbtile.system.folder_watcher_qt import FileWatch
from orbtile.system.instance import Address, InstanceFiles, RunningInstance
from orbtile.system.paths import Paths
from orbtile.system.processes import SystemProcesses

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 30.0
"""Between two attempts to bring about what does not stand; each pause is twice the one before."""

ANOTHERS: Final = "another Orbtile uses the same file"

_log = logging.getLogger(__name__)


class Alarm(Protocol):
    """One moment at which something is to be done."""

    def set(self, delay_s: float, action: Callable[[], None]) -> None: ...
    def cancel(self) -> None: ...


class Publication:
    """The discovery file stands exactly while the API is on and the listener listens.

    A file of another instance that was told to use the same place is left to it: writing in turns would go on
    for ever. ``port_of`` says where a TCP listener is; it is set before the listener starts. ``retake_lock``
    is called when somebody has removed files from the folders in which the lock stands, too. ``is_live``:
    whether a process is alive and this user's. Nothing is armed and nothing polls once everything stands.
    """

    def __init__(
        self,
        service: Service,
        paths: Paths[Path],
        hook_token: str,
        *,
        alarm: Alarm | None = None,
        is_live: Callable[[int], bool] | None = None,
    ) -> None:
        self._service = service
        self._paths = paths
        self._hook_token = hook_token
        self._alarm = alarm or QtAlarm()
        self._is_live = is_live or SystemProcesses().is_own_live
        self._files = InstanceFiles(paths.hook_token_file, paths.endpoint_file)
        self._discovery = DiscoveryFile(
            paths.discovery_file, pid=os.getpid(), folder_is_shared=paths.discovery_is_moved
        )
        self._is_claimed = False
        self._is_listening = False
        self._trouble: str | None = None
        """Why the listener is down, once it was."""
        self._is_over = False
        self._pause_s = FIRST_PAUSE_S
        """Before the next attempt; goes back to the first once all is well."""
        self._is_waiting = False
        self._has_failed = False
        self._yields = False
        """To another instance, whose discovery file stands."""
        self._told: dict[Path, str] = {}
        """What the log was told last about each file that could not be written."""
        self._pointed_at: tuple[Address, str] | None = None
        """Where the discovery file that we wrote last points, and with which token."""
        self.port_of: Callable[[], int | None] = lambda: None
        self.retake_lock: Callable[[], object] = lambda: None
        self.socket_watch = FileWatch()
        self.discovery_watch = FileWatch(contents=True)
        self._hook_token_watch = FileWatch(contents=True)
        self._endpoint_watch = FileWatch(contents=True)
        for watch in (self.discovery_watch, self._hook_token_watch, self._endpoint_watch):
            watch.vanished.connect(self._on_touched)
            watch.changed.connect(self._on_touched)
        self._unsubscribe = service.subscribe(lambda changes: self._follow() if changes.api else None)

    def claim(self) -> None:
        """At start, with the lock held: what a crashed instance left goes, our hook token is written."""
        self._discovery.remove_stale(self._is_live)
        self._files.clear_leftovers()
        self._is_claimed = True
        self._follow()

    def listener_changed(self, is_listening: bool, detail: str) -> None:  # noqa: FBT001  the listener's signature
        """Told by the listener on every change; after ``withdraw`` without effect."""
        if self._is_over:
            return
        self._is_listening = is_listening
        address = self._address()
        if is_listening and address is not None:
            self._trouble = None
            if isinstance(address, Path):
                self.socket_watch.watch(address)
        else:
            self._trouble = detail
        self._follow()

    def withdraw(self) -> None:
        """At the end: from now on adapters see "not running", whatever changes."""
        self._is_over = True
        self._unsubscribe()
        self._alarm.cancel()
        for watch in (
            self.socket_watch,
            self.discovery_watch,
            self._hook_token_watch,
            self._endpoint_watch,
        ):
            watch.stop()
        self._discovery.remove()

    def remove_instance_files(self) -> None:
        """The last thing before the lock goes."""
        self._files.remove()

    # --- when -----------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """The service or the listener has changed."""
        if self._is_over:
            return
        self._tell_user()
        if self._bring_about():
            self._pause_s = FIRST_PAUSE_S
            self._is_waiting = False
            self._alarm.cancel()
        elif not self._is_waiting:
            self._wait(self._pause_s)

    def _tell_user(self) -> None:
        """While the API is off nobody expects agents to reach us, so it is no trouble that they cannot."""
        if self._trouble is not None and self._service.api_enabled:
            self._service.report(Notice(kind=NoticeKind.LISTENER_DOWN, detail=self._trouble))
        else:
            self._service.clear(NoticeKind.LISTENER_DOWN)

    def _on_touched(self) -> None:
        """Somebody did something to one of our files: adapters must find us all the same.

        At once the first time, and when another instance's file goes. Whoever does it again and again is not
        raced, but answered at the next alarm.
        """
        if self._is_over or (self._is_waiting and not self._yields) or self._is_all_well():
            return
        self._bring_about()
        self.retake_lock()
        self._wait(FIRST_PAUSE_S)

    def _on_alarm(self) -> None:
        self._is_waiting = False
        if self._is_all_well():
            self._pause_s = FIRST_PAUSE_S
            return
        had_failed = self._has_failed
        heals = self._bring_about() and had_failed
        self.retake_lock()
        self._wait(FIRST_PAUSE_S if heals else min(self._pause_s * 2, LONGEST_PAUSE_S))

    def _wait(self, pause_s: float) -> None:
        """Look again then, be it to see that all is well."""
        self._pause_s = pause_s
        self._is_waiting = True
        self._alarm.set(pause_s, self._on_alarm)

    # --- what -----------------------------------------------------------------------------------------------

    def _address(self) -> Address | None:
        return self._paths.socket_path or self.port_of()

    def _wanted_endpoint(self) -> RunningInstance | None:
        address = self._address() if self._is_listening else None
        return None if address is None else RunningInstance(address, os.getpid())

    def _wanted_discovery(self) -> tuple[Address, str] | None:
        address = self._address() if self._is_listening and self._service.api_enabled else None
        return None if address is None else (address, self._service.api_token)

    def _is_all_well(self) -> bool:
        """Whether everything stands, and would be noticed if it went."""
        watches = [
            (self._is_claimed, self._hook_token_watch),
            (self._wanted_endpoint() is not None, self._endpoint_watch),
            (self._wanted_discovery() is not None, self.discovery_watch),
        ]
        return (
            all(watch.is_watching for is_wanted, watch in watches if is_wanted)
            and self._hook_token_stands()
            and self._endpoint_stands()
            and self._discovery_stands()
        )

    def _hook_token_stands(self) -> bool:
        return not self._is_claimed or self._files.read_hook_token() == self._hook_token

    def _endpoint_stands(self) -> bool:
        wanted = self._wanted_endpoint()
        return wanted is None or self._files.read_endpoint() == wanted

    def _discovery_stands(self) -> bool:
        wanted = self._wanted_discovery()
        return wanted is None or (
            wanted == self._pointed_at and self._discovery.look(self._is_live) is Standing.OURS
        )

    def _bring_about(self) -> bool:
        """Write what is missing or not as it should be. Whether everything stands now."""
        stand = [self._bring_about_hook_token(), self._bring_about_endpoint(), self._bring_about_discovery()]
        self._has_failed = not all(stand)
        return not self._has_failed

    def _bring_about_hook_token(self) -> bool:
        path = self._paths.hook_token_file
        if not self._hook_token_stands():
            trouble = _attempt(lambda: self._files.write_hook_token(self._hook_token))
            self._tell(path, "the hook token could not be written", trouble)
            if trouble is not None:
                return False
        if self._is_claimed:
            self._hook_token_watch.watch(path)
        return True

    def _bring_about_endpoint(self) -> bool:
        path, wanted = self._paths.endpoint_file, self._wanted_endpoint()
        if wanted is None:
            self._endpoint_watch.stop()
            return True
        if not self._endpoint_stands():
            trouble = _attempt(lambda: self._files.write_endpoint(wanted.address, os.getpid()))
            self._tell(path, "the endpoint file could not be written", trouble)
            if trouble is not None:
                return False
        self._endpoint_watch.watch(path)
        return True

    def _bring_about_discovery(self) -> bool:
        path, wanted = self._paths.discovery_file, self._wanted_discovery()
        self._yields = False
        if wanted is None:
            self._pointed_at = None
            self.discovery_watch.stop()
            self._discovery.remove()
            self._tell(path, "", None)
            self._service.clear(NoticeKind.DISCOVERY_NOT_WRITTEN)
            return True
        if not self._discovery_stands():
            trouble = self._write_discovery(*wanted)
            self._tell(path, "the discovery file could not be written", trouble)
            if trouble is not None:
                self._service.report(Notice(kind=NoticeKind.DISCOVERY_NOT_WRITTEN, detail=trouble))
                if self._yields:
                    self.discovery_watch.watch(path)  # once it goes, it is our turn
                return False
        self._service.clear(NoticeKind.DISCOVERY_NOT_WRITTEN)
        self.discovery_watch.watch(path)
        return True

    def _write_discovery(self, address: Address, token: str) -> str | None:
        """None, or why it was not written."""
        self._pointed_at = None
        if self._discovery.look(self._is_live) is Standing.ANOTHERS:
            self._yields = True
            return ANOTHERS
        trouble = _attempt(lambda: self._discovery.write(address, token))
        if trouble is None:
            self._pointed_at = (address, token)
        return trouble

    def _tell(self, path: Path, what: str, trouble: str | None) -> None:
        """Log the first of many equal failures."""
        if trouble is None:
            self._told.pop(path, None)
        elif self._told.get(path) != trouble:
            self._told[path] = trouble
            _log.warning("%s: %s", what, trouble)


def _attempt(action: Callable[[], None]) -> str | None:
    """Do it; None, or why it failed."""
    try:
        action()
    except OSError as error:
        return error.strerror or type(error).__name__
    return None
