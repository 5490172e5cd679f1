"""What a registration's reply says about colours, and when the user is asked again, over a real socket."""

import json
import socket
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial

import pytest

from orbtile.host.icons import IconImages
from orbtile.host.settings import Settings
from orbtile.host.views import AdapterView, Consent
from orbtile.palette.scheme import PaletteSource, make_scheme
from orbtile.palette.states import State
from orbtile.protocol.fields import JsonObject, JsonValue
from tests.fakes.bodies import base64_of, png
from tests.fakes.hosts import ADAPTER_ID
from tests.fakes.renderer import IMAGES
from tests.fakes.served import ADAPTER, Reply, Served, parse_reply, read_all

pytestmark = [
    pytest.mark.socket,
    pytest.mark.parametrize("served", ["unix", "tcp"], indirect=True),
]

STATES: JsonObject = {
    "thinking": "#eab308",
    "waitingPermission": "#ef4444",
    "done": "#22c55e",
    "idle": "#6b7280",
}
SESSION = f"{ADAPTER}/sessions/run-7"
STARTED: JsonObject = {"title": "fix flaky test", "activity": "thinking"}
NEAR_ERROR = (
    "state 'waitingPermission' hue 25.3 is within 15° of the error hue (30.9°), "
    "so it can be hard to tell apart from Error"
)
OTHER_IMAGES = IconImages(b"28 other pixels", b"56 other pixels")


def register(served: Served, palette: JsonObject, *lines: str, **fields: JsonValue) -> Reply:
    return served.ask("PUT", ADAPTER, {"name": "Example", "palette": palette, **fields}, *lines)


def about_colours(reply: Reply) -> tuple[JsonValue, JsonValue]:
    """The palette and the hue that the reply names."""
    assert reply.status in {200, 201}
    adapter = reply.json["adapter"]
    assert isinstance(adapter, dict)
    return adapter["palette"], adapter["resolvedBaseHue"]


def warnings(reply: Reply) -> list[JsonValue]:
    found = reply.json.get("warnings", [])
    assert isinstance(found, list)
    return found


def view(served: Served) -> AdapterView:
    found = served.on_loop(lambda: served.host.service.adapter(ADAPTER_ID))
    assert found is not None
    return found


def allow(served: Served) -> None:
    assert served.on_loop(served.host.adapter().allow)


def set_hue(served: Served, hue_deg: float | None) -> None:
    assert served.on_loop(lambda: served.host.service.set_hue(ADAPTER_ID, hue_deg))


# --- colours ------------------------------------------------------------------------------------------------


def test_a_plain_palette_comes_back_as_it_was_sent(served: Served) -> None:
    reply = register(served, {"baseHue": 150})
    assert about_colours(reply) == ({"baseHue": 150}, 150)
    assert warnings(reply) == list(make_scheme(PaletteSource(150.0)).warnings)


@pytest.mark.parametrize(
    ("hue", "resolved"), [(10, 345.9), (30.9, 75.9), (350, 345.9), (75.9, 75.9), (345.9, 345.9)]
)
def test_a_hue_in_the_reserved_arc_is_kept_in_the_palette_and_moved_in_use(
    served: Served, hue: float, resolved: float
) -> None:
    reply = register(served, {"baseHue": hue})
    assert about_colours(reply) == ({"baseHue": hue}, resolved)
    moved = f"palette.baseHue {hue:g} is inside the reserved arc 345.9..75.9; using {resolved}"
    assert (moved in warnings(reply)) is (hue != resolved)
    assert view(served).scheme.resolved_base_hue_deg == resolved


def test_explicit_states_come_back_and_one_near_the_error_is_warned_about_and_not_moved(
    served: Served,
) -> None:
    reply = register(served, {"baseHue": 270, "states": STATES})
    assert about_colours(reply) == ({"baseHue": 270, "states": STATES}, 270)
    assert NEAR_ERROR in warnings(reply)
    assert view(served).scheme[State.WAITING_PERMISSION].ramp.hi == "#ef4444"


