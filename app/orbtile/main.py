"""The composition root: ports, wiring, loop, ordered shutdown.

Owns who is connected to whom and in which order things start and end; alone knows qasync. Owns no rule and no
state of the product; nothing below can find it.

Start: paths, log, lock (a second start opens the first one's popover and ends), Qt, loop, settings and
consents, service, listener, discovery file; then what people see. End, in this order: the discovery file goes
(adapters see "not running"), the listener closes, what is unsaved is saved, tokens are removed, the lock is
dropped.

Qt is imported after the lock is ours and after the rest: PySide slows down every import that comes after it.
"""

import asyncio
import contextlib
import gc
import logging
import math
import os
import shlex
import sys
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import orbtile
from orbtile.cli import open as cli_open
from orbtile.cli.parser import Surface
from orbtile.host.icons import IconImages, resolve_icon
from orbtile.host.ports import AppBundles, Clock, IconCodec
from orbtile.host.service import Service
from orbtile.host.views import Notice, NoticeKind
from orbtile.protocol.errors import ApiError
from orbtile.protocol.registration import Icon
from orbtile.server.control import ControlRoutes
from orbtile.server.dispatch import Dispatch
from orbtile.server.endpoint import TcpEndpoint, UnixEndpoint
from orbtile.server.listener import Listener
from orbtile.storage import NOT_SAVED, Document, JsonStore
from orbtile.system.bundles import SystemBundles
from orbtile.system.clock import SystemClock
from orbtile.system.files_worker import FilesWorker
from orbtile.system.lock import InstanceLock, LockResult
from orbtile.system.logs import log_uncaught_exceptions, start_logging
from orbtile.system.paths import Machine, Paths, Platform
from orbtile.system.peer import is_own_peer
from orbtile.system.private_files import PrivateFiles, make_private_folder
from orbtile.system.processes import SystemProcesses
from orbtile.system.resources import resource_folder
from orbtile.system.tokens import SystemTokens
from orbtile.system.window_system import choose_window_system

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from orbtile.system.battery_saver_qt import BatterySaver
    from orbtile.system.desktop_qt import QtDesktop
    from orbtile.ui.windows import Windows

_log = logging.getLogger("orbtile.main")

ALREADY_RUNNING: Final = 0
"""The exit code of a second start: what the user wanted, Orbtile on the screen, has happened."""


_RUNNING_IN_TRAY: Final = "running in the tray; Quit there or Ctrl+C here ends it"
_RUNNING_WITHOUT_TRAY: Final = "running without a tray; Ctrl+C here ends it"


