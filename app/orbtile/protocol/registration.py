"""An adapter's registration: its type, its parser, and the consent fingerprint.

Owns (spec section 3 "Registration") which fields exist and which of them the user's Allow is bound to, side
by side, so that no field can be added without deciding. Must not know leases, consent states or how an icon
is decoded.

``null`` means absent for the fields that have a default in the fingerprint: ``icon``, ``shortName``,
``capabilities``, ``tapBehavior``, and ``chroma``, ``lightness`` and ``states`` of the palette. Everywhere
else it is a wrong type.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from orbtile.palette.hexcolour import parse_hex
from orbtile.palette.scheme import PaletteSource
from orbtile.palette.states import SETTABLE_STATES, State
from orbtile.protocol import grammar, limits
from orbtile.protocol.errors import invalid_field
from orbtile.protocol.fields import (
    Fields,
    JsonObject,
    JsonValue,
    Warnings,
    array,
    line,
    matching,
    number,
    one_of,
    string,
)
from orbtile.protocol.png import encode_png, parse_png


class Capability(StrEnum):
    """A kind of event that the adapter takes (spec section 6)."""

    TAP = "tap"
    APPROVALS = "approvals"
    QUESTIONS = "questions"


class TapBehavior(StrEnum):
    """Whether a tap that is sent to the adapter also opens its URL or application (spec section 6)."""

    ALSO_OPEN = "alsoOpen"
    EVENT_ONLY = "eventOnly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Hues in OKLCH degrees 0..<360, ``chroma`` 0.5..1.3, ``lightness`` -0.05..0.05, states ``#rrggbb``."""

    base_hue: float
    chroma: float = 1.0
    lightness: float = 0.0
    attention_hue: float | None = None
    states: Mapping[State, str] = field(default_factory=dict)

    @property
    def source(self) -> PaletteSource:
        """What the colours are generated from."""
        return PaletteSource(
            self.base_hue, self.chroma, self.lightness, self.attention_hue, tuple(self.states.items())
        )


class Glyph(NamedTuple):
    """``symbol`` is a system symbol's name, ``monogram`` one or two characters; at least one field is set."""

    symbol: str | None = None
    monogram: str | None = None


