from orbtile.palette import notes
from orbtile.palette.generator import Guarded
from orbtile.palette.ramps import GeneratedRamp, generated_ramp, hex_anchored_ramp
from orbtile.palette.states import State
from orbtile.palette.text import text_colours

RAMP = generated_ramp(State.THINKING, 150, 1, 0).ramp


def test_a_move_names_the_field_and_both_hues() -> None:
    assert notes.base_hue_moved(10, 345.9) == (
        "palette.baseHue 10 is inside the reserved arc 345.9..75.9; using 345.9"
    )
    assert notes.attention_hue_moved(20.5, 18.9) == (
        "palette.attentionHue 20.5 is inside the reserved arc 18.9..55; using 18.9"
    )


def test_a_calm_waiting_hue_is_told_with_what_to_do() -> None:
    assert notes.calm_attention(110) == (
        "attention: waitingPermission hue 110.0, derived from baseHue, is in the calm arc 76..280; "
        "set attentionHue"
    )


def test_a_waiting_colour_near_a_built_in_one_names_the_nearest() -> None:
    def of(hue_deg: float, chroma: float) -> list[str]:
        return [*notes.proximity(generated_ramp(State.WAITING_PERMISSION, hue_deg, chroma, 0).ramp.hi)]

    assert of(330, 1.2) == ["proximity: waitingPermission is 7.5 deltaE_OK x100 from Codex violet (under 10)"]
    assert of(72, 1.1) == [
        "proximity: waitingPermission is 7.5 deltaE_OK x100 from Claude terracotta (under 10)"
    ]
    assert of(355, 1.0) == ["proximity: waitingPermission is 0.0 deltaE_OK x100 from ZCode rose (under 10)"]
    assert of(180, 1.0) == []


def test_every_alarm_hue_is_near_a_built_in_one_as_the_schema_says() -> None:
    for hue_deg in (*range(280, 360), *range(19), *range(55, 77)):
        assert [*notes.proximity(generated_ramp(State.WAITING_PERMISSION, hue_deg, 1, 0).ramp.hi)]


def test_the_salience_guard_names_the_states_and_the_chromas() -> None:
    assert [*notes.salience(None)] == []
    guarded = Guarded((State.THINKING, State.STREAMING), 0.13, 0.1049, 0.1166)
    (told,) = notes.salience(guarded)
    assert told == (
        "salience guard: thinking, streaming chroma 0.1300 -> 0.1049, "
        "at most 0.90 of waitingPermission's 0.1166"
    )


def test_a_loss_of_more_than_a_hundredth_of_chroma_is_told_stop_by_stop() -> None:
    wanted = (0.02, 0.06, 0.1, 0.08, 0.058)
    assert [*notes.gamut(State.TOOL, GeneratedRamp(RAMP, wanted, wanted))] == []
    lost = GeneratedRamp(RAMP, wanted, (0.02, 0.0501, 0.0899, 0.08, 0.043))
    assert [*notes.gamut(State.TOOL, lost)] == [
        "gamut: tool hi chroma 0.100 -> 0.090, heart chroma 0.058 -> 0.043"
    ]


def test_text_and_chips_of_the_ramps_own_colours_are_not_told() -> None:
    assert [*notes.wcag(State.THINKING, RAMP, text_colours(State.THINKING, RAMP))] == []


def test_a_lifted_text_is_told_with_both_ratios() -> None:
    ramp = hex_anchored_ramp(State.WAITING_PERMISSION, "#ef4444")
    assert [*notes.wcag(State.WAITING_PERMISSION, ramp, text_colours(State.WAITING_PERMISSION, ramp))] == [
        "wcag: waitingPermission text is 4.26:1 on #232120, lifted to 4.52:1"
    ]


def test_a_chip_that_does_not_read_is_told_with_what_was_done() -> None:
    ramp = hex_anchored_ramp(State.STREAMING, "#ccff00")
    assert [*notes.wcag(State.STREAMING, ramp, text_colours(State.STREAMING, ramp))] == [
        "wcag: streaming chip is 4.25:1, background lowered to 4.55:1"
    ]
    ramp = RAMP._replace(base="#606060", heart="#cccccc")
    assert [*notes.wcag(State.THINKING, ramp, text_colours(State.THINKING, ramp))] == [
        "wcag: thinking chip is 3.92:1, text lifted to 4.54:1"
    ]


def test_a_state_like_an_error_gets_the_published_sentence() -> None:
    (told,) = notes.error_hue(State.WAITING_PERMISSION, "#ef4444")
    assert told == (
        "state 'waitingPermission' hue 25.3 is within 15° of the error hue (30.9°), "
        "so it can be hard to tell apart from Error"
    )
    assert [*notes.error_hue(State.DONE, "#22c55e")] == []
