from dataclasses import replace

import pytest

from orbtile.host.views import AdapterView
from orbtile.palette.scheme import PaletteSource, make_scheme
from orbtile.palette.states import SETTABLE_STATES, State
from orbtile.protocol.registration import (
    Capability,
    Glyph,
    Icon,
    Palette,
    Registration,
    TapBehavior,
    changed_fields,
)
from orbtile.ui.consent_words import (
    changes,
    colour_changes,
    group_name,
    has_changed,
    heading,
    look_words,
    permissions,
    requests,
)
from orbtile.ui.labels import isolated
from tests.fakes.hosts import Host

TAP, APPROVALS, QUESTIONS = Capability.TAP, Capability.APPROVALS, Capability.QUESTIONS
PLAIN = Registration(name="Quill", palette=Palette(base_hue=270), url_schemes=("https",))


def texts(registration: Registration) -> list[str]:
    return [phrase.text for phrase in permissions(registration)]


def changed(old: Registration, new: Registration) -> list[str]:
    """What a banner says of the change, by the host's own list of changed fields."""
    return [phrase.text for phrase in changes(old, new, changed_fields(old, new))]


def with_palette(**more: object) -> Registration:
    palette = PLAIN.palette
    for name, value in more.items():
        palette = replace(palette, **{name: value})  # type: ignore[arg-type]
    return replace(PLAIN, palette=palette)


def view_of(host: Host) -> AdapterView:
    (view,) = host.service.adapters()
    return view


class TestPermissions:
    @pytest.mark.parametrize(
        ("schemes", "text"),
        [
            ((), "Opens no links"),
            (("https",), "May open https links when you tap a session"),
            (("http", "https"), "May open https and http links when you tap a session"),
            (("quill",), "May open quill:// links when you tap a session"),
            (
                ("zed", "https", "code"),
                "May open https, code:// and zed:// links when you tap a session",
            ),
        ],
    )
    def test_each_scheme_is_named(self, schemes: tuple[str, ...], text: str) -> None:
        assert texts(replace(PLAIN, url_schemes=schemes))[0] == text

    @pytest.mark.parametrize(
        ("capabilities", "text"),
        [
            (set(), "Only shows sessions. It receives no decisions from you"),
            ({TAP}, "Only shows sessions. It receives no decisions from you"),
            ({APPROVALS}, "May receive your Allow and Deny"),
            ({QUESTIONS}, "May receive your answers"),
            ({APPROVALS, QUESTIONS}, "May receive your Allow, Deny and answers"),
        ],
    )
    def test_what_it_may_receive_is_said(self, capabilities: set[Capability], text: str) -> None:
        assert texts(replace(PLAIN, capabilities=frozenset(capabilities)))[1] == text

    def test_that_it_is_told_of_taps_is_said_only_if_it_is(self) -> None:
        told = "Is told when you tap one of its sessions"
        assert told in texts(replace(PLAIN, capabilities=frozenset({TAP})))
        assert told not in texts(PLAIN)

    def test_taps_that_it_handles_itself_open_nothing(self) -> None:
        registration = replace(PLAIN, capabilities=frozenset({TAP}), tap_behavior=TapBehavior.EVENT_ONLY)
        assert texts(registration)[0] == "Opens nothing: it handles taps itself"


class TestRequests:
    def test_a_new_adapter_says_everything_and_that_nothing_of_it_runs_here(self) -> None:
        host = Host()
        host.registered(registration=PLAIN)
        view = view_of(host)
        assert not has_changed(view)
        assert heading(view) == f"{isolated('Quill')} wants to show sessions"
        assert [phrase.text for phrase in requests(view)] == [
            *texts(PLAIN),
            "Runs nothing in Orbtile. You can turn it off at any time",
        ]

    def test_a_changed_adapter_says_only_what_changed(self) -> None:
        host = Host()
        client = host.allowed(registration=PLAIN)
        client.register(replace(PLAIN, url_schemes=("https", "quill")))
        view = view_of(host)
        assert has_changed(view)
        assert heading(view) == f"{isolated('Quill')} has changed and asks again"
        assert [phrase.text for phrase in requests(view)] == [
            "New: may open quill:// links. Before: https only"
        ]

    def test_the_name_of_the_group_is_the_same_for_both(self) -> None:
        assert group_name("Quill") == "Quill wants to show sessions"


