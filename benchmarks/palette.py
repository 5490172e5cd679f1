"""The cost of an adapter's whole palette against that of the conversions it is made of.

The generator itself, not its cache: all ramps, text and chip colours of the twelve states and the warnings.
"""

import time
from collections.abc import Mapping
from itertools import cycle, islice
from statistics import median

from benchmarks.report import Result, spread
from orbtile.palette.oklch import hex_of
from orbtile.palette.scheme import PaletteSource, _make_scheme
from orbtile.palette.states import SETTABLE_STATES, State

CONVERSIONS = 1000
"""Bare conversions from OKLCH to sRGB: what a palette may cost one and a half times of."""

COLOURS = [(0.15 + 0.0007 * number, 0.08, 0.36 * number) for number in range(CONVERSIONS)]

EXPLICIT = (
    (State.THINKING, "#eab308"),
    (State.WAITING_PERMISSION, "#ef4444"),
    (State.DONE, "#22c55e"),
    (State.IDLE, "#6b7280"),
)


def all_in(colour: str) -> PaletteSource:
    return PaletteSource(270, states=tuple((state, colour) for state in SETTABLE_STATES))


SOURCES: dict[str, list[PaletteSource]] = {
    "from a hue": [PaletteSource(hue, 1 + hue / 1200) for hue in range(0, 360, 15)],
    "as published": [PaletteSource(270, states=EXPLICIT)],
    # The corners of sRGB leave it at nearly every stop: the most work there is.
    "of ten vivid colours": [all_in(colour) for colour in ("#00ff00", "#ff0000", "#0000ff", "#ccff00")],
}


def floor_s() -> float:
    before = time.process_time()
    for lightness, chroma, hue_deg in COLOURS:
        hex_of(lightness, chroma, hue_deg)
    return time.process_time() - before


def palette_s(source: PaletteSource) -> float:
    before = time.process_time()
    _make_scheme.__wrapped__(source, is_anchored=False)
    return time.process_time() - before


def bench_palette(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    """Needs no desktop: ``environment`` is not used."""
    del environment
    results = []
    for name, sources in SOURCES.items():
        floors, palettes = [], []
        for source in islice(cycle(sources), 24 if quick else 240):
            floors.append(floor_s())
            palettes.append(palette_s(source))
        results.append(
            Result(
                name=f"palette {name}",
                value=median(palettes) / median(floors),
                unit="x the floor",
                detail=f"{spread(palettes, 'us', 1e6)}, floor {spread(floors, 'us', 1e6)}",
                demanded=1.5,
            )
        )
    return results