def test_the_reply_names_what_the_generator_noted_then_unknown_fields_then_the_application(
    served: Served,
) -> None:
    served.host.bundles.warned["com.example.agent"] = ["not installed"]
    palette: JsonObject = {"baseHue": 10, "attentionHue": 40, "states": STATES, "saturation": 1}
    reply = register(served, palette, icon={"appBundleId": "com.example.agent"}, flavour=1)
    noted = make_scheme(view(served).registration.palette.source).warnings
    assert len(noted) >= 3
    assert warnings(reply) == [
        *noted,
        "unknown field 'palette.saturation' ignored",
        "unknown field 'flavour' ignored",
        "not installed",
    ]
    assert view(served).warnings == tuple(warnings(reply))


def test_the_users_hue_is_the_effective_palette_until_it_is_reset(served: Served) -> None:
    sent: JsonObject = {
        "baseHue": 10,
        "chroma": 1.2,
        "lightness": 0.02,
        "attentionHue": 330,
        "states": STATES,
    }
    first = register(served, sent)
    allow(served)
    set_hue(served, 200.5)
    chosen = register(served, sent)
    assert about_colours(chosen) == ({"baseHue": 200.5, "chroma": 1.2, "lightness": 0.02}, 200.5)
    assert warnings(chosen) == list(make_scheme(PaletteSource(200.5, 1.2, 0.02)).warnings)
    assert chosen.json["enabled"] is True, "a hue of the user's needs no new Allow"
    set_hue(served, 20)
    reserved = register(served, sent)
    assert about_colours(reserved) == ({"baseHue": 20, "chroma": 1.2, "lightness": 0.02}, 345.9)
    set_hue(served, None)
    reset = register(served, sent)
    assert about_colours(reset) == about_colours(first) == (sent, 345.9)
    assert warnings(reset) == warnings(first)


def test_one_alarm_colour_for_all_agents_leaves_the_palette_and_silences_notes_about_the_alarm(
    served: Served,
) -> None:
    palette: JsonObject = {"baseHue": 270, "states": STATES}
    served.on_loop(lambda: served.host.service.change_settings(Settings(anchor_attention=True)))
    reply = register(served, palette)
    assert about_colours(reply) == (palette, 270)
    assert NEAR_ERROR not in warnings(reply)
    served.on_loop(lambda: served.host.service.change_settings(Settings(anchor_attention=False)))
    assert NEAR_ERROR in warnings(register(served, palette))


# --- the user is asked again --------------------------------------------------------------------------------


def test_other_state_colours_ask_for_a_new_allow(served: Served) -> None:
    register(served, {"baseHue": 270, "states": STATES})
    allow(served)
    assert served.ask("POST", SESSION, STARTED).json["session"] == {
        "uid": f"{ADAPTER_ID}/local/run-7",
        "visible": True,
    }
    old = view(served)
    reply = register(served, {"baseHue": 270, "states": {**STATES, "done": "#3b82f6"}})
    assert (reply.json["enabled"], reply.json["reason"]) == (False, "awaiting_user")
    asking = view(served)
    assert (asking.consent, asking.changed_fields) == (Consent.AWAITING, ("palette.states",))
    assert asking.allowed_scheme is not None
    assert asking.allowed_scheme[State.DONE] == old.scheme[State.DONE] != asking.scheme[State.DONE]
    assert served.on_loop(served.host.service.sessions) == []
    allow(served)
    [session] = served.on_loop(served.host.service.sessions)
    assert session.scheme[State.DONE] == asking.scheme[State.DONE]


def test_another_icon_asks_for_a_new_allow(served: Served) -> None:
    palette: JsonObject = {"baseHue": 270}
    register(served, palette, icon={"png": base64_of(png(16, 16))})
    allow(served)
    served.ask("POST", SESSION, STARTED)
    served.renderer.images = OTHER_IMAGES
    reply = register(served, palette, icon={"png": base64_of(png(32, 32))})
    assert (reply.json["enabled"], reply.json["reason"]) == (False, "awaiting_user")
    asking = view(served)
    assert asking.changed_fields == ("icon",)
    assert (asking.allowed_icon, asking.icon) == (IMAGES, OTHER_IMAGES)
    assert served.on_loop(served.host.service.sessions) == []
    allow(served)
    [session] = served.on_loop(served.host.service.sessions)
    assert session.icon == OTHER_IMAGES