BOTH = frozenset({APPROVALS, QUESTIONS})


class TestChanges:
    @pytest.mark.parametrize(
        ("old", "new", "text"),
        [
            (("https",), ("https", "quill"), "New: may open quill:// links. Before: https only"),
            ((), ("https",), "New: may open https links. Before: no links"),
            (
                ("https", "a", "b"),
                ("https", "c"),
                "New: may open c:// links. Before: https, a:// and b:// only",
            ),
            (("https", "quill"), ("https",), "No longer opens quill:// links. Now: https only"),
            (("https",), (), "No longer opens https links. Now: no links"),
        ],
    )
    def test_schemes(self, old: tuple[str, ...], new: tuple[str, ...], text: str) -> None:
        before, after = replace(PLAIN, url_schemes=old), replace(PLAIN, url_schemes=new)
        assert changed(before, after) == [text]

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (set(), BOTH, ["New: may receive your Allow, Deny and answers. Before: display only"]),
            (set(), {APPROVALS}, ["New: may receive your Allow and Deny. Before: display only"]),
            ({APPROVALS}, BOTH, ["New: may receive your answers. Before: your Allow and Deny"]),
            (BOTH, {QUESTIONS}, ["No longer receives your Allow and Deny. Now: your answers"]),
            (BOTH, set(), ["No longer receives your Allow, Deny and answers. Now: display only"]),
            (
                {APPROVALS},
                {QUESTIONS},
                [
                    "New: may receive your answers. Before: your Allow and Deny",
                    "No longer receives your Allow and Deny. Now: your answers",
                ],
            ),
            (set(), {TAP}, ["New: is told when you tap one of its sessions. Before: not told"]),
            ({TAP}, set(), ["No longer told when you tap one of its sessions"]),
        ],
    )
    def test_capabilities(self, old: set[Capability], new: set[Capability], said: list[str]) -> None:
        before = replace(PLAIN, capabilities=frozenset(old))
        assert changed(before, replace(PLAIN, capabilities=frozenset(new))) == said

    def test_taps(self) -> None:
        opens = replace(PLAIN, capabilities=frozenset({TAP}))
        silent = replace(opens, tap_behavior=TapBehavior.EVENT_ONLY)
        assert changed(opens, silent) == ["New: handles taps itself. Before: a tap opens its link or app"]
        assert changed(silent, opens) == ["New: a tap opens its link or app. Before: it handled taps itself"]

    def test_names_say_the_old_one_too(self) -> None:
        new = replace(PLAIN, name="Claude", short_name="Cl")
        assert changed(PLAIN, new) == [
            f"New name: {isolated('Claude')}. Before: {isolated('Quill')}",
            f"New short name: {isolated('Cl')}. Before: none",
        ]

    def test_homepage(self) -> None:
        new = replace(PLAIN, homepage="https://quill.dev")
        page = isolated("https://quill.dev")
        assert changed(PLAIN, new) == [f"New homepage: {page}. Before: none"]
        assert changed(new, PLAIN) == [f"New homepage: none. Before: {page}"]

    @pytest.mark.parametrize(
        ("more", "text"),
        [
            ({"base_hue": 150.0}, "New colour: hue 150°. Before: 270°"),
            ({"base_hue": 150.25}, "New colour: hue 150.2°. Before: 270°"),
            (
                {"attention_hue": 60.0},
                "New colour while it waits for you: hue 60°. Before: chosen by Orbtile",
            ),
            ({"chroma": 1.2}, "New strength of its colours: 120 %. Before: 100 %"),
            ({"lightness": 0.03}, "New lightness of its colours: +3 %. Before: 0 %"),
            ({"lightness": -0.05}, "New lightness of its colours: -5 %. Before: 0 %"),
        ],
    )
    def test_palette(self, more: dict[str, object], text: str) -> None:
        assert changed(PLAIN, with_palette(**more)) == [text]

    def test_an_attention_hue_that_goes_is_chosen_by_orbtile(self) -> None:
        assert changed(with_palette(attention_hue=60.0), PLAIN) == [
            "New colour while it waits for you: chosen by Orbtile. Before: hue 60°"
        ]

    def test_colours_of_states(self) -> None:
        some = with_palette(states={State.DONE: "#22c55e", State.IDLE: "#6b7280"})
        other = with_palette(states={State.DONE: "#22c55f", State.THINKING: "#eab308"})
        assert changed(PLAIN, some) == ["New colours of its own for idle and done. Before: made from its hue"]
        assert changed(some, other) == [
            "New colours of its own for thinking. Before: made from its hue",
            "Other colours for done than before",
            "Colours made from its hue for idle. Before: colours of its own",
        ]

    def test_every_state_that_can_be_coloured_has_a_name(self) -> None:
        everything = with_palette(states=dict.fromkeys(SETTABLE_STATES, "#123456"))
        (text,) = changed(PLAIN, everything)
        assert text.count(",") == len(SETTABLE_STATES) - 2

    @pytest.mark.parametrize(
        ("old", "new", "text"),
        [
            (None, Icon(png=b"a"), "New icon. Before: its letters"),
            (Icon(png=b"a"), Icon(png=b"b"), "New icon. Before: another picture"),
            (Icon(png=b"a"), None, "Shows its letters. Before: an icon of its own"),
            (None, Icon(app_bundle_id="com.a.b"), "New icon: that of the app com.a.b"),
            (
                Icon(app_bundle_id="com.a.b"),
                Icon(app_bundle_id="com.a.b", png=b"a"),
                "New icon. Before: another picture",
            ),
        ],
    )
    def test_icon(self, old: Icon | None, new: Icon | None, text: str) -> None:
        assert changed(replace(PLAIN, icon=old), replace(PLAIN, icon=new)) == [text]

    @pytest.mark.parametrize(
        ("symbol", "glyph"), [("hammer.fill", "symbol"), ("no.such.symbol", "letters"), (None, "letters")]
    )
    def test_without_an_icon_there_is_a_symbol_or_letters(self, symbol: str | None, glyph: str) -> None:
        bare = replace(PLAIN, glyph=Glyph(symbol, "Q"))
        iconed = replace(bare, icon=Icon(png=b"a"))
        assert changed(iconed, bare) == [f"Shows its {glyph}. Before: an icon of its own"]
        assert changed(replace(bare, glyph=None), iconed) == [f"New icon. Before: its {glyph}"]

    def test_a_field_without_words_is_named_rather_than_hidden(self) -> None:
        assert [phrase.text for phrase in changes(PLAIN, PLAIN, ["mood"])] == ["Changed: mood"]

    def test_what_is_new_is_what_the_eye_finds(self) -> None:
        new = replace(PLAIN, url_schemes=("https", "quill"))
        (phrase,) = changes(PLAIN, new, ["urlSchemes"])
        assert phrase.strong == "quill://"
        assert phrase.strong in phrase.text


