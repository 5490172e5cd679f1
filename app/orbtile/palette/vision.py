"""How an adapter's colours look without one kind of cone, and which states then look alike.

Owns the simulation of the three dichromacies and the rule by which two states count as confused. Must not
know adapters, the wire or how an orb is drawn; what each state's orb looks like is said here in words only.

The simulation is that of H. Brettel, F. Viénot and J. D. Mollon, "Computerized simulation of color appearance
for dichromats", J. Opt. Soc. Am. A 14 (1997), 2647-2655. Viénot 1999 and Machado 2009 agree with it about red
and green, and were not made for tritanopia. A colour is replaced by one that excites the remaining two cones
just as much, and lies between the greys and a light that dichromats see as everybody does. Grey is what the
display shows as grey (the paper: the spectrum of equal energy), so that greys stay what they are.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import combinations, product
from typing import Final, NamedTuple

from orbtile.palette.hexcolour import parse_hex, rgb
from orbtile.palette.oklch import LINEAR, delta_e_ok, hex_of_linear
from orbtile.palette.scheme import Scheme
from orbtile.palette.states import WAITING_STATES, State


class Vision(StrEnum):
    """Who looks: everybody, or somebody without one kind of cone."""

    NORMAL = "normal"
    PROTANOPIA = "protanopia"
    DEUTERANOPIA = "deuteranopia"
    TRITANOPIA = "tritanopia"


# --- Simulation ---------------------------------------------------------------------------------------------

_Vector = tuple[float, float, float]
_Matrix = tuple[_Vector, _Vector, _Vector]


def _cross(one: _Vector, other: _Vector) -> _Vector:
    return (
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    )


def _dot(one: _Vector, other: _Vector) -> float:
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def _apply(matrix: _Matrix, vector: _Vector) -> _Vector:
    return _dot(matrix[0], vector), _dot(matrix[1], vector), _dot(matrix[2], vector)


def _transposed(matrix: _Matrix) -> _Matrix:
    first, second, third = zip(*matrix, strict=True)
    return first, second, third


def _product(left: _Matrix, right: _Matrix) -> _Matrix:
    first, second, third = (_apply(left, column) for column in _transposed(right))
    return _transposed((first, second, third))


def _inverse(matrix: _Matrix) -> _Matrix:
    """By the cross products of the rows, which are the columns of the inverse times the determinant."""
    first, second, third = matrix
    determinant = _dot(first, _cross(second, third))
    red, green, blue = (
        (x / determinant, y / determinant, z / determinant)
        for x, y, z in (_cross(second, third), _cross(third, first), _cross(first, second))
    )
    return _transposed((red, green, blue))


_XYZ_FROM_LINEAR_SRGB: Final[_Matrix] = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
"""From the primaries and the white (D65) of IEC 61966-2-1."""

_LMS_FROM_XYZ: Final[_Matrix] = (
    (0.15514, 0.54312, -0.03286),
    (-0.15514, 0.45684, 0.03286),
    (0.0, 0.0, 0.01608),
)
"""The cone fundamentals (long, medium, short) of V. C. Smith and J. Pokorny, Vision Research 15 (1975),
161-171.
"""

_XYZ_OF_LIGHT: Final[Mapping[int, _Vector]] = {
    475: (0.13287, 0.11284, 0.94220),
    485: (0.05699, 0.16987, 0.58640),
    575: (0.84394, 0.91558, 0.00197),
    660: (0.16161, 0.06100, 0.00001),
}
"""The paper's lights by their wavelength in nm, as the colour matching functions of Judd and Vos (1978) have
them, on which the fundamentals are built.
"""

_LMS_FROM_RGB: Final = _product(_LMS_FROM_XYZ, _XYZ_FROM_LINEAR_SRGB)
_RGB_FROM_LMS: Final = _inverse(_LMS_FROM_RGB)
_WHITE_LMS: Final = _apply(_LMS_FROM_RGB, (1.0, 1.0, 1.0))
_CONES: Final[_Matrix] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class _Dichromacy(NamedTuple):
    """A colour in linear sRGB is projected by ``front`` if it is in front of ``plane``, else by ``back``."""

    plane: _Vector
    front: _Matrix
    back: _Matrix


def _dichromacy(missing: int, one_nm: int, other_nm: int) -> _Dichromacy:
    """``missing`` is the index of the cone; the two lights are on either side of the neutral axis."""
    cone = _CONES[missing]
    plane_lms = _cross(_WHITE_LMS, cone)
    lights = [_apply(_LMS_FROM_XYZ, _XYZ_OF_LIGHT[nm]) for nm in (one_nm, other_nm)]
    behind, ahead = sorted(lights, key=lambda light: _dot(plane_lms, light))
    return _Dichromacy(
        plane=_apply(_transposed(_LMS_FROM_RGB), plane_lms),
        front=_projection(missing, ahead),
        back=_projection(missing, behind),
    )


def _projection(missing: int, light_lms: _Vector) -> _Matrix:
    """Onto the plane through black, white and a light, along the axis of the missing cone; in linear sRGB."""
    normal = _cross(_WHITE_LMS, light_lms)
    seen = [0.0 if cone == missing else -part / normal[missing] for cone, part in enumerate(normal)]
    rows = list(_CONES)
    rows[missing] = (seen[0], seen[1], seen[2])
    return _product(_RGB_FROM_LMS, _product((rows[0], rows[1], rows[2]), _LMS_FROM_RGB))


_DICHROMACIES: Final[Mapping[Vision, _Dichromacy]] = {
    Vision.PROTANOPIA: _dichromacy(0, 475, 575),
    Vision.DEUTERANOPIA: _dichromacy(1, 475, 575),
    Vision.TRITANOPIA: _dichromacy(2, 485, 660),
}


def simulate(colour: str, vision: Vision) -> str:
    """What a ``#rrggbb`` colour looks like to that vision, as a ``#rrggbb`` that everybody sees so.

    What lies outside sRGB is clipped. Raises ValueError for anything but a colour.
    """
    dichromacy = _DICHROMACIES.get(vision)
    if dichromacy is None:
        return parse_hex(colour)
    red, green, blue = rgb(colour)
    linear = LINEAR[red], LINEAR[green], LINEAR[blue]
    is_in_front = _dot(dichromacy.plane, linear) >= 0
    return hex_of_linear(*_apply(dichromacy.front if is_in_front else dichromacy.back, linear))


# --- Confusions ---------------------------------------------------------------------------------------------

CLOSE: Final = 4.0
"""Colours nearer than this (deltaE OK x 100) count as alike: twice what can just be noticed side by side (2,
CSS Color 4), for orbs are small, lie apart, and are remembered more than compared.
"""

CLEAR: Final = 10.0
"""Colours at least so far apart (deltaE OK x 100) are told apart by colour alone. The palette's ``proximity``
notes take the same distance.
"""

_MEANINGS: Final[tuple[tuple[State, ...], ...]] = (
    (State.WAITING_PERMISSION, State.WAITING_QUESTION),
    (State.ERROR,),
    (State.THINKING, State.TOOL, State.STREAMING, State.STARTING, State.COMPACTING),
    (State.DONE,),
    (State.IDLE, State.OFFLINE),
)
"""States with one meaning: it waits for you, it failed, it works, it is done, it rests. Inside a group alike
colours are meant.
"""

_ALARMS: Final = WAITING_STATES | {State.ERROR}
"""What colour must set apart from everything else: does it need me, did it fail?"""


class _Look(NamedTuple):
    """A state's orb in words, for what is left when colours are alike."""

    name: str
    shape: str
    motion: str


