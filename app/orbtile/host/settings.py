"""The user's settings: few, frozen, each documented. Unknown keys of the file are kept by storage, not here.

Owns names, defaults and allowed values. Must not know files or widgets.
"""

from dataclasses import dataclass
from enum import StrEnum


class Theme(StrEnum):
    """Light or dark, or as the system is."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class TrayInk(StrEnum):
    """The tray panel's colour is unknown on Linux: follow the colour scheme, or let the user force it
    (TOKENS).
    """

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``api_enabled``: the Adapter API switch, off by default (file key ``adapterApi.enabled``).

    ``theme`` (``theme``), ``reduce_motion`` (``reduceMotion``), ``tray_panel`` (``trayPanel``: the panel's
    shade). ``anchor_attention`` (``oneAlarmColour``): every waiting orb is terracotta. ``key_glyph``
    (``keyGlyph``): rows and keys show the agent's icon or glyph. ``provider_app_icon`` (``providerAppIcon``):
    an agent's own icon is used; otherwise its glyph.
    """

    api_enabled: bool = False
    theme: Theme = Theme.SYSTEM
    reduce_motion: bool = False
    tray_panel: TrayInk = TrayInk.AUTO
    anchor_attention: bool = False
    key_glyph: bool = True
    provider_app_icon: bool = True
