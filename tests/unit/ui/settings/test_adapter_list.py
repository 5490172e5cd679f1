from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QPainter

from orbtile.host.views import AdapterView, Consent
from orbtile.ui.settings.adapter_list import (
    AdapterItem,
    AdapterList,
    AdapterState,
    adapter_state,
    paint_state_shape,
    state_word,
)
from orbtile.ui.theme import Theme
from tests.fakes.hosts import Host, make_registration


def view(adapter_id: str = "dev.quill", name: str = "Quill") -> AdapterView:
    return Host().allowed(adapter_id, make_registration(name)).view()


@pytest.mark.parametrize(
    ("consent", "connected", "changed", "state"),
    [
        (Consent.ALLOWED, True, False, AdapterState.CONNECTED),
        (Consent.ALLOWED, False, False, AdapterState.DISCONNECTED),
        (Consent.AWAITING, True, False, AdapterState.ASKS_TO_CONNECT),
        (Consent.AWAITING, True, True, AdapterState.ASKS_AGAIN),
        (Consent.AWAITING, False, True, AdapterState.DISCONNECTED),
        (Consent.DENIED, True, False, AdapterState.DENIED),
        (Consent.DENIED, False, True, AdapterState.DENIED),
    ],
)
def test_the_state_of_an_adapter(
    consent: Consent, *, connected: bool, changed: bool, state: AdapterState
) -> None:
    shown = replace(
        view(),
        consent=consent,
        connected=connected,
        changed_fields=("name",) if changed else (),
    )
    assert adapter_state(shown) is state


def test_every_state_has_a_word_of_its_own() -> None:
    assert len({state_word(state) for state in AdapterState}) == len(AdapterState)


def test_the_shapes_differ_without_colour() -> None:
    shapes = set()
    for state in AdapterState:
        picture = QImage(10, 10, QImage.Format.Format_ARGB32)
        picture.fill(0)
        painter = QPainter(picture)
        paint_state_shape(painter, state, QPointF(5, 5), Qt.GlobalColor.black)  # type: ignore[arg-type]
        painter.end()
        shapes.add(bytes(picture.constBits()))
    # a first and a second request share the diamond: the word tells them apart
    assert len(shapes) == len(AdapterState) - 1


@pytest.mark.parametrize("direction", list(Qt.LayoutDirection)[:2])
@pytest.mark.parametrize("connected", [True, False])
def test_an_item_paints_itself_in_both_directions(
    theme: Theme, direction: Qt.LayoutDirection, *, connected: bool
) -> None:
    holder = AdapterList(theme)
    item = AdapterItem(theme, replace(view(), connected=connected), holder)
    item.setLayoutDirection(direction)
    item.resize(item.sizeHint())
    plain = item.grab().toImage()
    item.setChecked(True)
    assert item.grab().toImage() != plain


def test_a_new_one_comes_last_and_sorting_is_by_state_then_name(theme: Theme) -> None:
    one, two = view("a.one", "One"), replace(view("b.two", "Two"), connected=False)
    new = view("c.new", "New")
    shown = AdapterList(theme)
    shown.set_views([two, one])
    assert [item.view.adapter_id for item in shown.items] == ["a.one", "b.two"]
    shown.set_views([new, two, one])
    assert [item.view.adapter_id for item in shown.items] == ["a.one", "b.two", "c.new"]
    shown.set_views([new, two, one], sort=True)
    assert [item.view.adapter_id for item in shown.items] == ["c.new", "a.one", "b.two"]


def test_an_emptied_list_has_nothing_selected(theme: Theme) -> None:
    shown = AdapterList(theme)
    shown.set_views([view()])
    assert shown.selected_id == "dev.quill"
    shown.set_views([])
    assert shown.selected_id == ""
    shown.focus_selected(Qt.FocusReason.OtherFocusReason)
