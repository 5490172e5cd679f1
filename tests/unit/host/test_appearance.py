"""Spec section 3 "Adapter icon" and "State colours": a registration shows under the user's own choices."""

from dataclasses import replace

import pytest

from orbtile.host import appearance
from orbtile.host.appearance import effective_palette
from orbtile.host.changes import Changes
from orbtile.host.icons import IconImages
from orbtile.host.records import ConsentRecord, Decision
from orbtile.host.settings import Settings
from orbtile.host.sources import SourceInfo
from orbtile.host.views import Consent
from orbtile.palette.scheme import PaletteSource, Scheme, make_scheme
from orbtile.palette.states import State
from orbtile.protocol.registration import Glyph, Icon, Palette, Registration
from orbtile.protocol.session import SessionUpdate
from tests.fakes.codec import images_of
from tests.fakes.hosts import AdapterClient, Host, make_registration, make_update

UID = "dev.example/local/run-7"
PALETTE = Palette(
    base_hue=270.0, chroma=1.1, lightness=0.01, attention_hue=330.0, states={State.THINKING: "#eab308"}
)
COLOURFUL = replace(make_registration(), palette=PALETTE)
RED = Icon(png=b"red")
BLUE = Icon(png=b"blue")
RED_IMAGES = images_of(b"red")
BLUE_IMAGES = images_of(b"blue")

API = Settings(api_enabled=True)
ONE_ALARM = replace(API, anchor_attention=True)
GLYPHS_ONLY = replace(API, provider_app_icon=False)


@pytest.fixture
def host() -> Host:
    return Host()


def scheme_of(palette: Palette, *, is_anchored: bool = False) -> Scheme:
    return make_scheme(palette.source, anchor_attention=is_anchored)


def with_icon(icon: Icon | None) -> Registration:
    return replace(make_registration(), icon=icon)


def wearing(host: Host, icon: Icon, images: IconImages | None) -> AdapterClient:
    """An allowed adapter with a session and an icon."""
    adapter = host.adapter()
    adapter.register(with_icon(icon), icon=images)
    assert adapter.allow()
    adapter.update()
    host.take_published()
    return adapter


# --- colours ------------------------------------------------------------------------------------------------


def test_a_registration_shows_in_its_own_colours(host: Host) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    adapter.update()
    assert adapter.view().scheme is scheme_of(PALETTE)
    assert adapter.view().user_hue_deg is None
    assert adapter.session().scheme is scheme_of(PALETTE)