class TestLooks:
    """What the picture of old and new says to a screen reader."""

    PLAIN = make_scheme(PaletteSource(270.0))

    def test_equal_colours_have_not_changed(self) -> None:
        assert colour_changes(self.PLAIN, make_scheme(PaletteSource(270.0))) == ()
        assert look_words((), icon=False) == ""

    def test_a_change_names_the_colour_that_carries_the_state(self) -> None:
        explicit = make_scheme(PaletteSource(270.0, states=((State.DONE, "#5dbe74"),)))
        (change,) = colour_changes(self.PLAIN, explicit)
        assert change.state is State.DONE
        assert change.before == self.PLAIN[State.DONE].ramp.hi
        assert change.now == explicit[State.DONE].ramp.hi
        assert look_words((change,), icon=False) == (
            f"Colours: done changed from {change.before} to {change.now}"
        )

    def test_where_that_one_is_the_same_the_first_that_differs_is_named(self) -> None:
        ramp = self.PLAIN[State.DONE].ramp
        other = self.PLAIN[State.DONE]._replace(ramp=ramp._replace(hot="#123456"))
        scheme = replace(self.PLAIN, colours={**self.PLAIN.colours, State.DONE: other})
        assert colour_changes(self.PLAIN, scheme) == ((State.DONE, ramp.hot, "#123456"),)

    def test_icon_and_colours_are_two_sentences(self) -> None:
        changes_of_all = colour_changes(self.PLAIN, make_scheme(PaletteSource(150.0)))
        assert len(changes_of_all) == len(SETTABLE_STATES)
        words = look_words(changes_of_all, icon=True)
        assert words.startswith("The icon before and now. Colours: starting changed from #")
        assert words.count(" changed from ") == len(SETTABLE_STATES)
        assert look_words((), icon=True) == "The icon before and now"
