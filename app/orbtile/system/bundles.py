"""What this system knows about the application that an adapter's ``icon.appBundleId`` names (spec "Adapter
icon" and "Developer warnings").

Owns the two warnings, and which system has which applications: macOS by bundle identifier, Linux by the
``.desktop`` file of that id, Windows none. Must not judge or scale a picture.
"""

import os
import sys
from collections.abc import Callable

from orbtile.system.paths import Platform

if sys.platform == "darwin":
    from orbtile.system.macos_api import has_application
    from orbtile.system.macos_icons import application_icon
else:
    from orbtile.system.desktop_icons import find_icon, icon_folders
    from orbtile.system.installed_files import InstalledFiles
    from orbtile.system.machine import read_machine

    def has_application(bundle_id: str) -> bool:
        """Only Macs have applications with bundle identifiers."""
        del bundle_id
        return False

    def application_icon(bundle_id: str) -> bytes | None:
        """Where applications have desktop file ids; a desktop's environment says where they are."""
        return find_icon(bundle_id, icon_folders(os.environ, read_machine().home), InstalledFiles())


class SystemBundles:
    """Implements ``host.ports.AppBundles``. On Linux an application that is missing is passed over in
    silence: the specification gives no text for it.
    """

    def __init__(
        self,
        platform: Platform,
        is_installed: Callable[[str], bool] = has_application,
        find_application_icon: Callable[[str], bytes | None] = application_icon,
    ) -> None:
        self._platform = platform
        self._is_installed = is_installed
        self._find_icon = find_application_icon

    def warnings(self, bundle_id: str) -> list[str]:
        if self._platform is Platform.WINDOWS:
            return ["icon.appBundleId is ignored on Windows; send icon.png to show an icon on every platform"]
        if self._platform is Platform.MACOS and not self._is_installed(bundle_id):
            return [f"icon.appBundleId '{bundle_id}' is not installed on this Mac; using the fallback icon"]
        return []

    def icon_png(self, bundle_id: str) -> bytes | None:
        if self._platform is Platform.WINDOWS:
            return None
        return self._find_icon(bundle_id)
