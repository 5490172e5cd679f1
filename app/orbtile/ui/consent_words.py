"""What a registration may do, and what changed in it, in plain words.

Owns the wording. Must not know widgets, nor decide what counts as changed: the host names the fields
(``AdapterView.changed_fields``).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from PySide6.QtCore import QCoreApplication

from orbtile.host.views import AdapterView
from orbtile.palette.scheme import Scheme
from orbtile.palette.states import SETTABLE_STATES, State
from orbtile.protocol.registration import Capability, Registration, TapBehavior
from orbtile.ui.icons import IconName
from orbtile.ui.labels import isolated
from orbtile.ui.symbols import drawing_of

translate = QCoreApplication.translate

_WEB: Final = ("https", "http")
_DECISIONS: Final = frozenset({Capability.APPROVALS, Capability.QUESTIONS})


@dataclass(frozen=True, slots=True)
class Phrase:
    """One line of a list: an icon, its text, and the part of the text that the eye should find."""

    icon: IconName
    text: str
    strong: str = ""


class ColourChange(NamedTuple):
    """The colour of a state before and now: the stop that carries it, or the first one that differs."""

    state: State
    before: str
    now: str


def group_name(name: str) -> str:
    """The accessible name of an adapter's banner, new or changed."""
    return translate("Consent", "{name} wants to show sessions").format(name=name)


def has_changed(view: AdapterView) -> bool:
    """Whether it asks again: it was allowed before, with something else in its registration."""
    return view.allowed is not None and bool(view.changed_fields)


def heading(view: AdapterView) -> str:
    """The sentence at the head of a banner, as drawn."""
    name = isolated(view.registration.name)
    if has_changed(view):
        return translate("Consent", "{name} has changed and asks again").format(name=name)
    return group_name(name)


def requests(view: AdapterView) -> tuple[Phrase, ...]:
    """What a banner lists: everything it may do for a new adapter, only what changed for a changed one."""
    if has_changed(view) and view.allowed is not None:
        return changes(view.allowed, view.registration, view.changed_fields)
    note = translate("Consent", "Runs nothing in Orbtile. You can turn it off at any time")
    return (*permissions(view.registration), Phrase("info", note))


def permissions(registration: Registration) -> tuple[Phrase, ...]:
    """What the registration asks for: links, decisions, taps."""
    phrases = [Phrase("link", _may_open(registration)), Phrase("shield", _may_receive(registration))]
    if Capability.TAP in registration.capabilities:
        phrases.append(Phrase("info", translate("Consent", "Is told when you tap one of its sessions")))
    return tuple(phrases)


def changes(old: Registration, new: Registration, fields: Iterable[str]) -> tuple[Phrase, ...]:
    """One phrase or more for each field, in the order given: what is new, and what was before."""
    phrases: list[Phrase] = []
    for field in fields:
        describe = _CHANGES.get(field)
        if describe is None:
            text = translate("Consent", "Changed: {field}").format(field=field)
            phrases.append(Phrase("diff", text, field))
        else:
            phrases.extend(describe(old, new))
    return tuple(phrases)


def colour_changes(old: Scheme, new: Scheme) -> tuple[ColourChange, ...]:
    """Every state that looks another way now, in the order of the states."""
    changed = []
    for state in SETTABLE_STATES:
        before, now = old[state].ramp, new[state].ramp
        stops = ((before.hi, now.hi), *zip(before, now, strict=True))
        differing = next((pair for pair in stops if pair[0] != pair[1]), None)
        if differing is not None:
            changed.append(ColourChange(state, *differing))
    return tuple(changed)


def look_words(changed: Sequence[ColourChange], *, icon: bool) -> str:
    """What a picture of old and new shows, read out. ``icon``: the icon changed, too."""
    sentences = [translate("Consent", "The icon before and now")] if icon else []
    if changed:
        names = _state_names()
        text = translate("Consent", "{state} changed from {old} to {new}")
        parts = (text.format(state=names[one.state], old=one.before, new=one.now) for one in changed)
        sentences.append(translate("Consent", "Colours: {changes}").format(changes=", ".join(parts)))
    return ". ".join(sentences)