class App:
    """One run of the application, from ``run`` to its exit code."""

    def __init__(self, machine: Machine, paths: Paths[Path]) -> None:
        self._machine = machine
        self._paths = paths
        self._lock = InstanceLock(paths.lock_file)
        self._on_started: Callable[[Service, Windows], None] | None = None

    def run(self, on_started: Callable[[Service, "Windows"], None] | None = None) -> int:
        """Run until the user quits. ``on_started`` is for development tools: called once all is up."""
        self._on_started = on_started
        paths = self._paths
        troubles = _make_folders(paths)
        stop_logging = start_logging(paths.log_file, stderr=sys.stderr)
        try:
            result = self._lock.acquire()
            if result is LockResult.TAKEN:
                return self._open_the_first_one()
            if result is LockResult.UNAVAILABLE:
                _log.warning("no lock could be taken in the data folder; another Orbtile may be running")
            log_uncaught_exceptions()
            return self._run_locked(troubles)
        finally:
            self._lock.release()
            stop_logging()

    def _open_the_first_one(self) -> int:
        try:
            cli_open.open_surface(self._paths, Surface.POPOVER, wait_s=cli_open.STARTING_S)
        except cli_open.NotRunningError as error:
            print(f"orbtile: another Orbtile holds the data folder, and {error}", file=sys.stderr)
            return 1
        _tell_terminal("already running; opened it")
        return ALREADY_RUNNING

    def _run_locked(self, troubles: Sequence[Notice]) -> int:
        import qasync
        from PySide6.QtCore import QCoreApplication
        from PySide6.QtGui import QGuiApplication
        from PySide6.QtWidgets import QApplication

        choose_window_system(os.environ, self._machine.platform)
        application = QApplication(sys.argv[:1])
        QCoreApplication.setApplicationName("Orbtile")
        QCoreApplication.setApplicationVersion(orbtile.__version__)
        QGuiApplication.setDesktopFileName("orbtile")
        QGuiApplication.setApplicationDisplayName("Orbtile")
        application.setQuitOnLastWindowClosed(False)
        with qasync.QEventLoop(application) as loop:
            asyncio.set_event_loop(loop)
            quitting = asyncio.Event()
            serving = loop.create_task(self._serve(application, troubles, quitting), name="orbtile-serve")
            try:
                loop.run_until_complete(serving)
            except RuntimeError:
                # Qt was told to quit behind the loop's back (Cmd-Q, a session manager): end in order too.
                if serving.done():
                    raise
                quitting.set()
                loop.run_until_complete(serving)
            finally:
                asyncio.set_event_loop(None)
        return 0

    async def _serve(
        self, application: "QApplication", troubles: Sequence[Notice], quitting: asyncio.Event
    ) -> None:
        """From the first port to the last file. What ends stands beside what starts, on the stack of ends."""
        from orbtile.system.desktop_qt import QtDesktop
        from orbtile.system.publication import Publication
        from orbtile.system.signals_qt import EndWatcher

        loop = asyncio.get_running_loop()
        paths, clock, tokens, desktop = self._paths, SystemClock(), SystemTokens(), QtDesktop()
        async with contextlib.AsyncExitStack() as ends:
            signals = EndWatcher(application)
            signals.end_requested.connect(quitting.set)
            ends.callback(signals.close)

            worker = FilesWorker(loop.call_soon_threadsafe)
            store = JsonStore(
                paths.settings_file,
                paths.consents_file,
                files=PrivateFiles(),
                executor=worker,
                call_soon=loop.call_soon_threadsafe,
                on_result=lambda document, failure: _tell_saved(service, document, failure),
            )
            # A disk that hangs must not hold up the end: what it was given is written or lost without us.
            ends.callback(worker.shutdown, wait=False, cancel_futures=True)
            bundles = SystemBundles(self._machine.platform)
            service = _make_service(bundles, clock, tokens, desktop, store, troubles)
            icons = IconRendering(service, bundles, worker)
            signals.save_requested.connect(service.flush)
            timer = _start_alarm(service, clock)

            publication = Publication(service, paths, hook_token := tokens.new_token())
            publication.retake_lock = self._lock.reacquire

            def last_words() -> None:
                publication.withdraw()
                service.flush()
                store.close()
                publication.remove_instance_files()

            # At the end of a session Windows ends the process once this returns; elsewhere the loop goes on.
            ends.callback(last_words)
            application.aboutToQuit.connect(last_words)
            ends.callback(application.aboutToQuit.disconnect, last_words)
            publication.claim()

            wishes = Wishes(loop.call_soon)
            control = ControlRoutes(
                partial(tokens.matches, expected=hook_token), wishes.take, surfaces=frozenset(Surface)
            )
            listener = Listener(
                Dispatch(service, control, render_icon=icons.render),
                TcpEndpoint() if paths.socket_path is None else UnixEndpoint(paths.socket_path),
                publication.listener_changed,
                prepare_folder=make_private_folder,
                peer_check=is_own_peer,
            )
            publication.port_of = lambda: listener.port
            checking = OneTask("orbtile-listener-check")
            publication.socket_watch.vanished.connect(lambda: checking.start(listener.check()))
            ends.callback(timer.stop)
            ends.push_async_callback(listener.aclose)
            ends.push_async_callback(checking.cancel)
            await listener.start()

            windows = self._show(application, service, clock, desktop, quitting)
            ends.callback(windows.close)
            ends.callback(_heed_battery_saver(self._machine.platform, windows).close)
            ends.push_async_callback(icons.cancel)
            ends.callback(publication.withdraw)  # first of all: from here on adapters see "not running"
            wishes.grant(windows.open)
            icons.start()
            if self._on_started is not None:
                self._on_started(service, windows)
            _collect_garbage_again()
            await quitting.wait()

    def _show(
        self,
        application: "QApplication",
        service: Service,
        clock: SystemClock,
        desktop: "QtDesktop",
        quitting: asyncio.Event,
    ) -> "Windows":
        """What people see. Imported here, after the API is up: adapters need not wait for widgets."""
        from orbtile.system.compositor import has_compositor
        from orbtile.system.statusnotifier_qt import StatusNotifierWatch
        from orbtile.system.xembed_tray_qt import XEmbedTrayWatch
        from orbtile.ui.bridge import Bridge
        from orbtile.ui.settings.diagnostics import AboutInfo
        from orbtile.ui.windows import Windows

        bridge = Bridge(service)
        windows = Windows(
            bridge,
            now_s=clock.monotonic_s,
            about=AboutInfo(
                version=orbtile.__version__, data_dir=self._paths.data_dir, log_file=self._paths.log_file
            ),
            open_url=desktop.open_url,
            example_command=_example_command(),
            has_compositor=lambda: has_compositor(application.platformName()),
            icons=_icons_folder(),
        )
        bridge.setParent(windows)
        windows.quit_requested.connect(quitting.set)
        windows.start()
        if self._machine.platform is Platform.LINUX:
            watches = (
                StatusNotifierWatch(windows),
                XEmbedTrayWatch(windows, has_tray=windows.has_tray),
            )
            for watch in watches:
                watch.host_appeared.connect(windows.tray_host_changed)
                watch.host_vanished.connect(windows.tray_host_changed)
        _tell_terminal(_RUNNING_IN_TRAY if windows.has_tray else _RUNNING_WITHOUT_TRAY)
        return windows


