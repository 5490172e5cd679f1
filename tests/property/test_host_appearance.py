"""Whatever the user and the adapters do in whatever order, everybody looks as the last of it says.

The model knows registrations, the user's choices and the generator; it remembers no scheme, and of pictures
only which of them somebody has.
"""

from dataclasses import dataclass, replace

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from orbtile.host.icons import IconImages
from orbtile.host.records import ConsentRecord
from orbtile.host.settings import Settings
from orbtile.palette.scheme import Scheme, make_scheme
from orbtile.palette.states import State
from orbtile.protocol.registration import Icon, Palette, Registration, fingerprint
from tests.fakes.codec import images_of
from tests.fakes.hosts import AdapterClient, Host, make_registration

pytestmark = pytest.mark.slow

ADAPTERS = ["dev.a", "dev.b", "dev.c"]
APP = Icon(app_bundle_id="com.example.agent")

adapter_ids = st.sampled_from(ADAPTERS)
hues = st.sampled_from([0.0, 30.9, 150.0]) | st.floats(0, 360, exclude_max=True)
palettes = st.builds(
    Palette,
    base_hue=st.sampled_from([150.0, 270.0, 10.0]),
    chroma=st.sampled_from([1.0, 0.6]),
    attention_hue=st.sampled_from([None, 330.0]),
    states=st.sampled_from(
        [{}, {State.THINKING: "#eab308"}, {State.THINKING: "#eab308", State.WAITING_PERMISSION: "#ef4444"}]
    ),
)
icons = st.sampled_from([None, Icon(png=b"red"), Icon(png=b"blue"), APP])


@dataclass
class ModelAdapter:
    seen: Registration
    allowed: Registration | None = None
    user_hue_deg: float | None = None
    is_denied: bool = False


class AppearanceMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.host = Host()
        self.adapters: dict[str, ModelAdapter] = {}
        self.settings = Settings(api_enabled=True)
        self.pictures: dict[Icon, IconImages] = {}
        self.is_app_installed = True
        self.records: list[ConsentRecord] = []

    # --- what the model says ----------------------------------------------------------------------------

    def scheme(self, adapter: ModelAdapter, registration: Registration) -> Scheme:
        source = registration.palette.source
        if adapter.user_hue_deg is not None:
            source = source.with_user_hue(adapter.user_hue_deg)
        return make_scheme(source, anchor_attention=self.settings.anchor_attention)

    def picture(self, registration: Registration, *, is_asked: bool) -> IconImages | None:
        """Whoever is asked about another icon sees both, also where glyphs are preferred."""
        if registration.icon is None or not (self.settings.provider_app_icon or is_asked):
            return None
        return self.pictures.get(registration.icon)

    def worn(self) -> set[Icon]:
        registrations = [one for adapter in self.adapters.values() for one in (adapter.seen, adapter.allowed)]
        return {one.icon for one in registrations if one is not None and one.icon is not None}

    def rendered(self, icon: Icon | None) -> IconImages | None:
        if icon is None or (icon == APP and not self.is_app_installed):
            return None
        return images_of(icon.png or b"installed")

    def client(self, adapter_id: str) -> AdapterClient:
        return self.host.adapter(adapter_id)

    # --- what happens -----------------------------------------------------------------------------------

    @rule(adapter_id=adapter_ids, palette=palettes, icon=icons)
    def register(self, adapter_id: str, palette: Palette, icon: Icon | None) -> None:
        registration = replace(make_registration(), palette=palette, icon=icon)
        images = self.rendered(icon)
        self.host.advance(0.5)
        reply = self.client(adapter_id).register(registration, icon=images)
        adapter = self.adapters.setdefault(adapter_id, ModelAdapter(registration))
        adapter.seen = registration
        if icon is not None and images is None:
            self.pictures.pop(icon, None)
        elif icon is not None and images is not None:
            self.pictures[icon] = images
        scheme = self.scheme(adapter, registration)
        assert reply.warnings == scheme.warnings
        assert reply.resolved_base_hue == scheme.resolved_base_hue_deg
        own = palette if adapter.user_hue_deg is None else None
        assert reply.palette == (
            own
            or Palette(base_hue=reply.palette.base_hue, chroma=palette.chroma, lightness=palette.lightness)
        )
        assert reply.palette.base_hue in {palette.base_hue, adapter.user_hue_deg}
        assert reply.enabled is self.is_visible(adapter)

    def is_visible(self, adapter: ModelAdapter) -> bool:
        return (
            not adapter.is_denied
            and adapter.allowed is not None
            and fingerprint(adapter.allowed) == fingerprint(adapter.seen)
        )

    @rule(adapter_id=adapter_ids)
    def show_a_session(self, adapter_id: str) -> None:
        view = self.host.service.adapter(adapter_id)
        if view is not None and view.connected:
            self.client(adapter_id).update()

    @rule(adapter_id=adapter_ids, is_allow=st.booleans())
    def decide(self, adapter_id: str, is_allow: bool) -> None:
        adapter = self.adapters.get(adapter_id)
        if adapter is None:
            return
        if is_allow:
            assert self.client(adapter_id).allow()
            adapter.allowed, adapter.is_denied = adapter.seen, False
        else:
            assert self.client(adapter_id).deny()
            adapter.is_denied = True

    @rule(adapter_id=adapter_ids, hue_deg=hues | st.none())
    def set_hue(self, adapter_id: str, hue_deg: float | None) -> None:
        adapter = self.adapters.get(adapter_id)
        assert self.host.service.set_hue(adapter_id, hue_deg) is (adapter is not None)
        if adapter is not None:
            adapter.user_hue_deg = hue_deg

    @rule(is_anchored=st.booleans(), shows_icons=st.booleans())
    def change_settings(self, is_anchored: bool, shows_icons: bool) -> None:
        self.settings = replace(self.settings, anchor_attention=is_anchored, provider_app_icon=shows_icons)
        self.host.service.change_settings(self.settings)

    @rule(adapter_id=adapter_ids)
    def forget(self, adapter_id: str) -> None:
        self.host.service.forget(adapter_id)
        self.adapters.pop(adapter_id, None)

    @rule(is_installed=st.booleans())
    def install(self, is_installed: bool) -> None:
        self.is_app_installed = is_installed

    @rule()
    def restart(self) -> None:
        self.host.service.flush()
        if self.host.store.consents:
            self.records = self.host.store.consents[-1]
        self.host = Host(settings=self.settings, consents=self.records)
        self.pictures.clear()

    @rule()
    def render_what_is_remembered(self) -> None:
        for icon in self.host.service.icons_to_render():
            images = self.rendered(icon)
            if images is not None:
                self.host.service.keep_icon(icon, images)
                self.pictures[icon] = images

    # --- what holds after every rule --------------------------------------------------------------------

    @invariant()
    def everybody_looks_as_the_model_says(self) -> None:
        self.pictures = {icon: images for icon, images in self.pictures.items() if icon in self.worn()}
        views = {view.adapter_id: view for view in self.host.service.adapters()}
        assert views.keys() == self.adapters.keys()
        for adapter_id, adapter in self.adapters.items():
            view = views[adapter_id]
            assert view.user_hue_deg == adapter.user_hue_deg
            assert colours(view.scheme) == colours(self.scheme(adapter, adapter.seen))
            is_asked = adapter.allowed is not None and adapter.allowed.icon != adapter.seen.icon
            assert view.icon == self.picture(adapter.seen, is_asked=is_asked)
            if adapter.allowed is None:
                assert (view.allowed_scheme, view.allowed_icon) == (None, None)
            else:
                assert view.allowed_scheme is not None
                assert colours(view.allowed_scheme) == colours(self.scheme(adapter, adapter.allowed))
                assert view.allowed_icon == self.picture(adapter.allowed, is_asked=is_asked)

    @invariant()
    def rows_look_like_their_adapter(self) -> None:
        for session in self.host.service.sessions():
            view = self.client(session.adapter_id).view()
            assert session.scheme is view.scheme
            assert session.icon == view.icon

    @invariant()
    def what_is_kept_is_what_somebody_has(self) -> None:
        kept = {icon for icon in self.worn() if self.host.service.rendered_icon(icon) is not None}
        assert kept == self.pictures.keys()
        assert len(self.host.service._appearance._shelf) == len(kept)


def colours(scheme: Scheme) -> object:
    """The generator forgets, so equal schemes need not be the same one here."""
    return dict(scheme.colours), scheme.resolved_base_hue_deg, scheme.warnings


AppearanceMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestAppearanceMachine = AppearanceMachine.TestCase