class Icon(NamedTuple):
    """``png`` holds the decoded bytes (1..32768), its header checked; at least one field is set."""

    png: bytes | None = None
    app_bundle_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A valid ``AdapterRegistration``; absent optional fields hold their default."""

    name: str
    palette: Palette
    short_name: str | None = None
    glyph: Glyph | None = None
    icon: Icon | None = None
    version: str | None = None
    homepage: str | None = None
    url_schemes: tuple[str, ...] = ()
    capabilities: frozenset[Capability] = frozenset()
    tap_behavior: TapBehavior = TapBehavior.ALSO_OPEN

    @property
    def badge(self) -> str:
        """The short name, which defaults to the name."""
        return self.short_name or self.name


# --- Parsing ------------------------------------------------------------------------------------------------


def parse_registration(value: JsonValue) -> tuple[Registration, list[str]]:
    """A valid ``AdapterRegistration`` with its unknown fields as developer warnings.

    Raises 422 with the exact field path (``body`` for what is not an object).
    """
    warnings = Warnings()
    fields = Fields(value, "", warnings)
    registration = _registration(fields)
    fields.done()
    return registration, warnings.lines()


def _registration(fields: Fields) -> Registration:
    capabilities: frozenset[Capability] = fields.optional_nullable("capabilities", _capabilities, frozenset())
    if fields.has_value("tapBehavior") and Capability.TAP not in capabilities:
        raise invalid_field("tapBehavior", "needs the tap capability")
    return Registration(
        name=fields.require("name", _NAME),
        short_name=fields.optional_nullable("shortName", _SHORT_NAME, None),
        palette=fields.require("palette", fields.object_of(_palette)),
        glyph=fields.optional("glyph", fields.object_of(_glyph), None),
        icon=fields.optional_nullable("icon", fields.object_of(_icon), None),
        version=fields.optional("version", _VERSION, None),
        homepage=fields.optional("homepage", _homepage, None),
        url_schemes=fields.optional("urlSchemes", _url_schemes, ()),
        capabilities=capabilities,
        tap_behavior=fields.optional_nullable("tapBehavior", _TAP_BEHAVIOR, TapBehavior.ALSO_OPEN),
    )


_NAME: Final = line(limits.MAX_NAME_LENGTH, required=True)
_SHORT_NAME: Final = line(limits.MAX_SHORT_NAME_LENGTH, required=True)
_VERSION: Final = line(limits.MAX_VERSION_LENGTH)
_MONOGRAM: Final = line(limits.MAX_MONOGRAM_LENGTH, required=True)
_SYMBOL: Final = matching(
    grammar.SYMBOL, f"must be 1 to {limits.MAX_SYMBOL_LENGTH} lowercase letters, digits and dots"
)
_BUNDLE_ID: Final = matching(
    grammar.BUNDLE_ID,
    f"must be a bundle identifier of {limits.MIN_BUNDLE_ID_BYTES} to {limits.MAX_BUNDLE_ID_BYTES} bytes",
)
_HUE: Final = number(0, limits.HUE_END_DEG, below_maximum=True)
_CHROMA: Final = number(limits.MIN_CHROMA, limits.MAX_CHROMA)
_LIGHTNESS: Final = number(-limits.MAX_LIGHTNESS_SHIFT, limits.MAX_LIGHTNESS_SHIFT)
_TAP_BEHAVIOR: Final = one_of(tuple(TapBehavior))
_SETTABLE: Final[Mapping[str, State]] = {str(state): state for state in SETTABLE_STATES}
_CAPABILITY: Final = one_of(tuple(Capability))


def _palette(fields: Fields) -> Palette:
    return Palette(
        base_hue=fields.require("baseHue", _HUE),
        chroma=fields.optional_nullable("chroma", _CHROMA, 1.0),
        lightness=fields.optional_nullable("lightness", _LIGHTNESS, 0.0),
        attention_hue=fields.optional("attentionHue", _HUE, None),
        states=fields.optional_nullable("states", _states, {}),
    )


def _states(raw: JsonValue, path: str) -> Mapping[State, str]:
    if not isinstance(raw, dict):
        raise invalid_field(path, "must be an object")
    if not 1 <= len(raw) <= len(SETTABLE_STATES):
        raise invalid_field(path, f"must have 1 to {len(SETTABLE_STATES)} entries")
    colours: dict[State, str] = {}
    for name, value in raw.items():
        state = _SETTABLE.get(name)
        if state is None:
            # A name that is no identifier would only spoil the path.
            at = f"{path}.{name}" if grammar.PLAIN_NAME.fullmatch(name) else path
            raise invalid_field(at, f"is not a state that an adapter can colour: {', '.join(_SETTABLE)}")
        if not isinstance(value, str):
            raise invalid_field(f"{path}.{name}", "must be a string")
        try:
            colours[state] = parse_hex(value)
        except ValueError:
            raise invalid_field(f"{path}.{name}", "must be a colour such as #1e90ff") from None
    return colours


def _glyph(fields: Fields) -> Glyph:
    glyph = Glyph(
        symbol=fields.optional("symbol", _SYMBOL, None), monogram=fields.optional("monogram", _MONOGRAM, None)
    )
    if glyph == Glyph():
        raise invalid_field("glyph", "must have a symbol or a monogram")
    return glyph


def _icon(fields: Fields) -> Icon:
    icon = Icon(
        png=fields.optional("png", parse_png, None),
        app_bundle_id=fields.optional("appBundleId", _BUNDLE_ID, None),
    )
    if icon == Icon():
        raise invalid_field("icon", "must have a png or an appBundleId")
    return icon


def _homepage(raw: JsonValue, path: str) -> str:
    text = string(raw, path)
    if len(text) > limits.MAX_HOMEPAGE_LENGTH:
        raise invalid_field(path, f"must be at most {limits.MAX_HOMEPAGE_LENGTH} characters")
    if not grammar.is_https_url(text):
        raise invalid_field(path, "must be a URI that begins with https://")
    return text


def _url_schemes(raw: JsonValue, path: str) -> tuple[str, ...]:
    """Every refusal names the list itself: which of four short words it was is plain to see."""
    schemes: list[str] = []
    for item in array(raw, path, 0, limits.MAX_URL_SCHEMES):
        if not isinstance(item, str) or grammar.URL_SCHEME.fullmatch(item) is None:
            raise invalid_field(path, "must hold lowercase URL schemes")
        if item in grammar.REFUSED_SCHEMES:
            raise invalid_field(path, f"the scheme {item} is always refused")
        if item in schemes:
            raise invalid_field(path, "must not repeat a scheme")
        schemes.append(item)
    return tuple(schemes)


def _capabilities(raw: JsonValue, path: str) -> frozenset[Capability]:
    items = array(raw, path, 0, limits.MAX_CAPABILITIES)
    capabilities = frozenset(_CAPABILITY(item, path) for item in items)
    if len(capabilities) != len(items):
        raise invalid_field(path, "must not repeat a capability")
    return capabilities


# --- The user's consent -------------------------------------------------------------------------------------

_CONSENT_FIELDS: Final[Mapping[str, Callable[[Registration], JsonValue]]] = {
    "name": lambda registration: registration.name,
    "shortName": lambda registration: _unless(registration.badge, registration.name),
    "palette.baseHue": lambda registration: registration.palette.base_hue,
    "palette.chroma": lambda registration: _unless(registration.palette.chroma, 1.0),
    "palette.lightness": lambda registration: _unless(registration.palette.lightness, 0.0),
    "palette.attentionHue": lambda registration: registration.palette.attention_hue,
    "palette.states": lambda registration: (
        {str(s): c for s, c in registration.palette.states.items()} or None
    ),
    "icon": lambda registration: _icon_digest(registration.icon),
    "urlSchemes": lambda registration: [*sorted(registration.url_schemes)] or None,
    "homepage": lambda registration: registration.homepage,
    "capabilities": lambda registration: [*sorted(registration.capabilities)] or None,
    "tapBehavior": lambda registration: _unless(registration.tap_behavior, TapBehavior.ALSO_OPEN),
}
"""What the user's Allow is bound to: each field's normal form, None where it is absent or its default.