_STILL: Final = "still"
_LOOKS: Final[Mapping[State, _Look]] = {
    State.STARTING: _Look("starting", "a small ball in a ring", "the ring turning"),
    State.IDLE: _Look("idle", "a small plain ball", _STILL),
    State.THINKING: _Look("thinking", "a ball with a satellite", "the satellite going round"),
    State.TOOL: _Look("tool", "a ball in a ring of six arcs", "the arcs lit in turn"),
    State.STREAMING: _Look("streaming", "a ball beside a text cursor", "typing"),
    State.WAITING_PERMISSION: _Look("permission", "a diamond with an exclamation mark", "pulsing"),
    State.WAITING_QUESTION: _Look("question", "a speech bubble with a question mark", "pulsing"),
    State.DONE: _Look("done", "a disc with a tick", _STILL),
    State.ERROR: _Look("error", "an octagon with a cross", _STILL),
    State.COMPACTING: _Look("compacting", "an oval between two bars", "pressed flat again and again"),
    State.OFFLINE: _Look("offline", "a ring with a slash", _STILL),
}

_SEEN: Final[Mapping[Vision, str]] = {
    Vision.NORMAL: "Even in full colour vision",
    Vision.PROTANOPIA: "Without red cones (protanopia)",
    Vision.DEUTERANOPIA: "Without green cones (deuteranopia)",
    Vision.TRITANOPIA: "Without blue cones (tritanopia)",
}


