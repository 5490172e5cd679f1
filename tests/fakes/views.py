"""Views as the service would hand them out, for tests of what draws them."""

from dataclasses import replace

from orbtile.host.views import AdapterView, Consent, SessionView
from orbtile.palette.scheme import HOUSE
from orbtile.palette.states import State
from orbtile.protocol.registration import Palette, Registration

EXAMPLE_SESSION = SessionView(
    uid="dev.example/local/run-7",
    adapter_id="dev.example",
    adapter_name="Example Agent",
    badge="Example",
    monogram="EA",
    host="local",
    session_id="run-7",
    title="Fix flaky test",
    state=State.THINKING,
    since_monotonic_s=1_000.0,
    since_epoch_s=1_790_000_000.0,
    changed_monotonic_s=1_000.0,
    tool_label=None,
    tool_kind=None,
    status_detail=None,
    model=None,
    message_id=None,
    message_text=None,
    cwd=None,
    project=None,
    subagent_count=0,
    background=False,
    live_text=True,
    can_open=True,
    approval=None,
    question=None,
    scheme=HOUSE,
)
"""Change it with ``dataclasses.replace``."""


def make_session(number: int = 7, state: State = State.THINKING, since_s: float = 1_000.0) -> SessionView:
    """Session ``number``, in ``state`` since ``since_s`` (monotonic)."""
    return replace(
        EXAMPLE_SESSION,
        uid=f"dev.example/local/run-{number}",
        session_id=f"run-{number}",
        title=f"Session {number}",
        state=state,
        since_monotonic_s=since_s,
    )


def make_adapter(name: str = "Example Agent", consent: Consent = Consent.ALLOWED) -> AdapterView:
    """A connected adapter."""
    return AdapterView(
        adapter_id=f"dev.{name.split(maxsplit=1)[0].lower()}",
        registration=Registration(name=name, palette=Palette(base_hue=270)),
        connected=True,
        consent=consent,
        fingerprint="f" * 64,
        allowed=None,
        changed_fields=(),
        warnings=(),
        session_count=0,
        last_seen_epoch_s=0,
        scheme=HOUSE,
    )
