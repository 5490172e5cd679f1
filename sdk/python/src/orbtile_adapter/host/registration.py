"""A registration: its fields, its reply's palette, and what the user's Allow is bound to (section 3).

Owns the body of ``PUT /adapters/{id}``. Must not know leases or consent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from orbtile_adapter.host import grammar, hues, png
from orbtile_adapter.host.fields import (
    Field,
    Notes,
    choice,
    line,
    listed,
    nested,
    number,
    read_object,
    spelled,
    text,
    url,
    words,
)
from orbtile_adapter.host.refusals import invalid

STATES = (
    "idle", "starting", "thinking", "tool", "streaming", "done", "compacting", "offline", "waitingPermission",
    "waitingQuestion",
)  # fmt: skip
"""What ``palette.states`` may colour."""

CAPABILITIES = ("tap", "approvals", "questions")


def parse(raw: Any) -> tuple[dict[str, Any], list[str]]:
    """The registration, absent where null, with the reply's warnings. Raises 422."""
    notes = Notes()
    values = read_object(raw, "", _REGISTRATION, notes)
    values = {name: value for name, value in values.items() if value is not None}
    values["palette"] = {name: value for name, value in values["palette"].items() if value is not None}
    if "tapBehavior" in values and "tap" not in values.get("capabilities", ()):
        raise invalid("tapBehavior", "needs the tap capability")
    return values, [*hues.warnings(values["palette"]), *notes]


def _states(raw: Any, path: str, _notes: Notes) -> dict[str, str]:
    if not isinstance(raw, dict):
        raise invalid(path, "must be an object")
    if not 1 <= len(raw) <= len(STATES):
        raise invalid(path, f"must have 1 to {len(STATES)} entries")
    for state, colour in raw.items():
        at = f"{path}.{state}" if grammar.PLAIN_NAME.fullmatch(state) else path
        if state not in STATES:
            raise invalid(at, "is no state that an adapter colours")
        if not isinstance(colour, str) or not grammar.COLOUR.fullmatch(colour):
            raise invalid(at, "must be a colour such as #1e90ff")
    return {state: colour.lower() for state, colour in raw.items()}


def _one_of(table: Sequence[Field]) -> Any:
    inner = nested(table)

    def check(raw: Any, path: str, notes: Notes) -> dict[str, Any]:
        values: dict[str, Any] = inner(raw, path, notes)
        if not values:
            raise invalid(path, f"must have {' or '.join(field.name for field in table)}")
        return values

    return check


def _homepage(raw: Any, path: str, notes: Notes) -> str:
    value = text(url(512)(raw, path, notes), path)
    parts = grammar.split_url(value)
    if not value.startswith("https://") or parts is None or not parts[1]:
        raise invalid(path, "must begin with https:// and name a host")
    return value


def _scheme(raw: Any, path: str, _notes: Notes) -> str:
    if not isinstance(raw, str) or not grammar.SCHEME.fullmatch(raw):
        raise invalid(path, "must hold lowercase URL schemes")
    if raw in grammar.REFUSED_SCHEMES:
        raise invalid(path, f"{raw} is always refused")
    return raw


def _capabilities(raw: Any, path: str, notes: Notes) -> list[str]:
    listed(raw, path, 0, len(CAPABILITIES))
    found: list[str] = words(choice(CAPABILITIES), len(CAPABILITIES))(raw, path, notes)
    return found


_HUE = number(0, 360, below=True)
_PALETTE = (
    Field("baseHue", _HUE, needed=True),
    Field("chroma", number(0.5, 1.3), null=True),
    Field("lightness", number(-0.05, 0.05), null=True),
    Field("attentionHue", _HUE),
    Field("states", _states, null=True),
)
_GLYPH = (
    Field("symbol", spelled(grammar.SYMBOL, "a system symbol's name")),
    Field("monogram", line(2, shown=True)),
)
_ICON = (
    Field("png", png.check),
    Field("appBundleId", spelled(grammar.BUNDLE_ID, "a bundle identifier")),
)
_REGISTRATION = (
    Field("name", line(32, shown=True), needed=True),
    Field("shortName", line(12, shown=True), null=True),
    Field("palette", nested(_PALETTE), needed=True),
    Field("glyph", _one_of(_GLYPH)),
    Field("icon", _one_of(_ICON), null=True),
    Field("version", line(32)),
    Field("homepage", _homepage),
    Field("urlSchemes", words(_scheme, 4)),
    Field("capabilities", _capabilities, null=True),
    Field("tapBehavior", choice(("alsoOpen", "eventOnly")), null=True),
)

_FREE = ("version", "glyph")
_DEFAULTS: dict[str, Any] = {"tapBehavior": "alsoOpen", "capabilities": [], "urlSchemes": []}
_PALETTE_DEFAULTS = {"chroma": 1, "lightness": 0}


def fingerprint(registration: dict[str, Any]) -> str:
    """Equal exactly where the user need not be asked again."""
    bound = {name: value for name, value in registration.items() if name not in _FREE}
    palette = {
        name: value for name, value in bound["palette"].items() if value != _PALETTE_DEFAULTS.get(name)
    }
    bound["palette"] = {name: value if name == "states" else float(value) for name, value in palette.items()}
    for name in ("urlSchemes", "capabilities"):
        bound[name] = sorted(bound.get(name, ()))
    if bound.get("shortName") == bound["name"]:
        del bound["shortName"]
    icon = bound.get("icon")
    if icon and "png" in icon:
        bound["icon"] = {**icon, "png": hashlib.sha256(icon["png"]).hexdigest()}
    bound = {name: value for name, value in bound.items() if value != _DEFAULTS.get(name)}
    return hashlib.sha256(json.dumps(bound, sort_keys=True).encode()).hexdigest()


def reply(adapter_id: str, registration: dict[str, Any], reason: str | None) -> dict[str, Any]:
    """The reply's body without its warnings and token."""
    palette = registration["palette"]
    asks = {"approvals", "questions"} & set(registration.get("capabilities", ()))
    body: dict[str, Any] = {
        "adapter": {
            "id": adapter_id,
            "palette": palette,
            "resolvedBaseHue": hues.resolve_base(palette["baseHue"]),
        },
        "enabled": reason is None,
        "keypadDecisions": reason is None and bool(asks),
    }
    if reason is not None:
        body["reason"] = reason
    return body