def _tell_terminal(text: str) -> None:
    """A line for whoever started Orbtile by hand; a log or a desktop entry gets none."""
    if sys.stdout is not None and sys.stdout.isatty():  # None: a Windows program without a console
        print(f"orbtile: {text}", flush=True)


def _heed_battery_saver(platform: Platform, windows: "Windows") -> "BatterySaver":
    """Let nothing move while the system wants power saved; close what is returned at the end."""
    from orbtile.system.battery_saver_qt import watch_battery_saver

    saver = watch_battery_saver(platform, windows)
    saver.changed.connect(windows.set_battery_saver)
    windows.set_battery_saver(saver.is_on)
    return saver


def _make_service(
    bundles: AppBundles,
    clock: Clock,
    tokens: SystemTokens,
    desktop: "QtDesktop",
    store: JsonStore,
    troubles: Sequence[Notice],
) -> Service:
    """The host with what the disk remembers; what could not be read is reported."""
    settings, settings_trouble = store.load_settings()
    consents, consents_trouble = store.load_consents()
    service = Service(
        clock=clock,
        tokens=tokens,
        processes=SystemProcesses(),
        bundles=bundles,
        desktop=desktop,
        store=store,
        version=orbtile.__version__,
        settings=settings,
        consents=consents,
    )
    for trouble in (*troubles, settings_trouble, consents_trouble):
        if trouble is not None:
            service.report(trouble)
    return service


class RestartableTimer(Protocol):
    """A single-shot ``QTimer``. Not the loop's ``call_later``: qasync wakes up for cancelled ones, too."""

    def start(self, msec: int, /) -> None: ...
    def stop(self) -> None: ...


class DeadlineAlarm:
    """One timer, armed for the service's next deadline; nothing polls. The timer calls ``ring``."""

    def __init__(self, service: Service, clock: Clock, timer: RestartableTimer) -> None:
        self._service = service
        self._clock = clock
        self._timer = timer
        service.watch_deadline(self.arm)
        self.arm()

    def arm(self) -> None:
        """Put the timer where the next deadline is now."""
        due_s = self._service.next_deadline()
        if due_s is None:
            self._timer.stop()
        else:
            self._timer.start(max(0, math.ceil((due_s - self._clock.monotonic_s()) * 1000)))

    def ring(self) -> None:
        """Let happen what is due, and arm for the next."""
        self._service.tick()
        self.arm()


