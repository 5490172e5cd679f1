import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orbtile.palette.hexcolour import parse_hex
from orbtile.palette.oklch import LINEAR, delta_e_ok
from orbtile.palette.scheme import PaletteSource, make_scheme
from orbtile.palette.states import SETTABLE_STATES, State
from orbtile.palette.vision import CLOSE, Vision, confusions, simulate

LEVELS = st.integers(0, 255)
HUES = st.floats(0, 360, exclude_max=True)
COLOURS = st.builds("#{:02x}{:02x}{:02x}".format, LEVELS, LEVELS, LEVELS)
LACKING = st.sampled_from([vision for vision in Vision if vision is not Vision.NORMAL])
STATES = st.dictionaries(st.sampled_from(SETTABLE_STATES), COLOURS, max_size=10)
SOURCES = st.builds(
    PaletteSource,
    base_hue_deg=HUES,
    chroma=st.floats(0.5, 1.3),
    lightness=st.floats(-0.05, 0.05),
    attention_hue_deg=st.none() | HUES,
    states=STATES.map(lambda states: tuple(states.items())),
)

# Where the confusion lines of each vision meet, in CIE x and y of Judd and Vos (Smith and Pokorny 1975).
COPUNCTAL = {
    Vision.PROTANOPIA: (0.747, 0.253),
    Vision.DEUTERANOPIA: (1.400, -0.400),
    Vision.TRITANOPIA: (0.175, 0.0),
}
RGB_FROM_XYZ = (
    (3.2404542, -1.5371385, -0.4985314),
    (-0.9692660, 1.8760108, 0.0415560),
    (0.0556434, -0.2040259, 1.0572252),
)


@pytest.mark.parametrize("vision", Vision)
def test_every_grey_looks_the_same_to_everybody(vision: Vision) -> None:
    for level in range(256):
        assert (
            simulate(f"#{level:02x}{level:02x}{level:02x}", vision) == f"#{level:02x}{level:02x}{level:02x}"
        )


@given(COLOURS, LACKING)
def test_what_is_seen_is_a_colour_in_its_normal_form(colour: str, vision: Vision) -> None:
    seen = simulate(colour, vision)
    assert parse_hex(seen) == seen
    assert simulate(colour, Vision.NORMAL) == colour


@given(COLOURS, LACKING)
def test_what_is_seen_looks_the_same_to_the_same_eyes(colour: str, vision: Vision) -> None:
    seen = simulate(colour, vision)
    is_clipped = any(level in seen for level in ("00", "ff"))
    assert 100 * delta_e_ok(simulate(seen, vision), seen) < (6 if is_clipped else 1)


@given(LEVELS, LEVELS, LEVELS, LACKING, st.floats(-1, 1))
def test_colours_on_one_confusion_line_look_alike(
    red: int, green: int, blue: int, vision: Vision, amount: float
) -> None:
    x, y = COPUNCTAL[vision]
    along = [row[0] * x + row[1] * y + row[2] * (1 - x - y) for row in RGB_FROM_XYZ]
    start = LINEAR[red], LINEAR[green], LINEAR[blue]
    end = [a + amount * d for a, d in zip(start, along, strict=True)]
    assume(
        all(0.01 <= channel <= 0.99 for channel in (*start, *end))
    )  # in the dark one level is a large step
    one, other = (
        "#" + "".join(f"{min(range(256), key=lambda k: abs(LINEAR[k] - c)):02x}" for c in colour)
        for colour in (start, end)
    )
    seen = simulate(one, vision), simulate(other, vision)
    assume(not any(level in colour for colour in seen for level in ("00", "ff")))
    assert 100 * delta_e_ok(*seen) < 2


@given(SOURCES, st.booleans())
def test_what_is_named_is_close_and_named_once(source: PaletteSource, is_anchored: bool) -> None:
    found = confusions(make_scheme(source, anchor_attention=is_anchored))
    assert len({(c.vision, c.first, c.second) for c in found}) == len(found)
    for confusion in found:
        assert 0 <= confusion.distance < CLOSE
        assert confusion.vision is Vision.NORMAL or confusion.normal_distance >= CLOSE
        assert State.EMPTY not in {confusion.first, confusion.second}
        assert f"{confusion.distance:.1f} apart" in confusion.sentence


def test_the_palette_of_okabe_and_ito_stays_apart_for_everybody() -> None:
    okabe_ito = "#e69f00 #56b4e9 #009e73 #f0e442 #0072b2 #d55e00 #cc79a7".split()
    for vision in Vision:
        for one, other in itertools.combinations(okabe_ito, 2):
            assert 100 * delta_e_ok(simulate(one, vision), simulate(other, vision)) > CLOSE
