"""What the session model remembers of sessions that are gone: the last one that was done."""

import pytest

from orbtile.palette.states import State
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import SessionModel
from tests.fakes.hosts import AdapterClient, Host, make_update


class Scene:
    """A model of a real service, and one allowed adapter."""

    def __init__(self) -> None:
        self.host = Host()
        self.bridge = Bridge(self.host.service)
        self.model = SessionModel(self.bridge)
        self.adapter = self.host.allowed()

    def show(self, session_id: str, title: str, state: State, by: AdapterClient | None = None) -> None:
        (by or self.adapter).update(session_id, make_update(title, state))
        self.bridge.flush()
        self.host.advance(1)

    @property
    def last(self) -> str | None:
        last = self.model.last_finished
        return None if last is None else last.title


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_nothing_was_done_at_first(scene: Scene) -> None:
    scene.show("a", "Release", State.THINKING)
    assert scene.last is None


def test_the_latest_to_be_done_is_remembered_after_it_has_gone(scene: Scene) -> None:
    scene.show("a", "Release", State.DONE)
    scene.show("b", "Tests", State.DONE)
    done_at = scene.host.clock.epoch_s() - 1
    scene.show("c", "Docs", State.THINKING)
    for session_id in "abc":
        scene.adapter.end(session_id)
    scene.bridge.flush()
    assert scene.model.keys() == []
    assert scene.last == "Tests"
    assert scene.model.last_finished is not None
    assert scene.model.last_finished.at_epoch_s == pytest.approx(done_at)


def test_a_session_that_goes_on_working_was_done_all_the_same(scene: Scene) -> None:
    scene.show("a", "Release", State.DONE)
    scene.show("a", "Release again", State.THINKING)
    assert scene.last == "Release"


def test_a_title_that_changes_while_done_is_taken_over(scene: Scene) -> None:
    scene.show("a", "New session", State.DONE)
    scene.show("a", "Release", State.DONE)
    assert scene.last == "Release"


def test_an_older_one_that_only_changes_its_title_does_not_come_before(scene: Scene) -> None:
    scene.show("a", "Release", State.DONE)
    scene.show("b", "Tests", State.DONE)
    scene.show("a", "Release 2.4", State.DONE)
    assert scene.last == "Tests"


def test_sessions_from_before_the_model_count(scene: Scene) -> None:
    scene.show("a", "Release", State.DONE)
    later = SessionModel(scene.bridge)
    assert later.last_finished is not None
    assert later.last_finished.title == "Release"


@pytest.mark.parametrize("how", ["deny", "forget"])
def test_nothing_is_told_of_an_agent_that_the_user_no_longer_allows(scene: Scene, how: str) -> None:
    other = scene.host.allowed("dev.other")
    scene.show("a", "Release", State.DONE)
    other.unregister()
    scene.bridge.flush()
    assert scene.last == "Release"
    if how == "deny":
        scene.adapter.deny()
    else:
        scene.host.service.forget(scene.adapter.adapter_id)
    scene.bridge.flush()
    assert scene.last is None


def test_an_agent_that_leaves_is_still_told_of(scene: Scene) -> None:
    scene.show("a", "Release", State.DONE)
    scene.adapter.unregister()
    scene.bridge.flush()
    assert scene.last == "Release"
