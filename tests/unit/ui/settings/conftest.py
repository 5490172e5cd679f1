import pytest

from orbtile.ui.theme import Theme
from tests.fakes.settings_window import OpenSettings


@pytest.fixture
def settings(theme: Theme) -> OpenSettings:
    """Open, with the Adapter API on and no adapter."""
    return OpenSettings(theme)
