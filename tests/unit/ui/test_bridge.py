"""Changes become signals at most once a frame; intents reach the service."""

import pytest
from PySide6.QtTest import QTest

from orbtile.host.settings import Settings
from orbtile.host.views import Consent, Notice, NoticeKind
from orbtile.ui.bridge import FRAME_MS, Bridge
from tests.fakes.hosts import ADAPTER_ID, Host


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def bridge(host: Host) -> Bridge:
    return Bridge(host.service)


def test_the_changes_of_one_frame_come_as_one_signal(host: Host, bridge: Bridge) -> None:
    heard: list[frozenset[str]] = []
    bridge.sessionsChanged.connect(heard.append)
    adapter = host.allowed()
    for session_id in ("a", "b", "a"):
        adapter.update(session_id)
    assert heard == []
    QTest.qWait(FRAME_MS * 4)
    assert heard == [frozenset({f"{ADAPTER_ID}/local/a", f"{ADAPTER_ID}/local/b"})]


def test_each_kind_of_change_has_its_signal(host: Host, bridge: Bridge) -> None:
    heard: list[str] = []
    bridge.adaptersChanged.connect(lambda ids: heard.append(f"adapters {sorted(ids)}"))
    bridge.apiChanged.connect(lambda: heard.append("api"))
    bridge.settingsChanged.connect(lambda: heard.append("settings"))
    bridge.noticesChanged.connect(lambda: heard.append("notices"))
    host.registered()
    bridge.flush()
    assert heard == [f"adapters ['{ADAPTER_ID}']"]
    heard.clear()
    bridge.changeSettings(Settings(api_enabled=True, reduce_motion=True))
    host.service.report(Notice(kind=NoticeKind.LISTENER_DOWN))
    bridge.regenerateToken()
    bridge.flush()
    assert {"settings", "notices", "api"} <= set(heard)
    heard.clear()
    bridge.dismissNotice(NoticeKind.LISTENER_DOWN)
    bridge.flush()
    assert heard == ["notices"]
    assert host.service.notices() == []


def test_a_quiet_bridge_emits_nothing(bridge: Bridge) -> None:
    heard: list[object] = []
    for signal in (bridge.sessionsChanged, bridge.adaptersChanged, bridge.apiChanged):
        signal.connect(lambda *_: heard.append("something"))
    bridge.flush()
    assert heard == []


def test_a_closed_bridge_hears_nothing(host: Host, bridge: Bridge) -> None:
    heard: list[frozenset[str]] = []
    bridge.sessionsChanged.connect(heard.append)
    adapter = host.allowed()
    adapter.update("a")
    bridge.close()
    adapter.update("b")
    bridge.flush()
    assert heard == []


def test_intents_reach_the_service(host: Host, bridge: Bridge) -> None:
    adapter = host.registered()
    bridge.allow(ADAPTER_ID, adapter.view().fingerprint)
    assert adapter.view().consent is Consent.ALLOWED
    bridge.deny(ADAPTER_ID, adapter.view().fingerprint)
    assert adapter.view().consent is Consent.DENIED
    bridge.setHue(ADAPTER_ID, 150.0)
    assert adapter.view().user_hue_deg == 150.0
    bridge.setHue(ADAPTER_ID, None)
    assert adapter.view().user_hue_deg is None
    bridge.forget(ADAPTER_ID)
    assert host.service.adapter(ADAPTER_ID) is None
    bridge.setApiEnabled(False)
    assert not host.service.api_enabled
    assert not bridge.tap("nobody/local/none")