class Confusion(NamedTuple):
    """Two states of different meaning whose colours look alike to ``vision``.

    ``distance`` is that of the two as ``vision`` sees them, ``normal_distance`` that in full colour vision;
    both are deltaE OK x 100, 0 (equal) to 100 (black and white).
    """

    vision: Vision
    first: State
    second: State
    distance: float
    normal_distance: float

    @property
    def sentence(self) -> str:
        """All of it in plain English, with what still tells the two apart."""
        one, other = _LOOKS[self.first], _LOOKS[self.second]
        numbers = f"{self.distance:.1f} apart"
        if self.vision is not Vision.NORMAL:
            numbers += f", {self.normal_distance:.1f} in full colour vision"
        what = "Shape" if one.motion == other.motion else "Shape and motion"
        return (
            f"{_SEEN[self.vision]}, the colours of {one.name} and {other.name} look alike ({numbers}). "
            f"{what} still tell{'s' if what == 'Shape' else ''} them apart: "
            f"{one.shape}, {one.motion}; {other.shape}, {other.motion}."
        )


def confusions(scheme: Scheme) -> tuple[Confusion, ...]:
    """The states of different meaning whose colours look alike, full colour vision first.

    Two states are confused when they come closer than ``CLOSE``. A waiting state or an error must not look
    like anything else, also in full colour vision, nor must a state that the adapter coloured itself; what
    that shows is not repeated for the other visions. The calm states of a generated palette share one hue by
    design and differ in shape, so two of those are named only where a palette that sets them well apart
    (``CLEAR``) is not seen so. Of the states of two meanings only the closest two are named, once for each
    vision.
    """
    return tuple(found for vision in Vision for found in _of_vision(scheme, vision))


def _of_vision(scheme: Scheme, vision: Vision) -> Iterator[Confusion]:
    seen = {state: simulate(_carrier(scheme, state), vision) for state in _LOOKS}
    for one_meaning, other_meaning in combinations(_MEANINGS, 2):
        candidates = (
            Confusion(vision, first, second, 100 * delta_e_ok(seen[first], seen[second]), normal)
            for first, second in product(one_meaning, other_meaning)
            if _is_judged(scheme, vision, (first, second), normal := _normal_distance(scheme, first, second))
        )
        closest = min(candidates, key=lambda candidate: candidate.distance, default=None)
        if closest is not None and closest.distance < CLOSE:
            yield closest


def _is_judged(scheme: Scheme, vision: Vision, pair: tuple[State, State], normal_distance: float) -> bool:
    """Whether the two must be apart for ``vision``. The first of a pair is the alarm where one of them is."""
    must_differ = pair[0] in _ALARMS or not scheme.explicit.isdisjoint(pair)
    if vision is Vision.NORMAL:
        return must_differ
    return normal_distance >= (CLOSE if must_differ else CLEAR)


def _normal_distance(scheme: Scheme, first: State, second: State) -> float:
    return 100 * delta_e_ok(_carrier(scheme, first), _carrier(scheme, second))


def _carrier(scheme: Scheme, state: State) -> str:
    """What most of the orb is drawn in: ``hi``, but ``hot`` for an error, which has ``hi`` at its rim."""
    ramp = scheme[state].ramp
    return ramp.hot if state is State.ERROR else ramp.hi
