from types import MappingProxyType

import pytest

from orbtile.palette.oklch import delta_e_ok
from orbtile.palette.ramps import Ramp
from orbtile.palette.scheme import HOUSE, PaletteSource, Scheme, StateColours, make_scheme
from orbtile.palette.states import ACTIVITIES, State
from orbtile.palette.vision import CLEAR, CLOSE, Confusion, Vision, confusions, simulate

WAITING, FAILED, WORKING, DONE, RESTING = "#f4f4f4", "#c8c8c8", "#989898", "#606060", "#282828"
"""Greys, which everybody sees alike, each far from the next."""

ORANGE, OLIVE = "#e0703a", "#a39146"
"""Alike only to somebody without green cones."""

TEXT = ("#000000", "#000000", "#000000", "#000000", "#000000")


def scheme_of(**colours: str) -> Scheme:
    """Every meaning far from every other, but for the named states; a colour is what carries its state."""
    carriers = {
        State.WAITING_PERMISSION: WAITING,
        State.WAITING_QUESTION: WAITING,
        State.ERROR: FAILED,
        State.DONE: DONE,
        State.IDLE: RESTING,
        State.OFFLINE: RESTING,
        State.EMPTY: WAITING,
    }
    ramps = {state: _ramp(state, carriers.get(state, WORKING)) for state in State}
    ramps |= {State(name): _ramp(State(name), colour) for name, colour in colours.items()}
    return Scheme(
        MappingProxyType({state: StateColours(ramp, *TEXT) for state, ramp in ramps.items()}), 270.0, ()
    )


def _ramp(state: State, carrier: str) -> Ramp:
    """All the other stops are one colour for all, so that only the one that carries the state can count."""
    ramp = Ramp("#000000", "#000000", "#000000", "#000000", "#000000")
    return ramp._replace(hot=carrier) if state is State.ERROR else ramp._replace(hi=carrier)


def named(scheme: Scheme) -> list[tuple[Vision, State, State]]:
    return [(confusion.vision, confusion.first, confusion.second) for confusion in confusions(scheme)]


# --- Simulation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("colour", "protanopia", "deuteranopia", "tritanopia"),
    [
        ("#ff0000", "#6c5c0c", "#a48b00", "#ff004e"),
        ("#00ff00", "#ffed00", "#f1d12e", "#79e9ff"),
        ("#0000ff", "#0038ff", "#0057fe", "#006288"),
        ("#ffff00", "#fffa00", "#fff316", "#ffeef1"),
        ("#00ffff", "#eef2ff", "#d1dfff", "#47f8ff"),
        ("#ff00ff", "#006bff", "#67a1fc", "#ef667a"),
        ("#ea7b4c", "#9d8b4d", "#b59f46", "#ed7384"),
        ("#3366cc", "#0069cc", "#006ccc", "#007792"),
        ("#7a8c2e", "#9c882d", "#948131", "#838484"),
    ],
)
def test_colours_look_as_the_published_matrices_of_libdaltonlens_make_them(
    colour: str, protanopia: str, deuteranopia: str, tritanopia: str
) -> None:
    """They are of the same paper, rounded to five digits, from another table of the four lights."""
    assert 100 * delta_e_ok(simulate(colour, Vision.PROTANOPIA), protanopia) < 1
    assert 100 * delta_e_ok(simulate(colour, Vision.DEUTERANOPIA), deuteranopia) < 1
    assert 100 * delta_e_ok(simulate(colour, Vision.TRITANOPIA), tritanopia) < 1


def test_full_colour_vision_sees_the_colour_in_its_normal_form() -> None:
    assert simulate("#EA7B4C", Vision.NORMAL) == "#ea7b4c"


@pytest.mark.parametrize("vision", Vision)
@pytest.mark.parametrize("text", ["", "red", "#fff", "#1234567", "#12345g"])
def test_what_is_no_colour_is_refused(text: str, vision: Vision) -> None:
    with pytest.raises(ValueError, match="not a #rrggbb colour"):
        simulate(text, vision)


# --- Confusions ---------------------------------------------------------------------------------------------


def test_greys_of_different_lightness_are_told_apart_by_everybody() -> None:
    assert named(scheme_of()) == []


def test_an_alarm_that_one_vision_does_not_see_as_such_is_named_for_it() -> None:
    (confusion,) = confusions(scheme_of(waitingPermission=ORANGE, waitingQuestion=ORANGE, done=OLIVE))
    assert confusion[:3] == (Vision.DEUTERANOPIA, State.WAITING_PERMISSION, State.DONE)
    assert confusion.distance < CLOSE < CLEAR < confusion.normal_distance


def test_an_alarm_that_nobody_sees_as_such_is_named_once() -> None:
    assert named(scheme_of(waitingQuestion=WORKING)) == [
        (Vision.NORMAL, State.WAITING_QUESTION, State.THINKING)
    ]
    assert named(scheme_of(idle=FAILED)) == [(Vision.NORMAL, State.ERROR, State.IDLE)]


