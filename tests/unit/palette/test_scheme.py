from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from orbtile.palette.contrast import contrast
from orbtile.palette.generator import Tones
from orbtile.palette.hexcolour import parse_hex
from orbtile.palette.oklch import oklch
from orbtile.palette.ramps import generated_ramp, hex_anchored_ramp
from orbtile.palette.scheme import HOUSE, PaletteSource, Scheme, StateColours, built_in_scheme, make_scheme
from orbtile.palette.states import ACTIVITIES, SETTABLE_STATES, WAITING_STATES, WORKING_STATES, State
from tests.fakes.ramps import ramps_of, read, source_of

DARK_SURFACES = ("#141312", "#1c1b19", "#0d0c0b", "#232120")
LIGHT_SURFACES = ("#fbfaf8", "#ffffff", "#f4f2ef", "#f1efec")

PUBLISHED = source_of(read("published")["palette"])
SOURCES = {
    "house": None,
    "plain": PaletteSource(270),
    "published": PUBLISHED,
    "loud": PaletteSource(200, 1.3, -0.05, 200),
    "dark": PaletteSource(90, states=tuple((state, "#000000") for state in SETTABLE_STATES)),
    "vivid": PaletteSource(90, states=tuple((state, "#ccff00") for state in SETTABLE_STATES)),
}


def like_an_error(state: str, hue_deg: float) -> str:
    return (
        f"state '{state}' hue {hue_deg} is within 15° of the error hue (30.9°), "
        "so it can be hard to tell apart from Error"
    )


@pytest.fixture(params=SOURCES)
def scheme(request: pytest.FixtureRequest) -> Scheme:
    source = SOURCES[request.param]
    return HOUSE if source is None else make_scheme(source)


# --- Every scheme -------------------------------------------------------------------------------------------


def test_every_state_has_its_colours_in_their_normal_form(scheme: Scheme) -> None:
    assert {*scheme.colours} == {*State}
    for colours in scheme.colours.values():
        for colour in (*colours.ramp, *colours[1:]):
            assert parse_hex(str(colour)) == colour


def test_text_reads_on_every_surface_of_its_theme(scheme: Scheme) -> None:
    for colours in scheme.colours.values():
        assert min(contrast(colours.text_dark, surface) for surface in DARK_SURFACES) >= 4.5
        assert min(contrast(colours.text_light, surface) for surface in LIGHT_SURFACES) >= 4.5
        assert min(contrast(colours.text_key, ground) for ground in ("#0b0908", colours.ramp.deep)) >= 4.5
        assert contrast(colours.chip_text, colours.chip_background) >= 4.5


def test_error_and_empty_are_the_published_constants(scheme: Scheme) -> None:
    published = ramps_of(read("published")["ramps"])
    assert scheme[State.ERROR].ramp == published[State.ERROR]
    assert scheme[State.EMPTY].ramp == published[State.EMPTY]
    assert scheme[State.ERROR] is HOUSE[State.ERROR]
    assert scheme[State.EMPTY] is HOUSE[State.EMPTY]
    assert scheme[State.ERROR].text_light == "#a61814"


def test_a_scheme_cannot_be_changed(scheme: Scheme) -> None:
    colours: Any = scheme.colours
    with pytest.raises(TypeError):
        colours[State.IDLE] = scheme[State.DONE]
    with pytest.raises(FrozenInstanceError):
        scheme.warnings = ()  # type: ignore[misc]


# --- The published registration, and the agents of the pictures ---------------------------------------------


@pytest.mark.parametrize("state", ramps_of(read("published")["ramps"]))
def test_the_published_registration_gets_the_published_ramps(state: State) -> None:
    assert make_scheme(PUBLISHED)[state].ramp == ramps_of(read("published")["ramps"])[state]


def test_the_published_registration_is_told_about_its_red_alarm() -> None:
    assert make_scheme(PUBLISHED).warnings == (
        "wcag: waitingPermission text is 4.26:1 on #232120, lifted to 4.52:1",
        "wcag: waitingQuestion text is 4.26:1 on #232120, lifted to 4.52:1",
        like_an_error("waitingPermission", 25.3),
    )


@pytest.mark.parametrize("agent", ["claude", "codex", "tiny", "bot"])
def test_the_agents_of_the_pictures_look_as_they_do_there(agent: str) -> None:
    drawn = read("pictures")[agent]
    scheme = (
        built_in_scheme(Tones(*drawn["tones"]))
        if "tones" in drawn
        else make_scheme(source_of(drawn["palette"]))
    )
    for state, ramp in ramps_of(drawn["ramps"]).items():
        assert scheme[state].ramp == ramp
    for name, colour in drawn["textLight"].items():
        assert scheme[State(name)].text_light == colour


