"""The session list's order and counts after any sequence of changes."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from orbtile.host.service import Service
from orbtile.host.sources import SourceInfo
from orbtile.palette.states import ACTIVITIES
from orbtile.protocol.session import Message, SessionUpdate
from orbtile.ui.bridge import Bridge
from orbtile.ui.models import Counts, Group, SessionModel, group_of, order_key
from tests.fakes.hosts import Host, make_registration
from tests.fakes.qt import application

application()  # the bridge's timer needs one
SOURCE = "claude-code"  # a built-in source: no rate limit, no silence

numbers = st.integers(0, 12).map(str)
updates = st.tuples(
    numbers,
    st.builds(
        SessionUpdate,
        title=st.just("title"),
        activity=st.sampled_from(ACTIVITIES),
        background=st.booleans(),
        message=st.sampled_from([None, Message(id="a", text="a"), Message(id="a", text="ab")]),
    ),
)
seconds = st.sampled_from([0.25, 1.0, 60.0])
frames = st.lists(st.lists(st.one_of(updates, numbers, seconds), max_size=6), max_size=25)


@given(frames)
def test_the_order_equals_a_full_sort_and_the_counts_a_full_count(
    changes: list[list[tuple[str, SessionUpdate] | str | float]],
) -> None:
    host = Host()
    host.service.add_source(SourceInfo(source_id=SOURCE, registration=make_registration()))
    bridge = Bridge(host.service)
    model = SessionModel(bridge)
    heard: list[str] = []
    model.orderChanged.connect(lambda: heard.append("order"))
    model.countsChanged.connect(lambda: heard.append("counts"))
    for frame in changes:
        order, counts = model.keys(), model.counts
        heard.clear()
        for change in frame:
            match change:
                case str():
                    host.service.source_end(SOURCE, change)
                case float():
                    host.advance(change)
                case session_id, update:
                    host.service.source_update(SOURCE, session_id, update)
        bridge.flush()

        views = {view.uid: view for view in host.service.sessions()}
        order_now = model.keys()
        assert order_now == sorted(order_key(view) for view in views.values())
        assert {uid: model.view(uid) for uid in (key.uid for key in order_now)} == views
        assert model.counts == full_count(host.service)
        assert ("order" in heard) >= (order != order_now), "the order changed and nobody was told"
        assert ("counts" in heard) == (counts != model.counts)
    bridge.close()


def full_count(service: Service) -> Counts:
    listed: Counter[Group] = Counter()
    folded: Counter[Group] = Counter()
    for view in service.sessions():
        group = group_of(view.state)
        quiet = group not in {Group.WAITING, Group.ERROR}
        (folded if view.background and quiet else listed)[group] += 1
    return Counts(tuple(listed[group] for group in Group), tuple(folded[group] for group in Group))
