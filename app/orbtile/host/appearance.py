"""What agents look like: the colours and the icon of a registration under the user's own choices.

Owns the effective palette (the user's hue, the one alarm colour for all), which images are kept, and who is
to be looked at again when one of these changes. Must not make colours (``palette`` does) or pictures, nor
know who may show.

A scheme stays the same object for as long as what it is made of is in use, whatever else is generated
meanwhile: views are compared by it, and no update of a session comes near the generator.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from orbtile.host.consent import ConsentBook
from orbtile.host.icons import IconImages, IconShelf
from orbtile.host.sessions import Touched
from orbtile.host.settings import Settings
from orbtile.host.sources import Source
from orbtile.palette.scheme import PaletteSource, Scheme, make_scheme
from orbtile.protocol.registration import Icon, Palette, Registration


class Look(NamedTuple):
    """How an agent shows now, and how its last allowed registration would (None without one)."""

    scheme: Scheme
    icon: IconImages | None
    """None: the glyph."""
    allowed_scheme: Scheme | None
    allowed_icon: IconImages | None


def effective_palette(palette: Palette, user_hue_deg: float | None) -> Palette:
    """The palette in use: the user's hue replaces all colours that the adapter chose; its chroma and
    lightness stay (spec section 3 "State colours").
    """
    if user_hue_deg is None:
        return palette
    chosen = palette.source.with_user_hue(user_hue_deg)
    return Palette(base_hue=chosen.base_hue_deg, chroma=chosen.chroma, lightness=chosen.lightness)


class Appearance:
    """The looks of everybody in ``book`` and ``sources``. ``touched`` gets who may look different by what was
    done here; a changed registration or hue is for others to notice.
    """

    def __init__(
        self, settings: Settings, book: ConsentBook, sources: Mapping[str, Source], touched: Touched
    ) -> None:
        self._settings = settings
        self._book = book
        self._sources = sources
        self._touched = touched
        self._shelf = IconShelf()
        self._schemes: dict[str, dict[PaletteSource, Scheme]] = {}
        """The one or two schemes of each adapter id, under the settings that hold now."""

    def look(
        self,
        adapter_id: str,
        registration: Registration,
        allowed: Registration | None,
        user_hue_deg: float | None = None,
    ) -> Look:
        """How ``adapter_id`` looks; what did not change since the last call is not generated again."""
        before = self._schemes.get(adapter_id, {})
        schemes = self._schemes[adapter_id] = {}

        def scheme_of(one: Registration) -> Scheme:
            source = effective_palette(one.palette, user_hue_deg).source
            scheme = before.get(source) or make_scheme(
                source, anchor_attention=self._settings.anchor_attention
            )
            return schemes.setdefault(source, scheme)

        # Where the user is asked about another icon, both are shown even to one who prefers glyphs.
        is_asked = allowed is not None and allowed.icon != registration.icon
        return Look(
            scheme=scheme_of(registration),
            icon=self._images(registration, is_asked=is_asked),
            allowed_scheme=None if allowed is None else scheme_of(allowed),
            allowed_icon=None if allowed is None else self._images(allowed, is_asked=is_asked),
        )

    def change_settings(self, settings: Settings) -> None:
        """Take over what the user chose for all agents."""
        before, self._settings = self._settings, settings
        is_recoloured = settings.anchor_attention != before.anchor_attention
        if is_recoloured:
            self._schemes.clear()
        if is_recoloured or settings.provider_app_icon != before.provider_app_icon:
            self._touched.adapters.update(self._book.ids(), self._sources)

    # --- icons ------------------------------------------------------------------------------------------

    def put_icon(self, icon: Icon, images: IconImages | None) -> None:
        """``icon`` was rendered; None: there is no picture of it now. Nothing is kept for what nobody has."""
        wearers = {adapter_id for adapter_id, worn in self._worn() if worn == icon}
        if wearers and self._shelf.get(icon) != images:
            self._shelf.put(icon, images)
            self._touched.adapters.update(wearers)

    def images(self, icon: Icon) -> IconImages | None:
        """What ``icon`` was rendered to, if that is kept."""
        return self._shelf.get(icon)

    def icons_to_render(self) -> list[Icon]:
        """The icons that somebody has and nobody rendered yet, each once."""
        return [icon for icon in dict.fromkeys(icon for _, icon in self._worn()) if icon not in self._shelf]

    def tidy(self) -> None:
        """Keep nothing of those who are gone, nor of what they do not use any more."""
        self._shelf.keep_only(icon for _, icon in self._worn())
        for adapter_id in self._schemes.keys() - self._sources.keys():
            if self._book.get(adapter_id) is None:
                del self._schemes[adapter_id]

    def _images(self, registration: Registration, *, is_asked: bool) -> IconImages | None:
        if registration.icon is None or not (self._settings.provider_app_icon or is_asked):
            return None
        return self._shelf.get(registration.icon)

    def _worn(self) -> Iterator[tuple[str, Icon]]:
        """Who has which icon, or had it when the user allowed it."""
        for adapter_id in self._book.ids():
            adapter = self._book[adapter_id]
            for registration in (adapter.registration, adapter.allowed):
                if registration is not None and registration.icon is not None:
                    yield adapter_id, registration.icon
        for source_id, source in self._sources.items():
            if source.registration.icon is not None:
                yield source_id, source.registration.icon