def _and(words: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = words
    if not most:
        return last
    return translate("Consent", "{most} and {last}").format(most=", ".join(most), last=last)


def _schemes(schemes: Collection[str]) -> list[str]:
    """Web schemes by their name, others as people see them in a link."""
    web = [scheme for scheme in _WEB if scheme in schemes]
    return web + [f"{scheme}://" for scheme in sorted(set(schemes) - set(_WEB))]


def _opens_nothing(registration: Registration) -> bool:
    return Capability.TAP in registration.capabilities and registration.tap_behavior is TapBehavior.EVENT_ONLY


def _may_open(registration: Registration) -> str:
    if _opens_nothing(registration):
        return translate("Consent", "Opens nothing: it handles taps itself")
    if not registration.url_schemes:
        return translate("Consent", "Opens no links")
    links = _and(_schemes(registration.url_schemes))
    return translate("Consent", "May open {links} links when you tap a session").format(links=links)


def _received(capabilities: Collection[Capability]) -> str:
    approvals = Capability.APPROVALS in capabilities
    if approvals and Capability.QUESTIONS in capabilities:
        return translate("Consent", "your Allow, Deny and answers")
    return translate("Consent", "your Allow and Deny") if approvals else translate("Consent", "your answers")


def _may_receive(registration: Registration) -> str:
    if not registration.capabilities & _DECISIONS:
        return translate("Consent", "Only shows sessions. It receives no decisions from you")
    return translate("Consent", "May receive {what}").format(what=_received(registration.capabilities))


def _renamed(template: str, old: str | None, new: str | None) -> tuple[Phrase, ...]:
    """A text field: ``template`` has {new} and {old}."""
    none = translate("Consent", "none")
    after = isolated(new) if new else none
    text = template.format(new=after, old=isolated(old) if old else none)
    return (Phrase("diff", text, after if new else ""),)


def _name(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    return _renamed(translate("Consent", "New name: {new}. Before: {old}"), old.name, new.name)


def _short_name(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    template = translate("Consent", "New short name: {new}. Before: {old}")
    return _renamed(template, old.short_name, new.short_name)


def _homepage(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    template = translate("Consent", "New homepage: {new}. Before: {old}")
    return _renamed(template, old.homepage, new.homepage)


def _base_hue(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    text = translate("Consent", "New colour: hue {new}°. Before: {old}°")
    hues = {"new": f"{new.palette.base_hue:.4g}", "old": f"{old.palette.base_hue:.4g}"}
    return (Phrase("diff", text.format(**hues)),)


def _attention_hue(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    def words(hue: float | None) -> str:
        if hue is None:
            return translate("Consent", "chosen by Orbtile")
        return translate("Consent", "hue {hue}°").format(hue=f"{hue:.4g}")

    text = translate("Consent", "New colour while it waits for you: {new}. Before: {old}")
    hues = (new.palette.attention_hue, old.palette.attention_hue)
    return (Phrase("diff", text.format(new=words(hues[0]), old=words(hues[1]))),)


def _chroma(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    text = translate("Consent", "New strength of its colours: {new} %. Before: {old} %")
    shares = {"new": f"{new.palette.chroma * 100:.4g}", "old": f"{old.palette.chroma * 100:.4g}"}
    return (Phrase("diff", text.format(**shares)),)


def _lightness(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    text = translate("Consent", "New lightness of its colours: {new} %. Before: {old} %")
    shares = [round(palette.lightness * 100, 2) for palette in (new.palette, old.palette)]
    now, before = (f"{share:+g}" if share else "0" for share in shares)
    return (Phrase("diff", text.format(new=now, old=before)),)


def _state_colours(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    before, after = old.palette.states, new.palette.states
    names = _state_names()
    added = [names[s] for s in SETTABLE_STATES if s in after and s not in before]
    altered = [names[s] for s in SETTABLE_STATES if s in after and s in before and after[s] != before[s]]
    dropped = [names[s] for s in SETTABLE_STATES if s in before and s not in after]
    templates = (
        (added, translate("Consent", "New colours of its own for {states}. Before: made from its hue")),
        (altered, translate("Consent", "Other colours for {states} than before")),
        (dropped, translate("Consent", "Colours made from its hue for {states}. Before: colours of its own")),
    )
    return tuple(
        Phrase("diff", template.format(states=_and(states)), _and(states))
        for states, template in templates
        if states
    )


def _state_names() -> dict[State, str]:
    return {
        State.IDLE: translate("Consent", "idle"),
        State.STARTING: translate("Consent", "starting"),
        State.THINKING: translate("Consent", "thinking"),
        State.TOOL: translate("Consent", "tool"),
        State.STREAMING: translate("Consent", "streaming"),
        State.WAITING_PERMISSION: translate("Consent", "permission"),
        State.WAITING_QUESTION: translate("Consent", "question"),
        State.DONE: translate("Consent", "done"),
        State.COMPACTING: translate("Consent", "compacting"),
        State.OFFLINE: translate("Consent", "offline"),
    }


def _icon(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    app = new.icon.app_bundle_id if new.icon is not None else None
    was = old.icon.app_bundle_id if old.icon is not None else None
    symbol = new.glyph.symbol if new.glyph is not None else None  # a glyph needs no Allow: it is that of now
    has_symbol = symbol is not None and drawing_of(symbol) is not None
    if new.icon is None and has_symbol:
        text = translate("Consent", "Shows its symbol. Before: an icon of its own")
    elif new.icon is None:
        text = translate("Consent", "Shows its letters. Before: an icon of its own")
    elif app is not None and app != was:
        text = translate("Consent", "New icon: that of the app {app}").format(app=app)
    elif old.icon is None and has_symbol:
        text = translate("Consent", "New icon. Before: its symbol")
    elif old.icon is None:
        text = translate("Consent", "New icon. Before: its letters")
    else:
        text = translate("Consent", "New icon. Before: another picture")
    return (Phrase("diff", text, app or ""),)


def _url_schemes(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    def only(schemes: Collection[str]) -> str:
        if not schemes:
            return translate("Consent", "no links")
        return translate("Consent", "{links} only").format(links=_and(_schemes(schemes)))

    added = set(new.url_schemes) - set(old.url_schemes)
    if added:
        links = _and(_schemes(added))
        text = translate("Consent", "New: may open {links} links. Before: {before}")
        return (Phrase("diff", text.format(links=links, before=only(old.url_schemes)), links),)
    links = _and(_schemes(set(old.url_schemes) - set(new.url_schemes)) or [translate("Consent", "other")])
    text = translate("Consent", "No longer opens {links} links. Now: {now}")
    return (Phrase("diff", text.format(links=links, now=only(new.url_schemes))),)


def _capabilities(old: Registration, new: Registration) -> tuple[Phrase, ...]:
    def all_of(capabilities: frozenset[Capability]) -> str:
        decisions = capabilities & _DECISIONS
        return _received(decisions) if decisions else translate("Consent", "display only")

    phrases = []
    gained = (new.capabilities - old.capabilities) & _DECISIONS
    lost = (old.capabilities - new.capabilities) & _DECISIONS
    if gained:
        what = _received(gained)
        text = translate("Consent", "New: may receive {what}. Before: {before}")
        phrases.append(Phrase("diff", text.format(what=what, before=all_of(old.capabilities)), what))
    if lost:
        text = translate("Consent", "No longer receives {what}. Now: {now}")
        phrases.append(Phrase("diff", text.format(what=_received(lost), now=all_of(new.capabilities))))
    if Capability.TAP in new.capabilities - old.capabilities:
        text = translate("Consent", "New: is told when you tap one of its sessions. Before: not told")
        phrases.append(Phrase("diff", text))
    elif Capability.TAP in old.capabilities - new.capabilities:
        text = translate("Consent", "No longer told when you tap one of its sessions")
        phrases.append(Phrase("diff", text))
    return tuple(phrases)


def _tap_behavior(_old: Registration, new: Registration) -> tuple[Phrase, ...]:
    if new.tap_behavior is TapBehavior.EVENT_ONLY:
        text = translate("Consent", "New: handles taps itself. Before: a tap opens its link or app")
    else:
        text = translate("Consent", "New: a tap opens its link or app. Before: it handled taps itself")
    return (Phrase("diff", text),)


_CHANGES: Final[Mapping[str, Callable[[Registration, Registration], tuple[Phrase, ...]]]] = {
    "name": _name,
    "shortName": _short_name,
    "palette.baseHue": _base_hue,
    "palette.chroma": _chroma,
    "palette.lightness": _lightness,
    "palette.attentionHue": _attention_hue,
    "palette.states": _state_colours,
    "icon": _icon,
    "urlSchemes": _url_schemes,
    "homepage": _homepage,
    "capabilities": _capabilities,
    "tapBehavior": _tap_behavior,
}
