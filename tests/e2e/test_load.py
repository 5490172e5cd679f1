"""A tenth of ``dev.py soak``: load, comings and goings, and kills, on a real desktop and real sockets."""

from collections.abc import Iterator, Mapping

import pytest

from tests.tools.crash import kill_again_and_again
from tests.tools.desktop import Desktop
from tests.tools.load import come_and_go, hammer_while_used

pytestmark = [pytest.mark.desktop, pytest.mark.socket, pytest.mark.slow]

Environment = Mapping[str, str]


@pytest.fixture(scope="module")
def environment() -> Iterator[Environment]:
    with Desktop("trayer") as desktop:
        yield desktop.env


def test_64_clients_lose_no_update_and_pass_no_limit_while_the_windows_are_used(
    environment: Environment,
) -> None:
    assert "64 clients" in hammer_while_used(environment, seconds=3, warm_up_s=4)


def test_a_thousand_adapters_that_come_and_go_leave_nothing_behind(environment: Environment) -> None:
    told = come_and_go(environment, cycles=1_000, warm_up_cycles=300, clock_speed=10, is_used=False)
    assert "1000 cycles" in told


def test_a_kill_at_any_moment_leaves_settings_and_decisions_whole(environment: Environment) -> None:
    assert "nothing lost" in kill_again_and_again(environment, rounds=10)