def test_the_house_looks_like_claude_in_the_pictures() -> None:
    for state, ramp in ramps_of(read("pictures")["claude"]["ramps"]).items():
        assert HOUSE[state].ramp == ramp
    assert HOUSE.warnings == ()


# --- From a palette to the generator ------------------------------------------------------------------------


def test_the_hues_chroma_and_lightness_of_a_palette_reach_its_ramps() -> None:
    scheme = make_scheme(PaletteSource(150, 0.8, 0.04, 330))
    for state in SETTABLE_STATES:
        wanted = (330, 0.8, 0.0) if state in WAITING_STATES else (150, 0.8, 0.04)
        assert scheme[state].ramp == generated_ramp(state, *wanted).ramp


def test_a_reserved_base_hue_is_moved_for_all_of_the_palette() -> None:
    moved, edge = make_scheme(PaletteSource(10)), make_scheme(PaletteSource(345.9))
    assert moved.colours == edge.colours
    assert moved.resolved_base_hue_deg == edge.resolved_base_hue_deg == 345.9
    assert moved.warnings == (
        "palette.baseHue 10 is inside the reserved arc 345.9..75.9; using 345.9",
        *edge.warnings,
    )


def test_a_reserved_attention_hue_is_moved_too() -> None:
    moved = make_scheme(PaletteSource(270, attention_hue_deg=40))
    edge = make_scheme(PaletteSource(270, attention_hue_deg=55))
    assert moved.colours == edge.colours
    assert moved.warnings == (
        "palette.attentionHue 40 is inside the reserved arc 18.9..55; using 55",
        *edge.warnings,
    )


@pytest.mark.parametrize(
    ("base_deg", "waiting_deg"),
    [(100, 60), (150, 110), (210.9, 170.9), (211, 256), (270, 315), (330, 15), (80, 55), (340, 18.9)],
)
def test_without_an_attention_hue_the_waiting_states_follow_the_base_hue(
    base_deg: float, waiting_deg: float
) -> None:
    scheme = make_scheme(PaletteSource(base_deg))
    for state in WAITING_STATES:
        assert scheme[state].ramp == generated_ramp(state, waiting_deg, 1, 0).ramp


def test_explicit_colours_bypass_arcs_and_guard_and_reach_their_heirs() -> None:
    red, cyan = "#ff2010", "#00ffff"
    scheme = make_scheme(
        PaletteSource(270, 0.5, states=((State.WAITING_PERMISSION, red), (State.THINKING, cyan)))
    )
    for state in (State.WAITING_PERMISSION, State.WAITING_QUESTION):
        assert scheme[state].ramp == hex_anchored_ramp(state, red)
    for state in (State.THINKING, State.TOOL, State.STREAMING):
        assert scheme[state].ramp == hex_anchored_ramp(state, cyan)


# --- Warnings -----------------------------------------------------------------------------------------------


def kinds(*sources: PaletteSource) -> list[str]:
    return [warning.partition(" ")[0] for source in sources for warning in make_scheme(source).warnings]


def test_warnings_come_in_their_order() -> None:
    explicit = ((State.OFFLINE, "#902020"), (State.DONE, "#ff0000"))
    source = PaletteSource(20, 1.3, -0.05, 20, explicit)
    assert make_scheme(source).warnings == (
        "palette.baseHue 20 is inside the reserved arc 345.9..75.9; using 345.9",
        "palette.attentionHue 20 is inside the reserved arc 18.9..55; using 18.9",
        "proximity: waitingPermission is 8.4 deltaE_OK x100 from ZCode rose (under 10)",
        "gamut: waitingPermission hot chroma 0.164 -> 0.140, heart chroma 0.062 -> 0.033",
        "gamut: waitingQuestion hot chroma 0.159 -> 0.118, heart chroma 0.062 -> 0.027",
        "wcag: starting text is 4.36:1 on #232120, lifted to 4.53:1",
        "wcag: offline text is 3.87:1 on #232120, lifted to 4.55:1",
        like_an_error("offline", 26.0),
        like_an_error("done", 29.2),
    )


def test_a_derived_waiting_hue_that_is_calm_is_told_unless_nothing_is_drawn_with_it() -> None:
    assert kinds(PaletteSource(150)) == ["attention:"]
    assert kinds(PaletteSource(200, 0.8)) == ["attention:"]
    assert kinds(PaletteSource(150, attention_hue_deg=110)) == []
    assert kinds(PaletteSource(150, states=((State.WAITING_PERMISSION, "#dd66ee"),))) == []
    # One of the two waiting states is still drawn with it.
    assert "attention:" in kinds(PaletteSource(150, states=((State.WAITING_QUESTION, "#bb55cc"),)))