@pytest.mark.parametrize("cleared", [{}, {"icon": None}])
def test_an_icon_that_is_left_out_asks_too_and_the_glyph_is_back(
    served: Served, cleared: dict[str, JsonValue]
) -> None:
    register(served, {"baseHue": 270}, icon={"png": base64_of(png())})
    allow(served)
    assert register(served, {"baseHue": 270}, **cleared).json["enabled"] is False
    assert (view(served).allowed_icon, view(served).icon) == (IMAGES, None)


def test_states_that_are_written_otherwise_ask_nothing(served: Served) -> None:
    register(served, {"baseHue": 270, "states": {"done": "#22C55E", "idle": "#6b7280"}})
    allow(served)
    same = register(served, {"baseHue": 270.0, "chroma": 1, "states": {"idle": "#6B7280", "done": "#22c55e"}})
    assert same.json["enabled"] is True


# --- what happens while an icon is rendered -----------------------------------------------------------------


INTERACTIVE: JsonObject = {
    "name": "Example",
    "palette": {"baseHue": 270},
    "capabilities": ["tap"],
}
WITH_ICON = json.dumps({"name": "Example", "palette": {"baseHue": 270}, "icon": {"png": base64_of(png())}})


def begin(served: Served) -> socket.socket:
    """A registration whose icon is being rendered."""
    served.renderer.is_held = True
    sock = served.connect()
    sock.sendall(served.head("PUT", ADAPTER, length=len(WITH_ICON)) + WITH_ICON.encode())
    deadline = time.monotonic() + 10
    while not served.on_loop(lambda: served.renderer.waiting):
        assert time.monotonic() < deadline, "nothing was rendered"
    return sock


def end(served: Served, sock: socket.socket) -> Reply:
    served.on_loop(served.renderer.release)
    return parse_reply(read_all(sock))


def test_who_takes_the_id_for_itself_meanwhile_keeps_it(served: Served) -> None:
    with closing(begin(served)) as sock:
        taken = served.ask("PUT", ADAPTER, INTERACTIVE)
        assert taken.status == 201
        assert end(served, sock).refusal == (403, "adapter_token_required", None)
    assert view(served).registration.capabilities
    assert view(served).icon is None
    owner = f"X-Orbtile-Adapter-Token: {taken.json['adapterToken']}"
    assert served.ask("POST", f"{ADAPTER}/heartbeat", b"", owner).status == 204


def test_the_place_of_the_eighth_may_be_taken_meanwhile(served: Served) -> None:
    with closing(begin(served)) as sock:
        for index in range(8):
            served.on_loop(partial(served.host.registered, f"dev.other{index}"))
        assert end(served, sock).refusal == (422, "limit_exceeded", "adapterId")
    assert served.on_loop(lambda: served.host.service.adapter(ADAPTER_ID)) is None


@pytest.mark.parametrize("way", ["unregister", "forget"])
def test_a_lease_that_ended_meanwhile_stays_ended(served: Served, way: str) -> None:
    leave: dict[str, Callable[[], None]] = {
        "unregister": served.host.adapter().unregister,
        "forget": lambda: served.host.service.forget(ADAPTER_ID),
    }
    register(served, {"baseHue": 270})
    with closing(begin(served)) as sock:
        served.on_loop(leave[way])
        assert end(served, sock).refusal == (409, "registration_changed", None)
    remembered = served.on_loop(lambda: served.host.service.adapter(ADAPTER_ID))
    assert remembered is None or not remembered.connected


def test_the_users_choices_of_meanwhile_hold(served: Served) -> None:
    register(served, {"baseHue": 270})
    with closing(begin(served)) as sock:
        set_hue(served, 150)
        assert served.on_loop(lambda: served.host.service.turn_off(ADAPTER_ID))
        reply = end(served, sock)
    assert about_colours(reply) == ({"baseHue": 150}, 150)
    assert reply.json["reason"] == "disabled_by_user"
