"""What this system has to say about an adapter's ``icon.appBundleId`` (spec "Adapter icon" and "Developer
warnings").

Owns the two warnings and the question whether a Mac has an application. Must not load an icon.
"""

import sys
from collections.abc import Callable

from orbtile.system.paths import Platform

if sys.platform == "darwin":
    from orbtile.system.macos_api import has_application
else:

    def has_application(bundle_id: str) -> bool:
        """Only Macs have applications with bundle identifiers."""
        del bundle_id
        return False


class SystemBundles:
    """Implements ``host.ports.AppBundles``. Linux ignores the field silently: the specification gives no text
    for it.
    """

    def __init__(self, platform: Platform, is_installed: Callable[[str], bool] = has_application) -> None:
        self._platform = platform
        self._is_installed = is_installed

    def warnings(self, bundle_id: str) -> list[str]:
        if self._platform is Platform.WINDOWS:
            return ["icon.appBundleId is ignored on Windows; send icon.png to show an icon on every platform"]
        if self._platform is Platform.MACOS and not self._is_installed(bundle_id):
            return [f"icon.appBundleId '{bundle_id}' is not installed on this Mac; using the fallback icon"]
        return []
