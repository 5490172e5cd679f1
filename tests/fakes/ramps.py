"""The ramps of ``tests/data/ramps``: the published ones, and those of the agents in the design's pictures."""

import json
from pathlib import Path
from typing import Any, Final

from orbtile.palette.ramps import Ramp
from orbtile.palette.scheme import PaletteSource
from orbtile.palette.states import State

FOLDER: Final = Path(__file__).parents[1] / "data" / "ramps"


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def source_of(palette: dict[str, Any]) -> PaletteSource:
    """The source of a palette in its wire form."""
    return PaletteSource(
        palette["baseHue"],
        palette.get("chroma", 1.0),
        attention_hue_deg=palette.get("attentionHue"),
        states=tuple((State(name), colour) for name, colour in palette.get("states", {}).items()),
    )


def ramps_of(table: dict[str, list[str]]) -> dict[State, Ramp]:
    """The ramps of a table; one colour alone is all five stops."""
    return {State(name): Ramp(*(stops * 5)[:5]) for name, stops in table.items()}
