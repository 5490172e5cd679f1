"""What programs of the same user find on disk about this instance, in step with the service and the listener.

Owns when the discovery file, the hook token and the endpoint file stand, and that the first comes back when
somebody removes it. Must not know requests, nor what the switch in Settings looks like.
"""

import logging
import os
from collections.abc import Callable
from pathlib import Path

from orbtile.host.service import Service
from orbtile.host.views import Notice, NoticeKind
from orbtile.system.discovery import DiscoveryFile
from orbtile.system.folder_watcher_qt import FileWatch
from orbtile.system.instance import Address, InstanceFiles
from orbtile.system.paths import Paths
from orbtile.system.processes import SystemProcesses

_log = logging.getLogger(__name__)


class Publication:
    """The discovery file stands exactly while the API is on and the listener listens.

    ``port_of`` says where a TCP listener is; it is set before the listener starts.
    """

    def __init__(self, service: Service, paths: Paths[Path], hook_token: str) -> None:
        self._service = service
        self._paths = paths
        self._hook_token = hook_token
        self._files = InstanceFiles(paths.hook_token_file, paths.endpoint_file)
        self._discovery = DiscoveryFile(
            paths.discovery_file, pid=os.getpid(), folder_is_shared=paths.discovery_is_moved
        )
        self._is_listening = False
        self._published: tuple[Address, str] | None = None
        self.port_of: Callable[[], int | None] = lambda: None
        self.socket_watch = FileWatch()
        self.discovery_watch = FileWatch()
        self.discovery_watch.vanished.connect(self._on_discovery_vanished)
        self._unsubscribe = service.subscribe(lambda changes: self._follow() if changes.api else None)

    def claim(self) -> None:
        """At start, with the lock held: what a crashed instance left goes, our hook token is written."""
        self._discovery.remove_stale(SystemProcesses().is_own_live)
        try:
            self._files.write_hook_token(self._hook_token)
        except OSError as error:
            _log.warning("the hook token could not be written: %s", error.strerror)

    def listener_changed(self, is_listening: bool, detail: str) -> None:  # noqa: FBT001  the listener's signature
        """Told by the listener on every change."""
        self._is_listening = is_listening
        address = self._address()
        if is_listening and address is not None:
            self._service.clear(NoticeKind.LISTENER_DOWN)
            if isinstance(address, Path):
                self.socket_watch.watch(address)
            try:
                self._files.write_endpoint(address)
            except OSError as error:
                _log.warning("the endpoint file could not be written: %s", error.strerror)
        else:
            self._service.report(Notice(kind=NoticeKind.LISTENER_DOWN, detail=detail))
        self._published = None
        self._follow()

    def withdraw(self) -> None:
        """At the end: from now on adapters see "not running"."""
        self._unsubscribe()
        self.socket_watch.stop()
        self.discovery_watch.stop()
        self._discovery.remove()

    def remove_instance_files(self) -> None:
        """The last thing before the lock goes."""
        self._files.remove()

    def _address(self) -> Address | None:
        return self._paths.socket_path or self.port_of()

    def _follow(self) -> None:
        address = self._address()
        if not (self._service.api_enabled and self._is_listening) or address is None:
            self._published = None
            self.discovery_watch.stop()
            self._discovery.remove()
            self._service.clear(NoticeKind.DISCOVERY_NOT_WRITTEN)
            return
        wanted = (address, self._service.api_token)
        if wanted != self._published:
            self._publish(address, self._service.api_token)

    def _publish(self, address: Address, token: str) -> None:
        try:
            self._discovery.write(address, token)
        except OSError as error:
            self._published = None
            detail = error.strerror or type(error).__name__
            _log.warning("the discovery file could not be written: %s", detail)
            self._service.report(Notice(kind=NoticeKind.DISCOVERY_NOT_WRITTEN, detail=detail))
            return
        self._published = (address, token)
        self._service.clear(NoticeKind.DISCOVERY_NOT_WRITTEN)
        self.discovery_watch.watch(self._paths.discovery_file)

    def _on_discovery_vanished(self) -> None:
        """Somebody cleaned up: adapters must find us all the same. A file that took the place of ours belongs
        to another instance that was told to use the same one; writing in turns would go on for ever.
        """
        if self._paths.discovery_file.exists():
            _log.warning("another program has replaced the discovery file")
            return
        self._published = None
        self._follow()