def test_waiting_must_not_look_like_an_error() -> None:
    assert named(scheme_of(waitingPermission=FAILED)) == [
        (Vision.NORMAL, State.WAITING_PERMISSION, State.ERROR)
    ]


def test_calm_states_may_look_alike_where_colour_never_told_them_apart() -> None:
    assert named(scheme_of(done=WORKING, idle=WORKING, offline=DONE)) == []
    lilac, grey = "#a3a3ad", "#a2a2a2"
    assert 100 * delta_e_ok(lilac, grey) < CLEAR
    assert named(scheme_of(thinking=lilac, done=grey)) == []


def test_calm_states_that_colour_tells_apart_are_named_for_who_does_not_see_it() -> None:
    scheme = scheme_of(thinking=ORANGE, done=OLIVE)
    assert [found[:3] for found in confusions(scheme)] == [(Vision.DEUTERANOPIA, State.THINKING, State.DONE)]


def test_states_of_one_meaning_may_look_alike_to_somebody() -> None:
    assert named(scheme_of(thinking=ORANGE, tool=OLIVE)) == []


def test_only_the_closest_states_of_two_meanings_are_named() -> None:
    assert named(scheme_of(thinking="#f0f0f0", compacting=WAITING, starting="#f3f3f3")) == [
        (Vision.NORMAL, State.WAITING_PERMISSION, State.COMPACTING)
    ]


def test_one_palette_may_confuse_several_visions_and_meanings() -> None:
    found = named(make_scheme(PaletteSource(300.0)))
    assert [vision for vision, _, _ in found] == sorted(
        (vision for vision, _, _ in found), key=list(Vision).index
    )
    assert {vision for vision, _, _ in found} == {Vision.PROTANOPIA, Vision.DEUTERANOPIA}


def test_the_shared_alarm_colour_is_judged_like_any_other() -> None:
    source = PaletteSource(270.0)
    assert named(make_scheme(source)) == [(Vision.DEUTERANOPIA, State.WAITING_QUESTION, State.COMPACTING)]
    assert named(make_scheme(source, anchor_attention=True)) == []


# --- Sentences ----------------------------------------------------------------------------------------------


def test_a_sentence_says_who_sees_it_how_close_and_what_is_left() -> None:
    confusion = Confusion(Vision.DEUTERANOPIA, State.WAITING_QUESTION, State.COMPACTING, 1.84, 11.06)
    assert confusion.sentence == (
        "Without green cones (deuteranopia), the colours of question and compacting look alike "
        "(1.8 apart, 11.1 in full colour vision). Shape and motion still tell them apart: a speech bubble "
        "with a question mark, pulsing; an oval between two bars, pressed flat again and again."
    )


def test_a_sentence_about_full_colour_vision_has_one_number() -> None:
    confusion = Confusion(Vision.NORMAL, State.WAITING_PERMISSION, State.THINKING, 0.0, 0.0)
    assert confusion.sentence == (
        "Even in full colour vision, the colours of permission and thinking look alike (0.0 apart). "
        "Shape and motion still tell them apart: a diamond with an exclamation mark, pulsing; "
        "a ball with a satellite, the satellite going round."
    )


def test_a_sentence_about_two_still_orbs_promises_no_motion() -> None:
    confusion = Confusion(Vision.PROTANOPIA, State.ERROR, State.OFFLINE, 3.2, 21.0)
    assert "Shape still tells them apart: an octagon with a cross, still; a ring" in confusion.sentence


@pytest.mark.parametrize("state", ACTIVITIES)
def test_every_state_of_an_adapter_is_judged_and_can_be_described(state: State) -> None:
    other = (
        State.IDLE if state in {State.WAITING_PERMISSION, State.WAITING_QUESTION} else State.WAITING_QUESTION
    )
    colour = RESTING if other is State.IDLE else WAITING
    pairs = {frozenset(found[1:3]) for found in confusions(scheme_of(**{state: colour}))}
    assert any(state in pair for pair in pairs)
    assert Confusion(Vision.NORMAL, state, other, 0.0, 0.0).sentence


def test_no_colours_of_our_own_fail_in_full_colour_vision() -> None:
    assert Vision.NORMAL not in {found.vision for found in confusions(HOUSE)}


def test_states_that_the_adapter_coloured_alike_are_named_also_where_they_are_calm() -> None:
    alike = make_scheme(PaletteSource(270.0, states=((State.THINKING, "#22c55e"), (State.IDLE, "#22c55e"))))
    [found] = [one for one in confusions(alike) if one.vision is Vision.NORMAL]
    assert (found.first, found.second, found.distance) == (State.THINKING, State.IDLE, 0.0)


def test_calm_states_of_one_generated_hue_may_be_close() -> None:
    hues = [make_scheme(PaletteSource(float(hue))) for hue in range(0, 360, 15)]
    found = [one for scheme in hues for one in confusions(scheme) if one.vision is Vision.NORMAL]
    assert {one.first for one in found} <= {State.WAITING_PERMISSION, State.WAITING_QUESTION, State.ERROR}
