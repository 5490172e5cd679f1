"""A real service on fake ports, and an adapter that talks to it without a socket.

``make_host()`` gives both; ``host.adapter("dev.example")`` speaks the endpoints as a well-behaved client
would after the gate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from orbtile.host.changes import Changes
from orbtile.host.icons import IconImages
from orbtile.host.ports import Parse
from orbtile.host.records import ConsentRecord
from orbtile.host.service import Admission, Service
from orbtile.host.settings import Settings
from orbtile.host.views import AdapterView, SessionView
from orbtile.palette.states import State
from orbtile.protocol.errors import ApiError
from orbtile.protocol.events import EventsPoll
from orbtile.protocol.fields import UNSET, Unset
from orbtile.protocol.gate import Admitted, Route
from orbtile.protocol.registration import Palette, Registration
from orbtile.protocol.replies import BatchReply, RegistrationReply, SessionReply
from orbtile.protocol.session import BatchItem, SessionUpdate
from tests.fakes.bundles import FakeBundles
from tests.fakes.clock import FakeClock
from tests.fakes.desktop import FakeDesktop
from tests.fakes.processes import FakeProcesses
from tests.fakes.store import FakeStore
from tests.fakes.tokens import FakeTokens

ADAPTER_ID = "dev.example"


def make_registration(name: str = "Example Agent", base_hue: float = 270.0) -> Registration:
    """The smallest useful registration; change it with ``dataclasses.replace``."""
    return Registration(name=name, palette=Palette(base_hue=base_hue), url_schemes=("https", "example"))


def make_update(
    title: str = "fix flaky test", activity: State = State.THINKING, host: str | Unset = UNSET
) -> SessionUpdate:
    """A whole new session; change it with ``dataclasses.replace``."""
    return SessionUpdate(title=title, activity=activity, host=host)


def make_service(
    *,
    clock: FakeClock | None = None,
    tokens: FakeTokens | None = None,
    processes: FakeProcesses | None = None,
    bundles: FakeBundles | None = None,
    desktop: FakeDesktop | None = None,
    store: FakeStore | None = None,
    settings: Settings | None = None,
    consents: Sequence[ConsentRecord] = (),
) -> Service:
    """A service with the API on, unless ``settings`` says otherwise."""
    return Service(
        clock=clock or FakeClock(),
        tokens=tokens or FakeTokens(),
        processes=processes or FakeProcesses(),
        bundles=bundles or FakeBundles(),
        desktop=desktop or FakeDesktop(),
        store=store or FakeStore(),
        version="0.0.0",
        settings=settings or Settings(api_enabled=True),
        consents=consents,
    )


def admit(
    service: Service,
    route: Route,
    adapter_id: str = ADAPTER_ID,
    *,
    session_id: str = "",
    host: str = "local",
    owner_token: str | None = None,
    nonce: str | None = None,
) -> Admission:
    """Let a head in that passed the gate."""
    return service.admit(
        Admitted(
            route=route,
            content_length=0,
            adapter_id=adapter_id,
            session_id=session_id,
            host=host,
            owner_token=owner_token,
            nonce=nonce,
        )
    )


_Value = TypeVar("_Value")


def parsed(value: _Value, *warnings: str) -> Parse[_Value]:
    """The reader of a body that says ``value``, whatever is registered."""
    return lambda _registration: (value, warnings)


def refusal(error: ApiError) -> tuple[int, str, str | None]:
    """What a client can tell refusals apart by."""
    return error.status, error.code, error.field


@dataclass
class AdapterClient:
    """One adapter's side of the protocol; ``owner_token`` is kept from the registration's reply."""

    service: Service
    adapter_id: str = ADAPTER_ID
    registration: Registration = field(default_factory=make_registration)
    owner_token: str | None = None

    def admit(self, route: Route, session_id: str = "", host: str = "local") -> Admission:
        return admit(
            self.service,
            route,
            self.adapter_id,
            session_id=session_id,
            host=host,
            owner_token=self.owner_token,
        )

    def register(
        self,
        registration: Registration | None = None,
        warnings: Sequence[str] = (),
        icon: IconImages | None = None,
    ) -> RegistrationReply:
        if registration is not None:
            self.registration = registration
        reply = self.service.register(self.admit(Route.REGISTER), self.registration, warnings, icon)
        self.owner_token = reply.adapter_token
        return reply

    def unregister(self) -> None:
        self.service.unregister(self.admit(Route.UNREGISTER))

    def update(self, session_id: str = "run-7", update: SessionUpdate | None = None) -> SessionReply:
        """Send ``update``, or a whole new session."""
        sent = make_update() if update is None else update
        return self.service.update_session(self.admit(Route.UPDATE_SESSION, session_id), parsed(sent))

    def end(self, session_id: str = "run-7", host: str = "local") -> None:
        self.service.end_session(self.admit(Route.END_SESSION, session_id, host))

    def replace(self, *items: BatchItem) -> BatchReply:
        return self.service.replace_sessions(self.admit(Route.REPLACE_SESSIONS), parsed(items))

    def heartbeat(self) -> None:
        self.service.heartbeat(self.admit(Route.HEARTBEAT))

    def poll(self) -> None:
        self.service.poll_events(self.admit(Route.POLL_EVENTS), EventsPoll(after=0, ack=0, wait_s=0))

    def touch(self) -> None:
        """Some request that is neither an update nor a heartbeat."""
        self.admit(Route.UPDATE_SESSION, "none")

    def allow(self) -> bool:
        """The user allows what this adapter has registered now."""
        return self.service.allow(self.adapter_id, self.view().fingerprint)

    def deny(self) -> bool:
        return self.service.deny(self.adapter_id, self.view().fingerprint)

    def turn_off(self) -> bool:
        return self.service.turn_off(self.adapter_id)

    def view(self) -> AdapterView:
        view = self.service.adapter(self.adapter_id)
        assert view is not None, f"{self.adapter_id} is not remembered"
        return view

    def session(self, session_id: str = "run-7", host: str = "local") -> SessionView:
        view = self.service.session(f"{self.adapter_id}/{host}/{session_id}")
        assert view is not None, f"{session_id} is not visible"
        return view

    def state(self, session_id: str = "run-7", host: str = "local") -> State | None:
        """What the session shows; None: not visible or gone."""
        view = self.service.session(f"{self.adapter_id}/{host}/{session_id}")
        return None if view is None else view.state


class Host:
    """A service with its fakes at hand and every record that it published."""

    def __init__(self, settings: Settings | None = None, consents: Sequence[ConsentRecord] = ()) -> None:
        self.clock = FakeClock()
        self.tokens = FakeTokens()
        self.processes = FakeProcesses(4242)
        self.bundles = FakeBundles()
        self.desktop = FakeDesktop()
        self.store = FakeStore()
        self.service = make_service(
            clock=self.clock,
            tokens=self.tokens,
            processes=self.processes,
            bundles=self.bundles,
            desktop=self.desktop,
            store=self.store,
            settings=settings,
            consents=consents,
        )
        self.published: list[Changes] = []
        self.service.subscribe(self.published.append)

    def adapter(self, adapter_id: str = ADAPTER_ID) -> AdapterClient:
        return AdapterClient(self.service, adapter_id)

    def registered(
        self, adapter_id: str = ADAPTER_ID, registration: Registration | None = None
    ) -> AdapterClient:
        """An adapter that has registered and awaits the user."""
        client = self.adapter(adapter_id)
        client.register(registration)
        return client

    def allowed(
        self, adapter_id: str = ADAPTER_ID, registration: Registration | None = None
    ) -> AdapterClient:
        """An adapter that has registered and that the user allowed."""
        client = self.registered(adapter_id, registration)
        assert client.allow()
        return client

    def advance(self, seconds: float) -> None:
        """Let time pass as the loop would: a tick at every deadline on the way."""
        end_s = self.clock.monotonic_s() + seconds
        while (due_s := self.service.next_deadline()) is not None and due_s <= end_s:
            self.clock.advance(max(0.0, due_s - self.clock.monotonic_s()))
            self.service.tick()
        self.clock.advance(end_s - self.clock.monotonic_s())
        self.service.tick()

    def take_published(self) -> list[Changes]:
        """The records since the last call."""
        taken, self.published[:] = list(self.published), []
        return taken