def test_the_users_hue_replaces_every_colour_of_the_adapter_and_keeps_chroma_and_lightness(
    host: Host,
) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    adapter.update()
    host.take_published()
    assert host.service.set_hue("dev.example", 150.0)
    chosen = Palette(base_hue=150.0, chroma=1.1, lightness=0.01)
    assert adapter.view().user_hue_deg == 150.0
    assert adapter.view().scheme is adapter.session().scheme is scheme_of(chosen)
    assert adapter.view().registration == COLOURFUL
    assert host.take_published() == [Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"}))]


def test_the_effective_palette_is_what_the_hue_ring_previews() -> None:
    assert effective_palette(PALETTE, None) is PALETTE
    assert effective_palette(PALETTE, 150.0).source == PALETTE.source.with_user_hue(150.0)


def test_resetting_the_hue_brings_the_adapters_colours_back(host: Host) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    own = adapter.view().scheme
    host.service.set_hue("dev.example", 150.0)
    assert host.service.set_hue("dev.example", None)
    assert adapter.view().scheme is own
    assert adapter.view().user_hue_deg is None


def test_the_same_hue_again_says_nothing(host: Host) -> None:
    host.allowed()
    host.service.set_hue("dev.example", 150.0)
    host.take_published()
    assert host.service.set_hue("dev.example", 150.0)
    assert host.take_published() == []


@pytest.mark.parametrize("hue_deg", [0, 0.0, 359.999])
def test_every_hue_can_be_chosen(host: Host, hue_deg: float) -> None:
    adapter = host.registered()
    assert host.service.set_hue("dev.example", hue_deg)
    assert adapter.view().user_hue_deg == hue_deg


@pytest.mark.parametrize("hue_deg", [-0.1, 360.0, float("nan"), float("inf")])
def test_what_is_no_hue_is_a_fault_of_the_caller(host: Host, hue_deg: float) -> None:
    adapter = host.registered()
    with pytest.raises(ValueError, match=str(hue_deg)):
        host.service.set_hue("dev.example", hue_deg)
    assert adapter.view().user_hue_deg is None


def test_a_hue_is_for_adapters_that_are_remembered(host: Host) -> None:
    host.service.add_source(SourceInfo(source_id="codex", registration=make_registration("Codex")))
    assert not host.service.set_hue("dev.unknown", 150.0)
    assert not host.service.set_hue("codex", 150.0)
    assert host.store.consents == []


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_hue_concerns_neither_fingerprint_nor_consent(host: Host, is_allowed: bool) -> None:
    adapter = host.allowed() if is_allowed else host.registered()
    adapter.update()
    before = adapter.view()
    host.service.set_hue("dev.example", 150.0)
    after = adapter.view()
    assert (after.fingerprint, after.consent, after.allowed, after.changed_fields) == (
        before.fingerprint,
        before.consent,
        before.allowed,
        before.changed_fields,
    )
    assert adapter.register().enabled is is_allowed
    assert (adapter.state() is not None) is is_allowed


def test_a_hue_is_saved_at_once_and_outlives_a_restart(host: Host) -> None:
    host.allowed(registration=COLOURFUL)
    host.service.set_hue("dev.example", 150.0)
    after = Host(consents=host.store.consents[-1]).adapter()
    assert after.view().user_hue_deg == 150.0
    assert after.view().scheme is scheme_of(effective_palette(PALETTE, 150.0))


def test_another_registration_keeps_the_users_hue(host: Host) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    host.service.set_hue("dev.example", 150.0)
    adapter.unregister()
    adapter.register(replace(COLOURFUL, palette=Palette(base_hue=200.0, chroma=0.6)))
    assert adapter.view().scheme is scheme_of(Palette(base_hue=150.0, chroma=0.6))


def test_a_forgotten_adapter_comes_back_in_its_own_colours(host: Host) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    host.service.set_hue("dev.example", 150.0)
    host.service.forget("dev.example")
    adapter.register()
    assert adapter.view().user_hue_deg is None
    assert adapter.view().scheme is scheme_of(PALETTE)


def test_one_alarm_colour_for_all_agents_recolours_all_and_back(host: Host) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    adapter.update()
    host.service.add_source(SourceInfo(source_id="codex", registration=make_registration("Codex")))
    host.take_published()
    host.service.change_settings(ONE_ALARM)
    assert adapter.view().scheme is adapter.session().scheme is scheme_of(PALETTE, is_anchored=True)
    assert host.take_published() == [
        Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example", "codex"}), settings=True)
    ]
    host.service.set_hue("dev.example", 150.0)
    chosen = effective_palette(PALETTE, 150.0)
    assert adapter.session().scheme is scheme_of(chosen, is_anchored=True)
    host.service.change_settings(API)
    assert adapter.session().scheme is scheme_of(chosen)


def test_settings_that_hold_at_the_start_colour_what_is_remembered() -> None:
    record = ConsentRecord("dev.example", Decision.ALLOWED, COLOURFUL, COLOURFUL, 0.0, user_hue_deg=20.0)
    view = Host(settings=ONE_ALARM, consents=[record]).adapter().view()
    assert view.scheme is scheme_of(effective_palette(PALETTE, 20.0), is_anchored=True)
    assert view.scheme.resolved_base_hue_deg == 345.9


def test_settings_about_other_things_recolour_nothing(host: Host) -> None:
    host.allowed().update()
    host.take_published()
    host.service.change_settings(replace(API, reduce_motion=True, key_glyph=False))
    assert host.take_published() == [Changes(settings=True)]


def test_a_built_in_agent_has_colours_an_icon_and_a_symbol(host: Host) -> None:
    registration = replace(COLOURFUL, icon=RED, glyph=Glyph(symbol="terminal"))
    host.service.add_source(SourceInfo(source_id="codex", registration=registration))
    uid = host.service.source_update("codex", "s1", make_update())
    assert host.service.icons_to_render() == [RED]
    host.service.keep_icon(RED, RED_IMAGES)
    view, session = host.service.adapter("codex"), host.service.session(uid)
    assert view is not None
    assert session is not None
    assert view.scheme is view.allowed_scheme is session.scheme is scheme_of(PALETTE)
    assert view.icon == view.allowed_icon == session.icon == RED_IMAGES
    assert session.symbol == "terminal"
    host.service.remove_source("codex")
    assert host.service.rendered_icon(RED) is None


def test_the_symbol_is_the_glyphs(host: Host) -> None:
    adapter = host.allowed(registration=replace(make_registration(), glyph=Glyph(monogram="EA")))
    adapter.update()
    assert adapter.session().symbol is None
    adapter.register(replace(make_registration(), glyph=Glyph(symbol="hammer.fill", monogram="EA")))
    assert (adapter.session().symbol, adapter.session().monogram) == ("hammer.fill", "EA")


# --- no needless work ---------------------------------------------------------------------------------------


def test_updates_of_sessions_come_nowhere_near_the_generator(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    adapter.update()
    own = adapter.view().scheme
    asked: list[PaletteSource] = []

    def refuse(source: PaletteSource, *, anchor_attention: bool = False) -> Scheme:
        asked.append(source)
        return make_scheme(source, anchor_attention=anchor_attention)

    monkeypatch.setattr(appearance, "make_scheme", refuse)
    for step in range(20):
        adapter.update(update=SessionUpdate(status_detail=f"step {step}"))
        adapter.update(f"new {step}")
    adapter.register()
    adapter.register(replace(COLOURFUL, version="2"))
    adapter.heartbeat()
    assert asked == []
    assert adapter.session().scheme is own


def test_what_is_previewed_meanwhile_changes_nobodys_colours(host: Host) -> None:
    """The generator keeps 128 schemes; a hue ring shows more than that."""
    adapter = host.allowed(registration=COLOURFUL)
    adapter.update()
    host.take_published()
    for hue_deg in range(200):
        make_scheme(PaletteSource(hue_deg + 0.25))
    adapter.update("another")
    [changes] = host.take_published()
    assert changes.sessions == {"dev.example/local/another"}


# --- what was allowed, for a banner that shows old and new --------------------------------------------------


def test_a_new_adapter_has_no_old_look(host: Host) -> None:
    view = host.registered(registration=with_icon(RED)).view()
    assert (view.allowed_scheme, view.allowed_icon) == (None, None)


def test_other_state_colours_ask_for_a_new_allow_and_show_old_and_new(host: Host) -> None:
    adapter = host.allowed(registration=COLOURFUL)
    adapter.update()
    other = replace(PALETTE, states={State.THINKING: "#22c55e"})
    assert not adapter.register(replace(COLOURFUL, palette=other)).enabled
    view = adapter.view()
    assert (view.consent, view.changed_fields) == (Consent.AWAITING, ("palette.states",))
    assert view.scheme is scheme_of(other)
    assert view.allowed_scheme is scheme_of(PALETTE)
    assert adapter.state() is None
    adapter.allow()
    assert adapter.view().allowed_scheme is adapter.session().scheme is scheme_of(other)


def test_another_icon_asks_for_a_new_allow_and_shows_old_and_new(host: Host) -> None:
    adapter = wearing(host, RED, RED_IMAGES)
    assert not adapter.register(with_icon(BLUE), icon=BLUE_IMAGES).enabled
    view = adapter.view()
    assert (view.consent, view.changed_fields) == (Consent.AWAITING, ("icon",))
    assert (view.allowed_icon, view.icon) == (RED_IMAGES, BLUE_IMAGES)
    adapter.allow()
    assert adapter.view().allowed_icon == adapter.session().icon == BLUE_IMAGES
    assert host.service.rendered_icon(RED) is None


@pytest.mark.parametrize(
    ("old", "new"), [(None, RED), (RED, None), (RED, Icon(png=b"red", app_bundle_id="com.example.agent"))]
)
def test_an_icon_that_comes_or_goes_asks_too(host: Host, old: Icon | None, new: Icon | None) -> None:
    adapter = host.allowed(registration=with_icon(old))
    assert not adapter.register(with_icon(new), icon=None if new is None else RED_IMAGES).enabled
    assert adapter.view().changed_fields == ("icon",)


def test_old_and_new_are_known_after_a_restart(host: Host) -> None:
    adapter = wearing(host, RED, RED_IMAGES)
    adapter.register(
        replace(with_icon(BLUE), palette=Palette(base_hue=200.0, states={State.DONE: "#22c55e"})),
        icon=BLUE_IMAGES,
    )
    host.service.flush()
    after = Host(consents=host.store.consents[-1])
    view = after.adapter().view()
    assert view.allowed_scheme is scheme_of(make_registration().palette)
    assert view.scheme is scheme_of(Palette(base_hue=200.0, states={State.DONE: "#22c55e"}))
    assert (view.allowed_icon, view.icon) == (None, None)
    assert after.service.icons_to_render() == [BLUE, RED]
    after.service.keep_icon(RED, RED_IMAGES)
    after.service.keep_icon(BLUE, BLUE_IMAGES)
    view = after.adapter().view()
    assert (view.allowed_icon, view.icon) == (RED_IMAGES, BLUE_IMAGES)
    assert after.service.icons_to_render() == []


# --- icons --------------------------------------------------------------------------------------------------


def test_rows_and_lists_show_the_icon_that_came_with_the_registration(host: Host) -> None:
    adapter = wearing(host, RED, RED_IMAGES)
    assert adapter.view().icon == adapter.session().icon == RED_IMAGES


def test_a_registration_without_the_icon_clears_it(host: Host) -> None:
    adapter = wearing(host, RED, RED_IMAGES)
    adapter.register(with_icon(None))
    assert adapter.view().icon is None
    assert adapter.view().allowed_icon == RED_IMAGES
    adapter.allow()
    assert adapter.session().icon is None


def test_an_application_that_was_removed_takes_its_icon_along(host: Host) -> None:
    icon = Icon(app_bundle_id="com.example.agent")
    adapter = wearing(host, icon, RED_IMAGES)
    assert adapter.register(with_icon(icon), icon=None).enabled
    assert adapter.view().icon is adapter.session().icon is None
    assert host.take_published() == [Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"}))]


def test_the_same_icon_again_says_nothing(host: Host) -> None:
    adapter = wearing(host, RED, RED_IMAGES)
    adapter.register(with_icon(RED), icon=images_of(b"red"))
    assert host.take_published() == []


def test_adapters_with_the_same_icon_share_its_images(host: Host) -> None:
    host.registered("dev.other", with_icon(RED))
    wearing(host, RED, RED_IMAGES)
    assert host.adapter("dev.other").view().icon == RED_IMAGES


def test_the_user_may_prefer_glyphs(host: Host) -> None:
    adapter = wearing(host, RED, RED_IMAGES)
    host.service.change_settings(GLYPHS_ONLY)
    view = adapter.view()
    assert view.icon is view.allowed_icon is adapter.session().icon is None
    assert host.take_published() == [
        Changes(sessions=frozenset({UID}), adapters=frozenset({"dev.example"}), settings=True)
    ]
    host.service.change_settings(API)
    assert adapter.view().icon == adapter.session().icon == RED_IMAGES


def test_icons_that_are_remembered_are_to_be_rendered_each_once(host: Host) -> None:
    host.service.add_source(SourceInfo(source_id="codex", registration=make_registration("Codex")))
    for name, icon in (("dev.a", RED), ("dev.b", BLUE), ("dev.c", RED), ("dev.d", None)):
        host.registered(name, with_icon(icon))
    assert host.service.icons_to_render() == [RED, BLUE]
    host.service.keep_icon(RED, RED_IMAGES)
    assert host.service.icons_to_render() == [BLUE]
    assert host.adapter("dev.a").view().icon == host.adapter("dev.c").view().icon == RED_IMAGES
    assert host.service.rendered_icon(RED) == RED_IMAGES


def test_an_icon_that_is_rendered_too_late_is_not_kept(host: Host) -> None:
    host.registered(registration=with_icon(RED))
    host.service.forget("dev.example")
    host.take_published()
    host.service.keep_icon(RED, RED_IMAGES)
    assert host.service.rendered_icon(RED) is None
    assert host.take_published() == []


def test_nothing_is_kept_of_who_is_forgotten(host: Host) -> None:
    wearing(host, RED, RED_IMAGES)
    host.service.forget("dev.example")
    assert host.service.rendered_icon(RED) is None
    assert host.service._appearance._schemes == {}


def test_nothing_is_kept_of_the_33rd_adapter_either(host: Host) -> None:
    for index in range(40):
        host.advance(1.0)
        adapter = host.adapter(f"dev.a{index}")
        adapter.register(with_icon(Icon(png=b"%d" % index)), icon=images_of(b"%d" % index))
        adapter.unregister()
    assert len(host.service._appearance._shelf) == 32
    assert len(host.service._appearance._schemes) == 32
