"""The far end of ``desktop.Accessibility``. It runs under the system's Python, which has the bus's bindings.

One order a line on stdin (JSON: do, name, patience_s, value), one answer a line on stdout.
"""

import json
import sys
import time
import warnings
from collections.abc import Iterator
from typing import TypedDict

warnings.simplefilter("ignore", DeprecationWarning)

import gi  # noqa: E402  what it imports warns

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402  only after its version is chosen

PRESSES = ("press", "click", "activate", "toggle")
PRESS_S = 0.15
"""Qt presses 100 ms long, and takes presses within that time for one."""

STATES = ("SHOWING", "ENABLED", "FOCUSABLE", "FOCUSED", "CHECKABLE", "CHECKED", "SELECTED")


class Order(TypedDict):
    do: str
    name: str
    patience_s: float
    value: float


Answer = dict[str, object]


def everything() -> Iterator[Atspi.Accessible]:
    waiting = [Atspi.get_desktop(0)]
    while waiting:
        thing = waiting.pop(0)
        yield thing
        count = max(0, thing.get_child_count())
        children = [thing.get_child_at_index(i) for i in range(count)]
        waiting = [child for child in children if child is not None] + waiting


def is_showing(thing: Atspi.Accessible) -> bool:
    return thing.get_state_set().contains(Atspi.StateType.SHOWING)


def named(name: str) -> list[Atspi.Accessible]:
    """Those of that name, what is showing first. Things may go while one looks."""
    found = []
    for thing in everything():
        own = thing.get_name() or ""
        if own == name or (name.startswith("~") and name[1:] in own):
            found.append(thing)
    return sorted(found, key=lambda thing: not is_showing(thing))


def facts(thing: Atspi.Accessible) -> Answer:
    states, box, parent = thing.get_state_set(), thing.get_component_iface(), thing.get_parent()
    text, action = thing.get_text_iface(), thing.get_action_iface()
    value = thing.get_value_iface()
    extents = box.get_extents(Atspi.CoordType.SCREEN) if box else None
    return {
        "name": thing.get_name(),
        "role": thing.get_role_name(),
        "parent_role": parent.get_role_name() if parent else "",
        "description": thing.get_description(),
        "states": [name for name in STATES if states.contains(getattr(Atspi.StateType, name))],
        "text": text.get_text(0, text.get_character_count()) if text else "",
        "value": value.get_current_value() if value else None,
        "actions": [action.get_action_name(i) for i in range(action.get_n_actions())] if action else [],
        "x": extents.x if extents else 0,
        "y": extents.y if extents else 0,
        "width": extents.width if extents else 0,
        "height": extents.height if extents else 0,
    }


def press(thing: Atspi.Accessible) -> Answer:
    action = thing.get_action_iface()
    if action is None:
        return {"error": "it has no actions"}
    names = [action.get_action_name(i).lower() for i in range(action.get_n_actions())]
    for name in PRESSES:
        if name in names:
            action.do_action(names.index(name))
            time.sleep(PRESS_S)
            return {}
    return {"error": f"it has no press, only {names}"}


def set_value(thing: Atspi.Accessible, value: float) -> Answer:
    interface = thing.get_value_iface()
    if interface is None or not interface.set_current_value(value):
        return {"error": "its value cannot be set"}
    return {}


def obey(order: Order) -> Answer | None:
    name = order["name"]
    if order["do"] == "names":
        return {
            "names": [thing.get_name() for thing in everything() if thing.get_name() and is_showing(thing)]
        }
    if order["do"] == "shown":
        return {"shown": [facts(thing) for thing in everything() if is_showing(thing)]}
    found = named(name)
    if order["do"] == "gone":
        return None if any(is_showing(thing) for thing in found) else {}
    if not found:
        return None
    if order["do"] == "find":
        return facts(found[0])
    if order["do"] == "set":
        return set_value(found[0], order["value"])
    for thing in found:  # a label may be named as the control that it stands beside
        answer = press(thing)
        if "error" not in answer:
            return answer
    return {"error": "it cannot be pressed"}


def patiently(order: Order) -> Answer:
    end = time.monotonic() + order["patience_s"]
    while True:
        try:
            answer = obey(order)
        except GLib.Error:
            answer = None
        if answer is not None:
            return answer
        if time.monotonic() > end:
            return {"error": "not so within the time"}
        Atspi.get_desktop(0).clear_cache()
        time.sleep(0.03)


for line in sys.stdin:
    print(json.dumps(patiently(json.loads(line))), flush=True)
