"""The two long loads: 64 clients while the interface is used, and adapters that come and go by the thousand.

Owns what is demanded of them: nothing is lost, limits hold exactly, memory does not grow.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from tests.tools.driven import Driven, drive, driven_folder
from tests.tools.hammer import cycle, hammer, register_all

MAX_GROWTH_BYTES = 2 << 20
MAX_NEW_OBJECTS = 2_000
MAX_NEW_WIDGETS = 40  # a consent banner has a dozen, and may or may not be on the screen
SETTLE_S = 0.5
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Footprint:
    """What the application holds while it rests and its garbage is collected."""

    rss_bytes: int
    objects: int
    widgets: int

    def growth_to(self, after: "Footprint") -> str:
        """The growth in words; AssertionError where it is more than a leak-free application's."""
        grown = after.rss_bytes - self.rss_bytes
        objects, widgets = after.objects - self.objects, after.widgets - self.widgets
        told = f"RSS grew by {grown / MIB:.2f} MiB, {objects} objects, {widgets} widgets"
        assert grown < MAX_GROWTH_BYTES, told
        assert objects < MAX_NEW_OBJECTS, told
        assert widgets < MAX_NEW_WIDGETS, told
        return told


def hammer_while_used(environment: Mapping[str, str], seconds: float, warm_up_s: float) -> str:
    """64 clients for ``seconds`` while windows open, scroll and close; says what happened."""
    with driven_folder() as folder, drive(folder, environment) as app:
        register_all(app.endpoint)
        app.order("use")
        hammer(app.endpoint, warm_up_s)
        before = take_footprint(app)
        app.order("use")
        result = hammer(app.endpoint, seconds)
        after = take_footprint(app)
        complaints = result.complaints(app.titles("sessions"))
        complaints += result.complaints(app.titles("rows")) + app.complaints()
        assert not complaints, "\n".join(complaints)
        return f"{result}; {before.growth_to(after)}"


def come_and_go(
    environment: Mapping[str, str],
    cycles: int,
    warm_up_cycles: int,
    *,
    clock_speed: float = 1.0,
    is_used: bool,
) -> str:
    """Register, show, unregister, ``cycles`` times under 40 ids, of which 8 are allowed and 32 remembered.

    ``is_used``: the windows are used meanwhile, which takes longer to reach its steady footprint.
    """
    with driven_folder() as folder, drive(folder, environment, clock_speed) as app:
        start = "use" if is_used else "rest"
        app.order(start)
        cycle(app.endpoint, warm_up_cycles)
        before = take_footprint(app)
        app.order(start)
        started = time.monotonic()
        cycle(app.endpoint, cycles)
        seconds = time.monotonic() - started
        after = take_footprint(app)
        complaints = app.complaints()
        assert not complaints, "\n".join(complaints)
        assert app.titles("sessions") == {}
        return f"{cycles} cycles in {seconds:.0f} s; {before.growth_to(after)}"


def take_footprint(app: Driven) -> Footprint:
    app.order("rest")
    time.sleep(SETTLE_S)
    counts = app.order("objects")
    assert isinstance(counts, dict)
    return Footprint(app.rss_bytes, counts["objects"], counts["widgets"])