def test_the_salience_guard_is_told() -> None:
    assert kinds(PaletteSource(250, 1.3, attention_hue_deg=200))[:2] == ["salience", "gamut:"]


def test_a_generated_offline_is_lifted_without_a_word_and_an_explicit_one_with_one() -> None:
    source = PaletteSource(150, attention_hue_deg=110)
    assert make_scheme(source)[State.OFFLINE].text_dark != make_scheme(source)[State.OFFLINE].ramp.hot
    assert make_scheme(source).warnings == ()
    assert kinds(source._replace(states=((State.OFFLINE, "#333333"),))) == ["wcag:"]


# --- The settings of the user -------------------------------------------------------------------------------


def test_one_alarm_colour_for_all_agents_is_the_shared_terracotta() -> None:
    sources = (
        PaletteSource(270),
        PaletteSource(150, 1.3, 0.05, 330),
        PUBLISHED,
        PaletteSource(200, states=((State.WAITING_QUESTION, "#0000ff"),)),
    )
    for source in sources:
        scheme = make_scheme(source, anchor_attention=True)
        for state in WAITING_STATES:
            assert scheme[state].ramp == generated_ramp(state, 43, 1, 0).ramp


def test_the_shared_alarm_leaves_the_other_states_alone_and_nothing_to_tell_about_waiting() -> None:
    own, anchored = make_scheme(PUBLISHED), make_scheme(PUBLISHED, anchor_attention=True)
    for state in {*State} - WAITING_STATES:
        assert anchored[state] == own[state]
    assert own.warnings != ()
    assert anchored.warnings == ()
    assert make_scheme(PaletteSource(150), anchor_attention=True).warnings == ()


def test_the_users_hue_replaces_every_colour_of_the_adapter_and_keeps_chroma_and_lightness() -> None:
    source = PaletteSource(270, 1.2, 0.03, 330, PUBLISHED.states)
    assert source.with_user_hue(150) == PaletteSource(150, 1.2, 0.03)
    assert (
        make_scheme(source.with_user_hue(150)).colours == make_scheme(PaletteSource(150, 1.2, 0.03)).colours
    )
    # A hue from the reserved arc is moved like an adapter's.
    assert make_scheme(source.with_user_hue(60)).resolved_base_hue_deg == 75.9


# --- The same again -----------------------------------------------------------------------------------------


def test_equal_sources_give_the_same_object() -> None:
    scheme = make_scheme(PaletteSource(270))
    assert make_scheme(PaletteSource(270.0, 1, 0, None, ())) is scheme
    assert make_scheme(PaletteSource(270), anchor_attention=False) is scheme
    assert make_scheme(PaletteSource(270), anchor_attention=True) is not scheme


def test_schemes_are_equal_only_to_themselves() -> None:
    one, other = (Scheme(HOUSE.colours, 79, ()) for _ in range(2))
    assert one == one  # noqa: PLR0124
    assert one != other


def test_a_scheme_made_again_has_the_same_colours_and_warnings() -> None:
    from orbtile.palette.scheme import _make_scheme

    for source in (PUBLISHED, PaletteSource(10, 1.3, -0.05, 20)):
        one, other = (_make_scheme.__wrapped__(source, is_anchored=False) for _ in range(2))
        assert one is not other
        assert (one.colours, one.warnings) == (other.colours, other.warnings)


# --- States -------------------------------------------------------------------------------------------------


def test_empty_and_error_cannot_be_set_and_empty_cannot_be_sent() -> None:
    assert set(State) - set(ACTIVITIES) == {State.EMPTY}
    assert set(ACTIVITIES) - set(SETTABLE_STATES) == {State.ERROR}


def test_no_state_both_waits_and_works() -> None:
    assert not WAITING_STATES & WORKING_STATES


def test_the_text_of_a_ramp_that_is_not_dim_is_its_hi() -> None:
    colours: StateColours = make_scheme(PaletteSource(150))[State.THINKING]
    assert colours.text_dark == colours.text_key == colours.ramp.hi
    assert oklch(colours.text_light).lightness < oklch(colours.ramp.hi).lightness


def test_a_hue_without_a_fraction_gives_the_same_scheme_and_a_float() -> None:
    whole = make_scheme(PaletteSource(213))
    assert whole is make_scheme(PaletteSource(213.0))
    assert isinstance(whole.resolved_base_hue_deg, float)
