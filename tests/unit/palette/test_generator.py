import pytest

from orbtile.palette.generator import Tones, inherited, make_ramps
from orbtile.palette.oklch import oklch
from orbtile.palette.ramps import generated_ramp, hex_anchored_ramp
from orbtile.palette.states import SETTABLE_STATES, WAITING_STATES, State

ONE, OTHER = "#eab308", "#22c55e"
CALM = Tones(150, 1.0, 330, 1.0)
LOUD = Tones(200, 1.3, 200, 1.3)  # sRGB has no vivid cyan as light as an alarm


@pytest.mark.parametrize(
    ("parent", "heirs"),
    [
        (State.THINKING, {State.TOOL, State.STREAMING}),
        (State.WAITING_PERMISSION, {State.WAITING_QUESTION}),
        *((s, set()) for s in SETTABLE_STATES if s not in {State.THINKING, State.WAITING_PERMISSION}),
    ],
)
def test_a_states_colour_is_also_that_of_its_heirs(parent: State, heirs: set[State]) -> None:
    assert inherited({parent: ONE}) == dict.fromkeys({parent, *heirs}, ONE)


@pytest.mark.parametrize(
    ("heir", "parent"),
    [
        (State.TOOL, State.THINKING),
        (State.STREAMING, State.THINKING),
        (State.WAITING_QUESTION, State.WAITING_PERMISSION),
    ],
)
def test_an_heirs_own_colour_comes_first(heir: State, parent: State) -> None:
    for explicit in ({heir: OTHER, parent: ONE}, {parent: ONE, heir: OTHER}):
        assert inherited(explicit)[heir] == OTHER
        assert inherited(explicit)[parent] == ONE


def test_without_explicit_colours_every_state_comes_from_the_tones() -> None:
    tones = Tones(150, 0.9, 330, 1.1, 0.02)
    ramps = make_ramps(tones, {})
    assert [*ramps.by_state] == [*ramps.generated]
    assert {*ramps.by_state} == {*SETTABLE_STATES}
    for state in SETTABLE_STATES:
        wanted = (330, 1.1, 0.0) if state in WAITING_STATES else (150, 0.9, 0.02)
        assert ramps.generated[state] == generated_ramp(state, *wanted)
        assert ramps.by_state[state] == ramps.generated[state].ramp
    assert ramps.guarded is None


def test_an_explicit_colour_is_anchored_and_changes_no_other_state() -> None:
    plain, ramps = make_ramps(CALM, {}), make_ramps(CALM, {State.DONE: ONE})
    assert ramps.by_state[State.DONE] == hex_anchored_ramp(State.DONE, ONE)
    assert State.DONE not in ramps.generated
    for state in SETTABLE_STATES:
        if state is not State.DONE:
            assert ramps.by_state[state] == plain.by_state[state]


# --- The salience guard -------------------------------------------------------------------------------------


def test_work_is_never_more_colourful_than_nine_tenths_of_the_alarm() -> None:
    ramps = make_ramps(LOUD, {})
    alarm = ramps.generated[State.WAITING_PERMISSION].hi_chroma
    assert ramps.guarded is not None
    states, before, after, limiting = ramps.guarded
    assert states == (State.THINKING, State.TOOL, State.STREAMING)
    assert (before, after, limiting) == pytest.approx((0.13, 0.9 * alarm, alarm))
    for state in states:
        assert oklch(ramps.by_state[state].hi).chroma <= 0.9 * alarm + 0.002
        assert ramps.generated[state] == generated_ramp(state, 200, 9 * alarm, 0)


def test_the_guard_leaves_every_other_state_alone() -> None:
    ramps = make_ramps(LOUD, {})
    for state in (State.STARTING, State.COMPACTING, State.DONE, State.IDLE, State.OFFLINE):
        assert ramps.generated[state] == generated_ramp(state, 200, 1.3, 0)


def test_work_that_is_quiet_enough_is_left_alone() -> None:
    assert make_ramps(CALM, {}).guarded is None
    assert make_ramps(Tones(200, 1.0, 200, 1.0), {}).guarded is None


def test_explicit_work_bypasses_the_guard() -> None:
    guarded = make_ramps(LOUD, {State.TOOL: "#00ffff"}).guarded
    assert guarded is not None
    assert guarded.states == (State.THINKING, State.STREAMING)
    all_work = dict.fromkeys((State.THINKING, State.TOOL, State.STREAMING), "#00ffff")
    assert make_ramps(LOUD, all_work).guarded is None


def test_an_explicit_alarm_bypasses_the_guard() -> None:
    assert make_ramps(LOUD, {State.WAITING_PERMISSION: "#808080"}).guarded is None