def _start_alarm(service: Service, clock: Clock) -> "QTimer":
    """The timer of the service's deadlines; stop it at the end."""
    from PySide6.QtCore import Qt, QTimer

    timer = QTimer(singleShot=True, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(DeadlineAlarm(service, clock, timer).ring)
    return timer


def _load_codec() -> IconCodec:
    from orbtile.imaging import PillowCodec

    return PillowCodec()


class IconRendering:
    """Icons are rendered on the ``worker``'s one thread, so there is one decoder's memory at a time; with the
    first of them the codec is loaded there.
    """

    def __init__(
        self,
        service: Service,
        bundles: AppBundles,
        worker: Executor,
        load_codec: Callable[[], IconCodec] = _load_codec,
    ) -> None:
        self._service = service
        self._bundles = bundles
        self._worker = worker
        self._codec = cache(load_codec)
        self._remembered = OneTask("orbtile-remembered-icons")

    def start(self) -> None:
        """Begin with :meth:`render_remembered`, while everything else goes on."""
        self._remembered.start(self.render_remembered())

    async def cancel(self) -> None:
        """No more of that."""
        await self._remembered.cancel()

    async def render(self, icon: Icon) -> IconImages | None:
        """The server's ``IconRenderer``. A PNG that is known by now is not decoded again; whether an
        application is installed is always asked.
        """
        known = None if icon.app_bundle_id else self._service.rendered_icon(icon)
        if known is not None:
            return known
        return await asyncio.wrap_future(self._worker.submit(self._resolve, icon))

    async def render_remembered(self) -> None:
        """The icons of adapters of earlier runs, one after another; what fails is in the log."""
        for icon in self._service.icons_to_render():
            try:
                images = await self.render(icon)
            except Exception as failure:  # noqa: BLE001  one bad picture of 64 is no reason to go without the others
                reason = failure.code if isinstance(failure, ApiError) else type(failure).__name__
                _log.warning("a remembered icon was not rendered (%s)", reason)
                continue
            if images is not None:
                self._service.keep_icon(icon, images)

    def _resolve(self, icon: Icon) -> IconImages | None:
        return resolve_icon(icon, self._codec(), self._bundles)


class Wishes:
    """Surfaces that ``orbtile open`` asked for; what comes before there are windows opens with them."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], object]) -> None:
        self._call_soon = call_soon
        self._waiting: list[str] = []
        self._open: Callable[[str], None] | None = None

    def take(self, surface: str) -> None:
        """Open ``surface`` from the loop, not from inside the request: the reply must be out before."""
        self._waiting.append(surface)
        self._call_soon(self._open_waiting)

    def grant(self, open_surface: Callable[[str], None]) -> None:
        """From now on there are windows."""
        self._open = open_surface
        self._open_waiting()

    def _open_waiting(self) -> None:
        while self._open is not None and self._waiting:
            self._open(self._waiting.pop(0))


class OneTask:
    """One named task at a time, kept; its failure is logged, and it is cancelled at the end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._task: asyncio.Task[object] | None = None

    def start(self, work: Coroutine[object, object, object]) -> None:
        """Run ``work`` unless the one before still runs."""
        if self._task is not None and not self._task.done():
            work.close()
            return
        self._task = asyncio.get_running_loop().create_task(work, name=self._name)
        self._task.add_done_callback(_log_failure)

    async def cancel(self) -> None:
        """End it and wait until it has ended."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])


def _log_failure(task: "asyncio.Task[object]") -> None:
    if not task.cancelled() and (failure := task.exception()) is not None:
        _log.error("%s failed", task.get_name(), exc_info=failure)


def _collect_garbage_again() -> None:
    """What starting left goes; what it made stays for good, and the collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _make_folders(paths: Paths[Path]) -> list[Notice]:
    """The private folders; a disk that refuses is a notice, not the end."""
    try:
        make_private_folder(paths.data_dir)
        make_private_folder(paths.run_dir)
    except OSError as error:
        detail = error.strerror or type(error).__name__
        return [Notice(kind=NoticeKind.SETTINGS_NOT_SAVED, detail=detail)]
    return []


def _tell_saved(service: Service, document: Document, failure: OSError | None) -> None:
    kind = NOT_SAVED[document]
    if failure is None:
        service.clear(kind)
    else:
        service.report(Notice(kind=kind, detail=failure.strerror or type(failure).__name__))


def _icons_folder() -> Path | None:
    """None, and a line in the log: the installation is incomplete, which is no reason not to run."""
    try:
        return resource_folder("icons")
    except FileNotFoundError as error:
        _log.warning("the windows go without the application's icon: %s", error)
        return None


def _example_command() -> str | None:
    """What starts the example adapter from a source tree; None where it is not at hand."""
    example = Path(orbtile.__file__).parents[2] / "adapters" / "examples" / "demo.py"
    if not example.is_file():
        return None
    return f"python3 {shlex.quote(str(example))}"