Texts count as they are kept, also what looks alike: blanks and characters without ink at an end are not taken
off. A joiner or a variation selector there shapes the character before it, tags make it another flag, and no
visible change may pass without a new Allow. What looks the same and is not costs one more question.

The defaults are left out of the fingerprint, so a field that a later version adds changes no fingerprint of a
registration without it. ``version`` and ``glyph`` may change freely (spec section 3)."""


def fingerprint(registration: Registration) -> str:
    """64 hex digits that are equal exactly when the consent fields are (SHA-256 of their canonical JSON)."""
    values = {
        name: value
        for name, normalise in _CONSENT_FIELDS.items()
        if (value := normalise(registration)) is not None
    }
    canonical = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def changed_fields(old: Registration, new: Registration) -> tuple[str, ...]:
    """The wire names of the consent fields that differ, in the specification's order."""
    return tuple(name for name, normalise in _CONSENT_FIELDS.items() if normalise(old) != normalise(new))


def _unless(value: JsonValue, default: JsonValue) -> JsonValue:
    return None if value == default else value


def _icon_digest(icon: Icon | None) -> JsonValue:
    if icon is None:
        return None
    return {
        "png": None if icon.png is None else hashlib.sha256(icon.png).hexdigest(),
        "appBundleId": icon.app_bundle_id,
    }


# --- Encoding -----------------------------------------------------------------------------------------------


def encode_registration(registration: Registration) -> JsonObject:
    """The wire form, defaults left out; ``parse_registration`` gives the same registration back."""
    encoded: JsonObject = {"name": registration.name, "palette": encode_palette(registration.palette)}
    glyph, icon = registration.glyph, registration.icon
    optional: JsonObject = {
        "shortName": registration.short_name,
        "glyph": None if glyph is None else _present({"symbol": glyph.symbol, "monogram": glyph.monogram}),
        "icon": None if icon is None else _encode_icon(icon),
        "version": registration.version,
        "homepage": registration.homepage,
        "urlSchemes": [*registration.url_schemes] or None,
        "capabilities": [*sorted(registration.capabilities)] or None,
        "tapBehavior": _unless(registration.tap_behavior, TapBehavior.ALSO_OPEN),
    }
    return encoded | _present(optional)


def encode_palette(palette: Palette) -> JsonObject:
    """The wire form, defaults left out and whole numbers without a fraction."""
    encoded: JsonObject = {
        "baseHue": palette.base_hue,
        "chroma": _unless(palette.chroma, 1.0),
        "lightness": _unless(palette.lightness, 0.0),
        "attentionHue": palette.attention_hue,
        "states": {str(state): colour for state, colour in palette.states.items()} or None,
    }
    return {
        name: encode_number(value) if isinstance(value, float) else value
        for name, value in _present(encoded).items()
    }


def encode_number(value: float) -> float:
    """A whole number without a fraction: ``270`` as it was sent, not ``270.0``."""
    return int(value) if value.is_integer() else value


def _encode_icon(icon: Icon) -> JsonObject:
    png = None if icon.png is None else encode_png(icon.png)
    return _present({"png": png, "appBundleId": icon.app_bundle_id})


def _present(values: JsonObject) -> JsonObject:
    return {name: value for name, value in values.items() if value is not None}
