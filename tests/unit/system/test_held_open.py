import pytest

from orbtile.system.held_open import PAUSE_S, TRIES, retry_while_held_open


class WindowsError(OSError):
    """An OSError as it is on Windows only."""

    def __init__(self, winerror: int) -> None:
        super().__init__(13, "injected")
        self.winerror = winerror


class Busy:
    """An action that fails with ``error`` the first ``failures`` times."""

    def __init__(self, error: OSError, failures: int) -> None:
        self.error = error
        self.failures = failures
        self.tries = 0
        self.pauses: list[float] = []

    def act(self) -> None:
        self.tries += 1
        if self.tries <= self.failures:
            raise self.error

    def run(self) -> None:
        retry_while_held_open(self.act, sleep=self.pauses.append)


def test_what_succeeds_is_done_once() -> None:
    busy = Busy(OSError(), 0)
    busy.run()
    assert (busy.tries, busy.pauses) == (1, [])


@pytest.mark.parametrize("code", [5, 32])
@pytest.mark.parametrize("failures", [1, TRIES - 1])
def test_a_file_that_is_open_elsewhere_is_tried_again(code: int, failures: int) -> None:
    busy = Busy(WindowsError(code), failures)
    busy.run()
    assert (busy.tries, busy.pauses) == (failures + 1, [PAUSE_S] * failures)


def test_after_about_half_a_second_it_is_given_up() -> None:
    busy = Busy(WindowsError(32), 1_000)
    with pytest.raises(OSError, match="injected"):
        busy.run()
    assert busy.tries == 10
    assert sum(busy.pauses) == pytest.approx(0.45)


@pytest.mark.parametrize(
    "error", [WindowsError(2), FileNotFoundError(2, "injected"), PermissionError(13, "injected")]
)
def test_any_other_failure_is_final(error: OSError) -> None:
    busy = Busy(error, 1)
    with pytest.raises(OSError, match="injected"):
        busy.run()
    assert (busy.tries, busy.pauses) == (1, [])
